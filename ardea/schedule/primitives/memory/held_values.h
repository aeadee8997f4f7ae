#pragma once

#include "ardea/schedule/program/tree.h"

/// Whether memory holds a value where a step would read it: nothing may read what was never written.

namespace ardea::schedule {

/// Whether the memory is the caller's and nothing in f writes it: then all of it is there from the start.
bool is_never_written(const Function& f, const Buffer& buffer);

/// Whether each read of the buffer in f, which writes it, is of something written before.
bool reads_only_written(const Function& f, const Buffer& buffer);

/// Whether s, where `facts` hold, reads all of the window for certain: then it has a value.
bool reads_all(const Stmt& s, const BufferRegion& window, const arith::Analyzer& facts);

/// Whether a statement before the last one of the path, in the life of the buffer, writes all of the window,
/// of which `facts` hold there.
bool was_written_before(const Function& f, const Path& path, const BufferRegion& window,
                        const arith::Analyzer& facts);

}  // namespace ardea::schedule
