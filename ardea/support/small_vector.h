#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

namespace ardea {

/// A vector whose first `inside` elements need no memory of their own: for lists that nearly always have one
/// or two elements, and are copied often.
template <class T, std::size_t inside>
  requires std::is_trivially_copyable_v<T>
class SmallVector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  SmallVector(std::initializer_list<T> values) { append(values.begin(), values.end()); }
  SmallVector(const SmallVector& other) { *this = other; }
  SmallVector(SmallVector&& other) noexcept
      : count_(other.count_), room_(std::exchange(other.room_, inside)), own_(other.own_) {
    other.count_ = 0;
  }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    count_ = 0;
    make_room(other.count_);
    if (is_long() || other.is_long())
      std::copy(other.begin(), other.end(), begin());
    else
      own_ = other.own_;
    count_ = other.count_;
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    std::swap(count_, other.count_);
    std::swap(room_, other.room_);
    std::swap(own_, other.own_);
    return *this;
  }
  ~SmallVector() {
    if (is_long()) delete[] own_.many;
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T* begin() { return is_long() ? own_.many : own_.few; }
  T* end() { return begin() + count_; }
  const T* begin() const { return is_long() ? own_.many : own_.few; }
  const T* end() const { return begin() + count_; }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }

  void push_back(T value) {
    make_room(count_ + std::size_t{1});
    begin()[count_++] = value;
  }

  /// Not of its own elements.
  template <class From>
  void append(From first, From last) {
    make_room(count_ + static_cast<std::size_t>(std::distance(first, last)));
    std::copy(first, last, end());
    count_ += static_cast<std::uint32_t>(std::distance(first, last));
  }

  void erase(const T* at) {
    T* to = begin() + (at - begin());
    std::copy(to + 1, end(), to);
    --count_;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator<(const SmallVector& a, const SmallVector& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  bool is_long() const { return room_ > inside; }

  void make_room(std::size_t count) {
    if (count <= room_) return;
    const std::size_t room = std::max(count, std::size_t{2} * room_);
    T* const many = new T[room];
    std::copy(begin(), end(), many);
    if (is_long()) delete[] own_.many;
    own_.many = many;
    room_ = static_cast<std::uint32_t>(room);
  }

  union Elements {
    T few[inside];
    T* many;  ///< where there is room for more than `inside`
  };

  std::uint32_t count_ = 0, room_ = inside;
  Elements own_ = {};
};

}  // namespace ardea
