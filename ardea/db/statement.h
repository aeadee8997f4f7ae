#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ardea/support/error.h"

struct sqlite3;
struct sqlite3_stmt;

/// SQLite, as far as the database needs it: what is opened is closed, and what fails is a sentence.

namespace ardea::db {

/// The file itself is not what SQLite wrote.
class Damaged : public Error {
 public:
  using Error::Error;
};

class Connection {
 public:
  enum class Mode : std::uint8_t {
    write,
    create,
    salvage
  };  ///< salvage: reads what there is of a damaged one
  /// Error with the path, or what it is called instead, and the reason. A file that is no database is
  /// Damaged.
  Connection(const std::filesystem::path& path, Mode mode, const std::string& called = {});

  void run(const char* sql) const;
  /// Also where SQLite itself does not wait for another program: a file becomes one with a log in no
  /// transaction.
  void run_patiently(const char* sql) const;
  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }
  /// Throws what `code`, SQLite's answer, means.
  [[noreturn]] void refuse(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::string path_;
  Mode mode_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// One statement and what it is given; runs anew after `reset`.
class Statement {
 public:
  Statement(const Connection& connection, const char* sql);

  Statement& bind(int place, std::int64_t value);
  Statement& bind(int place, std::string_view value);
  Statement& bind(int place, std::optional<double> value);
  /// Whether there is a row, the next one.
  bool step();
  void reset();

  std::int64_t integer(int column) const;
  std::string text(int column) const;
  std::optional<double> real(int column) const;  ///< nothing: NULL

 private:
  struct Finish {
    void operator()(sqlite3_stmt* handle) const;
  };
  const Connection& connection_;
  std::unique_ptr<sqlite3_stmt, Finish> handle_;
};

/// All or nothing of what is done while it lives; nothing unless `commit` returns.
class Transaction {
 public:
  explicit Transaction(const Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Connection& connection_;
  bool open_ = true;
};

}  // namespace ardea::db
