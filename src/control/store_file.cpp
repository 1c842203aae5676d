// One row of `search` for each key, and its points in `point`; a save replaces them in one transaction, so that a
// reader, or a process that starts after a crash, sees all of it or nothing.
#include "control/store_file.hpp"

#include "base/fork.hpp"

#include <sqlite3.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace treadle::detail {
namespace {

constexpr int k_schema_version = 2;
constexpr int k_busy_ms = 3000;

constexpr const char* k_schema = R"(
CREATE TABLE search (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL, instance TEXT NOT NULL, choices TEXT NOT NULL, context TEXT NOT NULL,
  program TEXT NOT NULL, machine TEXT NOT NULL,
  saved TEXT NOT NULL, windows INTEGER NOT NULL, epoch INTEGER NOT NULL, converged INTEGER NOT NULL,
  UNIQUE (kind, instance, choices, context, program, machine));
CREATE TABLE point (
  search INTEGER NOT NULL REFERENCES search (id) ON DELETE CASCADE,
  number INTEGER NOT NULL, "values" TEXT NOT NULL, mean REAL NOT NULL, deviation REAL NOT NULL, windows INTEGER NOT NULL,
  PRIMARY KEY (search, number)) WITHOUT ROWID;
)";

/// An error of SQLite, or a file that is not ours.
struct store_error : std::runtime_error {
  store_error(const std::string& what, bool is_damaged) : std::runtime_error(what), damaged(is_damaged) {}
  bool damaged; // and so to be set aside
};

class database {
 public:
  /// Opens for writing, and creates; only for reading where that is not possible.
  explicit database(const std::string& path) {
    int code = sqlite3_open_v2(path.c_str(), &m_handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    if (code != SQLITE_OK) {
      sqlite3_close(m_handle);
      code = sqlite3_open_v2(path.c_str(), &m_handle, SQLITE_OPEN_READONLY, nullptr);
    }
    if (code != SQLITE_OK) {
      const std::string why = sqlite3_errmsg(m_handle);
      sqlite3_close(m_handle);
      throw store_error(why, false);
    }
    sqlite3_busy_timeout(m_handle, k_busy_ms);
    try {
      run("PRAGMA foreign_keys = ON");
      prepare_schema();
    } catch (...) {
      sqlite3_close(m_handle);
      throw;
    }
  }
  ~database() { sqlite3_close(m_handle); }
  database(const database&) = delete;
  database& operator=(const database&) = delete;

  void run(const char* sql) {
    if (sqlite3_exec(m_handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  [[noreturn]] void fail() {
    const int code = sqlite3_errcode(m_handle) & 0xff;
    throw store_error(sqlite3_errmsg(m_handle), code == SQLITE_CORRUPT || code == SQLITE_NOTADB);
  }
  sqlite3* handle() noexcept { return m_handle; }
  /// It is never closed.
  void abandon() noexcept { m_handle = nullptr; }

 private:
  void prepare_schema();

  sqlite3* m_handle = nullptr;
};

class statement {
 public:
  statement(database& in, const char* sql) : m_database(in) {
    if (sqlite3_prepare_v2(in.handle(), sql, -1, &m_handle, nullptr) != SQLITE_OK) in.fail();
  }
  ~statement() { sqlite3_finalize(m_handle); }
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;

  statement& bind(const std::string& text) {
    sqlite3_bind_text(m_handle, ++m_bound, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  statement& bind(std::int64_t number) {
    sqlite3_bind_int64(m_handle, ++m_bound, number);
    return *this;
  }
  statement& bind(double number) {
    sqlite3_bind_double(m_handle, ++m_bound, number);
    return *this;
  }
  statement& bind(const loop::record& r, const store_file::place& here) {
    return bind(r.kind).bind(r.instance).bind(r.choices).bind(r.context).bind(here.program).bind(here.machine);
  }

  /// True: there is a row.
  bool step() {
    const int code = sqlite3_step(m_handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE) m_database.fail();
    return code == SQLITE_ROW;
  }
  /// To its end; to be bound anew.
  void run() {
    while (step()) {
    }
    sqlite3_reset(m_handle);
    m_bound = 0;
  }
  std::int64_t integer(int column) { return sqlite3_column_int64(m_handle, column); }
  double real(int column) { return sqlite3_column_double(m_handle, column); }
  std::string text(int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_handle, column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_handle, column))) : std::string();
  }

 private:
  database& m_database;
  sqlite3_stmt* m_handle = nullptr;
  int m_bound = 0;
};

/// Undone unless committed.
class transaction {
 public:
  explicit transaction(database& in) : m_database(in) { in.run("BEGIN IMMEDIATE"); }
  ~transaction() {
    if (!m_committed) sqlite3_exec(m_database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;
  void commit() {
    m_database.run("COMMIT");
    m_committed = true;
  }

 private:
  database& m_database;
  bool m_committed = false;
};

std::int64_t schema_version(database& in) {
  statement version(in, "PRAGMA user_version");
  version.step();
  return version.integer(0);
}

void database::prepare_schema() {
  if (schema_version(*this) == 0) {
    if (sqlite3_db_readonly(m_handle, "main") != 0)
      throw store_error("it cannot be written, and nothing is in it", false);
    transaction creating(*this);
    if (schema_version(*this) == 0) { // nobody else was faster
      statement tables(*this, "SELECT count(*) FROM sqlite_master");
      tables.step();
      if (tables.integer(0) != 0) throw store_error("it holds something else", false); // not ours to move
      run(k_schema);
      run(("PRAGMA user_version = " + std::to_string(k_schema_version)).c_str());
    }
    creating.commit();
  }
  if (const auto version = schema_version(*this); version != k_schema_version)
    throw store_error("it is of version " + std::to_string(version) + ", and this is version " +
                          std::to_string(k_schema_version),
                      false); // another program's, which may come back
}

/// Of all files: SQLite has locks of its own, which a child would find locked.
fork_safe_mutex& use_of_sqlite() {
  static auto& mutex = *new fork_safe_mutex;
  return mutex;
}

/// Which file a name stands for; none: there is no such file.
using file_identity = std::optional<std::pair<dev_t, ino_t>>;
file_identity identity(const std::string& path) {
  struct stat s{};
  if (::stat(path.c_str(), &s) != 0) return std::nullopt;
  return std::pair(s.st_dev, s.st_ino);
}

/// Processes that find the same damage must move the file only once, and not the one that follows it.
std::string set_aside(const std::string& path, const file_identity& which) {
  const std::string to = path + ".set-aside-" + std::to_string(std::time(nullptr)) + "-" + std::to_string(::getpid());
  const int lock = ::open((path + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock >= 0) ::flock(lock, LOCK_EX);
  std::string moved;
  if (which && identity(path) == which && std::rename(path.c_str(), to.c_str()) == 0) {
    moved = to;
    std::rename((path + "-journal").c_str(), (to + "-journal").c_str());
  }
  if (lock >= 0) ::close(lock);
  return moved;
}

} // namespace

struct store_file::state {
  explicit state(std::string name) : path(std::move(name)) {
    const std::lock_guard guard(use_of_sqlite());
    open();
  }
  ~state() {
    const std::lock_guard guard(use_of_sqlite());
    if (db && generation != fork_generation()) db->abandon();
    db.reset();
  }

  void open() {
    std::error_code ignored; // opening fails, and says why
    if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
      std::filesystem::create_directories(folder, ignored);
    for (int attempt = 0; attempt < 2 && !db; ++attempt) {
      which = identity(path);
      try {
        db.emplace(path);
        if (!which) which = identity(path); // made just now
      } catch (const store_error& e) {
        tell(e, e.damaged ? set_aside(path, which ? which : identity(path)) : std::string());
        if (!e.damaged) return;
      }
    }
  }

  /// In the child of a fork: SQLite's connection is not to be used, nor closed.
  void leave_to_parent() {
    if (std::exchange(generation, fork_generation()) == fork_generation() || !db) return;
    db->abandon();
    db.reset();
    open();
  }

  void tell(const store_error& e, const std::string& moved) {
    message = "tuning store " + path + ": " + e.what() + (moved.empty() ? "" : "; set aside as " + moved);
  }

  /// f(database); after an error what `otherwise` is. What is damaged is replaced by an empty store.
  template <class R, class F>
  R attempt(R otherwise, F f) {
    const std::lock_guard guard(use_of_sqlite());
    leave_to_parent();
    if (db && identity(path) != which) { // somebody has moved or removed it: what is written there is lost
      db.reset();
      open();
    }
    if (!db) return otherwise;
    try {
      return f(*db);
    } catch (const store_error& e) {
      if (e.damaged) {
        db.reset();
        tell(e, set_aside(path, which));
        const std::string first = message;
        open();
        message = first;
      } else {
        tell(e, {});
      }
      return otherwise;
    }
  }

  std::string path, message;
  std::optional<database> db;
  std::uint32_t generation = fork_generation();
  file_identity which; // of the open one
};

store_file::store_file(std::string path) : m_state(std::make_unique<state>(std::move(path))) {}
store_file::~store_file() = default;

const std::string& store_file::path() const noexcept { return m_state->path; }
std::string store_file::message() const {
  const std::lock_guard guard(use_of_sqlite());
  return m_state->message;
}

std::vector<loop::record> store_file::load(const place& here) {
  return m_state->attempt(std::vector<loop::record>(), [&](database& db) {
    statement query(db,
                    "SELECT id, kind, instance, choices, context, number, mean, deviation, point.windows, \"values\" "
                    "FROM search JOIN point ON search = id WHERE program = ? AND machine = ? ORDER BY id, number");
    query.bind(here.program).bind(here.machine);
    std::vector<loop::record> records;
    for (std::int64_t id = -1; query.step();) {
      if (const std::int64_t next = query.integer(0); next != id) {
        id = next;
        records.push_back({query.text(1), query.text(2), query.text(3), query.text(4)});
      }
      const double mean = query.real(6), deviation = query.real(7); // logarithms
      const std::int64_t windows = query.integer(8);
      const bool makes_sense = std::abs(mean) < 800 && deviation >= 0 && deviation < 800 && windows > 0 &&
                               windows <= std::numeric_limits<std::int32_t>::max();
      if (makes_sense) // a flipped bit is not noticed by SQLite
        records.back().points.push_back({static_cast<std::uint64_t>(query.integer(5)), mean, deviation,
                                         static_cast<unsigned>(windows), query.text(9)});
    }
    return records;
  });
}

bool store_file::save(const place& here, const std::vector<loop::record>& records) {
  return m_state->attempt(false, [&](database& db) {
    transaction saving(db);
    statement remove(db, "DELETE FROM search WHERE kind = ? AND instance = ? AND choices = ? AND context = ? AND "
                         "program = ? AND machine = ?");
    statement add(db, "INSERT INTO search (kind, instance, choices, context, program, machine, saved, windows, epoch, "
                      "converged) VALUES (?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?)");
    statement add_point(db, "INSERT INTO point (search, number, \"values\", mean, deviation, windows) "
                            "VALUES (?, ?, ?, ?, ?, ?)");
    for (const loop::record& r : records) {
      remove.bind(r, here).run();
      add.bind(r, here).bind(static_cast<std::int64_t>(r.windows)).bind(std::int64_t{r.epoch});
      add.bind(std::int64_t{r.converged}).run();
      const std::int64_t id = sqlite3_last_insert_rowid(db.handle());
      for (const tuned_point& p : r.points) {
        add_point.bind(id).bind(static_cast<std::int64_t>(p.at)).bind(p.values).bind(p.mean).bind(p.deviation);
        add_point.bind(std::int64_t{p.windows}).run();
      }
    }
    saving.commit();
    return true;
  });
}

} // namespace treadle::detail
