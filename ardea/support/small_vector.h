#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <vector>

namespace ardea {

/// A vector whose first `inside` elements need no memory of their own: for lists that nearly always have one
/// or two elements, and are copied often. Beyond that it is a std::vector.
template <class T, std::size_t inside>
  requires std::is_trivially_copyable_v<T>
class SmallVector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  SmallVector(std::initializer_list<T> values) {
    for (const T& value : values) push_back(value);
  }

  std::size_t size() const { return is_long() ? more_.size() : count_; }
  bool empty() const { return size() == 0; }
  T* begin() { return is_long() ? more_.data() : few_; }
  T* end() { return begin() + size(); }
  const T* begin() const { return is_long() ? more_.data() : few_; }
  const T* end() const { return begin() + size(); }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }

  void push_back(T value) {
    if (!is_long() && count_ < inside) {
      few_[count_++] = value;
      return;
    }
    if (!is_long()) more_.assign(few_, few_ + count_);
    more_.push_back(value);
  }

  template <class From>
  void append(From first, From last) {
    for (; first != last; ++first) push_back(*first);
  }

  void erase(const T* at) {
    T* to = begin() + (at - begin());
    std::copy(to + 1, end(), to);
    if (!is_long()) {
      --count_;
      return;
    }
    more_.pop_back();
    if (more_.size() > inside) return;
    std::copy(more_.begin(), more_.end(), few_);
    count_ = more_.size();
    more_.clear();
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator<(const SmallVector& a, const SmallVector& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  bool is_long() const { return !more_.empty(); }

  T few_[inside] = {};
  std::size_t count_ = 0;     ///< of those inside
  std::vector<T> more_ = {};  ///< all of them, where they are too many
};

}  // namespace ardea
