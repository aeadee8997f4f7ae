#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ardea/codegen/options.h"
#include "ardea/ir/function.h"
#include "ardea/ir/intrinsics.h"
#include "ardea/runtime/array.h"
#include "ardea/runtime/module.h"
#include "ardea/target/target.h"

/// Lowered functions written by hand: what lowering leaves, without lowering. The tests over them hold for
/// every backend: tests/codegen_c compiles the same files with another `load`.

namespace ardea::test {

/// This machine, read once.
const target::Target& host();

/// A flat buffer of so many elements.
Buffer flat(const std::string& name, std::int64_t elements, DataType type);

/// An entry point whose arguments are arrays with the elements of `buffers`, unchecked.
Function entry(const std::string& name, const std::vector<Buffer>& buffers, Stmt body,
               Attributes attributes = {});

/// The functions by the backend under test, loaded into this process.
runtime::Module load(const std::string& module_name, const std::vector<Function>& functions,
                     const target::Target& target, const codegen::Options& options);
runtime::Function compile(const Function& f, const codegen::Options& options = {},
                          const target::Target& target = host());

/// body(i) for i in [0, extent).
Stmt loop(std::int64_t extent, const std::function<Stmt(const Var&)>& body, ForKind kind = ForKind::serial);

/// out[i] = value(i) for every i, compiled for `target` and run on arrays that already exist.
void run_elementwise(const Buffer& out, const std::function<Expr(const Var&)>& value,
                     const std::vector<Buffer>& buffers, const std::vector<runtime::Array>& arrays,
                     const target::Target& target = host(), const codegen::Options& options = {});

/// Two temporaries of so many int32, filled and read back through each other into out, and then `inside`.
Stmt through_temporaries(const Buffer& out, std::int64_t elements, Stmt inside);

inline const std::vector<DataType> integer_types = {int8, int16, int32, int64, uint8, uint16, uint32, uint64};

/// An array of `type` with these elements, integers by their bits.
runtime::Array integers(const std::vector<std::int64_t>& values, DataType type);
runtime::Array floats(const std::vector<double>& values, DataType type);

/// Calls f and gives back the sentence of the Error it throws; "" where it throws none.
std::string error_of(const std::function<void()>& f);

}  // namespace ardea::test
