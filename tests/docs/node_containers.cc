#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ardea/support/text_file.h"

/// A table that is keyed by the address of a node answers for another one as soon as the first is gone: it
/// holds handles (Expr, Stmt, Buffer, a shared Operation), which hash and compare by identity and keep their
/// node.

namespace ardea {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sources() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(ARDEA_SOURCE_DIR "/ardea"))
    if (entry.path().extension() == ".h" || entry.path().extension() == ".cc") found.push_back(entry.path());
  return found;
}

bool names_a_node(std::string_view type) {
  return type.ends_with("Node") || type.ends_with("Operation") || type.ends_with("void");
}

/// What a map or a set is keyed by, as far as a pointer to a node in it: "const ExprNode*" of
/// "map<const ExprNode*, int>", "std::pair<int, const te::Operation*" of a set of those. Empty: by nothing of
/// the kind. By hand: GCC 13 warns of std::regex's own code.
std::string key_by_address(const std::string& code) {
  for (const char* container : {"map<", "set<"})
    for (std::size_t at = code.find(container); at != std::string::npos; at = code.find(container, at + 1)) {
      const std::size_t key = at + 4;
      int depth = 0;
      for (std::size_t end = key; end < code.size(); ++end) {
        const char c = code[end];
        if (c == ';' || c == '>' || (c == ',' && depth == 0)) break;
        if (c == '<') ++depth;
        if (c != '*') continue;
        std::string_view type = std::string_view(code).substr(key, end - key);
        const auto trim = [&] { type = type.substr(0, type.find_last_not_of(" \n") + 1); };
        trim();
        if (type.ends_with(" const")) type.remove_suffix(6);
        trim();
        if (names_a_node(type)) return code.substr(key, end + 1 - key);
      }
    }
  return "";
}

TEST(NodeContainers, are_keyed_by_handles) {
  const std::vector<fs::path> files = sources();
  EXPECT_GT(files.size(), 300U);
  for (const fs::path& file : files) {
    const std::string code = read_text_file(file.string());
    EXPECT_EQ(key_by_address(code), "")
        << file.string() << ": key it by the handle, which keeps the node alive";
  }
}

/// A PointerSet keeps nothing alive. Who uses one walks a program that its caller holds, and puts none of
/// its own nodes in.
TEST(NodeContainers, sets_of_addresses_are_for_walks_only) {
  std::set<std::string> users;
  for (const fs::path& file : sources())
    if (read_text_file(file.string()).find("support/pointer_set.h") != std::string::npos)
      users.insert(fs::relative(file, ARDEA_SOURCE_DIR).string());
  EXPECT_EQ(users, (std::set<std::string>{"ardea/arith/regions.cc", "ardea/arith/touching_parts.h",
                                          "ardea/ir/traverse.cc"}));
}

TEST(NodeContainers, the_pattern_finds_what_it_is_for) {
  for (const char* text :
       {"std::unordered_map<const ExprNode*, int> m;", "std::set<const te::Operation*> s;",
        "std::map<std::pair<const BufferNode*, std::vector<int>>, int> m;",
        "std::unordered_set<const void*> s;", "std::map<StmtNode const*, int> m;",
        "std::set<std::vector<const ExprNode*>> s;", "std::set<std::pair<int, ExprNode *>> s;"})
    EXPECT_NE(key_by_address(text), "") << text;
  for (const char* text : {"std::unordered_map<Expr, const ExprNode*> m;", "std::set<std::string> s;"})
    EXPECT_EQ(key_by_address(text), "") << text;
}

}  // namespace
}  // namespace ardea
