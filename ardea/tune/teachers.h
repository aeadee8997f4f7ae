#pragma once

#include "ardea/cost/boosted_model.h"
#include "ardea/db/database.h"

/// What other shapes of an operator taught: their records, as lessons for the model of a new task.

namespace ardea::tune {

/// Some trials of another task.
struct Teacher {
  db::Task task;
  std::vector<db::Trial> trials;
};

/// How much is learned from: each record is scheduled once more, which takes some hundredths of a second.
struct TeacherLimits {
  std::size_t tasks = 3, trials = 24;  ///< trials of each task
};

/// Tasks of the same operator and types, for the same machine, threads, compiler and protocol, that are not
/// this one: those of the nearest sizes. Of each the fastest trial, and others of all speeds. No duels, which
/// have points again, and no trial that was not timed.
std::vector<Teacher> teachers_of(const db::Database& database, const db::Task& task,
                                 const TeacherLimits& limits = {});

/// Which they were, as JSON, for a note of the run; and the same ones again. Error where one is not in the
/// database any more.
std::string to_note(const std::vector<Teacher>& teachers);
std::vector<Teacher> teachers_in(const db::Database& database, const std::string& note);
/// The note's name.
inline constexpr std::string_view learned_from = "learned from";

/// Their programs as rows of these features. A record that is none (its program or steps cannot be read, or
/// are refused now) is left out, and a task of which nothing is left.
std::vector<cost::OtherTask> lessons_of(const std::vector<Teacher>& teachers, const cost::Features& features);

}  // namespace ardea::tune
