#include "ardea/db/database.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "ardea/db/exchange.h"
#include "ardea/support/random.h"
#include "ardea/support/temporary_folder.h"
#include "tests/db/examples.h"

namespace ardea::db {
namespace {

namespace fs = std::filesystem;

class InAFolder : public testing::Test {
 protected:
  fs::path at(const std::string& name) const { return folder_.path() / name; }

  /// `tasks` tasks with `trials` each.
  static void fill(Database& database, int tasks, int trials) {
    for (int t = 0; t < tasks; ++t) {
      std::vector<Trial> all;
      for (int n = 1; n <= trials; ++n) all.push_back(example_trial(n + 100 * t));
      database.add(database.add(example_task(t)), all);
    }
  }
  static std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// How many of the trials are what `fill` made: none may be anything else.
  static std::int64_t sound_trials(const Database& database) {
    std::int64_t count = 0;
    for (const KeptTask& entry : database.tasks().sound)
      for (const Trial& trial : database.trials(entry.id).sound) {
        EXPECT_EQ(trial, example_trial(static_cast<int>(trial.number)));
        ++count;
      }
    return count;
  }

 private:
  const TemporaryFolder folder_;
};

using DatabaseFile = InAFolder;

TEST_F(DatabaseFile, gives_back_what_was_added) {
  {
    Database database = Database::create(at("folder/a.db"));
    fill(database, 3, 20);
    fill(database, 3, 20);  // equal ones are kept once
  }
  const Database database = Database::open(at("folder/a.db"));
  const auto tasks = database.tasks();
  ASSERT_EQ(tasks.sound.size(), 3U);
  for (int t = 0; t < 3; ++t) {
    EXPECT_EQ(tasks.sound[t].task, example_task(t));
    EXPECT_EQ(tasks.sound[t].trials, 20);
    const auto trials = database.trials(tasks.sound[t].id);
    ASSERT_EQ(trials.sound.size(), 20U);
    std::int64_t failures = 0;
    for (int n = 1; n <= 20; ++n) {
      EXPECT_EQ(trials.sound[n - 1], example_trial(n + 100 * t));
      failures += !trials.sound[n - 1].time.has_value();
    }
    EXPECT_EQ(tasks.sound[t].failures, failures);
    const int fastest = (20 + 100 * t) % 3 == 0 ? 19 : 20;  // the last that did not fail
    EXPECT_EQ(database.best(tasks.sound[t].id), example_trial(fastest + 100 * t));
  }
  EXPECT_TRUE(database.verify().none());
  EXPECT_EQ(database.verify().rows, 63);
}

TEST_F(DatabaseFile, keeps_the_fastest_where_it_is_pruned) {
  Database database = Database::create(at("a.db"));
  fill(database, 2, 20);
  EXPECT_EQ(database.prune(3), 34);
  for (const KeptTask& entry : database.tasks().sound) {
    const auto trials = database.trials(entry.id).sound;
    ASSERT_EQ(trials.size(), 3U);
    for (const Trial& trial : trials) EXPECT_GE(trial.number % 100, 16);
  }
  EXPECT_THROW(database.prune(0), Error);
}

TEST_F(DatabaseFile, goes_through_text_and_comes_back) {
  Database first = Database::create(at("a.db")), second = Database::create(at("b.db"));
  fill(first, 3, 10);
  std::stringstream lines, again;
  EXPECT_EQ(export_lines(first, lines), 0);
  std::istringstream in(lines.str());
  const Imported imported = import_lines(second, in);
  EXPECT_EQ(imported.added, 30);
  EXPECT_TRUE(imported.refused.empty());
  export_lines(second, again);
  EXPECT_EQ(again.str(), lines.str());
  std::istringstream once_more(lines.str());
  EXPECT_EQ(import_lines(second, once_more).known, 30);
}

/// What a run found besides trials goes where its task goes.
TEST_F(DatabaseFile, keeps_notes_with_their_task) {
  const auto note = [](int n) {
    return Note{"run", "libraries", R"({"blas": )" + std::to_string(n) + "}", n};
  };
  Database first = Database::create(at("a.db"));
  fill(first, 2, 4);
  EXPECT_EQ(first.add_notes(1, {note(1), note(2)}), 2);
  EXPECT_EQ(first.add_notes(1, {note(2), note(3)}), 1) << "equal ones are kept once";
  EXPECT_EQ(first.add_notes(2, {note(1)}), 1) << "of another task";
  EXPECT_THROW(first.add_notes(7, {note(1)}), Error);
  const std::vector<Note> all = {note(1), note(2), note(3)};
  EXPECT_EQ(first.notes(1).sound, all);

  std::stringstream lines;
  export_lines(first, lines);
  Database second = Database::create(at("b.db")), third = Database::create(at("c.db"));
  EXPECT_EQ(import_lines(second, lines).added, 12);
  EXPECT_EQ(second.notes(1).sound, all);
  EXPECT_EQ(third.merge(at("b.db")).added, 12);
  EXPECT_EQ(third.merge(at("a.db")).known, 12);
  EXPECT_EQ(third.notes(1).sound, all);
  EXPECT_EQ(third.prune(1), 6);
  EXPECT_EQ(third.notes(1).sound, all) << "trials are pruned, notes are not";

  Connection(at("a.db"), Connection::Mode::write).run("UPDATE notes SET task = 2 WHERE id = 1");
  EXPECT_EQ(first.notes(2).damaged, 1);
  EXPECT_EQ(first.notes(1).sound.size(), 2U);
  EXPECT_EQ(first.verify().damaged, 1);
}

/// A line of another version is handed on as it came, one that is damaged is told, and the others are taken.
TEST_F(DatabaseFile, keeps_lines_of_versions_that_it_does_not_know) {
  std::string text = R"({"name":"new","version":99})";
  const std::string foreign =
      R"({"checksum":")" + fmt::format("{:016x}", checksum(text)) + R"(","name":"new","version":99})";
  Database database = Database::create(at("a.db"));
  std::istringstream in(foreign + "\nnonsense\n" + to_line(example_task(1), example_trial(1)) + "\n");
  const Imported imported = import_lines(database, in);
  EXPECT_EQ(imported.added, 2);
  EXPECT_EQ(imported.foreign, 1);
  ASSERT_EQ(imported.refused.size(), 1U);
  EXPECT_EQ(imported.refused[0].find("line 2: "), 0U) << imported.refused[0];
  std::ostringstream out;
  export_lines(database, out);
  EXPECT_NE(out.str().find(foreign), std::string::npos);
  Database other = Database::create(at("b.db"));
  EXPECT_EQ(other.merge(at("a.db")).added, 2);
  EXPECT_EQ(other.lines(), std::vector<std::string>{foreign});
}

TEST_F(DatabaseFile, refuses_what_it_cannot_be) {
  const auto refusal = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(refusal([&] { Database::open(at("none.db")); }).find("there is no database"), std::string::npos);
  std::ofstream(at("text.db")) << std::string(5000, 'x');
  EXPECT_NE(refusal([&] { Database::open(at("text.db")); }).find("damaged, or no database"),
            std::string::npos);
  { Database::create(at("new.db")); }
  Connection(at("new.db"), Connection::Mode::write).run("PRAGMA user_version = 7");
  EXPECT_NE(refusal([&] { Database::open(at("new.db")); }).find("format 7"), std::string::npos);
  Connection(at("other.db"), Connection::Mode::create).run("CREATE TABLE theirs(a)");
  const std::string before = content(at("other.db"));
  for (const auto& use : std::vector<std::function<void()>>{
           [&] { Database::open(at("other.db")); }, [&] { Database::create(at("other.db")); },
           [&] { Database::require_salvageable(at("other.db")); }})
    EXPECT_NE(refusal(use).find("it is the database of another program"), std::string::npos);
  EXPECT_EQ(content(at("other.db")), before);
  Database own = Database::create(at("own.db"));
  EXPECT_NE(refusal([&] { own.merge(at("own.db")); }).find("one file"), std::string::npos);
  EXPECT_NE(refusal([&] { own.add(7, {example_trial(1)}); }).find("no task 7"), std::string::npos);
}

/// Whatever a bit or an end of the file becomes, no record comes out that was not put in, and what cannot be
/// read is told of.
TEST_F(DatabaseFile, loses_only_what_is_damaged) {
  {
    Database database = Database::create(at("a.db"));
    fill(database, 4, 60);
    Connection(at("a.db"), Connection::Mode::write).run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  const std::string whole = content(at("a.db"));
  Random random(5);
  std::int64_t told = 0, kept = 0;
  constexpr int trials = 32;
  for (int trial = 0; trial < trials; ++trial) {
    SCOPED_TRACE(trial);
    std::string damaged = whole;
    if (trial % 4 == 0)
      damaged.resize(random.integer(4096, static_cast<std::int64_t>(whole.size()) - 1));
    else
      for (int flip = 0; flip < 3; ++flip) {
        const auto at_byte =
            static_cast<std::size_t>(random.integer(4096, static_cast<std::int64_t>(whole.size()) - 1));
        damaged[at_byte] = static_cast<char>(damaged[at_byte] ^ (1 << random.integer(0, 7)));
      }
    fs::remove(at("b.db"));
    std::ofstream(at("b.db"), std::ios::binary) << damaged;
    fs::remove(at("c.db"));
    Database saved = Database::create(at("c.db"));
    const auto merged = saved.merge(at("b.db"));
    EXPECT_EQ(sound_trials(saved), merged.added);
    kept += merged.added;
    if (merged.added < 240) {
      EXPECT_TRUE(merged.damaged > 0 || !merged.is_whole);
      ++told;
    }
  }
  EXPECT_GT(told, 6) << "the damage hit nothing";
  EXPECT_GT(kept, trials * 240 / 2) << "little was saved";
}

/// Even where all rows can be read: here an order of them, which is made last, is missing.
TEST_F(DatabaseFile, tells_of_every_end_that_is_missing) {
  {
    Database database = Database::create(at("a.db"));
    fill(database, 2, 20);
    const Connection other(at("a.db"), Connection::Mode::write);
    other.run("CREATE INDEX last ON trials(sum)");
    other.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  const std::string whole = content(at("a.db"));
  constexpr std::size_t page_bytes = 4096;
  for (std::size_t left = whole.size() - page_bytes; left > 0; left -= page_bytes) {
    SCOPED_TRACE(left);
    std::ofstream(at("b.db"), std::ios::binary | std::ios::trunc) << whole.substr(0, left);
    fs::remove(at("c.db"));
    Database saved = Database::create(at("c.db"));
    const auto merged = saved.merge(at("b.db"));
    EXPECT_FALSE(merged.is_whole);
    EXPECT_TRUE(merged.added == 40 || left < whole.size() - page_bytes);
  }
}

/// The number of a trial's task, and the time that the order of speed is made of, are covered, too.
TEST_F(DatabaseFile, uses_no_row_with_a_number_that_changed) {
  Database database = Database::create(at("a.db"));
  fill(database, 2, 5);
  const Connection other(at("a.db"), Connection::Mode::write);
  other.run("UPDATE trials SET task = 2 WHERE id = 5");
  other.run("UPDATE trials SET median_s = 1e-9 WHERE id = 1");
  EXPECT_EQ(database.trials(1).damaged, 1);
  EXPECT_EQ(database.trials(1).sound.size(), 3U);
  EXPECT_EQ(database.trials(2).damaged, 1);
  EXPECT_EQ(database.trials(2).sound.size(), 5U);
  EXPECT_EQ(database.best(1), example_trial(4));
  EXPECT_EQ(database.verify().damaged, 2);
}

/// A writer is killed at any moment: what it had been told is kept is there.
TEST_F(DatabaseFile, loses_nothing_that_was_acknowledged) {
  for (int round = 0; round < 12; ++round) {
    fs::remove_all(at("kill"));
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      Database database = Database::create(at("kill/a.db"));
      const std::int64_t task = database.add(example_task(0));
      for (int n = 1;; ++n) {
        database.add(task, {example_trial(n)});
        if (write(pipe_ends[1], &n, sizeof n) != sizeof n) _exit(1);
      }
    }
    close(pipe_ends[1]);
    int acknowledged = 0;
    if (read(pipe_ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged)
      std::this_thread::sleep_for(std::chrono::microseconds(700 * round));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    for (int n = 0; read(pipe_ends[0], &n, sizeof n) == sizeof n;) acknowledged = n;
    close(pipe_ends[0]);
    const Database database = Database::create(at("kill/a.db"));
    EXPECT_GE(acknowledged, 1);
    EXPECT_GE(sound_trials(database), acknowledged);
    EXPECT_TRUE(database.verify().none());
  }
}

TEST_F(DatabaseFile, takes_trials_of_several_at_once) {
  { Database::create(at("a.db")); }
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&, w] {
      Database database = Database::open(at("a.db"));
      for (int n = 1; n <= 25; ++n)
        database.add(database.add(example_task(w % 2)), {example_trial(n + 25 * w)});
    });
  for (std::thread& writer : writers) writer.join();
  const Database database = Database::open(at("a.db"));
  EXPECT_EQ(database.tasks().sound.size(), 2U);
  EXPECT_EQ(sound_trials(database), 100);
  EXPECT_TRUE(database.verify().none());
}

Trial timed(int number, std::string_view method, double low, double median, double high) {
  Trial trial = example_trial(1);
  trial.number = number;
  trial.batch = number;
  trial.trace = "trace " + std::to_string(number);
  trial.taken_at = 1000 + number;
  trial.method = method;
  trial.time = CallTime{median, low, high};
  return trial;
}

/// A trial that was fast once does not beat the winner of a duel; a later one that is clearly faster does.
TEST_F(DatabaseFile, knows_the_winner_of_a_duel_from_a_lucky_trial) {
  Database database = Database::create(at("winner.db"));
  const std::int64_t task = database.add(example_task(1));
  const Trial lucky = timed(1, "cga", 0.8, 0.9, 1.05), slowed = timed(2, "duel", 1.9, 2, 2.1);
  database.add(task, {lucky, slowed});
  EXPECT_EQ(database.best(task), slowed) << "the machine had slowed when the duel was held";
  const Trial winner = timed(3, "duel", 0.95, 1, 1.1);
  database.add(task, {winner});
  EXPECT_EQ(database.best(task), winner);
  const Trial not_clearly = timed(4, "cga", 0.8, 0.9, 0.96), faster = timed(5, "cga", 0.7, 0.8, 0.94);
  database.add(task, {not_clearly});
  EXPECT_EQ(database.best(task), winner);
  database.add(task, {faster});
  EXPECT_EQ(database.best(task), faster);
  database.add(task, {timed(6, "duel", 1.4, 1.5, 1.6)});
  EXPECT_EQ(database.best(task), winner) << "the last duel has judged all trials that were taken before";
}

TEST_F(DatabaseFile, keeps_the_winner_of_a_duel_where_it_is_pruned) {
  Database database = Database::create(at("pruned.db"));
  const std::int64_t task = database.add(example_task(0));
  const Trial lucky = timed(1, "cga", 0.8, 0.9, 1.05), winner = timed(2, "duel", 0.95, 1, 1.1);
  database.add(task, {lucky, winner, timed(3, "cga", 0.99, 1.05, 1.2)});
  database.prune(1);
  EXPECT_EQ(database.trials(task).sound, std::vector{winner});
  EXPECT_EQ(database.best(task), winner);
}

/// A duel that was held in a slow minute has judged the winner of an earlier one where that took part. One
/// that it did not meet is judged by its time.
TEST_F(DatabaseFile, knows_the_winner_of_the_last_duel) {
  Database database = Database::create(at("duels.db"));
  const std::int64_t task = database.add(example_task(1));
  const Trial first = timed(1, "duel", 0.95, 1, 1.1);
  Trial beaten = timed(2, "in duel", 2.1, 2.2, 2.3), second = timed(3, "duel", 1.9, 2, 2.1);
  beaten.trace = first.trace;
  second.batch = beaten.batch;
  database.add(task, {first, beaten, second});
  EXPECT_EQ(database.best(task), second) << "it has beaten the first one, by whatever clock";
  const Trial blind = timed(4, "duel", 2.9, 3, 3.1);
  database.add(task, {blind});
  EXPECT_EQ(database.best(task), second) << "it was not there, and its time is less";
  const Trial faster = timed(5, "duel", 1.4, 1.5, 1.6);
  database.add(task, {faster});
  EXPECT_EQ(database.best(task), faster);
}

/// In a process whose files may not grow beyond so many bytes: what creating a database came to.
std::string created_within(rlim_t bytes, const std::string& path) {
  int ends[2] = {};
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    std::string outcome = "made";
    try {
      Database::create(path);
    } catch (const Error& error) {
      outcome = error.what();
    }
    _exit(write(ends[1], outcome.data(), outcome.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string outcome(1000, ' ');
  outcome.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, read(ends[0], outcome.data(), outcome.size()))));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return outcome;
}

/// A disk that has room for a part of an empty database only: there is none, or all of it.
TEST_F(DatabaseFile, is_whole_or_not_there_where_the_disk_is_full) {
  int refused = 0, made = 0;
  for (const rlim_t bytes : {0U, 512U, 4096U, 8192U, 20'000U, 33'000U, 65'536U, 262'144U}) {
    SCOPED_TRACE(bytes);
    const std::filesystem::path folder = at("full" + std::to_string(bytes));
    const std::string outcome = created_within(bytes, (folder / "a.db").string());
    if (outcome == "made") {
      ++made;
      EXPECT_TRUE(Database::open(folder / "a.db").verify().none());
      continue;
    }
    ++refused;
    EXPECT_TRUE(outcome.starts_with((folder / "a.db").string() + ": ")) << outcome;
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << outcome;
  }
  EXPECT_GT(refused, 2);
  EXPECT_GT(made, 0);
}

}  // namespace
}  // namespace ardea::db
