#pragma once

#include <string>

#include "tests/ops/plain.h"

namespace ardea::test {

/// What a reference needs to know of a workload.
struct Problem {
  std::string op;
  std::vector<std::int64_t> sizes;
  bool channels_last = false;
  bool transpose_b = false;
};

/// The operator's result by its formula, as plain loops. For reals and for integers (those operators that
/// take them).
Plain<Tracked> reference(const Problem& p, const std::vector<Plain<Tracked>>& in);
Plain<std::int64_t> reference(const Problem& p, const std::vector<Plain<std::int64_t>>& in);

/// The parts, by family; an empty answer where the operator is of another family.
template <class T>
using Answer = std::vector<Plain<T>>;
template <class T>
Answer<T> product_reference(const Problem& p, const std::vector<Plain<T>>& in);
template <class T>
Answer<T> image_reference(const Problem& p, const std::vector<Plain<T>>& in);
template <class T>
Answer<T> matrix_reference(const Problem& p, const std::vector<Plain<T>>& in);
Answer<Tracked> real_reference(const Problem& p, const std::vector<Plain<Tracked>>& in);

/// c2d's formula, which conv_bn_relu begins with.
template <class T>
Plain<T> convolution(const Problem& p, std::size_t rank, std::int64_t groups,
                     const std::vector<Plain<T>>& in);

}  // namespace ardea::test
