#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include "ardea/compile/c_text.h"
#include "ardea/support/error.h"
#include "ardea/support/text.h"

namespace ardea::compile {

namespace {

std::string guard_name(const std::string& library) {
  std::string name = "ARDEA_KERNEL_";
  for (const char c : library)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0
                ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                : '_';
  return name + "_H_";
}

/// Nothing that a user named may end the comment it stands in.
std::string in_comment(std::string text) {
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.replace(at, 2, "* /");
  return text;
}

/// The words as lines of a comment.
std::string comment_lines(const std::string& words) {
  std::string text, line;
  std::istringstream stream(in_comment(words));
  for (std::string word; stream >> word;) {
    if (!line.empty() && line.size() + word.size() > 110) text += " *" + std::exchange(line, "") + "\n";
    line += " " + word;
  }
  return text + " *" + line + "\n";
}

const char* const gpu_paragraph =
    "\n *\n"
    " * Arrays are memory of the GPU whose context is the calling thread's (of the first GPU, where it has "
    "none). "
    "A\n"
    " * function returns when its work is in the stream, not when it is done: wait for the stream before the "
    "answers are\n"
    " * read, and hear there of what goes wrong in a kernel. It returns 1 where it refuses arguments, 2 "
    "where "
    "there is no\n"
    " * GPU or no driver of NVIDIA's (for CUDA 12 or later), 3 where the driver fails.";

std::string described(const CFunction& f) {
  std::size_t width = 0;
  for (const auto* list : {&f.parameters, &f.size_parameters})
    for (const CParameter& p : *list) width = std::max(width, p.name.size());
  if (f.stream) width = std::max(width, f.stream->name.size());
  std::string text = fmt::format("/* {} of the program.\n", f.program_name);
  for (const auto* list : {&f.parameters, &f.size_parameters})
    for (const CParameter& p : *list)
      text += fmt::format(" *   {:<{}}  {}\n", p.name, width, in_comment(p.note));
  if (f.stream) text += fmt::format(" *   {:<{}}  {}\n", f.stream->name, width, f.stream->note);
  return text + " */\n";
}

}  // namespace

std::string c_header(const Banner& banner, const std::vector<CFunction>& functions) {
  const std::string guard = guard_name(banner.library);
  std::string text = fmt::format(
      "/* {0}.h, written by Ardea {1} for {2}.\n"
      "{3}"
      " *\n"
      " * Every function returns 0, or another number where it refuses its arguments or fails; NAME_error() "
      "is then a\n"
      " * sentence that says why, for the last failure on the calling thread, valid until the next one. "
      "Arrays lie\n"
      " * row-major without gaps where no strides are named. An array that is written must not overlap "
      "another. All\n"
      " * functions may be called from any number of threads at a time.{5} */\n"
      "#ifndef {4}\n#define {4}\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      banner.library, ARDEA_VERSION, in_comment(banner.target),
      banner.features.empty()
          ? ""
          : comment_lines(fmt::format("For {0}.o and {0}.so the processor must have: {1}.", banner.library,
                                      banner.features)),
      guard, banner.on_gpu ? gpu_paragraph : "");
  for (const CFunction& f : functions)
    text += fmt::format("{}{};\nconst char* {}(void);\n\n", described(f), f.declaration(), f.error_name());
  return text + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace ardea::compile
