#include "ardea/runtime/arguments.h"

#include <string>

#include "ardea/runtime/dlpack.h"
#include "ardea/support/overloaded.h"

namespace ardea::runtime {

Arguments::Arguments(std::span<const Value> values) : kept_(values.begin(), values.end()) {
  for (const Value& value : kept_) {
    ArdeaValue packed{};
    const auto pointer = [&](ArdeaTypeCode code, void* to) {
      packed.as_pointer = to;
      return code;
    };
    const ArdeaTypeCode code =
        std::visit(overloaded{
                       [&](std::nullptr_t) { return pointer(ARDEA_NULL, nullptr); },
                       [&](std::int64_t integer) { return packed.as_int = integer, ARDEA_INT; },
                       [&](double real) { return packed.as_float = real, ARDEA_FLOAT; },
                       [&](const std::string& text) { return packed.as_string = text.c_str(), ARDEA_STRING; },
                       [&](const Array& array) { return pointer(ARDEA_TENSOR, array.dl_tensor()); },
                       [&](const std::shared_ptr<const FunctionState>&) {
                         return pointer(ARDEA_FUNCTION, &functions_.emplace_back(value.as<Function>()));
                       },
                       [&](const std::shared_ptr<const ModuleState>&) {
                         return pointer(ARDEA_MODULE, &modules_.emplace_back(value.as<Module>()));
                       },
                       [&](void* handle) { return pointer(ARDEA_HANDLE, handle); },
                   },
                   value.storage());
    packed_.push_back(packed);
    codes_.push_back(code);
  }
}

Value unpack(ArdeaValue value, std::int32_t type_code) {
  switch (type_code) {
    case ARDEA_NULL: return nullptr;
    case ARDEA_INT: return value.as_int;
    case ARDEA_FLOAT: return value.as_float;
    case ARDEA_STRING: return value.as_string;
    case ARDEA_TENSOR: return borrow(*static_cast<const DLTensor*>(value.as_pointer));
    case ARDEA_FUNCTION: return *static_cast<const Function*>(value.as_pointer);
    case ARDEA_MODULE: return *static_cast<const Module*>(value.as_pointer);
    case ARDEA_HANDLE: return value.as_pointer;
    default:
      fail("a packed value has the type code {}, codes are {} to {}", type_code, 0,
           static_cast<int>(ARDEA_HANDLE));
  }
}

}  // namespace ardea::runtime
