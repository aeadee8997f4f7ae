#include "ardea/te/hybrid.h"

#include <algorithm>

#include "ardea/support/text.h"
#include "ardea/te/hybrid_parser.h"

namespace ardea::te {

Operation HybridParser::function(const std::vector<HybridArgument>& arguments) {
  decorators();
  if (!tokens_.at("def")) tokens_.unexpected("a function, as in def scale(a, factor):");
  tokens_.next();
  function_name_ = tokens_.expect_name("the name of the function").text;
  parameters(arguments);
  Extern stage{body()};
  if (!tokens_.at(TokenKind::end))
    tokens_.fail_at(tokens_.peek(), fmt::format("found {} after the function {}; a text holds one function",
                                                describe(tokens_.peek()), function_name_));
  std::vector<Tensor> read = tensors_in(stage.body);
  return {function_name_, returned_, std::move(read), std::move(stage)};
}

// @te.hybrid.script
void HybridParser::decorators() {
  while (tokens_.at("@")) {
    const Token& at = tokens_.next();
    const Token* last = nullptr;
    do {
      last = &tokens_.expect_name("te.hybrid.script");
    } while (tokens_.take("."));
    if (!last->is("script") && !last->is("hybrid"))
      tokens_.fail_at(at, "found another decorator, expected @te.hybrid.script or none");
    tokens_.expect_line_end();
  }
}

void HybridParser::parameters(const std::vector<HybridArgument>& arguments) {
  const Token& at = tokens_.expect("(");
  std::vector<Token> names;
  while (!tokens_.at(")")) {
    names.push_back(tokens_.expect_name("the name of a parameter"));
    if (tokens_.at(":") || tokens_.at("="))
      tokens_.fail_at(tokens_.peek(), "parameters are names alone: their types follow from the arguments");
    if (!tokens_.take(",")) break;
  }
  tokens_.expect(")");
  if (names.size() != arguments.size())
    tokens_.fail_at(at, fmt::format("{} takes {} argument{}, got {}", function_name_, names.size(),
                                    names.size() == 1 ? "" : "s", arguments.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names_.find(names[i].text) != nullptr)
      tokens_.fail_at(names[i], fmt::format("there are two parameters {}", names[i].text));
    names_.define(names[i].text, tokens_.located(names[i], [&] { return meaning_of(arguments[i]); }));
  }
}

Stmt HybridParser::body() {
  const Token& colon = tokens_.expect(":");
  tokens_.expect_line_end();
  tokens_.expect(TokenKind::indent, "an indented line");
  Stmt statements = lines_until_dedent();
  if (returned_.empty())
    tokens_.fail_at(colon, fmt::format("{} returns nothing; end it with return c, where c = output_tensor(…)",
                                       function_name_));
  for (const Buffer& output : outputs_)
    if (std::find(returned_.begin(), returned_.end(), output) == returned_.end())
      tokens_.fail_at(colon, fmt::format("{} is an output of {} that it does not return; return it, or make "
                                         "it by allocate(…)",
                                         output->name, function_name_));
  return statements;
}

// return c | return c, d | return (c, d)
void HybridParser::return_line() {
  tokens_.next();
  const bool bracket = tokens_.take("(");
  do {
    if (bracket && tokens_.at(")")) break;
    return_output(tokens_.expect_name("an output"));
  } while (tokens_.take(",") && !tokens_.at(TokenKind::newline));
  if (bracket) tokens_.expect(")");
  tokens_.expect_line_end();
}

void HybridParser::return_output(const Token& name) {
  const HybridName& meaning = visible(name);
  if (meaning.kind != HybridName::Kind::output || tokens_.at("[") || tokens_.at("."))
    tokens_.fail_at(name, fmt::format("return {0}: {0} is {1}; what is returned is a whole array of "
                                      "output_tensor(…)",
                                      name.text, meaning.what));
  if (std::find(returned_.begin(), returned_.end(), meaning.buffer) != returned_.end())
    tokens_.fail_at(name, fmt::format("{} is returned twice", name.text));
  returned_.push_back(meaning.buffer);
}

std::vector<Tensor> hybrid(std::string_view source, const std::vector<HybridArgument>& arguments,
                           const std::string& text_name) {
  return results(publish(HybridParser(source, text_name).function(arguments)));
}

}  // namespace ardea::te
