#include "ardea/codegen/llvm/optimize.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include "ardea/codegen/llvm/lane_operands.h"
#include "ardea/codegen/llvm/late_shuffles.h"
#include "ardea/codegen/llvm/range_extremes.h"
#include "ardea/codegen/llvm/store_order.h"
#include "ardea/support/error.h"

namespace ardea::codegen {

namespace {

llvm::OptimizationLevel pipeline_level(int level) {
  switch (level) {
    case 0: return llvm::OptimizationLevel::O0;
    case 1: return llvm::OptimizationLevel::O1;
    case 2: return llvm::OptimizationLevel::O2;
    default: return llvm::OptimizationLevel::O3;
  }
}

bool is_register_slot(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::AllocaInst>(instruction) &&
         instruction.getName().starts_with(llvm::StringRef(register_slot_prefix));
}

bool has_register_slots(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (is_register_slot(instruction)) return true;
  return false;
}

/// Only what has an address stays memory: a parallel loop inside the slot's allocation takes it, or a call.
void check_register_slots(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!is_register_slot(instruction)) continue;
      const std::string name = instruction.getName().substr(register_slot_prefix.size()).str();
      fail(
          "{}: the slot {} of scope \"register\" stays in memory, because a parallel loop or a call inside "
          "takes "
          "its address; allocate it inside that loop, or use scope \"local\"",
          function.getName().str(), name);
    }
}

/// A change of ours to functions, as a pass of LLVM's.
template <bool (*Change)(llvm::Function&, llvm::ScalarEvolution&)>
class OurPass : public llvm::PassInfoMixin<OurPass<Change>> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (!Change(function, analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)))
      return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine, int level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopInterleaving = tuning.LoopVectorization = level >= 2;
  tuning.SLPVectorization = level >= 2 && !has_register_slots(module);
  tuning.LoopUnrolling = level >= 1;

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager passes = level == 0 ? builder.buildO0DefaultPipeline(pipeline_level(level))
                                              : builder.buildPerModuleDefaultPipeline(pipeline_level(level));
  // After the passes that bring what is loaded to where it is used, and before maxima are several
  // instructions.
  if (level >= 2)
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(OurPass<shuffle_after_operations>()));
  const llvm::StringRef features = machine.getTargetFeatureString();
  if (level >= 1 && features.contains("+avx512dq")) {
    if (features.contains("+avx512vl"))
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(OurPass<take_short_extremes_by_range>()));
    else
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(OurPass<take_extremes_by_range>()));
  }
  // At the end: LLVM's own passes would load the lanes one by one again.
  if (level >= 2 && machine.getTargetTriple().isAArch64())
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(OurPass<load_lane_operands>()));
  // Last: what LLVM's passes know of memory ends at a fence.
  if (level >= 2)
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(OurPass<keep_rows_of_stores_together>()));
  passes.run(module, modules);
  if (level > 0) check_register_slots(module);
}

}  // namespace ardea::codegen
