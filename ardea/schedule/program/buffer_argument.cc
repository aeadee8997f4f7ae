#include "ardea/schedule/program/buffer_argument.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/support/text.h"

namespace ardea::schedule {

Argument Convert<BufferArgument>::to(const BufferArgument& buffer) {
  if (buffer.position < 0) return {buffer.name};
  return {std::vector<Argument>{{buffer.name}, {buffer.position}}};
}

std::optional<BufferArgument> Convert<BufferArgument>::from(const Argument& argument) {
  if (const auto* name = std::get_if<std::string>(&argument.value)) return BufferArgument(*name);
  const auto* pair = std::get_if<std::vector<Argument>>(&argument.value);
  if (pair == nullptr || pair->size() != 2) return std::nullopt;
  const auto* kind = std::get_if<std::string>(&(*pair)[0].value);
  const auto* position = std::get_if<std::int64_t>(&(*pair)[1].value);
  if (kind == nullptr || position == nullptr || *position < 0 || (*kind != "read" && *kind != "write"))
    return std::nullopt;
  return BufferArgument(*kind, *position);
}

Result<Buffer> find_buffer(const BufferArgument& wanted, const std::vector<BufferRegion>& reads,
                           const std::vector<BufferRegion>& writes, const std::string& part) {
  if (wanted.position >= 0) {
    const std::vector<BufferRegion>& regions = wanted.name == "read" ? reads : writes;
    if (wanted.position < std::ssize(regions))
      return regions[static_cast<std::size_t>(wanted.position)].buffer;
    return Refusal{"no_such_buffer",
                   fmt::format("{} {}s {} buffers, counted from 0, and buffer {} is asked for", part,
                               wanted.name, regions.size(), wanted.position)};
  }
  std::vector<Buffer> known, found;
  std::vector<std::string> names;
  for (const auto* regions : {&reads, &writes})
    for (const BufferRegion& region : *regions) {
      if (std::find(known.begin(), known.end(), region.buffer) != known.end()) continue;
      known.push_back(region.buffer);
      names.push_back(region.buffer->name);
      if (region.buffer->name == wanted.name) found.push_back(region.buffer);
    }
  if (found.size() == 1) return found[0];
  if (found.empty())
    return Refusal{"no_such_buffer", fmt::format("{} touches no buffer {}, only {}{}", part, wanted.name,
                                                 join(names, ", "), did_you_mean(wanted.name, names))};
  return Refusal{"no_such_buffer", fmt::format("{} touches {} buffers that are called {}; say which by "
                                               "(\"read\", i) or (\"write\", i)",
                                               part, found.size(), wanted.name)};
}

}  // namespace ardea::schedule
