#include "ardea/search/table.h"

#include <cmath>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::search {

namespace {

/// The method's numbers with those of the setting in their places.
Setting completed(const Method& method, const Setting& setting) {
  Setting complete = setting;
  complete.options.clear();
  std::vector<std::string> names;
  for (const Option& option : method.options) {
    complete.options[option.name] = option.value;
    names.push_back(option.name);
  }
  for (const auto& [name, value] : setting.options) {
    const auto option = std::find_if(method.options.begin(), method.options.end(),
                                     [&](const Option& each) { return each.name == name; });
    if (option == method.options.end())
      fail("method {} has no option {}{}; its options: {}", method.name, name, did_you_mean(name, names),
           names.empty() ? "none" : join(names, ", "));
    require(std::isfinite(value) && value >= option->least && value <= option->most,
            "option {} of method {} is {}; it must be from {} to {}", name, method.name, value, option->least,
            option->most);
    complete.options[name] = value;
  }
  return complete;
}

/// The same method, which checks the options that it is made with.
Method checked(Method method) {
  method.make = [plain = method](const Setting& setting) { return plain.make(completed(plain, setting)); };
  return method;
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> list;
    for (Method& method : std::vector{annealing_method(), cga_method(), evolution_method(), ga_method(),
                                      grid_method(), random_method()})
      list.push_back(checked(std::move(method)));
    return list;
  }();
  return all;
}

const Method& method(const std::string& name) {
  std::vector<std::string> names;
  for (const Method& each : methods()) {
    if (each.name == name) return each;
    names.push_back(each.name);
  }
  fail("there is no method {}{}; there are: {}", name, did_you_mean(name, names), join(names, ", "));
}

}  // namespace ardea::search
