#pragma once

#include "ardea/target/target.h"

namespace ardea::lower {

/// On an allocation of shared memory: the waits are there for copies that fill it while threads compute.
inline constexpr auto async_copies_key = "async_copies";

/// Whether s waits for copies that are under way.
bool is_copy_wait(const Stmt& s);

/// What copies to shared memory while threads compute; null where the target has nothing.
const target::CopyEngine* copy_engine(const target::Target& target);
/// What copies whole boxes of arrays there (ir/box_copy.h); null where the target has nothing.
const target::CopyEngine* box_engine(const target::Target& target);

}  // namespace ardea::lower
