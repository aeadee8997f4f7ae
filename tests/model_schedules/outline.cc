#include "tests/model_schedules/outline.h"

#include <fmt/core.h>

#include "ardea/ir/print.h"
#include "ardea/support/text.h"

namespace ardea::test {

namespace {

std::string to_text(const Attribute& attribute) {
  if (const auto* value = std::get_if<Expr>(&attribute.value)) return print(*value);
  std::vector<std::string> parts;
  for (const Attribute& part : std::get<std::vector<Attribute>>(attribute.value))
    parts.push_back(to_text(part));
  return "[" + join(parts, ", ") + "]";
}

std::string marks_of(const Attributes& annotations) {
  std::string text;
  for (const auto& [key, value] : annotations) text += fmt::format(" {}={}", key, to_text(value));
  return text;
}

std::string to_text(const For& loop) {
  std::string kind;
  switch (loop.kind) {
    case ForKind::serial: break;
    case ForKind::parallel: kind = "parallel "; break;
    case ForKind::vectorized: kind = "vectorized "; break;
    case ForKind::unrolled: kind = "unrolled "; break;
    case ForKind::thread_binding:
    case ForKind::virtual_thread: kind = loop.thread + " "; break;
  }
  return kind + print(loop.extent) + marks_of(loop.annotations);
}

class Outline {
 public:
  const std::string& text() const { return text_; }

  /// `line` is what stands in the line already: the loops right around.
  void add(const Stmt& statement, const std::string& line) {
    if (const auto* loop = statement.as<For>()) {
      add(loop->body, (line.empty() ? "" : line + ", ") + to_text(*loop));
    } else if (const auto* block = statement.as<Block>()) {
      add_block(*block, line);
    } else if (const auto* branch = statement.as<If>()) {
      end_line(line + " if");
      inside(branch->then_case);
      if (branch->else_case.defined()) inside(branch->else_case);
    } else if (const auto* sequence = statement.as<Seq>()) {
      end_line(line);
      for (const Stmt& part : sequence->statements) inside(part);
    }
  }

  void add_buffers(const Block& block) {
    for (const Buffer& buffer : block.allocations) {
      std::vector<std::string> extents;
      for (const Expr& extent : buffer->shape) extents.push_back(print(extent));
      end_line(fmt::format("{} {} of {} in {}", buffer->name, to_string(buffer->type), join(extents, "×"),
                           buffer->scope));
    }
  }

 private:
  void add_block(const Block& block, const std::string& line) {
    end_line(fmt::format("{}{}{}{}", line.empty() ? "" : line + ": ", block.name,
                         block.predicate.defined() ? " guarded" : "", marks_of(block.annotations)));
    depth_ += 2;
    add_buffers(block);
    depth_ -= 2;
    inside(block.body);
  }

  void inside(const Stmt& statement) {
    depth_ += 2;
    add(statement, "");
    depth_ -= 2;
  }

  void end_line(const std::string& line) {
    if (!line.empty()) text_ += std::string(depth_, ' ') + line + "\n";
  }

  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string outline(const Function& program) {
  Outline outline;
  const auto* root = program.body.as<Block>();
  if (root == nullptr) {
    outline.add(program.body, "");
    return outline.text();
  }
  outline.add_buffers(*root);
  if (const auto* sequence = root->body.as<Seq>())
    for (const Stmt& part : sequence->statements) outline.add(part, "");
  else
    outline.add(root->body, "");
  return outline.text();
}

}  // namespace ardea::test
