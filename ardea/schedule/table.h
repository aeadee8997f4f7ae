#pragma once

#include "ardea/schedule/primitives/find/as_template.h"
#include "ardea/schedule/primitives/find/find.h"
#include "ardea/schedule/primitives/loops/add_unit_loop.h"
#include "ardea/schedule/primitives/loops/annotate.h"
#include "ardea/schedule/primitives/loops/bind.h"
#include "ardea/schedule/primitives/loops/fission.h"
#include "ardea/schedule/primitives/loops/fuse.h"
#include "ardea/schedule/primitives/loops/iterate_by_loops.h"
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
#include "ardea/schedule/primitives/memory/set_type.h"
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
#include "ardea/schedule/primitives/reduce/split_prefix.h"
#include "ardea/schedule/primitives/sample/sample.h"
#include "ardea/schedule/primitives/sample/sample_compute_location.h"
#include "ardea/schedule/primitives/tensor/blockize.h"
#include "ardea/schedule/primitives/tensor/software_pipeline.h"
#include "ardea/schedule/primitives/tensor/tensorize.h"

/// The table of the primitives, in the order of the documentation: row(method, struct) for each. Calls, the
/// methods of Schedule (methods.h), scripts, JSON and documentation come from it. A new primitive is a file,
/// a row here and a file of tests.

// clang-format off
#define ARDEA_PRIMITIVES(row) \
  /* find */                                                                                       \
  row(get_block, GetBlock)                                                                         \
  row(get_loops, GetLoops)                                                                         \
  row(get_child_blocks, GetChildBlocks)                                                            \
  row(get_producers, GetProducers)                                                                 \
  row(get_consumers, GetConsumers)                                                                 \
  row(as_template, AsTemplate)                                                                     \
  /* loops */                                                                                      \
  row(split, Split)                                                                                \
  row(tile, Tile)                                                                                  \
  row(fuse, Fuse)                                                                                  \
  row(reorder, Reorder)                                                                            \
  row(merge, Merge)                                                                                \
  row(fission, Fission)                                                                            \
  row(loop_partition, LoopPartition)                                                               \
  row(add_unit_loop, AddUnitLoop)                                                                  \
  row(iterate_by_loops, IterateByLoops)                                                            \
  /* how they run */                                                                               \
  row(parallel, Parallel)                                                                          \
  row(vectorize, Vectorize)                                                                        \
  row(unroll, Unroll)                                                                              \
  row(bind, Bind)                                                                                  \
  row(software_pipeline, SoftwarePipeline)                                                         \
  row(double_buffer, DoubleBuffer)                                                                 \
  row(annotate, Annotate)                                                                          \
  row(unannotate, Unannotate)                                                                      \
  row(pragma, Pragma)                                                                              \
  /* place */                                                                                      \
  row(compute_at, ComputeAt)                                                                       \
  row(reverse_compute_at, ReverseComputeAt)                                                        \
  row(compute_root, ComputeRoot)                                                                   \
  row(compute_inline, ComputeInline)                                                               \
  row(reverse_compute_inline, ReverseComputeInline)                                                \
  /* memory */                                                                                     \
  row(cache_read, CacheRead)                                                                       \
  row(cache_write, CacheWrite)                                                                     \
  row(reindex, Reindex)                                                                            \
  row(cache_index, CacheIndex)                                                                     \
  row(set_scope, SetScope)                                                                         \
  row(set_type, SetType)                                                                           \
  row(storage_align, StorageAlign)                                                                 \
  row(transform_layout, TransformLayout)                                                           \
  row(stage_mem, StageMem)                                                                         \
  row(lift_alloc, LiftAlloc)                                                                       \
  row(add_guard, AddGuard)                                                                         \
  row(rolling_buffer, RollingBuffer)                                                               \
  /* reductions */                                                                                 \
  row(decompose_reduction, DecomposeReduction)                                                     \
  row(rfactor, RFactor)                                                                            \
  row(split_prefix, SplitPrefix)                                                                   \
  row(pad_einsum, PadEinsum)                                                                       \
  /* tensor units */                                                                               \
  row(blockize, Blockize)                                                                          \
  row(tensorize, Tensorize)                                                                        \
  /* sampling */                                                                                   \
  row(sample_perfect_tile, SamplePerfectTile)                                                      \
  row(sample_categorical, SampleCategorical)                                                       \
  row(sample_compute_location, SampleComputeLocation)
// clang-format on
