#include "ardea/report/page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ardea/report/markup.h"
#include "ardea/report/parts.h"
#include "ardea/report/plot.h"
#include "tests/report/stories.h"

namespace ardea::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Every element that is opened is closed, in order. No text of a record opens one.
void expect_whole(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    if (html.compare(at, 2, "<!") == 0) continue;
    const std::size_t end = html.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const bool closes = html[at + 1] == '/';
    const std::size_t begin = at + (closes ? 2 : 1);
    const std::string name = html.substr(begin, html.find_first_of(" >/", begin) - begin);
    if (name == "meta" || html[end - 1] == '/') continue;
    if (!closes) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << html.substr(at, 60);
    ASSERT_EQ(open.back(), name) << html.substr(at > 200 ? at - 200 : 0, 260);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty()) << open.back();
}

Report example_report() {
  Story story = example_story(2, 40);
  story.default_s = 2e-5;
  story.libraries_s = {{"ardea", 1.1e-5}, {"blas & co", 1.3e-5}, {"slow", 4e-5}};
  story.peak_per_s = 6e10;
  story.peak_name = "float32";
  return {
      .source = "a <b>.db", .made_by = "ardea", .made_at = 1'700'000'000, .damaged = 3, .stories = {story}};
}

TEST(Page, is_whole_and_needs_nothing_else) {
  const std::string html = page(example_report());
  expect_whole(html);
  EXPECT_EQ(html.find("<!DOCTYPE html>"), 0U);
  for (const char* outside : {"http:", "https:", "<script", "<link", "<img", "@import", "url("})
    EXPECT_FALSE(has(html, outside)) << outside;
  EXPECT_TRUE(has(html, "prefers-color-scheme: dark") && has(html, "@media print"));
}

TEST(Page, shows_every_part) {
  const std::string html = page(example_report());
  for (const char* part : {"curves", "rivals", "failures", "where", "predictions", "programs"})
    EXPECT_EQ(count(html, fmt::format("<section class=\"part {}\">", part)), 1U) << part;
  EXPECT_EQ(count(html, "class=\"plot\""), 3U) << "trials, seconds, predictions";
  EXPECT_EQ(count(html, "class=\"line s0\""), 2U);
  EXPECT_EQ(count(html, "class=\"line s1\""), 2U) << "a line a run in both pictures";
  EXPECT_TRUE(has(html, "3 rows of the database are damaged"));
  EXPECT_TRUE(has(html, "1.18 × blas &amp; co")) << "the best library, by the run that both were in";
  EXPECT_TRUE(has(html, "a &lt;b&gt;.db"));
}

TEST(Page, says_so_where_there_is_nothing) {
  Report report{.source = "empty.db", .made_by = "ardea"};
  expect_whole(page(report));
  EXPECT_TRUE(has(page(report), "Nothing was tuned yet"));
  Story failed = example_story(1, 9);
  for (db::Trial& trial : failed.trials) {
    trial.outcome = TrialOutcome::crashed;
    trial.time.reset();
  }
  failed.best.reset();
  failed.winning.clear();
  failed.why_none = "no <trial> was timed";
  report.stories = {failed};
  const std::string html = page(report);
  expect_whole(html);
  EXPECT_TRUE(has(html, "No trial was timed"));
  EXPECT_TRUE(has(html, "no &lt;trial&gt; was timed"));
}

TEST(Curves, rise_to_the_best_of_each_run) {
  Story story = example_story(1, 4);
  story.operations.reset();
  for (int n = 0; n < 4; ++n) {
    story.trials[n].outcome = TrialOutcome::timed;
    const double ms = n == 1 ? 4 : 8;
    story.trials[n].time = CallTime{ms * 1e-3, ms * 1e-3, ms * 1e-3};
  }
  const std::string html = curves(story);
  // Of two levels: down at the second trial, then level to the last.
  const std::size_t at = html.find("class=\"line s0\" d=\"");
  ASSERT_NE(at, std::string::npos);
  const std::string path = html.substr(at, html.find("/>", at) - at);
  EXPECT_EQ(count(path, "V"), 1U) << path;
  EXPECT_EQ(count(path, "H"), 2U) << path;
  EXPECT_EQ(count(html, "<circle class=\"tried s0\""), 8U);
}

TEST(Failures, are_counted_by_kind_with_what_they_said) {
  const std::string html = failures(example_story(1, 40));
  EXPECT_TRUE(has(html, "crashed</th>") && has(html, "timed out</th>"));
  EXPECT_TRUE(has(html, "<td>36, 90.0 %</td>")) << html;
  EXPECT_TRUE(has(html, "<td>2, 5.0 %</td>"));
  EXPECT_TRUE(has(html, "the process &lt;died&gt; &amp; said &quot;nothing&quot;"));
  EXPECT_TRUE(has(failures(example_story(1, 5)), "None of 5 trials failed"));
}

/// The fastest have large tiles: their shares, and the order of the knobs, say so.
TEST(Knobs, show_where_the_fastest_lie) {
  Story story = example_story(1, 400);
  const std::string html = knobs(story);
  EXPECT_EQ(count(html, "<svg class=knob"), 2U) << "the knob that never changes is left out";
  EXPECT_TRUE(has(html, "C_rows = 1: ")) << html;
  const std::size_t at = html.find("C_rows = 1: ");
  EXPECT_TRUE(has(html.substr(at, 60), "% of all, 0 % of the fastest")) << html.substr(at, 60);
  EXPECT_LT(html.find("<title>C_rows</title>"), html.find("<title>C_columns</title>"))
      << "what matters more comes first";
  EXPECT_TRUE(has(html, "Structural choices"));
  EXPECT_LT(html.find("A in panels = yes</th>"), html.find("A in panels = no</th>"))
      << "the faster one first";
  EXPECT_TRUE(has(html, "class=\"tick won\""));
}

TEST(Predictions, are_drawn_around_the_diagonal) {
  const std::string html = predictions(example_story(1, 60));
  EXPECT_EQ(count(html, "<circle class=\"dot s0\""), 46U) << "those that were timed and predicted";
  const std::size_t at = html.find("agree by ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GT(std::stod(html.substr(at + 9)), 0.9);
  EXPECT_TRUE(has(predictions(example_story(1, 8)), "No batch has 4 trials"));
}

TEST(Predictions, rank_as_spearman_does) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_NEAR(rank_correlation({106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
                               {7, 27, 2, 50, 28, 29, 20, 12, 6, 17}),
              -29.0 / 165, 1e-12);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 1}, {1, 2, 3}), 0);
}

/// A model that has learned more has another constant: what it says is compared within a batch.
TEST(Predictions, are_compared_within_a_batch) {
  Story story = example_story(1, 60);
  for (db::Trial& trial : story.trials) {
    trial.batch = trial.number < 30 ? 1 : 2;
    if (trial.batch == 2 && trial.predicted) *trial.predicted -= 14;
  }
  const std::string html = predictions(story);
  const std::size_t at = html.find("agree by ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GT(std::stod(html.substr(at + 9)), 0.9);
  EXPECT_TRUE(has(html, "in 2 batches"));
}

TEST(Runs, are_without_their_duels) {
  Story story = example_story(2, 10);
  const std::size_t ranked = ranking(story).size();
  for (const char* method : {"duel", "in duel"}) {
    db::Trial again = *story.best;
    again.method = method;
    again.number = 11;
    story.trials.push_back(again);
  }
  ASSERT_EQ(runs_of(story).size(), 2U);
  EXPECT_EQ(runs_of(story)[0].trials.size() + runs_of(story)[1].trials.size(), 20U);
  EXPECT_EQ(ranking(story).size(), ranked);
}

TEST(Knobs, name_what_sketches_differ_in) {
  Story story = example_story(1, 60);
  for (db::Trial& trial : story.trials) trial.sketch = "C left over = guarded, " + trial.sketch;
  const std::string html = knobs(story);
  EXPECT_TRUE(has(html, ">A in panels = yes</th>"));
  EXPECT_FALSE(has(html, "guarded")) << "all of them answer so";
}

TEST(Plot, has_round_ticks_within_its_axis) {
  for (const double high : {0.0137, 0.9, 1.0, 7.0, 63.0, 1234.5, 8e7})
    for (const bool is_logarithmic : {false, true}) {
      const Axis axis{is_logarithmic ? high / 40 : 0, high, is_logarithmic, ""};
      const std::vector<double> ticks = axis.ticks(5);
      EXPECT_GE(ticks.size(), 3U) << high;
      EXPECT_LE(ticks.size(), 9U) << high;
      for (const double tick : ticks) {
        EXPECT_GE(axis.place(tick), -1e-6);
        EXPECT_LE(axis.place(tick), 1 + 1e-6);
      }
    }
  EXPECT_EQ((Axis{0, 10, false, ""}.ticks(5)), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ((Axis{1, 100, true, ""}.ticks(6)), (std::vector<double>{1, 2, 5, 10, 20, 50, 100}));
}

TEST(Markup, marks_what_a_program_is_made_of) {
  EXPECT_EQ(coloured_program("for i2 in range(4): # a<b\n x = \"for\""),
            "<i class=k>for</i> i2 <i class=k>in</i> <i class=k>range</i>(<i class=n>4</i>): <i class=c># "
            "a&lt;b</i>\n x "
            "= <i class=s>&quot;for&quot;</i>");
  EXPECT_EQ(in_markup("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
}

}  // namespace
}  // namespace ardea::report
