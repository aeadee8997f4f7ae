#include "bench/peers/plugin.h"

#include <dlfcn.h>

#include <exception>

namespace peer {

namespace {

thread_local std::string error;

Workload workload_of(const ArdeaPeerWorkload& w) {
  Workload workload{.op = w.op,
                    .layout = w.layout,
                    .acc = w.acc,
                    .sizes = {w.sizes, w.sizes + w.size_count},
                    .transpose_b = w.transpose_b != 0,
                    .arrays = {}};
  for (std::int32_t i = 0; i < w.array_count; ++i)
    workload.arrays.push_back({w.arrays[i].type, {w.arrays[i].shape, w.arrays[i].shape + w.arrays[i].rank}});
  return workload;
}

/// No exception leaves the library.
template <class Body>
std::int32_t guarded(const Body& body) {
  try {
    body();
    return ARDEA_PEER_DONE;
  } catch (const Refusal& refusal) {
    error = refusal.reason;
    return ARDEA_PEER_REFUSED;
  } catch (const std::exception& e) {
    error = e.what();
    return ARDEA_PEER_FAILED;
  }
}

std::int32_t prepare(const ArdeaPeerWorkload* described, std::int32_t threads, std::int32_t variant,
                     ArdeaPeerCall* call) {
  return guarded([&] {
    const Workload workload = workload_of(*described);
    const Variants all = variants(workload, threads);
    if (all.empty()) throw Refusal{"it has no " + workload.op + " of these types and layout"};
    if (variant >= static_cast<std::int32_t>(all.size())) throw Refusal{"it has no further variant"};
    auto* const prepared = new Prepared(all[static_cast<std::size_t>(variant)]());
    *call = {prepared, prepared->label.c_str()};
  });
}

std::int32_t run(void* state, void* const* arrays) {
  return guarded([&] { static_cast<Prepared*>(state)->run(arrays); });
}

void destroy(void* state) { delete static_cast<Prepared*>(state); }

const char* described() {
  static const std::string text = description();
  return text.c_str();
}

const char* last_error() { return error.c_str(); }

}  // namespace

std::int64_t Array::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::int64_t Array::bytes() const {
  // The width stands at the end of a type's name, but for bool and the formats of float8.
  if (type == "bool" || type.starts_with("float8")) return elements();
  return elements() * std::stoll(type.substr(type.find_first_of("0123456789"))) / 8;
}

bool Workload::all(const std::string& type) const {
  for (const Array& array : arrays)
    if (array.type != type) return false;
  return acc == type;
}

std::string file_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "an unknown file";
}

}  // namespace peer

extern "C" __attribute__((visibility("default")))
const ArdeaPeer ardea_peer = {.abi_version = ARDEA_PEER_ABI_VERSION,
                              .name = peer::name,
                              .kind = peer::kind,
                              .description = peer::described,
                              .prepare = peer::prepare,
                              .run = peer::run,
                              .destroy = peer::destroy,
                              .last_error = peer::last_error};
