#include "ardea/db/exchange.h"

#include <istream>
#include <ostream>
#include <unordered_map>

namespace ardea::db {

std::int64_t export_lines(const Database& database, std::ostream& out, Shape shape) {
  const Kept<KeptTask> tasks = database.tasks();
  std::int64_t damaged = tasks.damaged;
  const auto write = [&](const std::string& line) {
    out << (shape == Shape::own ? line + "\n" : as_comment(line));
  };
  for (const KeptTask& entry : tasks.sound) {
    const Kept<Trial> trials = database.trials(entry.id);
    const Kept<Note> notes = database.notes(entry.id);
    damaged += trials.damaged + notes.damaged;
    for (const Trial& trial : trials.sound) out << in_shape(shape, entry.task, trial);
    for (const Note& note : notes.sound) write(to_line(entry.task, note));
  }
  for (const std::string& line : database.lines()) {
    if (const auto theirs = out_of_envelope(shape, line))
      out << *theirs << '\n';
    else
      write(line);
  }
  return damaged;
}

Imported import_lines(Database& database, std::istream& in) {
  Imported imported;
  // Together, in the order of the tasks: a transaction for each line would wait for the disk as often.
  struct Read {
    std::int64_t task;
    std::vector<Trial> trials = {};
    std::vector<Note> notes = {};
  };
  std::vector<Read> read;
  std::unordered_map<std::int64_t, std::size_t> places;
  std::int64_t number = 0;
  ShapeReader reader;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (text.ends_with('\r')) text.pop_back();
    const ReadLine found = reader.read(text);
    if (found.kind == ReadLine::Kind::nothing || found.kind == ReadLine::Kind::repeated) continue;
    Line line;
    try {
      line = line_of(found.line);
    } catch (const Error& error) {
      imported.refused.push_back(fmt::format("line {}: {}", number, error.what()));
      continue;
    }
    if (!line.trial && !line.note) {
      ++imported.foreign;
      imported.theirs += found.kind == ReadLine::Kind::theirs ? 1 : 0;
      ++(database.add_line(found.line) ? imported.added : imported.known);
      continue;
    }
    const std::int64_t task = database.add(line.task);
    const auto [at, is_new] = places.try_emplace(task, read.size());
    if (is_new) read.push_back({task});
    Read& into = read[at->second];
    if (line.trial)
      into.trials.push_back(std::move(*line.trial));
    else
      into.notes.push_back(std::move(*line.note));
  }
  for (const Read& of : read) {
    const std::int64_t added = database.add(of.task, of.trials) + database.add_notes(of.task, of.notes);
    imported.added += added;
    imported.known += static_cast<std::int64_t>(of.trials.size() + of.notes.size()) - added;
  }
  return imported;
}

}  // namespace ardea::db
