#include "ardea/arith/verify.h"

#include <unordered_set>

#include "ardea/arith/verify_laws.h"
#include "ardea/ir/print.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::arith {

std::string brief(const Stmt& s) {
  constexpr std::size_t longest = 100;
  std::string text = print(s);
  text = text.substr(text.find_first_not_of(" \n") == std::string::npos ? 0 : text.find_first_not_of(" \n"));
  const std::size_t end = text.find('\n');
  const bool more = end != std::string::npos && text.find_first_not_of(" \n", end) != std::string::npos;
  if (end != std::string::npos) text.resize(end);
  if (text.size() > longest) return text.substr(0, longest) + "…";
  return more ? text + " …" : text;
}

std::string listed(const std::vector<BufferRegion>& regions) {
  if (regions.empty()) return "nothing";
  std::vector<std::string> names;
  for (const BufferRegion& region : regions) names.push_back(print(region));
  return join(names, ", ");
}

namespace {

using FormCheck = void (*)(const Function&, Report&);
using TruthCheck = void (*)(const Function&, const Unchanged&, Report&);

// In this order: a group reads only what the groups before it have found sound.
const std::vector<FormCheck> form_checks = {check_scopes, check_types, check_buffers};
const std::vector<TruthCheck> truth_checks = {check_blocks, check_ranges};

template <class Check, class... Known>
std::vector<Violation> run(const std::vector<Check>& checks, const Function& f, const Known&... known) {
  Report report(f.name);
  for (const Check check : checks) {
    check(f, known..., report);
    if (!report.clean()) break;
  }
  return report.take();
}

template <class Verify>
std::vector<Violation> in_module(const Module& m, const Verify& verify_one) {
  std::vector<Violation> all;
  std::unordered_set<std::string> names;
  for (const Function& f : m.functions) {
    if (!names.insert(f.name).second)
      all.push_back({"duplicate_function",
                     fmt::format("{}: the module has two functions of this name; rename one", f.name)});
    for (Violation& violation : verify_one(f)) all.push_back(std::move(violation));
  }
  return all;
}

void refuse(const std::vector<Violation>& violations, const std::string& context) {
  if (violations.empty()) return;
  throw Error(context.empty() ? violations[0].message : context + ": " + violations[0].message);
}

}  // namespace

std::vector<Violation> verify_form(const Function& f) { return run(form_checks, f); }
std::vector<Violation> verify_form(const Module& m) {
  return in_module(m, [](const Function& f) { return verify_form(f); });
}

std::vector<Violation> verify(const Function& f) {
  std::vector<Violation> violations = verify_form(f);
  return violations.empty() ? run(truth_checks, f, Unchanged()) : violations;
}
std::vector<Violation> verify_changed(const Function& f, const Function& verified) {
  if (only_marks_differ(f, verified)) return {};
  std::vector<Violation> violations = verify_form(f);
  return violations.empty() ? run(truth_checks, f, Unchanged(f, verified)) : violations;
}
std::vector<Violation> verify(const Module& m) {
  return in_module(m, [](const Function& f) { return verify(f); });
}

void require_form(const Module& m, const std::string& context) { refuse(verify_form(m), context); }
void require_valid(const Function& f, const std::string& context) { refuse(verify(f), context); }
void require_valid(const Module& m, const std::string& context) { refuse(verify(m), context); }

}  // namespace ardea::arith
