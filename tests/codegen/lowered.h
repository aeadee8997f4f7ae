#pragma once

#include <string>
#include <vector>

#include "ardea/codegen/llvm/codegen.h"
#include "ardea/ir/function.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/runtime/array.h"

/// Lowered functions written by hand: what lowering leaves, without lowering.

namespace ardea::test {

/// This machine, read once.
const target::Target& host();

/// A flat buffer of so many elements.
Buffer flat(const std::string& name, std::int64_t elements, DataType type);

/// An entry point whose arguments are arrays with the elements of `buffers`, unchecked.
Function entry(const std::string& name, const std::vector<Buffer>& buffers, Stmt body,
               Attributes attributes = {});

runtime::Function compile(const Function& f, const codegen::Options& options = {},
                          const target::Target& target = host());

/// body(i) for i in [0, extent).
Stmt loop(std::int64_t extent, const std::function<Stmt(const Var&)>& body, ForKind kind = ForKind::serial);

/// out[i] = value(i) for every i, compiled for `target` and run on arrays that already exist.
void run_elementwise(const Buffer& out, const std::function<Expr(const Var&)>& value,
                     const std::vector<Buffer>& buffers, const std::vector<runtime::Array>& arrays,
                     const target::Target& target = host(), const codegen::Options& options = {});

/// An array of `type` with these elements, integers by their bits.
runtime::Array integers(const std::vector<std::int64_t>& values, DataType type);
runtime::Array floats(const std::vector<double>& values, DataType type);

/// Calls f and gives back the sentence of the Error it throws; "" where it throws none.
std::string error_of(const std::function<void()>& f);

}  // namespace ardea::test
