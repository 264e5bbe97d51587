// Delimiters and record ends of CSV, many blocks at a time: what CSVBlockState and CSVBlockGroup do in Swift, with the same answers.

#include "blocks.h"

CLONES size_t csv_masks(
  const uint8_t *bytes, size_t blocks, uint8_t delimiter, struct csv_state *state, uint64_t *restrict delimiters,
  uint64_t *restrict ends, uint64_t *stray_quotes)
{
  // Word 0 of each row is what the block before the first one left.
  uint64_t quotes[CSV_BLOCKS + 1], inside[CSV_BLOCKS + 1], line_ends[CSV_BLOCKS + 1], opens_after[CSV_BLOCKS + 1];

  uint64_t any_quote = state->inside;
  for (size_t i = 1; i <= blocks; i++) {
    const bytes64 block = *(const bytes64 *)(bytes + (i - 1) * 64);
    quotes[i] = POSITIONS(block == '"');
    delimiters[i - 1] = POSITIONS(block == delimiter);
    line_ends[i] = POSITIONS((block == '\n') | (block == '\r'));
    any_quote |= quotes[i];
  }
  line_ends[0] = state->ends_with_line_end << 63;
  opens_after[0] = state->can_open << 63;
  *stray_quotes = 0;

  if (any_quote) {
    for (size_t i = 1; i <= blocks; i++) inside[i] = prefix_xor(quotes[i]);
    uint64_t is_inside = state->inside;
    for (size_t i = 1; i <= blocks; i++) {
      inside[i] ^= is_inside;
      is_inside = 0 - (inside[i] >> 63);
    }
    state->inside = is_inside;
    for (size_t i = 1; i <= blocks; i++) {
      delimiters[i - 1] &= ~inside[i];
      line_ends[i] &= ~inside[i];
      opens_after[i] = delimiters[i - 1] | line_ends[i] | (quotes[i] & ~inside[i]);
    }
    uint64_t any_stray = 0;
    for (size_t i = 1; i <= blocks; i++) any_stray |= quotes[i] & inside[i] & ~MOVED1(opens_after, i);
    for (size_t i = 1; any_stray && i <= blocks; i++) {
      const uint64_t stray = quotes[i] & inside[i] & ~MOVED1(opens_after, i);
      if (!stray) continue;
      *stray_quotes = stray;
      blocks = i;
      any_stray = 0;
    }
  } else {
    opens_after[blocks] = delimiters[blocks - 1] | line_ends[blocks];
  }

  for (size_t i = 1; i <= blocks; i++) ends[i - 1] = line_ends[i] & ~MOVED1(line_ends, i);
  state->can_open = opens_after[blocks] >> 63;
  state->ends_with_line_end = line_ends[blocks] >> 63;
  if (*stray_quotes) {
    const uint64_t before = (*stray_quotes & -*stray_quotes) - 1;
    delimiters[blocks - 1] &= before;
    ends[blocks - 1] &= before;
  }
  return blocks;
}

CLONES size_t csv_positions(
  const uint64_t *delimiters, const uint64_t *ends, size_t blocks, ptrdiff_t *restrict delimiter_counts,
  uint16_t *restrict positions, ptrdiff_t *delimiter_count)
{
  ptrdiff_t delimiters_before = 0;
  size_t count = 0;
  for (size_t i = 0; i < blocks; i++) {
    delimiter_counts[i] = delimiters_before;
    delimiters_before += __builtin_popcountll(delimiters[i]);
    // The first two are written whether there are any or not, which spares the branch.
    const uint64_t top = (uint64_t)1 << 63;
    uint64_t rest = ends[i];
    positions[count] = (uint16_t)(i * 64 + __builtin_ctzll(rest | top));
    count += rest != 0;
    rest &= rest - 1;
    positions[count] = (uint16_t)(i * 64 + __builtin_ctzll(rest | top));
    count += rest != 0;
    for (rest &= rest - 1; rest; rest &= rest - 1) positions[count++] = (uint16_t)(i * 64 + __builtin_ctzll(rest));
  }
  *delimiter_count = delimiters_before;
  return count;
}
