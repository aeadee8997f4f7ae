#pragma once

#include <string>
#include <vector>

/// Pictures as SVG inside of a page, which has the colours (style.h): what is drawn names a class.

namespace ardea::report {

/// From numbers to places; ticks are round numbers.
struct Axis {
  double low = 0, high = 1;
  bool is_logarithmic = false;
  std::string label = {};

  /// 0 at the low end, 1 at the high one.
  double place(double value) const;
  std::vector<double> ticks(int about) const;
};
/// One that holds the values and begins at 0, or, logarithmic, around them.
Axis axis_from_zero(const std::vector<double>& values, std::string label);
Axis axis_around(const std::vector<double>& values, bool is_logarithmic, std::string label);

/// As few digits as tell ticks apart: "0.25", "120", "1.5k".
std::string tick_text(double value);

struct Dot {
  double x = 0, y = 0;
  std::string says = {};  ///< where the pointer rests on it
};

/// A picture with two axes.
class Plot {
 public:
  /// Levels lie across it, with their names at the right.
  struct Level {
    double y = 0;
    std::string name;
    const char* kind = "level";  ///< of the style
  };
  Plot(Axis x, Axis y, const std::vector<Level>& levels = {}, double width = 560, double height = 300);

  /// A class is drawn by the style; `series` chooses its colour, from 0 on.
  void dots(const std::vector<Dot>& dots, int series, double radius, const char* kind = "dot");
  /// Goes from each dot level to the next one's place, then up or down.
  void steps(const std::vector<Dot>& corners, int series);
  void diagonal();

  /// `title` is for who cannot see it.
  std::string svg(const std::string& title) const;

 private:
  double at_x(double value) const;
  double at_y(double value) const;

  Axis x_, y_;
  std::vector<Level> levels_;
  double width_, height_, right_;
  std::string body_;
};

}  // namespace ardea::report
