#include "ardea/runtime/tensor_function.h"

#include <vector>

#include "ardea/runtime/registry.h"
#include "ardea/support/error.h"

namespace ardea::runtime {

namespace {

/// Reads the arguments of one call from left to right.
class Reader {
 public:
  Reader(const std::string& name, std::span<const Value> values) : name_(name), values_(values) {}

  bool at_end() const { return at_ == values_.size(); }

  template <class T>
  T next(const char* what) {
    std::optional<T> value = at_end() ? std::nullopt : FromValue<T>::from(values_[at_]);
    require(value.has_value(), "{}: argument {} of {} must be {}", name_, at_ + 1, values_.size(), what);
    ++at_;
    return *std::move(value);
  }

  Array tensor() {
    auto* const data = next<void*>("the address of a tensor");
    const auto type_name = next<std::string>("the name of the tensor's type");
    const std::optional<DataType> type = parse_data_type(type_name);
    require(type.has_value(), "{}: there is no type {}", name_, type_name);
    const auto rank = next<std::int64_t>("the tensor's rank");
    require(rank >= 0 && rank <= static_cast<std::int64_t>(values_.size()), "{}: a tensor of rank {}", name_,
            rank);
    std::vector<std::int64_t> shape;
    for (std::int64_t d = 0; d < rank; ++d) shape.push_back(next<std::int64_t>("an extent"));
    return Array::view(data, std::move(shape), *type);
  }

 private:
  const std::string& name_;
  std::span<const Value> values_;
  std::size_t at_ = 0;
};

}  // namespace

void register_tensor_function(const std::string& name, TensorFunction function, bool replace) {
  const auto call = [name, function = std::move(function)](std::span<const Value> values) -> Value {
    Reader reader(name, values);
    std::vector<Array> arrays;
    while (!reader.at_end()) arrays.push_back(reader.tensor());
    function(arrays);
    return std::int64_t{0};
  };
  register_function(name, Function(std::function<Value(std::span<const Value>)>(call)), replace);
}

}  // namespace ardea::runtime
