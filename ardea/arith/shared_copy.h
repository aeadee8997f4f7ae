#pragma once

#include <memory>

namespace ardea::arith {

/// A value that copies share until one of them changes it.
template <class T>
class SharedCopy {
 public:
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// To be changed: nobody else's from here on.
  T& own() {
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }

 private:
  std::shared_ptr<T> value_ = std::make_shared<T>();
};

}  // namespace ardea::arith
