#include "ardea/runtime/npy_header.h"

#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/ranges.h>

#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::runtime {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// NumPy's name: byte order ("|" where there is none), kind, bytes.
std::string descr_of(DataType type) {
  const char kind = type.is_bool() ? 'b' : type.is_int() ? 'i' : type.is_uint() ? 'u' : 'f';
  const std::int64_t bytes = type.bytes();
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

bool numpy_has(DataType type) { return type.code != TypeCode::bfloat && !type.is_storage_only(); }

std::optional<DataType> type_of_descr(std::string_view descr) {
  for (const DataType type : element_types)
    if (numpy_has(type) && descr_of(type) == descr) return type;
  return std::nullopt;
}

/// The dictionary of the header, read from left to right; each reader answers false where the text is
/// something else.
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : rest_(text) {}

  bool symbol(char c) {
    skip_space();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool word(std::string_view expected) {
    skip_space();
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  bool string(std::string& out) {
    skip_space();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool boolean(bool& out) {
    out = word("True");
    return out || word("False");
  }

  bool tuple(std::vector<std::int64_t>& out) {
    if (!symbol('(')) return false;
    while (!symbol(')')) {
      skip_space();
      std::int64_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc()) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      out.push_back(extent);
      if (symbol(',')) continue;
      return symbol(')');
    }
    return true;
  }

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

struct Dictionary {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

std::optional<Dictionary> parse_dictionary(std::string_view text) {
  DictionaryReader reader(text);
  Dictionary result;
  bool has_descr = false, has_order = false, has_shape = false;
  if (!reader.symbol('{')) return std::nullopt;
  while (!reader.symbol('}')) {
    std::string key;
    if (!reader.string(key) || !reader.symbol(':')) return std::nullopt;
    bool* const seen = key == "descr"           ? &has_descr
                       : key == "fortran_order" ? &has_order
                       : key == "shape"         ? &has_shape
                                                : nullptr;
    if (seen == nullptr || *seen) return std::nullopt;
    *seen = true;
    const bool read = seen == &has_descr   ? reader.string(result.descr)
                      : seen == &has_order ? reader.boolean(result.fortran_order)
                                           : reader.tuple(result.shape);
    if (!read) return std::nullopt;
    if (reader.symbol(',')) continue;
    if (!reader.symbol('}')) return std::nullopt;
    break;
  }
  if (!has_descr || !has_order || !has_shape || !reader.at_end()) return std::nullopt;
  return result;
}

}  // namespace

std::string npy_header(std::span<const std::int64_t> shape, DataType type) {
  ensure(numpy_has(type), "npy_header: NumPy has no {}", to_string(type));
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                       descr_of(type), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t prefix = magic.size() + 4;  // magic, version, length
  dictionary.append(63 - (prefix + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  require(dictionary.size() <= 0xffff, "npy_header: {} extents do not fit a .npy header", shape.size());
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff),
             static_cast<char>(dictionary.size() >> 8)};
  return header + dictionary;
}

NpyHeader read_npy_header(const std::string& call, std::istream& file) {
  const auto read = [&](std::size_t bytes) {
    std::string text(bytes, '\0');
    file.read(text.data(), static_cast<std::streamsize>(bytes));
    require(file.gcount() == static_cast<std::streamsize>(bytes),
            "{}: the file ends inside its header; it is no .npy file, or cut short", call);
    return text;
  };
  const std::string start = read(magic.size() + 2);
  require(start.starts_with(magic), "{}: the file does not begin as a .npy file does", call);
  const int version = static_cast<unsigned char>(start[magic.size()]);
  require(version >= 1 && version <= 3, "{}: the file has .npy version {}, versions 1 to 3 can be read", call,
          version);
  std::size_t length = 0;
  const std::string length_bytes = read(version == 1 ? 2 : 4);
  for (std::size_t i = length_bytes.size(); i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(length_bytes[i]);
  require(length <= 1 << 20, "{}: the header claims to be {} bytes long; the file is damaged", call, length);
  const std::string text = read(length);
  const std::optional<Dictionary> dictionary = parse_dictionary(text);
  require(dictionary.has_value(), "{}: the header {} does not name descr, fortran_order and shape", call,
          in_quotes(text.substr(0, 200)));
  require(!dictionary->fortran_order,
          "{}: the array is in column-major order; save numpy.ascontiguousarray of it", call);
  const std::optional<DataType> type = type_of_descr(dictionary->descr);
  require(type.has_value(),
          "{}: the element type {} cannot be read; save it as a little-endian number or bool", call,
          in_quotes(dictionary->descr));
  return {dictionary->shape, *type, static_cast<std::int64_t>(start.size() + length_bytes.size() + length)};
}

}  // namespace ardea::runtime
