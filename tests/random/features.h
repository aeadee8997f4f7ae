#pragma once

#include <string>
#include <vector>

#include "ardea/ir/function.h"

namespace ardea::random_programs {

/// What a program is made of, as seen in the program itself and not as claimed by whoever wrote it: the names
/// of all_features() that apply.
std::vector<std::string> features_of(const Function& f);

/// Every name that features_of can give, in the order of the report.
const std::vector<std::string>& all_features();

}  // namespace ardea::random_programs
