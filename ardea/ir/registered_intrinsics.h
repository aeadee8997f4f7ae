#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ardea/ir/intrinsics.h"

/// The intrinsics that users added (intrinsics.h says how), for those who look names up.

namespace ardea {

const Intrinsic* find_registered(std::string_view name);
std::vector<std::string> registered_names();

}  // namespace ardea
