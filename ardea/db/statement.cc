#include "ardea/db/statement.h"

#include <sqlite3.h>

#include <chrono>
#include <thread>

namespace ardea::db {

namespace {

/// Another tuner's transaction takes milliseconds; a stuck one is told of.
constexpr int patience_ms = 10'000;

int flags_of(Connection::Mode mode) {
  switch (mode) {
    case Connection::Mode::salvage: return SQLITE_OPEN_READONLY;
    case Connection::Mode::write: return SQLITE_OPEN_READWRITE;
    case Connection::Mode::create: return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  throw InternalError("a way to open a database that there is none of");
}

}  // namespace

void Connection::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Connection::Connection(const std::filesystem::path& path, Mode mode, const std::string& called)
    : path_(called.empty() ? path.string() : called), mode_(mode) {
  require(mode == Mode::create || std::filesystem::exists(path), "there is no database {}", path_);
  require(!std::filesystem::is_directory(path), "{}: this is a directory; name a file in it", path_);
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, flags_of(mode), nullptr);
  handle_.reset(opened);
  if (code != SQLITE_OK) refuse(code);
  sqlite3_busy_timeout(opened, patience_ms);
  // Else a file that is shorter than it says is refused as a whole.
  if (mode == Mode::salvage) run("PRAGMA writable_schema = ON");
  run("SELECT count(*) FROM sqlite_schema");  // reads the header: a file of another kind is found now
}

void Connection::run(const char* sql) const {
  if (const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr); code != SQLITE_OK)
    refuse(code);
}

void Connection::run_patiently(const char* sql) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  int code = SQLITE_BUSY;
  for (;;) {
    code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
    if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (code != SQLITE_OK) refuse(code);
}

void Connection::refuse(int code) const {
  const std::string reason = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      if (mode_ == Mode::salvage)
        throw Damaged(fmt::format("{}: nothing of it can be read as a database ({})", path_, reason));
      throw Damaged(fmt::format(
          "{} is damaged, or no database ({}); `ardea db merge {} --db NEW.db` keeps what is sound of it",
          path_, reason, path_));
    case SQLITE_CANTOPEN:
      fail("{}: it cannot be opened; check that you may read and write it and its folder, or name another",
           path_);
    case SQLITE_FULL: fail("{}: the disk is full; what was kept before is still there", path_);
    case SQLITE_BUSY:
      fail("{}: another program has kept it locked for {} s; try again when that one has ended", path_,
           patience_ms / 1000);
    case SQLITE_READONLY: fail("{}: it cannot be written; name another file with --db", path_);
    default: fail("{}: {}", path_, reason);
  }
}

void Statement::Finish::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

Statement::Statement(const Connection& connection, const char* sql) : connection_(connection) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(connection.handle(), sql, -1, &made, nullptr);
  handle_.reset(made);
  if (code != SQLITE_OK) connection.refuse(code);
}

Statement& Statement::bind(int place, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(handle_.get(), place, value); code != SQLITE_OK)
    connection_.refuse(code);
  return *this;
}

Statement& Statement::bind(int place, std::string_view value) {
  const int code =
      sqlite3_bind_text64(handle_.get(), place, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) connection_.refuse(code);
  return *this;
}

Statement& Statement::bind(int place, std::optional<double> value) {
  const int code =
      value ? sqlite3_bind_double(handle_.get(), place, *value) : sqlite3_bind_null(handle_.get(), place);
  if (code != SQLITE_OK) connection_.refuse(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) connection_.refuse(code);
  return code == SQLITE_ROW;
}

void Statement::reset() {
  sqlite3_reset(handle_.get());  // repeats the answer of `step`, which was heard
  sqlite3_clear_bindings(handle_.get());
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

std::string Statement::text(int column) const {
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

std::optional<double> Statement::real(int column) const {
  if (sqlite3_column_type(handle_.get(), column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_double(handle_.get(), column);
}

Transaction::Transaction(const Connection& connection) : connection_(connection) {
  connection.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // Where this fails the file's own recovery takes it back.
  if (open_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection_.run("COMMIT");
  open_ = false;
}

}  // namespace ardea::db
