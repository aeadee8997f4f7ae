#pragma once

#include <dlpack/dlpack.h>

#include "ardea/runtime/array.h"

namespace ardea::runtime {

/// Numbers of type codes that DLPack gave out after version 0.6, whose header some systems still ship: bool
/// came with 0.8 (8 bits wide), float8 with 1.1. Ardea's float8_e4m3 is DLPack's float8_e4m3fn.
inline constexpr std::uint8_t dl_bool = 6;
inline constexpr std::uint8_t dl_float8_e4m3fn = 10;
inline constexpr std::uint8_t dl_float8_e5m2 = 12;

DLDataType to_dl_type(DataType type);

/// An Error that names the code where no element type of Ardea is meant.
DataType from_dl_type(DLDataType type);

/// What a sentence calls the type code << 24 | bits << 16 | lanes: "float32", or its numbers where Ardea has
/// none such.
std::string type_in_words(std::int64_t word);

/// The same elements for somebody else, who calls the deleter once when done; they live until then. Strides
/// are always given, because DLPack 1.2 requires them.
DLManagedTensor* to_dlpack(const Array& array);

/// Takes ownership: the deleter is called once, when the last handle on the array goes, or before the Error
/// that refuses a device other than the CPU, a type that Ardea does not have, or a bad shape. Strides and
/// byte offset are kept.
Array from_dlpack(DLManagedTensor* tensor);

/// An array over a tensor that somebody else keeps alive, such as an argument for the length of the call.
Array borrow(const DLTensor& tensor);

}  // namespace ardea::runtime
