#pragma once

namespace ardea {

/// On a loop that is bound to blockIdx.y: so many of its iterations have their blocks one after the other
/// before the next of blockIdx.x has. Without it the first axis counts fastest. A block's number says nothing
/// of what it computes, but blocks that run at the same time share what they read.
inline constexpr auto rows_together_key = "rows_together";

}  // namespace ardea
