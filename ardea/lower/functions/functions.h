#pragma once

#include <string>
#include <vector>

#include "ardea/lower/functions/terms.h"
#include "ardea/target/target.h"

/// Approximate functions as expressions (docs/functions.md): no call is left in them, so that a vector of
/// arguments costs little more than one. Each stays within the error that ir/accuracy.h states, and has the
/// special values of the C library's function.

namespace ardea::lower::functions {

/// The call of `name` on float32 or float64 arguments as an expression for the target, or an empty one where
/// there is none of that name. The arguments must be without effect.
Expr expressed(const std::string& name, const std::vector<Expr>& arguments, const target::Target& target);

// One file a family.
Expr exp_of(Terms& t, const Expr& x);
Expr exp2_of(Terms& t, const Expr& x);
Expr exp10_of(Terms& t, const Expr& x);
Expr expm1_of(Terms& t, const Expr& x);
Expr tanh_of(Terms& t, const Expr& x);
Expr sigmoid_of(Terms& t, const Expr& x);
Expr sinh_of(Terms& t, const Expr& x);
Expr cosh_of(Terms& t, const Expr& x);
Expr log_of(Terms& t, const Expr& x);
Expr log2_of(Terms& t, const Expr& x);
Expr log10_of(Terms& t, const Expr& x);
Expr log1p_of(Terms& t, const Expr& x);
Expr erf_of(Terms& t, const Expr& x);
Expr pow_of(Terms& t, const Expr& x, const Expr& y);
Expr sin_of(Terms& t, const Expr& x);
Expr cos_of(Terms& t, const Expr& x);
Expr tan_of(Terms& t, const Expr& x);
Expr asin_of(Terms& t, const Expr& x);
Expr acos_of(Terms& t, const Expr& x);
Expr atan_of(Terms& t, const Expr& x);
Expr atan2_of(Terms& t, const Expr& y, const Expr& x);
Expr rsqrt_of(Terms& t, const Expr& x);

}  // namespace ardea::lower::functions
