#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

/// A linker that leaves out libraries of which it sees no name used, or one that comes behind the C library,
/// would undo it in silence.
TEST(Allocator, is_jemalloc_in_programs_where_it_was_found) {
#ifdef ARDEA_JEMALLOC
  for (const char* name : {"malloc", "free", "_Znwm"}) {
    Dl_info where{};
    ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, name), &where), 0) << name;
    EXPECT_NE(std::string(where.dli_fname).find("jemalloc"), std::string::npos)
        << name << " of " << where.dli_fname;
  }
#else
  GTEST_SKIP() << "built without it";
#endif
}
