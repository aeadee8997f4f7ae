#include <unordered_map>
#include <unordered_set>

#include "ardea/arith/verify_laws.h"
#include "ardea/ir/print.h"
#include "ardea/ir/substitute.h"
#include "ardea/support/overloaded.h"

namespace ardea::arith {

namespace {

enum class Origin {
  anywhere,  ///< parameters, extents, iterators of blocks, memory: a block inside may use it
  loop,      ///< a loop's variable, or a let computed from one: a block inside may not
};

class ScopeCheck {
 public:
  explicit ScopeCheck(Report& report) : report_(report) {}

  void function(const Function& f) {
    where_ = "the parameters";
    for (const Parameter& p : f.parameters) parameter(p);
    if (!report_.clean()) return;
    for (const Var& extent : shape_variables(f)) symbolic_extent(f, extent);
    for (const Parameter& p : f.parameters)
      if (p.buffer.defined()) shape(p.buffer);
    where_ = "the assumptions";
    for (const Expr& condition : f.assumptions) visit(condition);
    if (!f.body.defined()) return missing("the body");
    visit(f.body);
  }

 private:
  // --- definitions ---

  void parameter(const Parameter& p) {
    if (!p.var.defined()) return missing("a parameter's variable");
    if (!ever_.insert(p.var).second)
      report_.add("duplicate_parameter", "{} is a parameter twice; give each parameter its own variable",
                  p.var.name());
    visible_[p.var] = Origin::anywhere;
    if (!p.buffer.defined()) return;
    if (!p.buffer->data.defined()) return missing("the data of buffer " + p.buffer->name);
    if (!buffers_.insert(p.buffer).second ||
        (!(p.buffer->data == p.var) && !ever_.insert(p.buffer->data).second))
      report_.add("duplicate_parameter",
                  "buffer {} is a parameter twice; give each parameter its own buffer and memory",
                  p.buffer->name);
    visible_[p.buffer->data] = Origin::anywhere;
    for (const auto* parts : {&p.buffer->shape, &p.buffer->strides})
      for (const Expr& part : *parts)
        if (!part.defined()) return missing("an extent or stride of buffer " + p.buffer->name);
  }

  void symbolic_extent(const Function& f, const Var& extent) {
    ever_.insert(extent);
    visible_[extent] = Origin::anywhere;
    for (const Parameter& p : f.parameters) {
      if (!p.buffer.defined()) continue;
      for (const auto* parts : {&p.buffer->shape, &p.buffer->strides})
        for (const Expr& whole : *parts)
          if (whole == extent) return;
    }
    report_.add("unbindable_extent",
                "the extent {} cannot be read from any argument, because it is nowhere a whole extent or "
                "stride of a parameter; make it a scalar parameter or one dimension of a buffer",
                extent.name());
  }

  /// Defines var for the length of `body`.
  template <class Body>
  void with(const Var& var, Origin origin, const Body& body) {
    if (!var.defined()) return missing("a variable");
    if (!ever_.insert(var).second)
      report_.add(
          "redefined_variable",
          "{} is defined a second time in {}; every definition needs a variable of its own (copy code with "
          "fresh_copy)",
          var.name(), where_);
    const auto before = visible_.find(var);
    const bool shadowed = before != visible_.end();
    visible_[var] = origin;
    body();
    if (!shadowed) visible_.erase(var);
  }

  template <class Body>
  void with_buffer(const Buffer& buffer, const Body& body) {
    const bool added = buffers_.insert(buffer).second;
    body();
    if (added) buffers_.erase(buffer);
  }

  void shape(const Buffer& buffer) {
    for (const Expr& extent : buffer->shape) visit(extent);
    for (const Expr& stride : buffer->strides) visit(stride);
    if (buffer->element_offset.defined()) visit(buffer->element_offset);
  }

  // --- uses ---

  void missing(const std::string& what) {
    report_.add("missing_part", "{} is empty in {}; build the node with its make_ function", what,
                where_.empty() ? "the function" : where_);
  }

  void use(const Var& var) {
    if (hidden_.contains(var)) {
      if (complained_.insert(var).second)
        report_.add(
            "loop_variable_in_block",
            "{} uses {}, which a loop outside the block defines; bind an iterator of the block to it and use "
            "that",
            where_, var.name());
    } else if (!visible_.contains(var) && complained_.insert(var).second) {
      report_.add(
          "undefined_variable",
          "{} uses {}, which is not defined there; define it by a loop, a let or a parameter around the use",
          where_, var.name());
    }
  }

  void use(const Buffer& buffer) {
    if (!buffer.defined()) return missing("a buffer");
    if (buffers_.contains(buffer) || !complained_buffers_.insert(buffer).second) return;
    report_.add("undeclared_buffer",
                "{} uses buffer {}, which is neither a parameter nor allocated, declared or matched around "
                "it; allocate "
                "it in a block or pass it as a parameter",
                where_, buffer->name);
  }

  void use(const BufferRegion& region) {
    use(region.buffer);
    for (const Range& range : region.region) use(range);
  }

  void use(const Range& range) {
    visit(range.min);
    visit(range.extent);
  }

  void visit(const Expr& e) {
    if (e.defined() && e.is<IntImm>()) return;  // most bounds
    if (e.defined() && e.is<VarNode>()) return use(Var(e));
    Seen seen;
    visit(e, seen);
  }

  using Seen = std::unordered_set<Expr>;

  void visit(const Expr& e, Seen& seen) {
    if (!e.defined()) return missing("an expression");
    if (!seen.insert(e).second) return;
    if (e.is<VarNode>()) return use(Var(e));
    if (const auto* let = e.as<Let>()) {
      visit(let->value, seen);
      if (const auto site = let_sites_.find(let->var); site != let_sites_.end() && site->second == e)
        ever_.erase(let->var);  // the same let, reached on another path
      let_sites_[let->var] = e;
      return with(let->var, origin_of(let->value), [&] { visit(let->body, seen); });
    }
    if (const auto* load = e.as<Load>()) use(load->buffer);
    bool whole = true;
    parts(e, [&](const Expr& part) { whole = whole && part.defined(); });
    if (!whole) return missing("a part of an expression");
    for_each_child(e, [&](const Expr& part) { visit(part, seen); });
  }

  /// for_each_child leaves out what is empty; here the required parts come, empty or not.
  template <class F>
  static void parts(const Expr& e, const F& f) {
    std::visit(
        overloaded{[&](const Cast& n) { f(n.value); }, [&](const Unary& n) { f(n.operand); },
                   [&](const Binary& n) { f(n.left), f(n.right); },
                   [&](const Select& n) { f(n.condition), f(n.when_true), f(n.when_false); },
                   [&](const Load& n) {
                     for (const Expr& i : n.indices) f(i);
                   },
                   [&](const Call& n) {
                     for (const Expr& a : n.arguments) f(a);
                   },
                   [&](const Ramp& n) { f(n.base), f(n.stride); }, [&](const Broadcast& n) { f(n.value); },
                   [&](const Shuffle& n) {
                     for (const Expr& v : n.vectors) f(v);
                   },
                   [&](const auto&) {}},
        e.variant());
  }

  Origin origin_of(const Expr& value) const {
    if (value.defined())
      for (const Var& var : free_variables(value))
        if (const auto found = visible_.find(var); found != visible_.end() && found->second == Origin::loop)
          return Origin::loop;
    return Origin::anywhere;
  }

  // --- statements ---

  void visit(const Stmt& s) {
    if (!s.defined()) return missing("a statement");
    const std::string around = where_;
    std::visit(overloaded{
                   [&](const Store& node) {
                     at("the store to " + (node.buffer.defined() ? node.buffer->name : "nothing"));
                     use(node.buffer);
                     for (const Expr& index : node.indices) visit(index);
                     visit(node.value);
                     if (node.predicate.defined()) visit(node.predicate);
                   },
                   [&](const For& node) {
                     at("loop " + (node.var.defined() ? node.var.name() : "without a variable"));
                     visit(node.min);
                     visit(node.extent);
                     with(node.var, Origin::loop, [&] { visit(node.body); });
                   },
                   [&](const If& node) {
                     at("an if");
                     visit(node.condition);
                     visit(node.then_case);
                     if (node.else_case.defined()) visit(node.else_case);
                   },
                   [&](const Seq& node) {
                     for (const Stmt& statement : node.statements) visit(statement);
                   },
                   [&](const Allocate& node) {
                     at("allocation " + (node.data.defined() ? node.data.name() : "without a handle"));
                     for (const Expr& extent : node.extents) visit(extent);
                     with(node.data, Origin::anywhere, [&] { visit(node.body); });
                   },
                   [&](const DeclareBuffer& node) { declare(node); },
                   [&](const LetStmt& node) {
                     at("let " + (node.var.defined() ? node.var.name() : "without a variable"));
                     visit(node.value);
                     with(node.var, origin_of(node.value), [&] { visit(node.body); });
                   },
                   [&](const Assert& node) {
                     at("an assert");
                     visit(node.condition);
                   },
                   [&](const Evaluate& node) {
                     at("an evaluated expression");
                     visit(node.value);
                   },
                   [&](const Block& node) { block(node); },
               },
               s.variant());
    where_ = around;
  }

  void at(const std::string& place) { where_ = block_.empty() ? place : place + " in block " + block_; }

  void declare(const DeclareBuffer& node) {
    if (!node.buffer.defined() || !node.buffer->data.defined())
      return missing("a declared buffer or its data");
    at("the declaration of buffer " + node.buffer->name);
    if (!visible_.contains(node.buffer->data))
      report_.add(
          "undefined_data",
          "buffer {} is declared over the memory {}, which is not defined there; allocate it around the "
          "declaration, or take the data of a buffer in scope",
          node.buffer->name, node.buffer->data.name());
    shape(node.buffer);
    with_buffer(node.buffer, [&] { visit(node.body); });
  }

  void block(const Block& node) {
    const std::string around = block_;
    block_ = node.name;
    where_ = "block " + node.name;
    if (!ids_.insert(node.id).second)
      report_.add("duplicate_block", "block {} stands in the program twice; copy blocks with fresh_copy",
                  node.name);
    for (const BlockIterator& iterator : node.iterators) {
      if (!iterator.var.defined()) return missing("a block iterator's variable");
      use(iterator.domain);
      visit(iterator.binding);
    }
    if (node.predicate.defined()) visit(node.predicate);
    const auto hidden_before = hidden_;
    for (const auto& [var, origin] : visible_)
      if (origin == Origin::loop) hidden_.insert(var);
    with_iterators(node, 0);
    hidden_ = hidden_before;
    block_ = around;
  }

  void with_iterators(const Block& node, std::size_t i) {
    if (i == node.iterators.size()) return with_allocations(node, 0);
    with(node.iterators[i].var, Origin::anywhere, [&] { with_iterators(node, i + 1); });
  }

  void with_allocations(const Block& node, std::size_t i) {
    if (i == node.allocations.size()) {
      // What a block touches is said in terms of what surrounds it.
      for (const auto* regions : {&node.reads, &node.writes})
        if (*regions)
          for (const BufferRegion& region : **regions) use(region);
      return with_matches(node, 0);
    }
    const Buffer& buffer = node.allocations[i];
    if (!buffer.defined() || !buffer->data.defined()) return missing("an allocated buffer or its data");
    shape(buffer);
    with(buffer->data, Origin::anywhere,
         [&] { with_buffer(buffer, [&] { with_allocations(node, i + 1); }); });
  }

  /// A match defines its buffer, the buffer's memory, and the variables that stand for its strides and
  /// offset.
  void with_matches(const Block& node, std::size_t i) {
    if (i == node.matches.size()) {
      if (node.init.defined()) visit(node.init);
      return visit(node.body);
    }
    const MatchBuffer& match = node.matches[i];
    use(match.source);
    if (!match.buffer.defined() || !match.buffer->data.defined())
      return missing("a matched buffer or its data");
    std::vector<Var> layout;
    const auto collect = [&](const Expr& e) {
      if (e.is<VarNode>() && !visible_.contains(Var(e))) layout.emplace_back(e);
    };
    for (const Expr& stride : match.buffer->strides) collect(stride);
    collect(match.buffer->element_offset);
    for (const Var& var : layout) {
      ever_.insert(var);
      visible_[var] = Origin::anywhere;
    }
    shape(match.buffer);
    with(match.buffer->data, Origin::anywhere,
         [&] { with_buffer(match.buffer, [&] { with_matches(node, i + 1); }); });
    for (const Var& var : layout) visible_.erase(var);
  }

  Report& report_;
  std::string where_, block_;
  std::unordered_map<Var, Origin> visible_;
  std::unordered_set<Var> ever_, hidden_, complained_;
  std::unordered_set<Buffer> buffers_, complained_buffers_;
  std::unordered_set<BlockId> ids_;
  std::unordered_map<Var, Expr> let_sites_;
};

}  // namespace

void check_scopes(const Function& f, Report& report) { ScopeCheck(report).function(f); }

}  // namespace ardea::arith
