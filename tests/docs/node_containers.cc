#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

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

/// "map<const ExprNode*", "set<std::pair<const te::Operation*", "map<const void*" and the like.
const std::regex keyed_by_address(
    R"((map|set)<\s*(std::(pair|tuple)<[^;>]*)?(const\s+)?([A-Za-z_]+::)*([A-Za-z]*Node|Operation|void)(\s+const)?\s*\*)");

TEST(NodeContainers, are_keyed_by_handles) {
  const std::vector<fs::path> files = sources();
  EXPECT_GT(files.size(), 300U);
  for (const fs::path& file : files) {
    const std::string code = read_text_file(file.string());
    std::smatch match;
    EXPECT_FALSE(std::regex_search(code, match, keyed_by_address))
        << file.string() << " has " << match.str() << "; key it by the handle, which keeps the node alive";
  }
}

/// A PointerSet keeps nothing alive. Who uses one walks a program that its caller holds, and makes no node.
TEST(NodeContainers, sets_of_addresses_are_for_walks_only) {
  std::set<std::string> users;
  for (const fs::path& file : sources())
    if (read_text_file(file.string()).find("support/pointer_set.h") != std::string::npos)
      users.insert(fs::relative(file, ARDEA_SOURCE_DIR).string());
  EXPECT_EQ(users, std::set<std::string>{"ardea/ir/traverse.cc"});
}

TEST(NodeContainers, the_pattern_finds_what_it_is_for) {
  for (const char* text : {"std::unordered_map<const ExprNode*, int> m;", "std::set<const te::Operation*> s;",
                           "std::map<std::pair<const BufferNode*, std::vector<int>>, int> m;",
                           "std::unordered_set<const void*> s;", "std::map<StmtNode const*, int> m;"})
    EXPECT_TRUE(std::regex_search(text, keyed_by_address)) << text;
  for (const char* text : {"std::unordered_map<Expr, const ExprNode*> m;", "std::set<std::string> s;"})
    EXPECT_FALSE(std::regex_search(text, keyed_by_address)) << text;
}

}  // namespace
}  // namespace ardea
