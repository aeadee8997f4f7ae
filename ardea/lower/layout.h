#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ardea/ir/layout.h"

/// Moving accesses elsewhere, and failing with a sentence.

namespace ardea::lower {

/// Where an access goes instead.
struct Place {
  Buffer buffer;
  std::vector<Expr> indices;
};

/// Moves accesses: `access` for loads and stores, `region` for what blocks declare and match; each gives
/// nothing to leave the access where it is. Declarations are not touched.
struct Redirection {
  std::function<std::optional<Place>(const Buffer&, const std::vector<Expr>&)> access;
  std::function<std::optional<BufferRegion>(const BufferRegion&)> region = {};
};
Stmt redirect(const Stmt& s, const Redirection& redirection);

/// T.fail(sentence, values): each {} in the sentence is the next value, each {type} the type that it is.
Stmt fail_with(const std::string& sentence, const std::vector<Expr>& values);

/// if condition: T.fail(sentence, values)
Stmt fail_if(const Expr& condition, const std::string& sentence, const std::vector<Expr>& values);

}  // namespace ardea::lower
