#include "tests/tiles/assembly.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ardea::tiles {

namespace {

using target::Arch;

std::string mnemonic(const std::string& instruction) { return instruction.substr(0, instruction.find(' ')); }

bool mentions(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (end >= text.size() || !std::isalnum(static_cast<unsigned char>(text[end]))) return true;
  }
  return false;
}

/// The instruction without its comment and with single spaces.
std::string trimmed(const std::string& line, Arch arch) {
  std::string text = line.substr(0, line.find(arch == Arch::x86_64 ? " #" : "//"));
  std::string out;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

bool is_branch(const std::string& instruction) {
  const std::string op = mnemonic(instruction);
  return op[0] == 'j' || op == "b" || op.starts_with("b.") || op.starts_with("cb") || op.starts_with("tb");
}

}  // namespace

bool AssemblyBlock::is_loop() const {
  return std::any_of(instructions.begin(), instructions.end(), [&](const std::string& instruction) {
    return is_branch(instruction) && mentions(instruction, label);
  });
}

int AssemblyBlock::multiply_adds(Arch arch) const {
  return static_cast<int>(std::count_if(instructions.begin(), instructions.end(), [&](const std::string& x) {
    const std::string op = mnemonic(x);
    return arch == Arch::x86_64 ? op.starts_with("vfmadd") : op == "fmla" || op == "fmadd";
  }));
}

Assembly read_assembly(const std::string& text, Arch arch) {
  Assembly code;
  code.blocks.push_back({"entry", {}});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string part = trimmed(line, arch);
    if (part.empty() || part[0] == '#') continue;
    if (part.ends_with(':')) {
      code.blocks.push_back({part.substr(0, part.size() - 1), {}});
      continue;
    }
    if (part[0] == '.') continue;
    code.has_frame_pointer = code.has_frame_pointer || part == "movq %rsp, %rbp" || part == "mov x29, sp" ||
                             part.starts_with("add x29, sp");
    code.blocks.back().instructions.push_back(part);
    // What follows a branch is another block, with a label or without.
    if (is_branch(part)) code.blocks.push_back({"", {}});
  }
  return code;
}

bool touches_stack(const std::string& instruction, const Assembly& code, Arch arch) {
  const std::size_t memory = instruction.find(arch == Arch::x86_64 ? '(' : '[');
  if (memory == std::string::npos) return false;
  const std::string address = instruction.substr(memory);
  const bool x86 = arch == Arch::x86_64;
  return mentions(address, x86 ? "%rsp" : "sp") ||
         (code.has_frame_pointer && mentions(address, x86 ? "%rbp" : "x29"));
}

bool is_store(const std::string& instruction, Arch arch) {
  const std::string op = mnemonic(instruction);
  if (arch == Arch::aarch64) return op.starts_with("st");
  if (op.starts_with("cmp") || op.starts_with("test") || op.starts_with("prefetch") ||
      op.starts_with("lea") || op.starts_with("vucomis") || is_branch(instruction))
    return false;
  // In this syntax the last operand is written; a mask in braces may follow it.
  std::string operands = instruction.substr(0, instruction.find(" {"));
  const std::size_t brace = operands.find('{');
  if (brace != std::string::npos && operands.find("{1to") != brace) operands = operands.substr(0, brace);
  return !operands.empty() && operands.back() == ')';
}

}  // namespace ardea::tiles
