#include "ardea/schedule/separate_packing.h"

#include <algorithm>

#include "ardea/arith/verify.h"
#include "ardea/ir/storage_alignment.h"
#include "ardea/ir/traverse.h"
#include "ardea/schedule/program/touches.h"
#include "ardea/support/error.h"

namespace ardea::schedule {

namespace {

/// One call of separate_packing, with what its sentences begin with.
class Separation {
 public:
  Separation(const Function& f, const std::string& parameter)
      : f_(f), name_(parameter), call_(fmt::format("separate_packing(parameter={}): ", parameter)) {
    const auto at = std::find_if(f.parameters.begin(), f.parameters.end(), [&](const ardea::Parameter& p) {
      return p.buffer.defined() && p.buffer->name == parameter;
    });
    require(at != f.parameters.end(), "{}{} has no array of that name", call_, f.name);
    place_ = static_cast<std::size_t>(at - f.parameters.begin());
    given_ = at->buffer;
    root_ = root_block(f);
    require(root_ != nullptr, "{}{} has no blocks any more; separate before lowering", call_, f.name);
    if (const auto* seq = root_->body.as<Seq>())
      statements_ = seq->statements;
    else
      statements_ = {root_->body};
  }

  SeparatedPacking run() {
    const std::size_t at = packing_statement();
    const Stmt nest = statements_[at];
    const Buffer result = result_of(nest);
    require_only_writer(result, nest);
    BufferNode described = *result;
    described.name = name_ + "_packed";
    packed_ = Buffer(described);
    const auto renamed = [&](const Stmt& s) {
      return rewrite(s, Rewriter{.buffer = [&](const Buffer& b) {
                       return b == result ? std::optional(packed_) : std::nullopt;
                     }});
    };
    std::vector<Stmt> rest = statements_;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    SeparatedPacking made{.main = f_, .pack = f_, .parameter = place_};
    made.main.parameters[place_] = packed_parameter();
    Block main_root = *root_;
    std::erase(main_root.allocations, result);
    main_root.body = renamed(make_seq(std::move(rest)));
    made.main.body = main_root;

    made.pack.name = f_.name + "_pack";
    made.pack.parameters = {f_.parameters[place_], packed_parameter()};
    Block pack_root = *root_;
    pack_root.id = BlockId::fresh();
    pack_root.allocations.clear();
    pack_root.body = renamed(nest);
    made.pack.body = pack_root;
    return made;
  }

  void require_valid(const SeparatedPacking& made) const {
    for (const Function& f : {made.main, made.pack}) arith::require_valid(f, call_ + f.name);
  }

 private:
  ardea::Parameter packed_parameter() const { return {Var(packed_->name + "_handle", handle_type), packed_}; }

  /// The one statement of the root that touches the parameter.
  std::size_t packing_statement() const {
    const std::vector<Touch> all = touches({f_.body}, given_);
    require(!all.empty(), "{}{} does not read it", call_, f_.name);
    std::optional<std::size_t> found;
    for (const Touch& touch : all) {
      require(!touch.writes,
              "{}{} writes it or gives its address away; only what is read can be packed ahead", call_,
              f_.name);
      const auto at = std::find_if(statements_.begin(), statements_.end(), [&](const Stmt& s) {
        return std::find(touch.path.begin(), touch.path.end(), s) != touch.path.end();
      });
      ensure(at != statements_.end(), "a statement of the root is on the way to all that touch a parameter");
      const auto place = static_cast<std::size_t>(at - statements_.begin());
      require(!found || found == place, "{}several statements read it; one must pack it for all others",
              call_);
      found = place;
    }
    return *found;
  }

  /// The buffer that the statement makes of the parameter alone.
  Buffer result_of(const Stmt& nest) const {
    Buffer result;
    for (const Buffer& buffer : buffers_in(nest)) {
      if (buffer == given_) continue;
      require(
          !result.defined(),
          "{}what reads it also touches {} and {}; a block that copies it must stand by itself before all "
          "loops, as transform_layout leaves it",
          call_, result.defined() ? result->name : "", buffer->name);
      result = buffer;
    }
    const auto& own = root_->allocations;
    require(
        result.defined() && std::find(own.begin(), own.end(), result) != own.end() &&
            result->scope == "global",
        "{}what reads it makes {}, which is no buffer of {} in global memory; pack it by transform_layout",
        call_, result.defined() ? result->name : "nothing", f_.name);
    return result;
  }

  /// Instructions that read by address are told from those that write by the regions that blocks declare.
  void require_only_writer(const Buffer& result, const Stmt& nest) const {
    const auto inside = [&](const Path& path) {
      return std::find(path.begin(), path.end(), nest) != path.end();
    };
    for (const Touch& touch : touches({f_.body}, result)) {
      require(inside(touch.path) || !touch.writes || !touch.plain,
              "{}{} is written again after it was packed", call_, result->name);
      require(!inside(touch.path) || touch.plain,
              "{}{} is packed through a view of it or by its address; pack it element by element", call_,
              result->name);
    }
    for (const Path& path : all_blocks(f_)) {
      const Block& block = path.block();
      const bool writes =
          !block.writes || std::any_of(block.writes->begin(), block.writes->end(),
                                       [&](const BufferRegion& r) { return r.buffer == result; });
      require(inside(path) || !writes, "{}block {} writes {}, which was packed before", call_, block.name,
              result->name);
    }
    visit_stmts(nest, [&](const Stmt& s) {
      const auto* block = s.as<Block>();
      require(block == nullptr || storage_alignments(block->annotations).empty(),
              "{}{} has gaps by storage_align, which an argument has not; leave that step out", call_,
              result->name);
    });
  }

  const Function& f_;
  const std::string name_, call_;
  std::size_t place_ = 0;
  Buffer given_, packed_;
  const Block* root_ = nullptr;
  std::vector<Stmt> statements_;
};

}  // namespace

SeparatedPacking separate_packing(const Function& f, const std::string& parameter) {
  Separation separation(f, parameter);
  SeparatedPacking made = separation.run();
  separation.require_valid(made);
  return made;
}

Function without_packing(const Function& f, const std::string& parameter) {
  return Separation(f, parameter).run().main;
}

std::string weights_of(const Function& f) {
  require(f.parameters.size() > 2 && f.parameters[1].buffer.defined(),
          "{} has no weights, which would be its second operand", f.name);
  return f.parameters[1].buffer->name;
}

}  // namespace ardea::schedule
