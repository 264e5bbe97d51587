// The kernels that gain from wider vectors than the smallest x86-64 processor has. Each has a twin in plain Swift, which other
// processors use, and which the same tests hold to the same answers; but for `json_events`, which all processors use, and whose
// answers the scanner's tests hold to those of JSONChecker. Each is compiled three times over, for AVX-512, for AVX2
// and for neither; the loader picks (`target_clones`).
//
// A kernel takes the caller's memory and returns mostly masks, one bit a byte, 64 bytes a mask. It reads nothing else but the
// few bytes behind it that it names, keeps nothing, fails never.

#ifndef SCANNING_KERNELS_H
#define SCANNING_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/// Blocks of 64 bytes that `json_masks` reads in one go at most: 2 KiB of text, whose masks (16 KiB) stay in the first-level cache.
enum { JSON_BLOCKS = 32 };

/// Words from one row of masks to the next. Word 0 of a row is what the block before the first one left.
enum { JSON_STRIDE = JSON_BLOCKS + 8 };

/// The rows of masks in the memory of `json_masks`: its answers, those of `json_events`, and working memory.
enum {
  /// Not 0 where something in the block may be damage.
  JSON_SUSPECT,
  /// `{` and `[`.
  JSON_OPENS,
  /// `}` and `]`.
  JSON_CLOSES,
  /// Of both, those that are braces.
  JSON_BRACES,
  /// Opening quotes.
  JSON_OPENING_QUOTES,
  /// Closing quotes of strings that may be keys: those after a comma or an opening bracket.
  JSON_KEY_ENDS,
  /// Of these, those whose string has an escape.
  JSON_ESCAPED_KEY_ENDS,
  /// Where it became clear that a key followed a comma or an opening bracket: wrong in an array.
  JSON_KEYS,
  /// Where it became clear that a plain value followed a comma or an opening bracket: wrong in an object.
  JSON_PLAIN_VALUES,
  /// Brackets and braces that open neither after a comma, a colon nor an opening one: sound only between top-level values.
  JSON_OPENS_AFTER_VALUE,

  /// Of JSON_KEY_ENDS, those of a wanted length, and those with an escape.
  JSON_CANDIDATES,
  /// Brackets and braces before which something stands, back to the bracket or brace before, that must not stand in an object; the same
  /// for arrays.
  JSON_WRONG_IN_OBJECT,
  JSON_WRONG_IN_ARRAY,

  JSON_STATE,
  /// Eight rows: in row k, bit k of every byte.
  JSON_PLANES,
  JSON_QUOTE = JSON_PLANES + 8,
  JSON_BACKSLASH,
  JSON_ESCAPED,
  JSON_BODY,
  JSON_COLON,
  JSON_WHITE,
  JSON_DIGIT,
  JSON_ZERO,
  JSON_MINUS,
  JSON_SIGN,
  JSON_POINT,
  JSON_EXPONENT,
  JSON_LEAF_STARTS,
  JSON_SCALAR,
  JSON_SCALAR_STARTS,
  JSON_LITERAL,
  JSON_NUMBER_STARTS,
  JSON_FIRST_SIGN,
  JSON_BEFORE_VALUE,
  JSON_BEFORE_KEY,
  JSON_AFTER_BEFORE_VALUE,
  JSON_AFTER_BEFORE_KEY,
  JSON_AFTER_OPEN,
  JSON_AFTER_KEY,
  JSON_FRACTION_ENDS,
  JSON_BETWEEN,

  JSON_ROWS
};

/// Words of memory that `json_masks` needs.
enum { JSON_WORDS = JSON_ROWS * JSON_STRIDE };

/// Places that `json_events` may write to.
enum { JSON_EVENTS = JSON_BLOCKS * 64 + 4 };

/// Whether the processor has vectors for which these kernels are worth taking.
_Bool scanning_kernels_are_fast(void);

/// Makes the memory that of a fresh reader, which stands before a value.
void json_begin(uint64_t *memory);

/// Reads the blocks that follow those of the calls before.
///
/// @param bytes 64 bytes a block, and at least eight more that can be read.
/// @param blocks 1 to JSON_BLOCKS.
/// @param memory JSON_WORDS words; the answers for block i stand in words i + 1 of their rows.
void json_masks(const uint8_t *bytes, size_t blocks, uint64_t *memory);

/// Writes out where the walk over the brackets has something to do: at brackets and braces, and at closing quotes of what may be a wanted
/// key. To be called once after each `json_masks` (or its twin).
///
/// @param blocks as many as `json_masks` read.
/// @param key_lengths bytes of the wanted keys, each at most 62.
/// @param key_count how many; negative: every key is a candidate.
/// @param memory that of `json_masks`; three more rows are filled.
/// @param events positions, counted from the first block; JSON_EVENTS places.
/// @param sound_blocks the blocks before the first that is suspect, which are those whose events are written.
/// @return the number of events.
size_t json_events(
  size_t blocks, const uint8_t *key_lengths, ptrdiff_t key_count, uint64_t *memory, uint16_t *events, size_t *sound_blocks);

/// What carries over from one block of CSV to the next.
struct csv_state {
  /// All ones when the next block begins inside quotes, else 0.
  uint64_t inside;
  /// 1 when a quote may open as the first byte of the next block, else 0.
  uint64_t can_open;
  /// 1 when the block before ended with a line end, or nothing came before; else 0.
  uint64_t ends_with_line_end;
};

/// Blocks that `csv_masks` reads in one go at most.
enum { CSV_BLOCKS = 64 };

/// Finds the delimiters and record ends outside quotes; of a run of line ends only the first ends a record.
///
/// @param bytes 64 bytes a block.
/// @param blocks 1 to CSV_BLOCKS.
/// @param state worth nothing after a stray quote.
/// @param delimiters a mask a block.
/// @param ends a mask a block.
/// @param stray_quotes the quotes of the last block filled that stand where a clean file has none, or 0. From the first of them on no
///   position is worth anything, and none is in the masks.
/// @return the blocks filled: all of them, or those up to the one with a stray quote.
size_t csv_masks(
  const uint8_t *bytes, size_t blocks, uint8_t delimiter, struct csv_state *state, uint64_t *delimiters, uint64_t *ends,
  uint64_t *stray_quotes);

/// Counts delimiters and writes record ends out.
///
/// @param blocks at most CSV_BLOCKS + 1.
/// @param delimiter_counts the delimiters before each block.
/// @param positions where records end, counted from the first block; two more may be written than there are.
/// @param delimiter_count the delimiters of all blocks.
/// @return the number of positions.
size_t csv_positions(
  const uint64_t *delimiters, const uint64_t *ends, size_t blocks, ptrdiff_t *delimiter_counts, uint16_t *positions,
  ptrdiff_t *delimiter_count);

/// Counts line ends: LF, CR LF and a lone CR.
///
/// @param bytes 64 bytes a block.
/// @param after_return 1 where a CR stands before the first byte, else 0; replaced by the same for what follows.
/// @param last_end where the last line end stands, or -1.
size_t count_line_ends(const uint8_t *bytes, size_t blocks, uint64_t *after_return, ptrdiff_t *last_end);

/// Treats values as dates of the form `YYYY-MM-DDThh:mm:ss` and one byte more.
///
/// @param bytes what the values stand in.
/// @param starts where each value begins; 20 bytes from there are read.
/// @param middle `00T00:00` as a word, or with another byte instead of the `T`.
/// @param base added to the seconds since the day before March 1st of the year -400, moved up by 22 bits.
/// @param bits for each value that sum.
/// @param wrong for each value 0 if its first 19 bytes are such a date.
/// @param last_bytes for each value the exclusive or of its byte 19 and `Z`.
void date_keys(
  const uint8_t *bytes, const uint32_t *starts, size_t count, uint64_t middle, uint64_t base, uint64_t *bits, uint64_t *wrong,
  uint64_t *last_bytes);

#endif
