#include "ardea/runtime/npy.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "ardea/support/random.h"
#include "expect_error.h"

namespace ardea::runtime {
namespace {

class Npy : public testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) / ("ardea_npy_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    path = folder / "a.npy";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string contents() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }

  /// A file of version 1 with this dictionary and these elements.
  void put(const std::string& dictionary, const std::string& elements) const {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(dictionary.size() & 0xff);
    bytes += static_cast<char>(dictionary.size() >> 8);
    put(bytes + dictionary + elements);
  }

  void expect_refusal(const std::string& reason) const {
    expect_error([&] { read_npy(path); }, "read_npy(\"" + path.string() + "\"): " + reason);
  }

  std::filesystem::path folder, path;
};

TEST_F(Npy, every_type_comes_back_bit_by_bit_in_every_shape) {
  const std::uint64_t seed = 21;
  Random random(seed);
  for (const DataType type : element_types) {
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{}, {1}, {7}, {3, 5}, {2, 0, 3}, {1, 2, 3, 1}}) {
      const Array array = Array::zeros(shape, type);
      for (std::int64_t i = 0; i < array.element_count(); ++i)
        array.set_bits(i, random.next() & (type.is_bool() ? 1 : ~std::uint64_t{0}));
      write_npy(path, array);
      const Array back = read_npy(path, type);
      ASSERT_EQ(back.shape(), shape) << "seed " << seed;
      ASSERT_EQ(back.type(), type);
      for (std::int64_t i = 0; i < array.element_count(); ++i)
        ASSERT_EQ(back.get_bits(i), array.get_bits(i)) << to_string(type);
      EXPECT_EQ(read_npy(path).type(), npy_storage_type(type));
    }
  }
}

TEST_F(Npy, is_what_numpy_writes) {
  const Array array = Array::zeros({2, 1}, float32);
  array.set_float(1, 1);
  write_npy(path, array);
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += dictionary + std::string(118 - dictionary.size() - 1, ' ') + "\n";
  expected += std::string("\0\0\0\0\0\0\x80\x3f", 8);
  EXPECT_EQ(contents(), expected);
  EXPECT_EQ((contents().size() - 8) % 64, 0u);
  write_npy(path, Array::zeros({3}, boolean));
  EXPECT_NE(contents().find("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }"), std::string::npos);
  write_npy(path, Array::zeros({}, int8));
  EXPECT_NE(contents().find("{'descr': '|i1', 'fortran_order': False, 'shape': (), }"), std::string::npos);
}

TEST_F(Npy, stores_what_numpy_lacks_as_integers_and_says_so) {
  const Array nibbles = Array::zeros({3}, int4);
  nibbles.set_int(1, -8);
  write_npy(path, nibbles);
  EXPECT_EQ(read_npy(path).get_int(1), -8) << "values, one a byte";
  const Array bfloats = Array::zeros({1}, bfloat16);
  bfloats.set_float(0, 1);
  write_npy(path, bfloats);
  EXPECT_EQ(read_npy(path).get_int(0), 0x3f80) << "raw bits";
  EXPECT_EQ(npy_storage_note(bfloat16), "raw bits of bfloat16 as uint16");
  EXPECT_EQ(npy_storage_note(float8_e4m3), "raw bits of float8_e4m3 as uint8");
  EXPECT_EQ(npy_storage_note(int4), "values of int4 as int8");
  EXPECT_EQ(npy_storage_note(uint4), "values of uint4 as uint8");
  EXPECT_EQ(npy_storage_note(float16), "");
}

TEST_F(Npy, writes_strided_arrays_in_row_major_order) {
  std::vector<std::int32_t> memory{0, 1, 2, 3, 4, 5};
  write_npy(path, Array::strided_view(memory.data(), {3, 2}, {1, 3}, int32, 0, nullptr));
  const Array back = read_npy(path);
  for (const auto& [index, value] : {std::pair{0, 0}, {1, 3}, {2, 1}, {5, 5}})
    EXPECT_EQ(back.get_int(index), value);
}

TEST_F(Npy, reads_headers_as_others_write_them) {
  put("{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"|u1\"}\n", "ab");
  EXPECT_EQ(read_npy(path).get_int(1), 'b');
  const std::string dictionary = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }";
  put(std::string("\x93NUMPY\x02\x00", 8) + static_cast<char>(dictionary.size()) + std::string(3, '\0') +
      dictionary + "z");
  EXPECT_EQ(read_npy(path).get_int(0), 'z') << "version 2";
}

TEST_F(Npy, refuses_what_is_no_array) {
  expect_refusal("no file can be read there; check the path");
  put("");
  expect_refusal("the file ends inside its header; it is no .npy file, or cut short");
  put("PK\x03\x04 something else");
  expect_refusal("the file does not begin as a .npy file does");
  put(std::string("\x93NUMPY\x09\x00\x10\x00", 10));
  expect_refusal("the file has .npy version 9, versions 1 to 3 can be read");
  put(std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12));
  expect_refusal("the header claims to be 2147483647 bytes long; the file is damaged");
  path = folder;
  expect_refusal("no file can be read there; check the path");
}

TEST_F(Npy, refuses_headers_that_it_cannot_follow) {
  put("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "1234");
  expect_refusal("the array is in column-major order; save numpy.ascontiguousarray of it");
  put("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234");
  expect_refusal("the element type \">f4\" cannot be read; save it as a little-endian number or bool");
  put("{'descr': '<f4', 'shape': (1,), }", "1234");
  expect_refusal(
      "the header \"{'descr': '<f4', 'shape': (1,), }\" does not name descr, fortran_order and shape");
  for (const char* bad :
       {"", "{", "{}", "{'descr'", "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2), }",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }", "{'descr': '<f4', 'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x"}) {
    put(bad, "1234");
    EXPECT_THROW(read_npy(path), Error) << bad;
  }
}

TEST_F(Npy, refuses_a_file_with_too_few_or_too_many_bytes) {
  write_npy(path, Array::zeros({3}, int16));
  const std::string whole = contents();
  put(whole.substr(0, whole.size() - 1));
  expect_refusal("its header says int16[3], which is 6 bytes, but 5 bytes follow; the file is damaged");
  put(whole + "x");
  expect_refusal("its header says int16[3], which is 6 bytes, but 7 bytes follow; the file is damaged");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(whole.substr(0, length));
    EXPECT_THROW(read_npy(path), Error) << length;
  }
}

TEST_F(Npy, does_not_ask_for_the_memory_that_a_damaged_header_claims) {
  put("{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }", "12345678");
  expect_refusal(
      "its header says float64[1099511627776], which is 8796093022208 bytes, but 8 bytes follow; the file is "
      "damaged");
  put("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "12345678");
  expect_refusal("the product of the extents overflows 64-bit sizes; use smaller extents");
  put("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "12345678");
  expect_refusal("extent 1 is -1, extents are 0 or more");
}

TEST_F(Npy, refuses_to_read_a_file_as_a_type_that_it_does_not_store) {
  write_npy(path, Array::zeros({1}, float32));
  expect_error([&] { read_npy(path, bfloat16); },
               "read_npy(\"" + path.string() + "\", bfloat16): the file holds float32, expected uint16");
  const Array bytes = Array::zeros({2}, int8);
  bytes.set_int(1, 8);
  write_npy(path, bytes);
  expect_error([&] { read_npy(path, int4); },
               "read_npy(\"" + path.string() + "\", int4): element 1 is 8, which int4 cannot hold");
}

TEST_F(Npy, refuses_a_folder_that_is_not_there_and_a_null_array) {
  const std::string missing = (folder / "missing" / "a.npy").string();
  expect_error(
      [&] { write_npy(missing, Array::zeros({1}, int8)); },
      "\"" + missing +
          "\" cannot be written: No such file or directory; check that the folder exists and can be written");
  expect_error([&] { write_npy(path, Array()); }, "write_npy(\"" + path.string() + "\"): the array is null");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace ardea::runtime
