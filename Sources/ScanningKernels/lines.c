// Line ends, as LineCounter counts them in Swift.

#include "blocks.h"

CLONES size_t count_line_ends(const uint8_t *bytes, size_t blocks, uint64_t *after_return, ptrdiff_t *last_end) {
  size_t count = 0;
  uint64_t after = *after_return;
  for (size_t i = 0; i < blocks; i++) {
    const bytes64 block = *(const bytes64 *)(bytes + i * 64);
    const uint64_t returns = POSITIONS(block == '\r');
    const uint64_t feeds = POSITIONS(block == '\n');
    // The line feed of a pair ends no second line.
    const uint64_t pairs = returns << 1 | after;
    after = returns >> 63;
    count += (size_t)__builtin_popcountll(returns | (feeds & ~pairs));
  }
  *after_return = after;

  // Looked for from the end: to note each on the way would be a branch a block.
  *last_end = -1;
  for (size_t i = blocks; i-- > 0;) {
    const bytes64 block = *(const bytes64 *)(bytes + i * 64);
    const uint64_t ends = POSITIONS((block == '\r') | (block == '\n'));
    if (!ends) continue;
    *last_end = (ptrdiff_t)(i * 64) + 63 - __builtin_clzll(ends);
    break;
  }
  return count;
}
