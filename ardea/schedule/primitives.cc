#include "ardea/schedule/add_guard.h"
#include "ardea/schedule/add_unit_loop.h"
#include "ardea/schedule/annotate.h"
#include "ardea/schedule/bind.h"
#include "ardea/schedule/blockize.h"
#include "ardea/schedule/cache_index.h"
#include "ardea/schedule/cache_read.h"
#include "ardea/schedule/cache_write.h"
#include "ardea/schedule/compute_at.h"
#include "ardea/schedule/compute_inline.h"
#include "ardea/schedule/compute_root.h"
#include "ardea/schedule/decompose_reduction.h"
#include "ardea/schedule/double_buffer.h"
#include "ardea/schedule/find.h"
#include "ardea/schedule/fission.h"
#include "ardea/schedule/fuse.h"
#include "ardea/schedule/lift_alloc.h"
#include "ardea/schedule/loop_partition.h"
#include "ardea/schedule/mark.h"
#include "ardea/schedule/merge.h"
#include "ardea/schedule/pad_einsum.h"
#include "ardea/schedule/primitive.h"
#include "ardea/schedule/reindex.h"
#include "ardea/schedule/reorder.h"
#include "ardea/schedule/reverse_compute_at.h"
#include "ardea/schedule/reverse_compute_inline.h"
#include "ardea/schedule/rfactor.h"
#include "ardea/schedule/sample.h"
#include "ardea/schedule/sample_compute_location.h"
#include "ardea/schedule/set_scope.h"
#include "ardea/schedule/software_pipeline.h"
#include "ardea/schedule/split.h"
#include "ardea/schedule/stage_mem.h"
#include "ardea/schedule/storage_align.h"
#include "ardea/schedule/tensorize.h"
#include "ardea/schedule/tile.h"
#include "ardea/schedule/transform_layout.h"
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
