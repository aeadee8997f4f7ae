#include "ardea/space/json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "ardea/space/evaluate.h"
#include "ardea/support/error.h"
#include "ardea/support/overloaded.h"
#include "ardea/support/text.h"

namespace ardea::space {
namespace {

using nlohmann::json;

bool is_value(const json& value) {
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(largest_value);
  return value.is_number_integer() && value.get<std::int64_t>() >= -largest_value;
}

class Writer {
 public:
  explicit Writer(const System& system) : system_(system) {}

  json operand(const Operand& x) const {
    return x.is_variable() ? json(system_[x.variable()].name) : json(x.number());
  }
  json operands(const std::vector<Operand>& list) const {
    json out = json::array();
    for (const Operand& x : list) out.push_back(operand(x));
    return out;
  }
  static json domain(const Domain& set) {
    json out = json::array();
    for (const Range& r : set.ranges()) {
      if (r.low == r.high)
        out.push_back(r.low);
      else
        out.push_back({r.low, r.high});
    }
    return out;
  }
  json body(const Body& body) const {
    return std::visit(
        overloaded{
            [&](const Linear& x) {
              json terms = json::array();
              for (const Scaled& term : x.terms)
                terms.push_back({term.coefficient, system_[term.variable].name});
              return json{{"kind", "sum"},
                          {"terms", std::move(terms)},
                          {"constant", x.constant},
                          {"relation", to_string(x.relation)},
                          {"right", operand(x.right)}};
            },
            [&](const Member& x) {
              return json{{"kind", "in"}, {"variable", system_[x.variable].name}, {"set", domain(x.set)}};
            },
            [&](const Divides& x) {
              return json{
                  {"kind", "divides"}, {"divisor", operand(x.divisor)}, {"number", operand(x.number)}};
            },
            [&](const Product& x) {
              return json{{"kind", "prod"}, {"result", operand(x.result)}, {"factors", operands(x.factors)}};
            },
            [&](const Select& x) {
              return json{{"kind", "select"},
                          {"result", operand(x.result)},
                          {"index", operand(x.index)},
                          {"choices", operands(x.choices)}};
            },
            [&](const Extreme& x) {
              return json{{"kind", x.largest ? "max" : "min"},
                          {"result", operand(x.result)},
                          {"operands", operands(x.operands)}};
            },
            [&](const Quotient& x) {
              return json{{"kind", x.up ? "ceil_div" : "floor_div"},
                          {"result", operand(x.result)},
                          {"numerator", operand(x.numerator)},
                          {"denominator", operand(x.denominator)}};
            },
            [&](const Truth& x) {
              return json{{"kind", "truth"},
                          {"result", operand(x.result)},
                          {"condition", this->body(as_body(x.condition))}};
            }},
        body);
  }

 private:
  const System& system_;
};

/// Reads fields of one object; what it holds besides those read is refused by done().
class Record {
 public:
  Record(const json& object, std::string where, std::string path)
      : object_(object), where_(std::move(where)), path_(std::move(path)) {
    require(object.is_object(), "{}: {} must be an object, not {}", where_, path_, object.type_name());
  }
  bool has(const char* name) {
    known_.emplace_back(name);
    return object_.contains(name);
  }
  const json& get(const char* name) {
    require(has(name), "{}: {} has no field \"{}\"", where_, path_, name);
    return object_[name];
  }
  std::string text(const char* name) {
    const json& value = get(name);
    if (!value.is_string()) wrong(name, "a text", value);
    return value.get<std::string>();
  }
  std::string optional_text(const char* name) { return has(name) ? text(name) : ""; }
  std::int64_t number(const json& value, const char* name) const {
    if (!is_value(value)) wrong(name, "an integer within ±2^60", value);
    return value.get<std::int64_t>();
  }
  std::int64_t number(const char* name) { return number(get(name), name); }
  const json& array(const char* name) {
    const json& value = get(name);
    if (!value.is_array()) wrong(name, "a list", value);
    return value;
  }
  Domain domain(const char* name) {
    std::vector<Range> ranges;
    for (const json& part : array(name)) {
      if (!part.is_array()) {
        ranges.push_back({number(part, name), number(part, name)});
        continue;
      }
      if (part.size() != 2) wrong(name, "numbers and pairs [low, high]", part);
      ranges.push_back({number(part[0], name), number(part[1], name)});
    }
    return Domain::of_ranges(std::move(ranges));
  }
  Record object(const char* name) { return {get(name), where_, path_ + "." + name}; }
  const std::string& where() const { return where_; }
  const std::string& path() const { return path_; }

  void done() const {
    for (const auto& [name, value] : object_.items())
      require(std::find(known_.begin(), known_.end(), name) != known_.end(),
              "{}: {} has an unknown field {}; the fields here are {}{}", where_, path_, in_quotes(name),
              join(known_, ", "), did_you_mean(name, known_));
  }
  [[noreturn]] void wrong(const std::string& name, const char* wanted, const json& value) const {
    fail("{}: field \"{}\" of {} must be {}, not {}", where_, name, path_, wanted,
         value.dump(-1, ' ', false, json::error_handler_t::replace));
  }

 private:
  const json& object_;
  std::string where_, path_;
  std::vector<std::string> known_;
};

class Reader {
 public:
  Reader(System& system, std::string where) : system_(system), where_(std::move(where)) {}

  void whole(const json& record) {
    Record fields(record, where_, "a system");
    const json& variables = fields.array("variables");
    const json& constraints = fields.array("constraints");
    fields.done();
    std::vector<Declared> declared;
    for (const json& variable : variables) {
      Record one(variable, where_, fmt::format("variable {}", declared.size() + 1));
      declared.push_back({one.text("name"), one.domain("domain"), one.optional_text("reason"), false});
      one.done();
    }
    for (const json& constraint : constraints) {
      if (!constraint.is_object() || !constraint.contains("defines")) continue;
      for (Declared& variable : declared)
        if (constraint["defines"] == variable.name) variable.defined = true;
    }
    std::size_t next = 0;
    const auto knobs = [&] {
      for (; next < declared.size() && !declared[next].defined; ++next)
        system_.knob(declared[next].name, declared[next].domain, declared[next].reason);
    };
    knobs();
    int index = 0;
    for (const json& constraint : constraints) {
      Record one(constraint, where_, fmt::format("constraint {}", ++index));
      const std::string name = one.text("name"), reason = one.optional_text("reason");
      if (one.has("defines")) {
        const std::string variable = one.text("defines");
        require(next < declared.size() && declared[next].name == variable,
                "{}: {} defines {}, but the next variable to define is {}", where_, one.path(),
                in_quotes(variable), next < declared.size() ? in_quotes(declared[next].name) : "none");
        Body body = this->body(one, variable);
        one.done();
        require(name == variable, "{}: {} defines {} and must have its name, not {}", where_, one.path(),
                in_quotes(variable), in_quotes(name));
        require(declared[next].reason.empty(), "{}: the reason of {} belongs to its definition", where_,
                in_quotes(variable));
        system_.define(variable, declared[next].domain, std::move(body), reason);
        ++next;
        knobs();
        continue;
      }
      std::vector<Condition> when;
      if (one.has("when")) {
        for (const json& guard : one.array("when")) {
          Record part(guard, where_, one.path() + ".when");
          when.push_back(condition(part));
          part.done();
        }
      }
      Body body = this->body(one, "");
      one.done();
      system_.post({name, reason, std::move(when), std::move(body)});
    }
    require(next == declared.size(), "{}: variable {} is defined by no constraint", where_,
            next < declared.size() ? in_quotes(declared[next].name) : "");
  }

 private:
  struct Declared {
    std::string name;
    Domain domain;
    std::string reason;
    bool defined;
  };

  /// The name `open` stands for the variable that is being defined.
  Operand operand(Record& record, const json& value, const char* name, const std::string& open) const {
    if (value.is_number()) return record.number(value, name);
    if (!value.is_string()) record.wrong(name, "a number or a variable's name", value);
    const auto spelling = value.get<std::string>();
    if (!open.empty() && spelling == open) return std::int64_t{0};
    if (const auto known = system_.find(spelling)) return *known;
    std::vector<std::string> names;
    for (const Variable& variable : system_.variables()) names.push_back(variable.name);
    fail("{}: {} speaks of {}, which is no variable before it{}", where_, record.path(), in_quotes(spelling),
         did_you_mean(spelling, names));
  }
  Operand operand(Record& record, const char* name, const std::string& open = "") const {
    return operand(record, record.get(name), name, open);
  }
  std::vector<Operand> operands(Record& record, const char* name) const {
    std::vector<Operand> list;
    for (const json& value : record.array(name)) list.push_back(operand(record, value, name, ""));
    return list;
  }

  Var variable(Record& record, const json& value, const char* name) const {
    const Operand result = operand(record, value, name, "");
    if (!result.is_variable()) record.wrong(name, "a variable's name", value);
    return result.variable();
  }

  Linear linear(Record& record, const std::string& open) const {
    Linear x;
    for (const json& term : record.array("terms")) {
      if (!term.is_array() || term.size() != 2) record.wrong("terms", "pairs [coefficient, variable]", term);
      x.terms.push_back({record.number(term[0], "terms"), variable(record, term[1], "terms")});
    }
    x.constant = record.number("constant");
    const std::string relation = record.text("relation");
    bool known = false;
    for (const Relation r :
         {Relation::eq, Relation::ne, Relation::le, Relation::lt, Relation::ge, Relation::gt}) {
      if (relation == to_string(r)) x.relation = r, known = true;
    }
    if (!known) record.wrong("relation", "one of ==, !=, <=, <, >=, >", relation);
    x.right = operand(record, "right", open);
    return x;
  }

  Condition condition(Record& record) const {
    const std::string kind = record.text("kind");
    if (kind == "sum") return linear(record, "");
    if (kind == "in")
      return Member{variable(record, record.get("variable"), "variable"), record.domain("set")};
    if (kind == "divides") return Divides{operand(record, "divisor"), operand(record, "number")};
    record.wrong("kind", "one of sum, in, divides", kind);
  }

  Body body(Record& record, const std::string& open) const {
    const std::string kind = record.text("kind");
    if (kind == "sum") return linear(record, open);
    if (kind == "in" || kind == "divides") return as_body(condition(record));
    static const std::vector<std::string> kinds = {"sum", "in",  "divides",   "prod",     "select",
                                                   "min", "max", "floor_div", "ceil_div", "truth"};
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      fail("{}: {} has the unknown kind {}; the kinds are {}{}", where_, record.path(), in_quotes(kind),
           join(kinds, ", "), did_you_mean(kind, kinds));
    const Operand result = operand(record, "result", open);
    if (kind == "prod") return Product{result, operands(record, "factors")};
    if (kind == "select") return Select{result, operand(record, "index"), operands(record, "choices")};
    if (kind == "min" || kind == "max") return Extreme{result, kind == "max", operands(record, "operands")};
    if (kind == "truth") {
      Record inner = record.object("condition");
      Condition inside = condition(inner);
      inner.done();
      return Truth{result, std::move(inside)};
    }
    return Quotient{result, kind == "ceil_div", operand(record, "numerator"), operand(record, "denominator")};
  }

  System& system_;
  std::string where_;
};

}  // namespace

json to_json(const System& system) {
  const Writer writer(system);
  json variables = json::array(), constraints = json::array();
  for (const Variable& variable : system.variables()) {
    json one = {{"name", variable.name}, {"domain", Writer::domain(variable.domain)}};
    if (!variable.reason.empty()) one["reason"] = variable.reason;
    variables.push_back(std::move(one));
  }
  for (std::size_t c = 0; c < system.constraints().size(); ++c) {
    const Constraint& constraint = system.constraints()[c];
    json one = writer.body(constraint.body);
    one["name"] = constraint.name;
    if (!constraint.reason.empty()) one["reason"] = constraint.reason;
    for (const Condition& guard : constraint.when) one["when"].push_back(writer.body(as_body(guard)));
    if (system.is_definition(static_cast<int>(c))) one["defines"] = constraint.name;
    constraints.push_back(std::move(one));
  }
  return {{"variables", std::move(variables)}, {"constraints", std::move(constraints)}};
}

System from_json(const json& record, std::string_view where) {
  System system;
  Reader(system, std::string(where)).whole(record);
  return system;
}

json to_json(const System& system, const Point& point) {
  json out = json::object();
  for (std::size_t i = 0; i < point.size(); ++i) out[system.variables()[i].name] = point[i];
  return out;
}

Point point_from_json(const System& system, const json& record, std::string_view where) {
  require(record.is_object(), "{}: a point must be an object of names and numbers, not {}", where,
          record.type_name());
  Point knobs(system.variables().size());
  for (const auto& [name, value] : record.items()) {
    const auto variable = system.find(name);
    if (!variable) {
      std::vector<std::string> names;
      for (const Var knob : system.knobs()) names.push_back(system[knob].name);
      fail("{}: there is no variable {}{}", where, in_quotes(name), did_you_mean(name, names));
    }
    require(is_value(value), "{}: {} must be an integer within ±2^60", where, name);
    knobs[static_cast<std::size_t>(variable->index)] = value.get<std::int64_t>();
  }
  for (const Var knob : system.knobs())
    require(record.contains(system[knob].name), "{}: knob {} has no value; it may be one of {}", where,
            system[knob].name, system[knob].domain.to_string());
  const auto point = complete(system, knobs);
  require(point.has_value(), "{}: a defined variable has no value at this point", where);
  for (std::size_t i = 0; i < point->size(); ++i) {
    const Variable& variable = system.variables()[i];
    require(!record.contains(variable.name) || (*point)[i] == knobs[i],
            "{}: {} is {} by its definition, not {}; leave it out", where, variable.name, (*point)[i],
            knobs[i]);
  }
  return *point;
}

}  // namespace ardea::space
