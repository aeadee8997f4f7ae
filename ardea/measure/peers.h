#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ardea/measure/peer_abi.h"
#include "ardea/ops/registry.h"

/// Other implementations of the operators, opened at run time (peer_abi.h).

namespace ardea::measure {

/// A call that a peer has made ready, on arrays of the caller's.
class PeerCall {
 public:
  const std::string& label() const { return label_; }
  /// The arrays in the operator's order, the output last. Error where the peer fails.
  void run(void* const* arrays) const;

 private:
  friend class Peer;
  std::string name_, label_;
  int (*run_)(void*, void* const*) = nullptr;
  const char* (*last_error_)() = nullptr;
  std::shared_ptr<void> state_;  ///< keeps the peer and the workload too
};

class Peer {
 public:
  /// Opens FOLDER/NAME/peer.so. Each library lies in a folder of its own and its symbols stay its own, so
  /// that a function that two libraries define is each peer's own. Error where there is none, or it is of
  /// another version; `way_out` ends the sentence.
  Peer(const std::filesystem::path& folder, const std::string& name);

  const std::string& name() const { return name_; }
  ArdeaPeerKind kind() const { return static_cast<ArdeaPeerKind>(peer_->kind); }
  /// Which code really answers.
  std::string description() const;

  /// All ways in which it can do the work; none, and its reason in `refusal`, where it cannot.
  struct Offer {
    std::vector<PeerCall> calls;
    std::string refusal;
  };
  Offer prepare(const ops::Workload& workload, int threads) const;

 private:
  std::string name_;
  std::shared_ptr<void> library_;
  const ArdeaPeer* peer_ = nullptr;
};

/// The names of the peers in a folder, in order.
std::vector<std::string> peer_names(const std::filesystem::path& folder);

}  // namespace ardea::measure
