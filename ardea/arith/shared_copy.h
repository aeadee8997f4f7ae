#pragma once

#include <memory>

namespace ardea::arith {

/// A value that copies share until one of them changes it. One that nobody has changed yet takes no memory.
template <class T>
class SharedCopy {
 public:
  const T& operator*() const { return value_ ? *value_ : unchanged(); }
  const T* operator->() const { return &**this; }
  /// To be changed: nobody else's from here on.
  T& own() {
    if (!value_)
      value_ = std::make_shared<T>();
    else if (value_.use_count() > 1)
      value_ = std::make_shared<T>(*value_);
    return *value_;
  }

 private:
  static const T& unchanged() {
    static const T none;
    return none;
  }

  std::shared_ptr<T> value_;
};

}  // namespace ardea::arith
