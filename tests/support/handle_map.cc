#include "ardea/support/handle_map.h"

#include <gtest/gtest.h>

#include <memory>

namespace ardea {
namespace {

using Handle = std::shared_ptr<int>;

TEST(HandleMap, finds_what_was_put_in_and_nothing_else) {
  HandleMap<Handle, int> map;
  std::vector<Handle> handles;
  for (int i = 0; i < 1000; ++i) handles.push_back(std::make_shared<int>(i));
  EXPECT_EQ(map.find(handles[0]), nullptr);
  for (int i = 0; i < 1000; i += 2) map.insert(handles[static_cast<std::size_t>(i)], i);
  for (int i = 0; i < 1000; ++i) {
    const int* found = map.find(handles[static_cast<std::size_t>(i)]);
    ASSERT_EQ(found != nullptr, i % 2 == 0) << i;
    if (found != nullptr) {
      EXPECT_EQ(*found, i);
    }
  }
  map.clear();
  EXPECT_EQ(map.find(handles[0]), nullptr);
}

TEST(HandleMap, keeps_what_it_names_alive) {
  HandleMap<Handle, int> map;
  auto handle = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = handle;
  map.insert(handle, 1);
  handle.reset();
  EXPECT_FALSE(watched.expired());
}

}  // namespace
}  // namespace ardea
