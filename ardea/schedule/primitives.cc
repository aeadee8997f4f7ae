#include "ardea/schedule/primitive.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/add_unit_loop.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fission.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/loop_partition.h"
#include "ardea/schedule/primitives/loops/mark.h"
#include "ardea/schedule/primitives/loops/merge.h"
#include "ardea/schedule/primitives/loops/reorder.h"
#include "ardea/schedule/primitives/loops/split.h"
#include "ardea/schedule/primitives/loops/tile.h"
#include "ardea/schedule/primitives/memory/add_guard.h"
#include "ardea/schedule/primitives/memory/cache_index.h"
#include "ardea/schedule/primitives/memory/cache_read.h"
#include "ardea/schedule/primitives/memory/cache_write.h"
#include "ardea/schedule/primitives/memory/double_buffer.h"
#include "ardea/schedule/primitives/memory/lift_alloc.h"
#include "ardea/schedule/primitives/memory/reindex.h"
#include "ardea/schedule/primitives/memory/rolling_buffer.h"
#include "ardea/schedule/primitives/memory/set_scope.h"
#include "ardea/schedule/primitives/memory/stage_mem.h"
#include "ardea/schedule/primitives/memory/storage_align.h"
#include "ardea/schedule/primitives/memory/transform_layout.h"
#include "ardea/schedule/primitives/place/compute_at.h"
#include "ardea/schedule/primitives/place/compute_inline.h"
#include "ardea/schedule/primitives/place/compute_root.h"
#include "ardea/schedule/primitives/place/reverse_compute_at.h"
#include "ardea/schedule/primitives/place/reverse_compute_inline.h"
#include "ardea/schedule/primitives/reduce/decompose_reduction.h"
#include "ardea/schedule/primitives/reduce/pad_einsum.h"
#include "ardea/schedule/primitives/reduce/rfactor.h"
#include "ardea/schedule/primitives/sample/sample.h"
#include "ardea/schedule/primitives/sample/sample_compute_location.h"
#include "ardea/schedule/primitives/tensor/blockize.h"
#include "ardea/schedule/primitives/tensor/software_pipeline.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"
#include "ardea/support/text.h"

namespace ardea::schedule {

const std::vector<Primitive>& primitives() {
  static const std::vector<Primitive> table = {
      // find
      row<GetBlock>(),
      row<GetLoops>(),
      row<GetChildBlocks>(),
      row<GetProducers>(),
      row<GetConsumers>(),
      // loops
      row<Split>(),
      row<Tile>(),
      row<Fuse>(),
      row<Reorder>(),
      row<Merge>(),
      row<Fission>(),
      row<LoopPartition>(),
      row<AddUnitLoop>(),
      // how they run
      row<Parallel>(),
      row<Vectorize>(),
      row<Unroll>(),
      row<Bind>(),
      row<SoftwarePipeline>(),
      row<DoubleBuffer>(),
      row<Annotate>(),
      row<Unannotate>(),
      row<Pragma>(),
      // place
      row<ComputeAt>(),
      row<ReverseComputeAt>(),
      row<ComputeRoot>(),
      row<ComputeInline>(),
      row<ReverseComputeInline>(),
      // memory
      row<CacheRead>(),
      row<CacheWrite>(),
      row<Reindex>(),
      row<CacheIndex>(),
      row<SetScope>(),
      row<StorageAlign>(),
      row<TransformLayout>(),
      row<StageMem>(),
      row<LiftAlloc>(),
      row<AddGuard>(),
      row<RollingBuffer>(),
      // reductions
      row<DecomposeReduction>(),
      row<RFactor>(),
      row<PadEinsum>(),
      // tensor units
      row<Blockize>(),
      row<Tensorize>(),
      // sampling
      row<SamplePerfectTile>(),
      row<SampleCategorical>(),
      row<SampleComputeLocation>(),
  };
  return table;
}

const Primitive& find_primitive(const std::string& name) {
  std::vector<std::string> names;
  for (const Primitive& primitive : primitives()) {
    if (primitive.name == name) return primitive;
    names.push_back(primitive.name);
  }
  fail("there is no primitive {}{}; `ardea primitives` lists them", in_quotes(name),
       did_you_mean(name, names));
}

}  // namespace ardea::schedule
