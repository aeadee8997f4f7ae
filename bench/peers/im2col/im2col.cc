#include <algorithm>
#include <memory>

#include "bench/peers/blas.h"
#include "bench/peers/convolution.h"
#include "bench/peers/plugin.h"

/// A convolution as a product: every window of the data is written out, then a BLAS multiplies.

namespace peer {

const char* const name = "im2col";
const ArdeaPeerKind kind = ARDEA_PEER_LIBRARY;

namespace {

/// columns[ci·kh·kw][oh·ow] of one group of one image.
void unfold_channels_first(const Convolution& c, const float* data, float* columns) {
  for (std::int64_t i = 0; i < c.ci / c.groups; ++i)
    for (std::int64_t r = 0; r < c.kh; ++r)
      for (std::int64_t q = 0; q < c.kw; ++q) {
        const auto [first, last] = c.inside(q, c.w, c.ow);
        for (std::int64_t y = 0; y < c.oh; ++y, columns += c.ow) {
          const std::int64_t from = y * c.stride + r * c.dilation - c.pad;
          if (from < 0 || from >= c.h) {
            std::fill_n(columns, c.ow, 0.0F);
            continue;
          }
          const float* const line = data + (i * c.h + from) * c.w + (q * c.dilation - c.pad);
          std::fill_n(columns, first, 0.0F);
          if (c.stride == 1)
            std::copy_n(line + first, last - first, columns + first);
          else
            for (std::int64_t x = first; x < last; ++x) columns[x] = line[x * c.stride];
          std::fill_n(columns + last, c.ow - last, 0.0F);
        }
      }
}

/// rows[oh·ow][kh·kw·ci] of one image.
void unfold_channels_last(const Convolution& c, const float* data, float* rows) {
  for (std::int64_t y = 0; y < c.oh; ++y)
    for (std::int64_t x = 0; x < c.ow; ++x)
      for (std::int64_t r = 0; r < c.kh; ++r)
        for (std::int64_t q = 0; q < c.kw; ++q, rows += c.ci) {
          const std::int64_t v = y * c.stride + r * c.dilation - c.pad,
                             u = x * c.stride + q * c.dilation - c.pad;
          if (v < 0 || v >= c.h || u < 0 || u >= c.w)
            std::fill_n(rows, c.ci, 0.0F);
          else
            std::copy_n(data + (v * c.w + u) * c.ci, c.ci, rows);
        }
}

/// A 1×1 convolution of stride 1 without padding is a product as it stands.
bool is_product(const Convolution& c) { return c.kh == 1 && c.kw == 1 && c.stride == 1 && c.pad == 0; }

Prepared channels_first(const Convolution& c, const Blas& blas) {
  const std::int64_t terms = c.ci / c.groups * c.kh * c.kw, places = c.oh * c.ow, outputs = c.co / c.groups;
  const auto columns = std::make_shared<std::vector<float>>(is_product(c) ? 0 : terms * places);
  return {"windows copied, then " + blas.name + ", " + blas.kernels + " kernels", [=](void* const* p) {
            const auto* const data = static_cast<const float*>(p[0]);
            const auto* const kernel = static_cast<const float*>(p[1]);
            auto* const out = static_cast<float*>(p[2]);
            for (std::int64_t i = 0; i < c.n * c.groups; ++i) {
              const float* from = data + i * (c.ci / c.groups) * c.h * c.w;
              if (!is_product(c)) {
                unfold_channels_first(c, from, columns->data());
                from = columns->data();
              }
              blas.gemm(outputs, places, terms, kernel + i % c.groups * outputs * terms, from, false,
                        out + i * outputs * places);
            }
          }};
}

Prepared channels_last(const Convolution& c, const Blas& blas) {
  const std::int64_t terms = c.kh * c.kw * c.ci, places = c.oh * c.ow;
  const auto rows = std::make_shared<std::vector<float>>(is_product(c) ? 0 : terms * places);
  return {"windows copied, then " + blas.name + ", " + blas.kernels + " kernels", [=](void* const* p) {
            const auto* const data = static_cast<const float*>(p[0]);
            for (std::int64_t i = 0; i < c.n; ++i) {
              const float* from = data + i * c.h * c.w * c.ci;
              if (!is_product(c)) {
                unfold_channels_last(c, from, rows->data());
                from = rows->data();
              }
              blas.gemm(places, c.co, terms, from, static_cast<const float*>(p[1]), false,
                        static_cast<float*>(p[2]) + i * places * c.co);
            }
          }};
}

}  // namespace

std::string description() {
  const GemmShape any = {64, 64, 64};
  return "a copy of every window, then a product by " + openblas(any).library + ", or by " +
         blis(any).library;
}

Variants variants(const Workload& w, int threads) {
  const std::optional<Convolution> c = convolution_of(w);
  if (!c) throw Refusal{"it has convolutions only, no " + w.op};
  if (!w.all("float32")) throw Refusal{"it has float32 only"};
  if (c->channels_last && c->groups > 1)
    throw Refusal{"groups of channels are not one product where channels are last"};
  const std::int64_t terms = c->ci / c->groups * c->kh * c->kw, outputs = c->co / c->groups,
                     places = c->oh * c->ow;
  const GemmShape shape =
      c->channels_last ? GemmShape{places, outputs, terms} : GemmShape{outputs, places, terms};
  Variants all;
  for (const Blas* const blas : {&openblas(shape), &blis(shape)}) {
    blas->set_threads(threads);
    all.push_back([=] { return c->channels_last ? channels_last(*c, *blas) : channels_first(*c, *blas); });
  }
  return all;
}

}  // namespace peer
