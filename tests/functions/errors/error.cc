#include "tests/functions/errors/error.h"

#include <fmt/core.h>

#include <bit>
#include <limits>
#include <map>

#include "ardea/ir/builder.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/runtime/array.h"
#include "ardea/support/error.h"
#include "ardea/support/narrow_float.h"

namespace ardea::functions_test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Exact {
  long double value;
  double reference;  ///< rounded once to the type
};

}  // namespace

struct References {
  double (*of_double)(double, double);
  long double (*of_long_double)(long double, long double);
};

namespace {

const References& references(const std::string& function) {
  using L = long double;
  static const std::map<std::string, References> table = {
      {"exp", {[](double x, double) { return exp(x); }, [](L x, L) { return expl(x); }}},
      {"exp2", {[](double x, double) { return exp2(x); }, [](L x, L) { return exp2l(x); }}},
      {"exp10", {[](double x, double) { return pow(10, x); }, [](L x, L) { return powl(10, x); }}},
      {"expm1", {[](double x, double) { return expm1(x); }, [](L x, L) { return expm1l(x); }}},
      {"log", {[](double x, double) { return log(x); }, [](L x, L) { return logl(x); }}},
      {"log2", {[](double x, double) { return log2(x); }, [](L x, L) { return log2l(x); }}},
      {"log10", {[](double x, double) { return log10(x); }, [](L x, L) { return log10l(x); }}},
      {"log1p", {[](double x, double) { return log1p(x); }, [](L x, L) { return log1pl(x); }}},
      {"rsqrt", {[](double x, double) { return 1 / sqrt(x); }, [](L x, L) { return 1 / sqrtl(x); }}},
      {"tanh", {[](double x, double) { return tanh(x); }, [](L x, L) { return tanhl(x); }}},
      {"sigmoid",
       {[](double x, double) { return 1 / (1 + exp(-x)); }, [](L x, L) { return 1 / (1 + expl(-x)); }}},
      {"erf", {[](double x, double) { return erf(x); }, [](L x, L) { return erfl(x); }}},
      {"pow", {[](double x, double y) { return pow(x, y); }, [](L x, L y) { return powl(x, y); }}},
      {"sin", {[](double x, double) { return sin(x); }, [](L x, L) { return sinl(x); }}},
      {"cos", {[](double x, double) { return cos(x); }, [](L x, L) { return cosl(x); }}},
      {"tan", {[](double x, double) { return tan(x); }, [](L x, L) { return tanl(x); }}},
      {"asin", {[](double x, double) { return asin(x); }, [](L x, L) { return asinl(x); }}},
      {"acos", {[](double x, double) { return acos(x); }, [](L x, L) { return acosl(x); }}},
      {"atan", {[](double x, double) { return atan(x); }, [](L x, L) { return atanl(x); }}},
      {"sinh", {[](double x, double) { return sinh(x); }, [](L x, L) { return sinhl(x); }}},
      {"cosh", {[](double x, double) { return cosh(x); }, [](L x, L) { return coshl(x); }}},
      {"atan2", {[](double x, double y) { return atan2(x, y); }, [](L x, L y) { return atan2l(x, y); }}},
  };
  return table.at(function);
}

struct Format {
  int mantissa_bits;
  int smallest_exponent;  ///< of a normal number
};

Format format_of(DataType type) {
  if (type == bfloat16) return {7, -126};
  return type.bits == 16 ? Format{10, -14} : type.bits == 32 ? Format{23, -126} : Format{52, -1022};
}

long double ulp_at(long double value, DataType type) {
  if (type == float32 && std::fabs(value) >= 0x1p-126L) {  // the way of most values: by the exponent's bits
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
    return std::bit_cast<double>(((bits >> 52 & 0x7ff) - 23) << 52);
  }
  const Format format = format_of(type);
  const int exponent =
      value == 0 ? format.smallest_exponent : std::max(std::ilogb(value), format.smallest_exponent);
  return std::ldexp(1.0L, exponent - format.mantissa_bits);
}

double error_of(double got, const Exact& wanted, DataType type) {
  if (std::isnan(wanted.reference)) return std::isnan(got) ? 0 : infinity;
  if (std::isnan(got)) return infinity;
  if (std::isinf(wanted.reference) || std::isinf(got)) {
    if (got == wanted.reference) return 0;
    // Next to the threshold the exact value may lie on its other side, within the error.
    const double largest = type == float64 ? std::numeric_limits<double>::max()
                                           : round_to_type(std::numeric_limits<float>::max(), type);
    const bool at_threshold = std::fabs(std::isinf(got) ? wanted.reference : got) >= largest / 2;
    if (!at_threshold || std::signbit(got) != std::signbit(wanted.reference)) return infinity;
    const long double over = std::ldexp(1.0L, type == float64 ? 1024 : 128);
    const long double found = std::isinf(got) ? std::copysign(over, static_cast<long double>(got)) : got;
    return static_cast<double>(std::fabs(found - wanted.value) / ulp_at(largest, type));
  }
  if (got == 0 && wanted.reference == 0)
    return std::signbit(got) == std::signbit(wanted.reference) ? 0 : infinity;
  if (wanted.value == 0) return infinity;  // the function itself is 0, not only its rounding
  return static_cast<double>(std::fabs(got - wanted.value) / ulp_at(wanted.value, type));
}

}  // namespace

Function program_of(const std::string& function, DataType type, int lanes) {
  FunctionBuilder f(function);
  const int arity = find_intrinsic(function)->arity;
  const std::vector<std::int64_t> shape{Subject::block};
  std::vector<Buffer> in;
  for (int i = 0; i < arity; ++i) in.push_back(f.parameter(i == 0 ? "X" : "Y", shape, type));
  const Buffer out = f.parameter("Z", shape, type);
  f.loop("i", make_int(0), make_int(Subject::block / lanes), [&](const Var& i) {
    const Expr at = lanes == 1 ? Expr(i) : make_ramp(i * lanes, make_int(1), lanes);
    std::vector<Expr> arguments;
    for (const Buffer& buffer : in) arguments.push_back(make_load(buffer, {at}));
    f.store(out, {at}, make_call(function, arguments));
  });
  return f.build();
}

namespace {

/// A value as exact as the C library has it: its float64 function for narrower types, its long double
/// function for float64. Where that is at odds with the float64 reference of docs/semantics.md (a sigmoid
/// whose exponential overflows), the reference stands.
Exact exact(const References& reference, const std::string& function, DataType type, double x, double y) {
  const double of_double = reference.of_double(x, y);
  if (type != float64)
    return {of_double, type == float32 ? static_cast<double>(static_cast<float>(of_double))
                                       : round_to_type(of_double, type)};
  const bool ordinary = std::isfinite(of_double) && of_double != 0;
  // A result that is 0 or infinite only by rounding has an exact value beside it.
  return {ordinary || function != "sigmoid" ? reference.of_long_double(x, y) : of_double, of_double};
}

}  // namespace

void Worst::meet(const Worst& other) {
  const std::int64_t sum = count + other.count;
  if (other.ulp > ulp) *this = other;
  count = sum;
}

Subject::Subject(std::string function, DataType type, const target::Target& target, Options options)
    : function_(std::move(function)),
      type_(type),
      arity_(find_intrinsic(function_)->arity),
      lanes_(options.lanes),
      references_(&references(function_)) {
  compiled_ =
      compile::callable(program_of(function_, type_, options.lanes), target,
                        {.contract = options.contract, .optimization_level = options.optimization_level});
}

namespace {

/// Elements of the wider types without the detour over their kind, which would take longer than the
/// functions.
double element(const runtime::Array& array, std::size_t i) {
  if (array.type() == float32) return static_cast<const float*>(array.data())[i];
  if (array.type() == float64) return static_cast<const double*>(array.data())[i];
  return array.get_float(static_cast<std::int64_t>(i));
}

void set_element(const runtime::Array& array, std::size_t i, double value) {
  if (array.type() == float32)
    static_cast<float*>(array.data())[i] = static_cast<float>(value);
  else if (array.type() == float64)
    static_cast<double*>(array.data())[i] = value;
  else
    array.set_float(static_cast<std::int64_t>(i), value);
}

}  // namespace

Worst Subject::measure(const std::vector<double>& x, const std::vector<double>& y) const {
  Worst worst;
  std::vector<runtime::Array> arrays;
  for (int i = 0; i <= arity_; ++i) arrays.push_back(runtime::Array::zeros({block}, type_));
  const std::vector<runtime::Value> arguments(arrays.begin(), arrays.end());
  // What lies behind the last full vector is not computed.
  const auto whole = static_cast<std::size_t>(block / lanes_ * lanes_);
  for (std::size_t from = 0; from < x.size(); from += whole) {
    const std::size_t count = std::min(whole, x.size() - from);
    for (std::size_t i = 0; i < count; ++i) {
      set_element(arrays[0], i, x[from + i]);
      if (arity_ == 2) set_element(arrays[1], i, y[from + i]);
    }
    compiled_.call(arguments);
    for (std::size_t i = 0; i < count; ++i) {
      const double a = element(arrays[0], i), b = arity_ == 2 ? element(arrays[1], i) : 0;
      const Exact wanted = exact(*references_, function_, type_, a, b);
      const double got = element(arrays.back(), i), ulp = error_of(got, wanted, type_);
      ++worst.count;
      if (ulp > worst.ulp) worst = {ulp, a, b, got, static_cast<double>(wanted.value), worst.count};
    }
  }
  return worst;
}

std::string describe(const Subject& subject, const Worst& worst) {
  return fmt::format("{} {}({:a}{}) = {:a}, {:.4g} ulp from {:a}", to_string(subject.type()),
                     subject.function(), worst.x, subject.arity() == 2 ? fmt::format(", {:a}", worst.y) : "",
                     worst.got, worst.ulp, worst.wanted);
}

double random_argument(Random& random, DataType type) {
  if (random.chance(0.4)) {
    if (type == float32) return std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
    return std::bit_cast<double>(random.next());
  }
  const double value = std::ldexp(1 + random.real(), static_cast<int>(random.integer(-40, 10)));
  return round_to_type(random.chance(0.5) ? value : -value, type);
}

std::vector<double> special_arguments(DataType type, int reach) {
  std::vector<double> centres = {
      0, 1, 2, 0.5, 0.25, 0.9, 0.41421356, 2.41421356, 4, 5.95, 0x1p-13, 0x1p-25, 0x1p-27, 0x1p-54, 0x1p16,
      0x1p22, 0x1p23, 0x1p24, 0x1p52, 0x1p53, 0x1p-126, 0x1p-149, 0x1p-1022, 0x1p-1074, 0x1.fffffep127,
      0x1.fffffffffffffp1023, 0x1p126, 0x1p1022,
      // where exp, exp2, exp10, expm1, sinh and their kin overflow and underflow
      88.7228391, 89.4159863, 103.972081, 87.3365448, 709.782712893384, 710.475860073944, 745.133219101941,
      708.396418532264, 128, 149, 150, 1024, 1074, 1075, 38.5318394, 44.8534703, 45.1544993, 308.254715559917,
      323.306215343116, 323.607245338779, 17.32868, 37.429947750237, 9.01, 19.06, 6, 3.92};
  for (int k = 1; k < 40; ++k) centres.push_back(k * M_PI_4);
  for (const double huge : {1e5, 1e7, 1e10, 1e15, 1e22, 1e30, 1e38, 1e100, 1e300}) centres.push_back(huge);
  for (const double root : {0x1.6a09e6p-1, 0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp+0})
    centres.push_back(root);
  std::vector<double> all = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  for (const double centre : centres) {
    double up = round_to_type(centre, type), down = up;
    for (int i = 0; i < reach; ++i) {
      for (const double x : {up, -up, down, -down}) all.push_back(x);
      if (type == float64) {
        up = std::nextafter(up, infinity);
        down = std::nextafter(down, -infinity);
      } else {
        up = std::nextafter(static_cast<float>(up), static_cast<float>(infinity));
        down = std::nextafter(static_cast<float>(down), -static_cast<float>(infinity));
      }
    }
  }
  return all;
}

}  // namespace ardea::functions_test
