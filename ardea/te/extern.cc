#include "ardea/te/extern.h"

#include <algorithm>

#include "ardea/ir/intrinsics.h"
#include "ardea/support/error.h"

namespace ardea::te {

namespace {

std::vector<Buffer> buffers_of(const std::vector<Tensor>& tensors) {
  std::vector<Buffer> buffers;
  for (const Tensor& tensor : tensors) buffers.push_back(tensor.buffer());
  return buffers;
}

std::vector<Buffer> make_outputs(const std::string& name, const std::vector<TensorType>& types) {
  require(!types.empty(), "extern({}): it has no output", name);
  std::vector<Buffer> buffers;
  for (const TensorType& type : types)
    buffers.push_back(make_buffer(type.name, type.shape.extents(), type.type));
  return buffers;
}

std::vector<BufferRegion> whole(const std::vector<Buffer>& buffers) {
  std::vector<BufferRegion> regions;
  for (const Buffer& buffer : buffers) regions.push_back(whole_region(buffer));
  return regions;
}

/// As runtime/tensor_function.h reads them: address, type, rank, extents.
void add_tensor_arguments(const Buffer& buffer, std::vector<Expr>& arguments) {
  const std::vector<Expr> first(buffer->shape.size(), make_int(0));
  arguments.push_back(make_call("address_of", {make_load(buffer, first)}));
  arguments.push_back(make_string(to_string(buffer->type)));
  arguments.push_back(make_int(static_cast<std::int64_t>(buffer->shape.size())));
  arguments.insert(arguments.end(), buffer->shape.begin(), buffer->shape.end());
}

}  // namespace

std::vector<Tensor> external(
    std::string name, const std::vector<Tensor>& inputs, const std::vector<TensorType>& outputs,
    const std::function<Stmt(const std::vector<Buffer>& inputs, const std::vector<Buffer>& outputs)>& body) {
  const std::vector<Buffer> filled = make_outputs(name, outputs);
  Extern stage{body(buffers_of(inputs), filled)};
  require(stage.body.defined(), "extern({}): its function gives no statement", name);
  for (const Tensor& tensor : tensors_in(stage.body))
    require(std::find(inputs.begin(), inputs.end(), tensor) != inputs.end(),
            "extern({}): its statement uses {}, which is not among its inputs; list it", name, tensor.name());
  return results(publish({std::move(name), filled, inputs, std::move(stage)}));
}

std::vector<Tensor> call_registered(std::string name, const std::string& function,
                                    const std::vector<Tensor>& inputs,
                                    const std::vector<TensorType>& outputs) {
  const std::vector<Buffer> read = buffers_of(inputs), filled = make_outputs(name, outputs);
  for (const Buffer& buffer : read)
    require(buffer->strides.empty(),
            "call_registered({}): {} has strides, but {} takes arrays without gaps; give it a compute that "
            "copies {}",
            name, buffer->name, function, buffer->name);
  std::vector<Expr> arguments = {make_string(function)};
  for (const Buffer& buffer : read) add_tensor_arguments(buffer, arguments);
  for (const Buffer& buffer : filled) add_tensor_arguments(buffer, arguments);
  Extern stage{Evaluate{make_call("call_registered", int32, std::move(arguments))}, whole(read),
               whole(filled)};
  return results(publish({std::move(name), filled, inputs, std::move(stage)}));
}

}  // namespace ardea::te
