// Line ends, as LineCounter counts them in Swift.

#include "blocks.h"

// Blocks whose line feeds are counted in bytes at a time.
enum { STRETCH = 255 };

CLONES size_t count_line_ends(const uint8_t *bytes, size_t blocks, uint64_t *after_return, ptrdiff_t *last_end) {
  size_t count = 0;
  uint64_t after = *after_return;
  size_t i = 0;
  // Where there is no carriage return, line feeds are merely added up.
  while (i < blocks) {
    const size_t end = blocks - i < STRETCH ? blocks : i + STRETCH;
    bytes64 feeds = {0};
    signed_bytes64 returns = {0};
    for (size_t k = i; k < end; k++) {
      const bytes64 block = *(const bytes64 *)(bytes + k * 64);
      feeds -= (bytes64)(block == '\n');
      returns |= block == '\r';
    }
    if (POSITIONS(returns != 0) || (after && bytes[i * 64] == '\n')) break;
    const words8 pairs = ((words8)feeds & 0x00FF00FF00FF00FF) + ((words8)feeds >> 8 & 0x00FF00FF00FF00FF);
    for (int word = 0; word < 8; word++) count += (size_t)(pairs[word] * 0x0001000100010001 >> 48);
    after = 0;
    i = end;
  }
  for (; i < blocks; i++) {
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
  for (i = blocks; i-- > 0;) {
    const bytes64 block = *(const bytes64 *)(bytes + i * 64);
    const uint64_t ends = POSITIONS((block == '\r') | (block == '\n'));
    if (!ends) continue;
    *last_end = (ptrdiff_t)(i * 64) + 63 - __builtin_clzll(ends);
    break;
  }
  return count;
}
