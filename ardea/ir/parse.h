#pragma once

#include <string>
#include <string_view>

#include "ardea/ir/function.h"

namespace ardea {

/// Reads a program in the TVMScript dialect: a module (`@I.ir_module class …`) or functions (`@T.prim_func
/// def …`). Throws Error `name:line:column: found …, expected …` on the first fault. Regions that the text
/// leaves out stay absent; arith::load_program fills them in and verifies.
Module parse(std::string_view text, const std::string& name = "input");

/// The only function of the text; Error where there is none or more than one.
Function parse_function(std::string_view text, const std::string& name = "input");

/// Whether T.name means something of its own in the text form: a statement, an operator, a type.
bool is_text_word(std::string_view name);

}  // namespace ardea
