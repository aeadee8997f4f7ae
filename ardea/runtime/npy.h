#pragma once

#include <filesystem>
#include <string>

#include "ardea/runtime/array.h"

namespace ardea::runtime {

/// Arrays as NumPy's `.npy` files, version 1.0, little-endian, row-major. NumPy has no bfloat16, float8 or
/// 4-bit type, so that these are written as integers that hold the same information:
///
///   bfloat16            the raw bits, as uint16
///   float8_e4m3, _e5m2  the raw bits, as uint8
///   int4, uint4         the values, one a byte, as int8 and uint8 (not packed two a byte, as in memory)

/// The type that the file has for an array of `type`; the same type where NumPy has it.
DataType npy_storage_type(DataType type);

/// What to tell the reader of such a file, such as "raw bits of bfloat16 as uint16"; empty where NumPy has
/// the type.
std::string npy_storage_note(DataType type);

/// Writes beside `path` first and renames at the end, so that `path` is the whole array or what it was
/// before. A folder that cannot be written, a full disk: an Error, and nothing is left behind.
void write_npy(const std::filesystem::path& path, const Array& array);

/// The array of the type that the file has. A file that is no such array, is cut short, or has a type or
/// order that Ardea does not read: an Error.
Array read_npy(const std::filesystem::path& path);

/// Undoes write_npy for an array of `type`. An Error where the file does not have its storage type, or holds
/// a value outside int4 or uint4.
Array read_npy(const std::filesystem::path& path, DataType type);

}  // namespace ardea::runtime
