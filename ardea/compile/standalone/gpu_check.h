// ---- Arguments, by numbers that every type has, and how they are compared. ----

/// An argument, and what it is in the reference.
struct Argument {
  const char* name;
  char kind;  ///< f: floats, i: signed integers, u: unsigned ones
  int bits, exponent_bits;
  long long count;
  bool is_read, is_written;
  int value, bound;  ///< its place among the reference's arguments, and that of its bounds; -1: it is exact
};

static void require_success(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(result));
  std::exit(2);
}

/// Of a float with so many bits of exponent; float8_e4m3 has no infinities.
static double decoded(unsigned long long bits, const Argument& a) {
  if (a.kind == 'u') return (double)bits;
  if (a.kind == 'i') return (double)((long long)(bits << (64 - a.bits)) >> (64 - a.bits));
  const int fraction_bits = a.bits - 1 - a.exponent_bits, bias = (1 << (a.exponent_bits - 1)) - 1;
  const unsigned long long fraction = bits & ((1ull << fraction_bits) - 1);
  const int exponent = (int)(bits >> fraction_bits) & ((1 << a.exponent_bits) - 1);
  const double sign = bits >> (a.bits - 1) & 1 ? -1 : 1;
  const bool has_infinities = a.bits != 8 || a.exponent_bits != 4;
  if (exponent == (1 << a.exponent_bits) - 1 && (has_infinities || fraction == (1ull << fraction_bits) - 1))
    return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  const double mantissa = (double)fraction / (double)(1ull << fraction_bits) + (exponent > 0 ? 1 : 0);
  return sign * std::ldexp(mantissa, (exponent > 0 ? exponent : 1) - bias);
}

/// Of 1/4, 1/2, 3/4 or 1, which every float has; of integers 0 to 3.
static unsigned long long encoded(int quarters, const Argument& a) {
  if (a.kind != 'f') return (unsigned long long)(quarters - 1);
  const int fraction_bits = a.bits - 1 - a.exponent_bits, bias = (1 << (a.exponent_bits - 1)) - 1;
  int exponent = 0;
  const double mantissa = 2 * std::frexp(quarters / 4.0, &exponent) - 1;
  return (unsigned long long)(exponent - 1 + bias) << fraction_bits |
         (unsigned long long)(mantissa * (double)(1ull << fraction_bits));
}

static unsigned long long bits_at(const unsigned char* bytes, long long i, const Argument& a) {
  unsigned long long bits = 0;
  std::memcpy(&bits, bytes + i * (a.bits / 8), (size_t)(a.bits / 8));
  return bits;
}

static long long wrong_elements(const Argument& a, const unsigned char* got, const unsigned char* expected,
                                const double* bounds) {
  long long wrong = 0;
  double largest = 0;
  for (long long i = 0; i < a.count; ++i) {
    double want = 0;
    if (a.kind == 'f')
      std::memcpy(&want, expected + 8 * i, 8);
    else
      want = decoded(bits_at(expected, i, a), a);
    const double have = decoded(bits_at(got, i, a), a), error = std::fabs(have - want);
    const double most = bounds == nullptr ? 0 : bounds[i];
    if (have == want || error <= most) {
      if (most > 0) largest = std::fmax(largest, error / most);
      continue;
    }
    if (wrong++ == 0) std::printf("%s[%lld] is %g, not %g (+- %g)\n", a.name, i, have, want, most);
  }
  std::printf("%s: %lld of %lld elements are wrong; the largest error is %.3g of what it may be\n", a.name,
              wrong, a.count, largest);
  return wrong;
}
