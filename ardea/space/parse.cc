#include "ardea/space/parse.h"

#include <fmt/core.h>

#include "ardea/space/builder.h"
#include "ardea/space/lex.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::space {
namespace {

/// So deep may parentheses, brackets and signs nest, and so many divisions may a statement have, of which
/// each is a level of its own: a level takes a few frames of the stack.
constexpr int deepest = 200;

class Parser {
 public:
  Parser(System& system, std::string_view text, std::string_view where)
      : system_(system), builder_(system), words_(words_of(text)), where_(where) {}

  void statements() {
    while (word().kind != Word::Kind::end) {
      const Word begin = word();
      divisions_ = 0;
      try {
        statement();
      } catch (const Located&) {
        throw;
      } catch (const Error& error) {
        // What the system itself refuses has no place in the text but the statement's.
        fail_at(begin, error.what());
      }
    }
  }

  Formula only_formula() {
    Formula result = formula();
    if (word().kind != Word::Kind::end) expected("the end");
    return result;
  }

 private:
  struct Located : Error {
    using Error::Error;
  };

  const Word& word() const { return words_[at_]; }

  [[noreturn]] void fail_at(const Word& place, const std::string& what) const {
    throw Located(fmt::format("{}:{}:{}: {}", where_, place.line, place.column, what));
  }

  [[noreturn]] void expected(const std::string& what) const {
    const Word& found = word();
    std::string name;
    switch (found.kind) {
      case Word::Kind::end: name = "the end"; break;
      case Word::Kind::fault: name = found.spelling; break;
      case Word::Kind::text: name = "the text " + in_quotes(found.spelling); break;
      default: name = "'" + found.spelling + "'";
    }
    fail_at(found, "expected " + what + ", found " + name);
  }

  bool take(std::string_view spelling) {
    if (!word().is(spelling)) return false;
    ++at_;
    return true;
  }
  void must(std::string_view spelling) {
    if (!take(spelling)) expected("'" + std::string(spelling) + "'");
  }

  std::string new_name(const char* what) {
    if (word().kind != Word::Kind::name || !is_variable_name(word().spelling)) expected(what);
    return words_[at_++].spelling;
  }

  std::string because() {
    if (!take("because")) return "";
    if (word().kind != Word::Kind::text) expected("a reason in quotes");
    return words_[at_++].spelling;
  }

  void statement() {
    if (take("knob")) {
      std::string name = new_name("the name of a variable");
      must("in");
      Domain domain = set();
      std::string reason = because();
      system_.knob(std::move(name), std::move(domain), std::move(reason));
    } else if (take("define")) {
      std::string name = new_name("the name of a variable");
      std::optional<Domain> domain;
      if (take("in")) domain = set();
      must("=");
      const Term value = term();
      std::string reason = because();
      builder_.define(std::move(name), value, std::move(reason), std::move(domain));
    } else if (take("require")) {
      const bool quoted = word().kind == Word::Kind::text && !word().spelling.empty();
      const std::string name = quoted ? words_[at_++].spelling : new_name("the name of a constraint");
      must(":");
      std::optional<Formula> guard;
      if (take("when")) {
        guard = formula();
        must(":");
      }
      const Formula body = formula();
      builder_.require(name, body, because(), guard);
    } else {
      expected("'knob', 'define' or 'require'");
    }
  }

  std::int64_t number() {
    const bool negative = take("-");
    if (word().kind != Word::Kind::number) expected("a number");
    const auto value = static_cast<std::int64_t>(words_[at_++].number);
    return negative ? -value : value;
  }

  Range range() {
    const std::int64_t low = number();
    return {low, take("..") ? number() : low};
  }

  Domain set() {
    if (!take("{")) {
      const Word begin = word();
      const std::int64_t low = number();
      must("..");
      const std::int64_t high = number();
      if (high < low)
        fail_at(begin, fmt::format("the range {}..{} is empty; {{}} is the empty set", low, high));
      return Domain::range(low, high);
    }
    std::vector<Range> ranges;
    if (take("}")) return {};
    do {
      const Word begin = word();
      ranges.push_back(range());
      if (ranges.back().high < ranges.back().low)
        fail_at(begin, fmt::format("the range {}..{} is empty", ranges.back().low, ranges.back().high));
    } while (take(","));
    must("}");
    return Domain::of_ranges(std::move(ranges));
  }

  /// Parentheses may hold a term or a formula: what stands in them decides.
  struct Either {
    std::optional<Term> term;
    std::optional<Formula> formula;
  };

  struct Level {
    int& depth;
    explicit Level(Parser& parser) : depth(parser.depth_) {
      if (++depth > deepest) parser.fail_at(parser.word(), "this is nested too deeply; define parts of it");
    }
    ~Level() { --depth; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
  };

  Term as_term(Either either, const Word& begin) const {
    if (!either.term)
      fail_at(begin, "expected a term here, found a condition; [condition] is 1 where it holds, else 0");
    return *either.term;
  }

  Formula as_formula(Either either) {
    if (!either.formula) expected("a comparison, 'in' or 'divides'");
    return *either.formula;
  }

  Term term() {
    const Word begin = word();
    return as_term(sum(), begin);
  }
  Formula formula() { return as_formula(disjunction()); }

  template <class Part>
  Either joined(std::string_view separator, Part part, Formula (*join_parts)(std::vector<Formula>)) {
    Either first = (this->*part)();
    if (!word().is(separator)) return first;
    std::vector<Formula> parts = {as_formula(std::move(first))};
    while (take(separator)) parts.push_back(as_formula((this->*part)()));
    return {std::nullopt, join_parts(std::move(parts))};
  }

  Either disjunction() { return joined("or", &Parser::conjunction, any_of); }
  Either conjunction() { return joined("and", &Parser::opposite, all_of); }

  Either opposite() {
    const Level level(*this);
    if (take("not")) return {std::nullopt, negation(as_formula(opposite()))};
    return comparison();
  }

  Either comparison() {
    const Word begin = word();
    Either left = sum();
    static const std::vector<Relation> relations = {Relation::eq, Relation::ne, Relation::le,
                                                    Relation::lt, Relation::ge, Relation::gt};
    for (const Relation relation : relations) {
      if (!take(to_string(relation))) continue;
      return {std::nullopt, compare(as_term(std::move(left), begin), relation, term())};
    }
    if (take("in")) return {std::nullopt, is_in(as_term(std::move(left), begin), set())};
    if (take("divides")) return {std::nullopt, divides(as_term(std::move(left), begin), term())};
    return left;
  }

  Either sum() {
    const Word begin = word();
    Either left = product();
    std::vector<Term> parts;
    while (word().is("+") || word().is("-")) {
      if (parts.empty()) parts.push_back(as_term(left, begin));
      const bool minus = take("-");
      if (!minus) must("+");
      const Word place = word();
      Term part = as_term(product(), place);
      parts.push_back(minus ? Term(-1) * std::move(part) : std::move(part));
    }
    if (parts.empty()) return left;
    return {Term(Term::Kind::sum, std::move(parts)), std::nullopt};
  }

  Either product() {
    const Word begin = word();
    Either left = signed_part();
    std::vector<Term> factors;
    const auto together = [&] {
      return factors.size() == 1 ? factors[0] : Term(Term::Kind::product, std::move(factors));
    };
    while (word().is("*") || word().is("//") || word().is("%")) {
      if (factors.empty()) factors.push_back(as_term(left, begin));
      const Word op = words_[at_++];
      const Word place = word();
      Term right = as_term(signed_part(), place);
      if (op.is("*")) {
        factors.push_back(std::move(right));
        continue;
      }
      if (++divisions_ > deepest) fail_at(op, "this statement has too many divisions; define parts of it");
      Term whole = together();
      factors = {op.is("//") ? floor_div(std::move(whole), std::move(right))
                             : modulo(std::move(whole), std::move(right))};
    }
    if (factors.empty()) return left;
    return {together(), std::nullopt};
  }

  Either signed_part() {
    const Level level(*this);
    if (!take("-")) return primary();
    const Word place = word();
    Term part = as_term(signed_part(), place);
    if (part->kind == Term::Kind::number) return {Term(-part->number), std::nullopt};
    return {Term(-1) * std::move(part), std::nullopt};
  }

  std::vector<Term> arguments() {
    std::vector<Term> list;
    must("(");
    do list.push_back(term());
    while (take(","));
    must(")");
    return list;
  }

  Either primary() {
    if (word().kind == Word::Kind::number)
      return {Term(static_cast<std::int64_t>(words_[at_++].number)), std::nullopt};
    if (take("(")) {
      Either inside = disjunction();
      must(")");
      return inside;
    }
    if (take("[")) {
      const Formula inside = formula();
      must("]");
      return {truth(inside), std::nullopt};
    }
    const Word place = word();
    if (take("min")) return {min_of(arguments()), std::nullopt};
    if (take("max")) return {max_of(arguments()), std::nullopt};
    if (take("ceil_div")) {
      std::vector<Term> both = arguments();
      if (both.size() != 2) fail_at(place, fmt::format("ceil_div takes 2 arguments, not {}", both.size()));
      return {ceil_div(both[0], both[1]), std::nullopt};
    }
    if (take("select")) {
      std::vector<Term> all = arguments();
      if (all.size() < 2) fail_at(place, "select takes an index and at least one choice");
      return {Term(Term::Kind::select, std::move(all)), std::nullopt};
    }
    if (place.kind != Word::Kind::name || !is_variable_name(place.spelling)) expected("a term");
    ++at_;
    try {
      return {Term(system_.get(place.spelling)), std::nullopt};
    } catch (const Error& error) {
      fail_at(place, error.what());
    }
  }

  System& system_;
  Builder builder_;
  std::vector<Word> words_;
  std::string where_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int divisions_ = 0;
};

}  // namespace

System parse(std::string_view text, std::string_view where) {
  System system;
  Parser(system, text, where).statements();
  return system;
}

Formula parse_formula(const System& system, std::string_view text, std::string_view where) {
  System copy = system;
  return Parser(copy, text, where).only_formula();
}

}  // namespace ardea::space
