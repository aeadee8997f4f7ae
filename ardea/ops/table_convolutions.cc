#include "ardea/ops/conv.h"
#include "ardea/ops/tables.h"
#include "ardea/ops/transposed_conv.h"
#include "ardea/support/error.h"

namespace ardea::ops {

namespace {

const char* const spatial_letters[] = {"d", "h", "w"};

/// The names of the spatial sizes ("h", "w") or of the kernel's ("kh", "kw"; one dimension has plain "k").
std::vector<std::string> spatial_sizes(std::size_t rank, bool kernel) {
  std::vector<std::string> names;
  for (std::size_t i = 3 - rank; i < 3; ++i)
    names.push_back(!kernel ? spatial_letters[i] : rank == 1 ? "k" : std::string("k") + spatial_letters[i]);
  return names;
}

Count groups_of(const Workload& w) { return w.op == "grouped" ? Sizes(w)("groups") : Count(1); }

ConvOptions conv_options_of(const Workload& w) {
  const Sizes s(w);
  return {.stride = s.value("stride"),
          .padding = s.value("pad"),
          .dilation = w.op == "depthwise" ? 1 : s.value("dilation"),
          .groups = groups_of(w).value(),
          .layout = layout_of(w),
          .types = {w.acc, w.out}};
}

/// co, ci and the window, or the window, ci and co.
Shape kernel_shape(const Workload& w, Count outer, Count inner, const Shape& window) {
  Shape shape = window;
  const Shape channels = channels_last(w) ? Shape{inner, outer} : Shape{outer, inner};
  shape.insert(channels_last(w) ? shape.end() : shape.begin(), channels.begin(), channels.end());
  return shape;
}

Shape named(const Workload& w, const std::vector<std::string>& names) {
  Shape shape;
  for (const std::string& name : names) shape.push_back(Sizes(w)(name));
  return shape;
}

Count windows_in(Count in, Count k, Count stride, Count pad, Count dilation) {
  return (in + pad * 2 - dilation * (k - 1) - 1) / stride + 1;
}

Shape output_spatial(const Workload& w, std::size_t rank) {
  const Sizes s(w);
  const Shape in = named(w, spatial_sizes(rank, false)), window = named(w, spatial_sizes(rank, true));
  const Count dilation = w.op == "depthwise" ? Count(1) : s("dilation");
  Shape out;
  for (std::size_t i = 0; i < rank; ++i)
    out.push_back(windows_in(in[i], window[i], s("stride"), s("pad"), dilation));
  return out;
}

std::vector<Shape> transposed_shapes(const Workload& w, std::size_t rank) {
  const Sizes s(w);
  const Shape in = named(w, spatial_sizes(rank, false)), window = named(w, spatial_sizes(rank, true));
  Shape out;
  for (std::size_t i = 0; i < rank; ++i)
    out.push_back((in[i] - 1) * s("stride") - s("pad") * 2 + s("dilation") * (window[i] - 1) +
                  s("output_padding") + 1);
  const Shape kernel = channels_last(w) ? kernel_shape(w, s("co"), s("ci"), window)
                                        : kernel_shape(w, s("ci"), s("co"), window);
  return {image_shape(w, s("n"), s("ci"), in), kernel, image_shape(w, s("n"), s("co"), out)};
}

std::string tuple_text(std::size_t rank, const std::string& prefix = "") {
  std::string text;
  for (std::size_t i = 3 - rank; i < 3; ++i) text += ", " + prefix + spatial_letters[i];
  return text;
}

/// ", h*stride + kh*dilation - pad, …": where window element kh of place h lies.
std::string window_text(std::size_t rank) {
  std::string text;
  for (std::size_t i = 3 - rank; i < 3; ++i)
    text += fmt::format(", {0}*stride + k{0}*dilation - pad", spatial_letters[i]);
  return text;
}

Operator convolution_row(const std::string& name, std::size_t rank, const std::string& doc) {
  const std::string places = tuple_text(rank), window = tuple_text(rank, "k");
  return {
      .name = name,
      .doc = doc,
      .formula = fmt::format("out[n, co{0}] = sum_{{ci{1}}} data[n, ci{2}] * kernel[co, ci{1}]", places,
                             window, window_text(rank)),
      .sizes = convolution_sizes(rank),
      .layouts = image_layouts(rank),
      .arithmetic = Arithmetic::products,
      .inputs = {{"data", "n, ci" + places}, {"kernel", "co, ci" + window}},
      .output = "n, co and one window count a spatial size: (h + 2*pad - dilation*(kh - 1) - 1) / stride + 1",
      .flop_formula = "2 * ci * (elements of a window) * (elements of the output)",
      .shapes = [rank](const Workload& w) { return convolution_shapes(w, rank); },
      .result =
          [rank](const Workload& w, const auto& in) {
            const auto function = rank == 1 ? c1d : rank == 2 ? c2d : c3d;
            return function(in[0], in[1], conv_options_of(w));
          },
      .count_flops = [rank](const Workload& w) { return convolution_flops(w, rank); },
  };
}

Operator transposed_row(const std::string& name, std::size_t rank) {
  const std::string places = tuple_text(rank), window = tuple_text(rank, "k");
  std::vector<Size> sizes = convolution_sizes(rank);
  sizes.push_back({"output_padding", 0, 0});
  return {
      .name = name,
      .doc = fmt::format(
          "A transposed convolution over {} spatial dimension{}: every input element adds its multiple "
          "of the kernel to the output. output_padding adds rows at the end and must be less than "
          "the stride or the dilation.",
          rank, rank == 1 ? "" : "s"),
      .formula = fmt::format("out[n, co{2}] += data[n, ci{0}] * kernel[ci, co{1}]", places, window,
                             window_text(rank)),
      .sizes = sizes,
      .layouts = image_layouts(rank),
      .arithmetic = Arithmetic::products,
      .inputs = {{"data", "n, ci" + places},
                 {"kernel", "ci, co" + window + " (channels last: window, ci, co)"}},
      .output =
          "n, co and for each spatial size: (h - 1)*stride - 2*pad + dilation*(kh - 1) + output_padding + 1",
      .flop_formula = "2 * co * (elements of a window) * (elements of the data)",
      .shapes = [rank](const Workload& w) { return transposed_shapes(w, rank); },
      .result =
          [rank](const Workload& w, const auto& in) {
            const Sizes s(w);
            const auto function = rank == 1 ? t1d : rank == 2 ? t2d : t3d;
            return function(in[0], in[1],
                            {.stride = s.value("stride"),
                             .padding = s.value("pad"),
                             .dilation = s.value("dilation"),
                             .output_padding = s.value("output_padding"),
                             .layout = layout_of(w),
                             .types = {w.acc, w.out}});
          },
      .count_flops =
          [rank](const Workload& w) {
            const Sizes s(w);
            return s("n") * s("ci") * s("co") * product(named(w, spatial_sizes(rank, false))) *
                   product(named(w, spatial_sizes(rank, true))) * 2;
          },
  };
}

Operator grouped_row() {
  Operator row =
      convolution_row("grouped", 2,
                      "A two-dimensional convolution of groups: input and output channels are cut into "
                      "that many equal parts, and each part sees only its own.");
  row.formula =
      "out[n, co, h, w] = sum_{c < ci/groups, kh, kw} data[n, co / (co/groups) * (ci/groups) + c, "
      "h*stride + kh*dilation - pad, ...] * kernel[co, c, kh, kw]";
  row.sizes.push_back({"groups"});
  row.inputs[1].shape = "co, ci/groups, kh, kw";
  row.flop_formula = "2 * ci/groups * (elements of a window) * (elements of the output)";
  return row;
}

Operator depthwise_row() {
  return {
      .name = "depthwise",
      .doc = "A two-dimensional convolution of each channel by itself.",
      .formula = "out[n, c, h, w] = sum_{kh, kw} data[n, c, h*stride + kh - pad, ...] * kernel[c, kh, kw]",
      .sizes = {{"n"}, {"h"}, {"w"}, {"c"}, {"kh"}, {"kw"}, {"stride"}, {"pad", 0}},
      .layouts = image_layouts(2),
      .arithmetic = Arithmetic::products,
      .inputs = {{"data", "n, c, h, w"}, {"kernel", "c, kh, kw (nhwc: kh, kw, c)"}},
      .output = "n, c and one window count a spatial size: (h + 2*pad - kh) / stride + 1",
      .flop_formula = "2 * kh * kw * (elements of the output)",
      .shapes = [](const Workload& w) -> std::vector<Shape> {
        const Sizes s(w);
        const Shape kernel =
            channels_last(w) ? Shape{s("kh"), s("kw"), s("c")} : Shape{s("c"), s("kh"), s("kw")};
        return {image_shape(w, s("n"), s("c"), {s("h"), s("w")}), kernel,
                image_shape(w, s("n"), s("c"), output_spatial(w, 2))};
      },
      .result = [](const Workload& w, const auto& in) { return depthwise(in[0], in[1], conv_options_of(w)); },
      .count_flops =
          [](const Workload& w) {
            const Sizes s(w);
            return s("n") * s("c") * product(output_spatial(w, 2)) * s("kh") * s("kw") * 2;
          },
  };
}

}  // namespace

Count product(const Shape& extents) {
  Count all = 1;
  for (const Count extent : extents) all = all * extent;
  return all;
}

std::vector<Size> convolution_sizes(std::size_t rank) {
  std::vector<Size> sizes = {{"n"}};
  for (const std::string& name : spatial_sizes(rank, false)) sizes.push_back({name});
  sizes.push_back({"ci"});
  sizes.push_back({"co"});
  for (const std::string& name : spatial_sizes(rank, true)) sizes.push_back({name});
  sizes.push_back({"stride"});
  sizes.push_back({"pad", 0});
  sizes.push_back({"dilation"});
  return sizes;
}

std::vector<std::string> image_layouts(std::size_t rank) {
  std::string spatial;
  for (std::size_t i = 3 - rank; i < 3; ++i) spatial += spatial_letters[i];
  return {"nc" + spatial, "n" + spatial + "c"};
}

bool channels_last(const Workload& w) { return !w.layout.empty() && w.layout.back() == 'c'; }

Layout layout_of(const Workload& w) {
  return channels_last(w) ? Layout::channels_last : Layout::channels_first;
}

Shape image_shape(const Workload& w, Count n, Count c, const Shape& spatial) {
  return Image{layout_of(w), spatial.size()}.arranged(n, c, spatial);
}

std::vector<Shape> convolution_shapes(const Workload& w, std::size_t rank) {
  const Sizes s(w);
  const Count groups = groups_of(w);
  require(s.value("ci") % groups.value() == 0 && s.value("co") % groups.value() == 0,
          "{}: {} input and {} output channels do not both divide into {} groups", w.op, s.value("ci"),
          s.value("co"), groups.value());
  const Shape window = named(w, spatial_sizes(rank, true));
  return {image_shape(w, s("n"), s("ci"), named(w, spatial_sizes(rank, false))),
          kernel_shape(w, s("co"), s("ci") / groups, window),
          image_shape(w, s("n"), s("co"), output_spatial(w, rank))};
}

Count convolution_flops(const Workload& w, std::size_t rank) {
  const Sizes s(w);
  return s("n") * s("co") * product(output_spatial(w, rank)) * (s("ci") / groups_of(w)) *
         product(named(w, spatial_sizes(rank, true))) * 2;
}

std::vector<Operator> convolution_operators() {
  return {
      convolution_row("c1d", 1, "A convolution over one spatial dimension."),
      convolution_row("c2d", 2, "A convolution over two spatial dimensions."),
      convolution_row("c3d", 3, "A convolution over three spatial dimensions."),
      convolution_row("dil", 2,
                      "The dilated convolution of the benchmark suites: c2d, usually with dilation 2."),
      transposed_row("t1d", 1),
      transposed_row("t2d", 2),
      transposed_row("t3d", 3),
      grouped_row(),
      depthwise_row(),
  };
}

}  // namespace ardea::ops
