#include "tests/random/nest_state.h"

#include <fmt/core.h>

#include <algorithm>

#include "ardea/support/text.h"

namespace ardea::random_programs {

std::string pad(std::size_t depth) { return std::string(4 * depth, ' '); }

Memory& NestState::new_tensor(Memory::Role role) {
  tensors.push_back({fmt::format("{}{}", "ABCT"[role], tensors.size()), {}, role});
  return tensors.back();
}

void NestState::fit(Memory& tensor, Indices& indices, std::int64_t room) {
  tensor.shape.resize(indices.size(), 1);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const auto [low, high] = instances.reach(indices[d]);
    const std::int64_t shift = low < room ? room - low : 0;
    if (shift > 0) indices[d] = indices[d] + shift;
    tensor.shape[d] = std::max(tensor.shape[d], high + shift + room + 1);
  }
}

std::string NestState::access(const Memory& tensor, const Indices& indices) const {
  std::vector<std::string> list;
  for (const IndexExpression& index : indices) list.push_back(index.text(iterators));
  return fmt::format("{}[{}]", tensor.name, join(list, ", "));
}

void NestState::begin_block(std::size_t depth, const Indices& bindings, const std::vector<std::string>& kinds,
                            std::int64_t room) {
  text += pad(depth + 1) + fmt::format("with T.block(\"b{}\"):\n", blocks++);
  iterators.clear();
  for (std::size_t k = 0; k < bindings.size(); ++k) {
    const auto [low, high] = instances.reach(bindings[k]);
    iterators.push_back(fmt::format("v{}", k));
    text += pad(depth + 2) + fmt::format("v{} = T.axis.{}(({}, {}), {})\n", k, kinds[k], low - room,
                                         high + room + 1, bindings[k].text(loop_names));
  }
}

void NestState::maybe_where(std::size_t depth) {
  if (random.chance(0.2))
    text += pad(depth + 2) + fmt::format("T.where({})\n", draw().any_guard(depth).text(loop_names));
}

std::string NestState::guarded(std::size_t depth, const std::string& store) {
  if (!random.chance(0.15)) return pad(depth + 2) + store;
  return pad(depth + 2) + fmt::format("if {}:\n", draw().any_guard(iterators.size()).text(iterators)) +
         pad(depth + 3) + store;
}

std::string NestState::read(Indices indices, const Memory* written) {
  std::vector<Memory*> sources;
  for (Memory& tensor : tensors)
    if (&tensor != written && tensor.role != Memory::temporary) sources.push_back(&tensor);
  Memory* source = sources.empty() || random.chance(0.5) ? nullptr : random.pick(sources);
  if (source != nullptr && source->shape.size() != indices.size()) source = nullptr;
  if (source == nullptr) source = &new_tensor(Memory::input);
  fit(*source, indices);
  return access(*source, indices);
}

std::string NestState::value(std::size_t depth, const Memory* written) {
  const Indices indices = draw().any_indices(depth);
  std::string sum = read(indices, written);
  // A second one: elsewhere, or at the same place, mostly of another tensor.
  const double more = random.real();
  if (more < 0.2)
    sum += " + " + read(draw().any_indices(depth), written);
  else if (more < 0.4)
    sum += " * 2 + " + read(indices, written);
  if (random.chance(0.3))
    sum += fmt::format(" + T.cast({}, \"int32\")", draw().linear(depth).text(iterators));
  return sum;
}

}  // namespace ardea::random_programs
