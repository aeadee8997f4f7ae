#include "tests/codegen/lowered.h"

#include "ardea/support/error.h"

namespace ardea::test {

const target::Target& host() {
  static const target::Target machine = target::host();
  return machine;
}

Buffer flat(const std::string& name, std::int64_t elements, DataType type) {
  return make_buffer(name, std::vector<std::int64_t>{elements}, type);
}

Function entry(const std::string& name, const std::vector<Buffer>& buffers, Stmt body,
               Attributes attributes) {
  for (std::size_t i = buffers.size(); i-- > 0;) {
    const Expr argument = make_call("abi_argument", handle_type, {make_int(static_cast<std::int64_t>(i))});
    body =
        LetStmt{buffers[i]->data, make_call("abi_tensor_data", {argument}), DeclareBuffer{buffers[i], body}};
  }
  return {name, {}, std::move(attributes), std::move(body)};
}

runtime::Function compile(const Function& f, const codegen::Options& options, const target::Target& target) {
  return load("test", std::vector{f}, target, options).get_function(f.name);
}

Stmt loop(std::int64_t extent, const std::function<Stmt(const Var&)>& body, ForKind kind) {
  const Var i("i");
  return make_for(i, make_int(0), make_int(extent), body(i), kind);
}

Stmt through_temporaries(const Buffer& out, std::int64_t elements, Stmt inside) {
  const Buffer first = flat("first", elements, int32), second = flat("second", elements, int32);
  const auto fill = loop(elements, [&](const Var& i) { return make_store(first, {i}, make_cast(int32, i)); });
  const auto move = loop(elements, [&](const Var& i) {
    return make_store(second, {i}, make_load(first, {make_int(elements - 1) - i}));
  });
  const auto read = loop(4, [&](const Var& i) { return make_store(out, {i}, make_load(second, {i})); });
  const Stmt body = make_seq({fill, move, read, std::move(inside)});
  return Allocate{
      first->data,
      int32,
      {make_int(elements)},
      "global",
      DeclareBuffer{
          first, Allocate{second->data, int32, {make_int(elements)}, "global", DeclareBuffer{second, body}}}};
}

void run_elementwise(const Buffer& out, const std::function<Expr(const Var&)>& value,
                     const std::vector<Buffer>& buffers, const std::vector<runtime::Array>& arrays,
                     const target::Target& target, const codegen::Options& options) {
  const std::int64_t extent = *constant_int(out->shape[0]);
  const Stmt body = loop(extent, [&](const Var& i) { return make_store(out, {i}, value(i)); });
  const runtime::Function f = compile(entry("elementwise", buffers, body), options, target);
  const std::vector<runtime::Value> arguments(arrays.begin(), arrays.end());
  f.call(arguments);
}

runtime::Array integers(const std::vector<std::int64_t>& values, DataType type) {
  const auto array = runtime::Array::zeros({static_cast<std::int64_t>(values.size())}, type);
  for (std::size_t i = 0; i < values.size(); ++i) array.set_int(static_cast<std::int64_t>(i), values[i]);
  return array;
}

runtime::Array floats(const std::vector<double>& values, DataType type) {
  const auto array = runtime::Array::zeros({static_cast<std::int64_t>(values.size())}, type);
  for (std::size_t i = 0; i < values.size(); ++i) array.set_float(static_cast<std::int64_t>(i), values[i]);
  return array;
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace ardea::test
