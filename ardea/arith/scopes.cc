#include "ardea/arith/scopes.h"

#include <algorithm>

#include "ardea/arith/content.h"

namespace ardea::arith {

namespace {

class Scopes {
 public:
  Scope& enter(const std::shared_ptr<const Facts>& facts) {
    if (scopes_.size() > most_scopes || answers_ > most_answers) clear();
    return find_or_make(facts);
  }

  void count_answer() { ++answers_; }

  void clear() {
    scopes_.clear();
    answers_ = 0;
  }

 private:
  // Some programs' worth: what is dropped is worked out again.
  static constexpr std::size_t most_scopes = 8192, most_answers = 65'536;

  Scope& find_or_make(const std::shared_ptr<const Facts>& facts) {
    if (const auto known = scopes_.find(facts.get()); known != scopes_.end()) return *known->second;
    return *(scopes_[facts.get()] = make(facts));
  }

  std::unique_ptr<Scope> make(const std::shared_ptr<const Facts>& facts) {
    if (!facts) return std::make_unique<Scope>(facts, Reasoner(facts), NeededFacts());
    const Scope& older = find_or_make(facts->older);
    const Reasoner& before = older.fresh();
    Reasoner fresh = before.is_open_to(facts->fact) ? Reasoner(before, facts->fact) : Reasoner(facts);
    NeededFacts needed(older.needed(), *facts, before, fresh);
    return std::make_unique<Scope>(facts, std::move(fresh), std::move(needed));
  }

  std::unordered_map<const Facts*, std::unique_ptr<Scope>> scopes_;
  std::size_t answers_ = 0;
};

Scopes& scopes() {
  thread_local Scopes all;
  return all;
}

}  // namespace

Scope& scope_of(const std::shared_ptr<const Facts>& facts) { return scopes().enter(facts); }

Scope& scope_for(const std::shared_ptr<const Facts>& facts, const std::vector<Expr>& named) {
  Scope& whole = scope_of(facts);
  const std::shared_ptr<const Facts> needed = whole.facts_for(named);
  return needed == facts ? whole : scope_of(needed);
}

void forget_scopes() {
  scopes().clear();
  forget_known_facts();
}

Reasoner fresh_reasoner_for(const std::shared_ptr<const Facts>& facts) {
  const Scope& scope = scope_of(facts);
  pay_for(scope);
  return scope.reasoner();
}

namespace {

bool same_question(const AskedAbout& a, const AskedAbout& b) {
  return a.what == b.what && a.number == b.number && a.buffer == b.buffer && a.statement == b.statement &&
         a.other_facts == b.other_facts &&
         std::equal(a.exprs.begin(), a.exprs.end(), b.exprs.begin(), b.exprs.end(), same_content);
}

}  // namespace

const Scope::Answer* Scope::find(std::uint64_t hash, const AskedAbout& question) const {
  const auto [first, last] = answers_.equal_range(hash);
  const auto found = std::find_if(
      first, last, [&](const auto& known) { return same_question(known.second.question, question); });
  return found == last ? nullptr : &found->second;
}

void Scope::remember(std::uint64_t hash, Answer answer) {
  const auto [first, last] = answers_.equal_range(hash);
  const auto found = std::find_if(
      first, last, [&](const auto& known) { return same_question(known.second.question, answer.question); });
  if (found != last) {
    found->second = std::move(answer);
    return;
  }
  answers_.emplace(hash, std::move(answer));
  scopes().count_answer();
}

std::optional<std::uint64_t> hash_of(const AskedAbout& about) {
  std::uint64_t state = static_cast<std::uint64_t>(about.what);
  const auto add = [&](std::uint64_t word) { state = (state ^ word) * 0x9e3779b97f4a7c15ULL; };
  for (const Expr& e : about.exprs) {
    const auto hash = content_hash(e);
    if (!hash) return std::nullopt;
    add(*hash);
  }
  add(reinterpret_cast<std::uintptr_t>(about.buffer.get()));
  add(reinterpret_cast<std::uintptr_t>(about.statement.get()));
  add(reinterpret_cast<std::uintptr_t>(about.other_facts.get()));
  add(static_cast<std::uint64_t>(about.number));
  return state ^ (state >> 29);
}

}  // namespace ardea::arith
