#include "ardea/measure/peers.h"

#include <dlfcn.h>

#include <algorithm>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::measure {

namespace fs = std::filesystem;

namespace {

/// The workload as a peer sees it, with what its pointers point to.
struct PeerWorkload {
  ops::Workload workload;
  std::string acc;
  std::vector<std::string> types;
  std::vector<std::vector<std::int64_t>> shapes;
  std::vector<ArdeaPeerArray> arrays;
  ArdeaPeerWorkload described{};

  explicit PeerWorkload(const ops::Workload& w) : workload(w), acc(to_string(w.acc)) {
    for (const DataType type : w.in) types.push_back(to_string(type));
    types.push_back(to_string(w.out));
    for (const ops::Shape& shape : ops::find(w.op).shapes(w)) {
      std::vector<std::int64_t>& extents = shapes.emplace_back();
      for (const ops::Count& extent : shape) extents.push_back(extent.value());
    }
    ensure(types.size() == shapes.size(), "{}: {} types for {} arrays", w.op, types.size(), shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i)
      arrays.push_back({types[i].c_str(), static_cast<std::int32_t>(shapes[i].size()), shapes[i].data()});
    described = {.op = workload.op.c_str(),
                 .size_count = static_cast<std::int32_t>(workload.sizes.size()),
                 .sizes = workload.sizes.data(),
                 .layout = workload.layout.c_str(),
                 .acc = acc.c_str(),
                 .transpose_b = workload.transpose_b ? 1 : 0,
                 .array_count = static_cast<std::int32_t>(arrays.size()),
                 .arrays = arrays.data()};
  }
};

}  // namespace

std::vector<std::string> peer_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (fs::exists(entry.path() / "peer.so", error)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Peer::Peer(const fs::path& folder, const std::string& name) : name_(name) {
  const fs::path file = folder / name / "peer.so";
  std::error_code error;
  if (!fs::exists(file, error) || name.find('/') != std::string::npos) {
    const std::vector<std::string> there = peer_names(folder);
    fail("there is no peer {} in {}, {}{}; `make bench-peers` builds those whose libraries are installed",
         in_quotes(name), folder.string(), there.empty() ? "and no other" : "only " + join(there, ", "),
         did_you_mean(name, there));
  }
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  require(handle != nullptr, "the peer {} cannot be opened: {}; `make bench-peers` builds it anew", name,
          handle == nullptr ? dlerror() : "");
  // Never closed: the threads of a library that was may still run its code.
  library_ = std::shared_ptr<void>(handle, [](void*) {});
  peer_ = static_cast<const ArdeaPeer*>(dlsym(handle, "ardea_peer"));
  require(peer_ != nullptr,
          "{}: it has no ardea_peer, it is no peer; docs/benchmarks.md says how to write one", file.string());
  require(peer_->abi_version == ARDEA_PEER_ABI_VERSION,
          "{}: it is a peer of version {}, this program needs {}; `make bench-peers` builds it anew",
          file.string(), peer_->abi_version, ARDEA_PEER_ABI_VERSION);
}

std::string Peer::description() const { return peer_->description(); }

Peer::Offer Peer::prepare(const ops::Workload& workload, int threads) const {
  const auto described = std::make_shared<PeerWorkload>(workload);
  Offer offer;
  for (std::int32_t variant = 0;; ++variant) {
    ArdeaPeerCall call{};
    const std::int32_t answer = peer_->prepare(&described->described, threads, variant, &call);
    require(answer != ARDEA_PEER_FAILED, "the peer {} failed to prepare {}: {}; leave it out of --against",
            name_, ops::to_string(workload), peer_->last_error());
    if (answer == ARDEA_PEER_REFUSED) {
      offer.refusal = peer_->last_error();
      return offer;
    }
    PeerCall made;
    made.name_ = name_;
    made.label_ = call.label;
    made.run_ = peer_->run;
    made.last_error_ = peer_->last_error;
    made.state_ = std::shared_ptr<void>(call.state, [described, library = library_, destroy = peer_->destroy](
                                                        void* state) { destroy(state); });
    offer.calls.push_back(std::move(made));
  }
}

void PeerCall::run(void* const* arrays) const {
  if (run_(state_.get(), arrays) != ARDEA_PEER_DONE)
    fail("the peer {} failed: {}; leave it out of --against", name_, last_error_());
}

}  // namespace ardea::measure
