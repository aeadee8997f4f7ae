#include "ardea/runtime/npy.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>

#include <fmt/ranges.h>

#include "ardea/runtime/npy_header.h"
#include "ardea/support/text.h"
#include "ardea/support/whole_file.h"

namespace ardea::runtime {

static_assert(std::endian::native == std::endian::little, ".npy files are written as memory has them");

namespace {

/// The same elements in the type that the file has.
Array as_stored(const Array& array) {
  const DataType storage = npy_storage_type(array.type());
  if (storage == array.type()) return array.is_contiguous() ? array : array.copy();
  const bool by_value = array.type().is_integer();
  const Array stored = Array::empty(array.shape(), storage);
  for (std::int64_t i = 0; i < array.element_count(); ++i)
    by_value ? stored.set_int(i, array.get_int(i)) : stored.set_bits(i, array.get_bits(i));
  return stored;
}

}  // namespace

DataType npy_storage_type(DataType type) {
  if (type == bfloat16) return uint16;
  if (type.is_float8() || type == uint4) return uint8;
  if (type == int4) return int8;
  return type;
}

std::string npy_storage_note(DataType type) {
  const DataType storage = npy_storage_type(type);
  if (storage == type) return "";
  return fmt::format("{} of {} as {}", type.is_integer() ? "values" : "raw bits", to_string(type),
                     to_string(storage));
}

void write_npy(const std::filesystem::path& path, const Array& array) {
  require(static_cast<bool>(array), "write_npy({}): the array is null", in_quotes(path.string()));
  const Array stored = as_stored(array);
  const std::string header = npy_header(stored.shape(), stored.type());
  const std::string_view elements(static_cast<const char*>(stored.data()),
                                  static_cast<std::size_t>(stored.byte_size()));
  write_whole_file(path, {header, elements});
}

Array read_npy(const std::filesystem::path& path) {
  const std::string call = fmt::format("read_npy({})", in_quotes(path.string()));
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  require(file.is_open() && std::filesystem::is_regular_file(path),
          "{}: no file can be read there; check the path", call);
  const auto file_bytes = static_cast<std::int64_t>(file.tellg());
  file.seekg(0);
  const NpyHeader header = read_npy_header(call, file);
  // Compared before memory is asked for: a corrupt header must not decide how much.
  const std::int64_t bytes = header.type.bytes(checked_element_count(call, header.shape, header.type));
  require(file_bytes - header.bytes == bytes,
          "{}: its header says {}[{}], which is {} bytes, but {} bytes follow; the file is damaged", call,
          to_string(header.type), fmt::join(header.shape, ", "), bytes, file_bytes - header.bytes);
  Array array = Array::empty(header.shape, header.type);
  file.read(static_cast<char*>(array.data()), bytes);
  require(file.gcount() == bytes, "{}: reading stopped after {} of {} bytes", call, file.gcount(), bytes);
  return array;
}

Array read_npy(const std::filesystem::path& path, DataType type) {
  Array stored = read_npy(path);
  const std::string call = fmt::format("read_npy({}, {})", in_quotes(path.string()), to_string(type));
  require(stored.type() == npy_storage_type(type), "{}: the file holds {}, expected {}", call,
          to_string(stored.type()), to_string(npy_storage_type(type)));
  if (stored.type() == type) return stored;
  const bool by_value = type.is_integer();
  Array array = Array::zeros(stored.shape(), type);
  for (std::int64_t i = 0; i < array.element_count(); ++i) {
    by_value ? array.set_int(i, stored.get_int(i)) : array.set_bits(i, stored.get_bits(i));
    require(!by_value || array.get_int(i) == stored.get_int(i), "{}: element {} is {}, which {} cannot hold",
            call, i, stored.get_int(i), to_string(type));
  }
  return array;
}

}  // namespace ardea::runtime
