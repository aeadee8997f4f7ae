#include "tests/ops/reference.h"

/// Convolutions and pools, from their formulas: data is looked up where it is, nothing is padded, and a
/// transposed convolution scatters.

namespace ardea::test {

namespace {

/// Every index of a box, the last dimension fastest.
template <class F>
void for_each_index(const std::vector<std::int64_t>& extents, const F& f) {
  std::vector<std::int64_t> index(extents.size(), 0);
  while (true) {
    f(index);
    std::size_t d = extents.size();
    while (d > 0 && ++index[d - 1] == extents[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

/// n, c and a place as an index of the layout.
std::vector<std::int64_t> image_index(const Problem& p, std::int64_t n, std::int64_t c,
                                      const std::vector<std::int64_t>& place) {
  std::vector<std::int64_t> index = place;
  index.insert(p.channels_last ? index.end() : index.begin(), c);
  index.insert(index.begin(), n);
  return index;
}

std::vector<std::int64_t> kernel_index(const Problem& p, std::int64_t first, std::int64_t second,
                                       const std::vector<std::int64_t>& window) {
  std::vector<std::int64_t> index = window;
  if (p.channels_last)
    index.insert(index.end(), {first, second});
  else
    index.insert(index.begin(), {first, second});
  return index;
}

bool inside(const std::vector<std::int64_t>& place, const std::vector<std::int64_t>& extents) {
  for (std::size_t i = 0; i < place.size(); ++i)
    if (place[i] < 0 || place[i] >= extents[i]) return false;
  return true;
}

/// The sizes of c1d, c2d, c3d and their relatives: n, space, ci, co, window, stride, pad, dilation.
struct ConvSizes {
  std::int64_t n, ci, co, stride, pad, dilation, more;
  std::vector<std::int64_t> space, window;

  ConvSizes(const Problem& p, std::size_t rank) {
    std::size_t next = 0;
    const auto take = [&] { return next < p.sizes.size() ? p.sizes[next++] : 0; };
    n = take();
    for (std::size_t i = 0; i < rank; ++i) space.push_back(take());
    ci = take();
    co = take();
    for (std::size_t i = 0; i < rank; ++i) window.push_back(take());
    stride = take();
    pad = take();
    dilation = take();
    more = take();
  }
};

template <class T>
Plain<T> transposed(const Problem& p, std::size_t rank, const std::vector<Plain<T>>& in) {
  const ConvSizes s(p, rank);
  std::vector<std::int64_t> out_space;
  for (std::size_t i = 0; i < rank; ++i)
    out_space.push_back((s.space[i] - 1) * s.stride - 2 * s.pad + s.dilation * (s.window[i] - 1) + s.more +
                        1);
  Plain<T> out(image_index(p, s.n, s.co, out_space));
  for_each_index(s.space, [&](const auto& from) {
    for_each_index(s.window, [&](const auto& k) {
      std::vector<std::int64_t> to;
      for (std::size_t i = 0; i < rank; ++i) to.push_back(from[i] * s.stride + k[i] * s.dilation - s.pad);
      if (!inside(to, out_space)) return;
      for (std::int64_t n = 0; n < s.n; ++n)
        for (std::int64_t ci = 0; ci < s.ci; ++ci)
          for (std::int64_t co = 0; co < s.co; ++co) {
            T& sum = out.values[out.place(image_index(p, n, co, to))];
            sum = sum + in[0].values[in[0].place(image_index(p, n, ci, from))] *
                            in[1].values[in[1].place(kernel_index(p, ci, co, k))];
          }
    });
  });
  return out;
}

template <class T>
Plain<T> depthwise(const Problem& p, const std::vector<Plain<T>>& in) {
  const auto& s = p.sizes;  // n,h,w,c,kh,kw,stride,pad
  const std::int64_t h = (s[1] + 2 * s[7] - s[4]) / s[6] + 1, w = (s[2] + 2 * s[7] - s[5]) / s[6] + 1;
  Plain<T> out(image_index(p, s[0], s[3], {h, w}));
  for_each_index({s[0], s[3], h, w, s[4], s[5]}, [&](const auto& i) {
    const std::vector<std::int64_t> from = {i[2] * s[6] + i[4] - s[7], i[3] * s[6] + i[5] - s[7]};
    if (!inside(from, {s[1], s[2]})) return;
    T& sum = out.values[out.place(image_index(p, i[0], i[1], {i[2], i[3]}))];
    const T& weight = p.channels_last ? in[1](i[4], i[5], i[1]) : in[1](i[1], i[4], i[5]);
    sum = sum + in[0].values[in[0].place(image_index(p, i[0], i[1], from))] * weight;
  });
  return out;
}

template <class T>
Plain<T> pool(const Problem& p, const Plain<T>& x) {
  const auto& s = p.sizes;  // n,h,w,c,k,stride,pad
  const std::int64_t h = (s[1] + 2 * s[6] - s[4]) / s[5] + 1, w = (s[2] + 2 * s[6] - s[4]) / s[5] + 1;
  Plain<T> out(image_index(p, s[0], s[3], {h, w}));
  for_each_index({s[0], s[3], h, w}, [&](const auto& i) {
    T& result = out.values[out.place(image_index(p, i[0], i[1], {i[2], i[3]}))];
    bool first = true;
    for_each_index({s[4], s[4]}, [&](const auto& k) {
      const std::vector<std::int64_t> from = {i[2] * s[5] + k[0] - s[6], i[3] * s[5] + k[1] - s[6]};
      if (!inside(from, {s[1], s[2]})) return;
      const T& v = x.values[x.place(image_index(p, i[0], i[1], from))];
      if (p.op == "avgpool")
        result = result + v;
      else
        result = first ? v : larger(result, v);
      first = false;
    });
    if (p.op == "avgpool") result = result / T(s[4] * s[4]);
  });
  return out;
}

template <class T>
Plain<T> global_mean(const Problem& p, const Plain<T>& x) {
  const auto& s = p.sizes;  // n,h,w,c
  Plain<T> out({s[0], s[3]});
  for_each_index({s[0], s[3], s[1], s[2]}, [&](const auto& i) {
    out(i[0], i[1]) = out(i[0], i[1]) + x.values[x.place(image_index(p, i[0], i[1], {i[2], i[3]}))];
  });
  for (T& v : out.values) v = v / T(s[1] * s[2]);
  return out;
}

template <class T>
Plain<T> convolved(const Problem& p, std::size_t rank, std::int64_t groups, const std::vector<Plain<T>>& in) {
  const ConvSizes s(p, rank);
  std::vector<std::int64_t> out_space;
  for (std::size_t i = 0; i < rank; ++i)
    out_space.push_back((s.space[i] + 2 * s.pad - s.dilation * (s.window[i] - 1) - 1) / s.stride + 1);
  Plain<T> out(image_index(p, s.n, s.co, out_space));
  const std::int64_t ci_part = s.ci / groups, co_part = s.co / groups;
  for_each_index(out_space, [&](const auto& to) {
    for_each_index(s.window, [&](const auto& k) {
      std::vector<std::int64_t> from;
      for (std::size_t i = 0; i < rank; ++i) from.push_back(to[i] * s.stride + k[i] * s.dilation - s.pad);
      if (!inside(from, s.space)) return;
      for (std::int64_t n = 0; n < s.n; ++n)
        for (std::int64_t co = 0; co < s.co; ++co)
          for (std::int64_t c = 0; c < ci_part; ++c) {
            T& sum = out.values[out.place(image_index(p, n, co, to))];
            const std::int64_t ci = co / co_part * ci_part + c;
            const auto weight = p.channels_last ? kernel_index(p, c, co, k) : kernel_index(p, co, c, k);
            sum = sum +
                  in[0].values[in[0].place(image_index(p, n, ci, from))] * in[1].values[in[1].place(weight)];
          }
    });
  });
  return out;
}

}  // namespace

template <class T>
Plain<T> convolution(const Problem& p, std::size_t rank, std::int64_t groups,
                     const std::vector<Plain<T>>& in) {
  return convolved(p, rank, groups, in);
}

template <class T>
Answer<T> image_reference(const Problem& p, const std::vector<Plain<T>>& in) {
  if (p.op == "c1d") return {convolution(p, 1, 1, in)};
  if (p.op == "c2d" || p.op == "dil") return {convolution(p, 2, 1, in)};
  if (p.op == "c3d") return {convolution(p, 3, 1, in)};
  if (p.op == "grouped") return {convolution(p, 2, p.sizes[10], in)};
  if (p.op == "t1d") return {transposed(p, 1, in)};
  if (p.op == "t2d") return {transposed(p, 2, in)};
  if (p.op == "t3d") return {transposed(p, 3, in)};
  if (p.op == "depthwise") return {depthwise(p, in)};
  if (p.op == "maxpool" || p.op == "avgpool") return {pool(p, in[0])};
  if (p.op == "global_avgpool") return {global_mean(p, in[0])};
  return {};
}

template Answer<Tracked> image_reference(const Problem&, const std::vector<Plain<Tracked>>&);
template Answer<std::int64_t> image_reference(const Problem&, const std::vector<Plain<std::int64_t>>&);
template Plain<Tracked> convolution(const Problem&, std::size_t, std::int64_t,
                                    const std::vector<Plain<Tracked>>&);

}  // namespace ardea::test
