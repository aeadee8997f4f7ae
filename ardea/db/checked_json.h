#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

/// JSON that is kept: equal values have equal texts, on every machine.

namespace ardea::db {

/// On one line, with keys in order. Texts come from programs and machines' names: what is no UTF-8 is
/// replaced, not refused.
std::string canonical_text(const nlohmann::json& value);

/// 16 hexadecimal digits.
std::string checksum_text(const std::string& text);

/// The text of an object with the checksum of that text without it.
std::string with_checksum(nlohmann::json object);

}  // namespace ardea::db
