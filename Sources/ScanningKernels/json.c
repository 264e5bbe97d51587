// Stage one for JSON, many blocks at a time: what StructuralState does in Swift, block by block, with the same answers.
//
// The trick: the masks of one kind stand in a row, block after block, so that the grammar, which is a few hundred boolean
// operations a block, is done on four or eight blocks at once by ordinary loops that the compiler turns into vectors. "The byte
// before" is then a shift that takes its lowest bit from the word before. What ripples from block to block does so by the carries of an
// addition, eight blocks at once too. Only escapes, literals and exponents go block by block, and where a file has none of them, not at all.

#include "blocks.h"

#define ROW(name) (memory + (size_t)(name) * JSON_STRIDE)

enum {
  IN_STRING, IS_ESCAPED, ESCAPE_IN_STRING, KEY_CARRY, FRACTION_CARRY, EXPONENT_CARRY, LITERAL_REST, WRONG_IN_OBJECT_CARRY,
  WRONG_IN_ARRAY_CARRY
};

static const uint64_t last_but_one = (uint64_t)1 << 62;

_Bool scanning_kernels_are_fast(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return 0;
#endif
}

void json_begin(uint64_t *memory) {
  for (size_t row = 0; row < JSON_ROWS; row++) memory[row * JSON_STRIDE] = 0;
  memset(ROW(JSON_STATE), 0, JSON_STRIDE * sizeof *memory);
  // As if after a comma, so that a value may begin.
  ROW(JSON_BEFORE_VALUE)[0] = (uint64_t)1 << 63;
}

// Where the runs of `run` end that begin at a bit of `seeds`; a seed outside a run stays where it is.
static inline __attribute__((always_inline)) uint64_t ends(uint64_t seeds, uint64_t run, uint64_t *carry) {
  uint64_t sum;
  *carry = __builtin_add_overflow(run, seeds | *carry, &sum);
  return sum & ~run;
}

// `row[i]` becomes `ends(row[i], run[i], carry)` for all blocks, eight at a time: what overflows of one addition goes into the next, all
// eight by one addition of bits. (As large numbers are added with AVX-512. It may be added where `ends` has an or: no block
// has a seed at its first bit when a run with a seed comes over from the block before, or it is a second one in the same run.)
static inline __attribute__((always_inline)) void ends_of_all(
  uint64_t *row, const uint64_t *run, size_t blocks, uint64_t *carry)
{
  uint64_t in = *carry;
  for (size_t i = 1; i <= blocks; i += 8) {
    const words8 runs = *(const words8 *)(run + i);
    const words8 sums = runs + *(const words8 *)(row + i);
    const unsigned overflows = LANES(sums < runs);
    const unsigned passes_on = LANES(sums == ~(words8){0});
    const unsigned into = ((overflows << 1 | (unsigned)in) + passes_on) ^ passes_on;
    *(words8 *)(row + i) = (sums + FROM_LANES(into)) & ~runs;
    in = into >> (blocks - i < 8 ? blocks - i + 1 : 8) & 1;
  }
  *carry = in;
}

static inline __attribute__((always_inline)) _Bool is_hex(uint8_t byte) {
  return (uint8_t)(byte - '0') < 10 || (uint8_t)((byte | 0x20) - 'a') < 6;
}

// Whether what follows a backslash makes an escape.
static inline __attribute__((always_inline)) _Bool is_escape(const uint8_t *bytes) {
  switch (bytes[0]) {
  case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': return 1;
  case 'u': return is_hex(bytes[1]) && is_hex(bytes[2]) && is_hex(bytes[3]) && is_hex(bytes[4]);
  default: return 0;
  }
}

// 4 or 5 where `true`, `null` or `false` stands, else 0.
static inline __attribute__((always_inline)) unsigned literal_length(const uint8_t *bytes) {
  if (memcmp(bytes, "true", 4) == 0 || memcmp(bytes, "null", 4) == 0) return 4;
  return memcmp(bytes, "false", 5) == 0 ? 5 : 0;
}

// `after[i]`: the first bytes that are not white after the bytes of `row[i]`. Runs of white space may have any length.
//
// Returns the last mask of the row, to be what the next call finds before its first. Its last bit but one is only ever looked at
// together with a white last byte: it says that the run which that byte belongs to goes on.
static inline __attribute__((always_inline)) uint64_t ripple(
  const uint64_t *restrict row, uint64_t *restrict after, const uint64_t *restrict white, size_t blocks)
{
  uint64_t carry = row[0] >> 62 & white[0] >> 63;
  for (size_t i = 1; i <= blocks; i++) after[i] = MOVED1(row, i);
  ends_of_all(after, white, blocks, &carry);
  return (row[blocks] & ~last_but_one) | (carry ? last_but_one : 0);
}

CLONES void json_masks(const uint8_t *bytes, size_t blocks, uint64_t *memory) {
  uint64_t *restrict suspect = ROW(JSON_SUSPECT);
  uint64_t *restrict opens = ROW(JSON_OPENS);
  uint64_t *restrict closes = ROW(JSON_CLOSES);
  uint64_t *restrict braces = ROW(JSON_BRACES);
  uint64_t *restrict leaf_starts = ROW(JSON_LEAF_STARTS);
  uint64_t *restrict opening_quotes = ROW(JSON_OPENING_QUOTES);
  uint64_t *restrict key_ends = ROW(JSON_KEY_ENDS);
  uint64_t *restrict escaped_key_ends = ROW(JSON_ESCAPED_KEY_ENDS);
  uint64_t *restrict keys = ROW(JSON_KEYS);
  uint64_t *restrict plain_values = ROW(JSON_PLAIN_VALUES);
  uint64_t *restrict opens_after_value = ROW(JSON_OPENS_AFTER_VALUE);
  uint64_t *restrict state = ROW(JSON_STATE);
  uint64_t *restrict planes = ROW(JSON_PLANES);
  uint64_t *restrict quote = ROW(JSON_QUOTE);
  uint64_t *restrict backslash = ROW(JSON_BACKSLASH);
  uint64_t *restrict escaped = ROW(JSON_ESCAPED);
  uint64_t *restrict body = ROW(JSON_BODY);
  uint64_t *restrict colon = ROW(JSON_COLON);
  uint64_t *restrict white = ROW(JSON_WHITE);
  uint64_t *restrict digit = ROW(JSON_DIGIT);
  uint64_t *restrict zero = ROW(JSON_ZERO);
  uint64_t *restrict minus = ROW(JSON_MINUS);
  uint64_t *restrict sign = ROW(JSON_SIGN);
  uint64_t *restrict point = ROW(JSON_POINT);
  uint64_t *restrict exponent = ROW(JSON_EXPONENT);
  uint64_t *restrict scalar = ROW(JSON_SCALAR);
  uint64_t *restrict scalar_starts = ROW(JSON_SCALAR_STARTS);
  uint64_t *restrict literal = ROW(JSON_LITERAL);
  uint64_t *restrict number_starts = ROW(JSON_NUMBER_STARTS);
  uint64_t *restrict first_sign = ROW(JSON_FIRST_SIGN);
  uint64_t *restrict before_value = ROW(JSON_BEFORE_VALUE);
  uint64_t *restrict before_key = ROW(JSON_BEFORE_KEY);
  uint64_t *restrict after_before_value = ROW(JSON_AFTER_BEFORE_VALUE);
  uint64_t *restrict after_before_key = ROW(JSON_AFTER_BEFORE_KEY);
  uint64_t *restrict after_open = ROW(JSON_AFTER_OPEN);
  uint64_t *restrict after_key = ROW(JSON_AFTER_KEY);
  uint64_t *restrict fraction_ends = ROW(JSON_FRACTION_ENDS);

  // The bit planes of the bytes. One comparison a class of bytes would be about twenty; the classes are then boolean operations on the
  // planes, many blocks at once.
  for (size_t i = 1; i <= blocks; i++) {
    signed_bytes64 block = *(const signed_bytes64 *)(bytes + (i - 1) * 64);
    for (int plane = 7; plane >= 0; plane--) {
      planes[plane * JSON_STRIDE + i] = POSITIONS(block < 0);
      block += block;
    }
  }
// Plane k of the block.
#define P(k) planes[(k) * JSON_STRIDE + i]

  // `"` is 22, `\` is 5C.
  uint64_t any_backslash = 0;
  for (size_t i = 1; i <= blocks; i++) {
    quote[i] = ~P(7) & ~P(6) & P(5) & ~P(4) & ~P(3) & ~P(2) & P(1) & ~P(0);
    backslash[i] = ~P(7) & P(6) & ~P(5) & P(4) & P(3) & P(2) & ~P(1) & ~P(0);
    any_backslash |= backslash[i];
  }

  // Escapes. Of each run of backslashes, every second one escapes what follows (simdjson's find_escaped).
  const _Bool has_escapes = any_backslash | state[IS_ESCAPED] | state[ESCAPE_IN_STRING];
  if (has_escapes) {
    const uint64_t odd = 0xAAAAAAAAAAAAAAAA;
    uint64_t is_escaped = state[IS_ESCAPED];
    for (size_t i = 1; i <= blocks; i++) {
      escaped[i] = 0;
      if (!(backslash[i] | is_escaped)) continue;
      const uint64_t may_escape = backslash[i] & ~is_escaped;
      const uint64_t terminal = ((may_escape << 1 | odd) - may_escape) ^ odd;
      escaped[i] = terminal ^ (backslash[i] | is_escaped);
      is_escaped = (terminal & backslash[i]) >> 63;
      quote[i] &= ~escaped[i];
    }
    state[IS_ESCAPED] = is_escaped;
  }

  // Strings: the running xor of the quotes.
  for (size_t i = 1; i <= blocks; i++) body[i] = prefix_xor(quote[i]);
  unsigned in_string = (unsigned)state[IN_STRING];
  for (size_t i = 1; i <= blocks; i += 8) {
    const words8 bodies = *(const words8 *)(body + i);
    unsigned flips = LANES((signed_words8)bodies < 0);
    flips ^= flips << 1;
    flips ^= flips << 2;
    flips ^= flips << 4;
    flips = flips << 1 ^ (0 - in_string);
    *(words8 *)(body + i) = bodies ^ (0 - FROM_LANES(flips));
    in_string = flips >> (blocks - i < 8 ? blocks - i + 1 : 8) & 1;
  }
  state[IN_STRING] = in_string;

  // Classes, outside strings. hi… is the high half of the byte, lo… the low one, end… its last two bits.
  uint64_t any_exponent = state[EXPONENT_CARRY] | exponent[0];
  for (size_t i = 1; i <= blocks; i++) {
    const uint64_t outside = ~(body[i] | quote[i]);
    const uint64_t below40 = ~P(7) & ~P(6);
    const uint64_t control = below40 & ~P(5);
    const uint64_t hi0 = control & ~P(4);
    const uint64_t hi2 = below40 & P(5) & ~P(4) & outside;
    const uint64_t hi3 = below40 & P(5) & P(4) & outside;
    const uint64_t hi4567 = ~P(7) & P(6) & outside;
    const uint64_t hi57 = hi4567 & P(4);
    const uint64_t lo11 = P(3) & P(2);
    const uint64_t lo10 = P(3) & ~P(2);
    const uint64_t end11 = P(1) & P(0);
    const uint64_t end10 = P(1) & ~P(0);
    const uint64_t end01 = ~P(1) & P(0);
    const uint64_t end00 = ~P(1) & ~P(0);
    const uint64_t lo_0 = ~P(3) & ~P(2) & end00;
    const uint64_t lo_b = lo10 & end11;
    const uint64_t lo_d = lo11 & end01;
    const uint64_t comma = hi2 & lo11 & end00;
    suspect[i] = (control & body[i]) | (backslash[i] & ~body[i]);
    opening_quotes[i] = quote[i] & body[i];
    white[i] = (hi2 & lo_0) | (hi0 & outside & ((lo10 & (end01 | end10)) | lo_d));
    opens[i] = hi57 & lo_b;
    closes[i] = hi57 & lo_d;
    braces[i] = (opens[i] | closes[i]) & P(5);
    colon[i] = hi3 & lo10 & end10;
    digit[i] = hi3 & (~P(3) | (lo10 & ~P(1)));
    zero[i] = hi3 & lo_0;
    minus[i] = hi2 & lo_d;
    sign[i] = minus[i] | (hi2 & lo_b);
    point[i] = hi2 & lo11 & end10;
    scalar[i] = outside & ~(white[i] | opens[i] | closes[i] | comma | colon[i]);
    before_value[i] = comma | colon[i] | opens[i];
    before_key[i] = comma | opens[i];
    exponent[i] = hi4567 & ~P(4) & ~P(3) & P(2) & end01;
  }

  // What may follow what. Where no white space is longer than one byte, the byte after X is the next or the next but one.
  uint64_t long_white = 0;
  for (size_t i = 1; i <= blocks; i++) long_white |= white[i] & MOVED1(white, i);
  if (long_white) {
    before_value[0] = ripple(before_value, after_before_value, white, blocks);
    before_key[0] = ripple(before_key, after_before_key, white, blocks);
    opens[0] = ripple(opens, after_open, white, blocks);
  } else {
    for (size_t i = 1; i <= blocks; i++) {
      const uint64_t after_white = MOVED1(white, i);
      after_before_value[i] = (MOVED1(before_value, i) & ~white[i]) | (MOVED2(before_value, i) & after_white);
      after_before_key[i] = (MOVED1(before_key, i) & ~white[i]) | (MOVED2(before_key, i) & after_white);
      after_open[i] = (MOVED1(opens, i) & ~white[i]) | (MOVED2(opens, i) & after_white);
    }
    before_value[0] = before_value[blocks];
    before_key[0] = before_key[blocks];
    opens[0] = opens[blocks];
  }

  for (size_t i = 1; i <= blocks; i++) {
    scalar_starts[i] = scalar[i] & ~MOVED1(scalar, i);
    leaf_starts[i] = scalar_starts[i] | opening_quotes[i];
    const uint64_t wrong = (after_before_value[i] & ~(leaf_starts[i] | opens[i])) | (leaf_starts[i] & ~after_before_value[i]);
    suspect[i] |= wrong & ~(after_open[i] & closes[i]);
    opens_after_value[i] = opens[i] & ~after_before_value[i];
  }
  scalar[0] = scalar[blocks];

  // A string after a comma or an opening bracket is a key if a colon follows. Whether it had to be one depends on what it is in;
  // the walk over the brackets knows that.
  // The digits after a point must not end at another point.
  for (size_t i = 1; i <= blocks; i++) {
    key_ends[i] = after_before_key[i] & opening_quotes[i];
    fraction_ends[i] = MOVED1(point, i) & digit[i];
  }
  ends_of_all(key_ends, body, blocks, &state[KEY_CARRY]);
  ends_of_all(fraction_ends, digit, blocks, &state[FRACTION_CARRY]);
  if (long_white) {
    key_ends[0] = ripple(key_ends, after_key, white, blocks);
  } else {
    for (size_t i = 1; i <= blocks; i++) {
      after_key[i] = (MOVED1(key_ends, i) & ~white[i]) | (MOVED2(key_ends, i) & MOVED1(white, i));
    }
    key_ends[0] = key_ends[blocks];
  }
  white[0] = white[blocks];
  for (size_t i = 1; i <= blocks; i++) {
    suspect[i] |= (colon[i] & ~after_key[i]) | (fraction_ends[i] & point[i]);
    keys[i] = after_key[i] & colon[i];
    plain_values[i] = (after_before_key[i] & ~(opening_quotes[i] | closes[i])) | (after_key[i] & ~colon[i]);
    escaped_key_ends[i] = 0;
  }
  if (has_escapes) {
    uint64_t carry = state[ESCAPE_IN_STRING];
    for (size_t i = 1; i <= blocks; i++) {
      if (!(backslash[i] | carry | escaped[i])) continue;
      escaped_key_ends[i] = ends(backslash[i] & body[i], body[i], &carry) & key_ends[i];
      for (uint64_t rest = escaped[i] & body[i]; rest; rest &= rest - 1) {
        if (!is_escape(bytes + (i - 1) * 64 + __builtin_ctzll(rest))) suspect[i] |= 1;
      }
    }
    state[ESCAPE_IN_STRING] = carry;
  }

  // Literals, one by one; what is left of the scalars is numbers.
  uint64_t literal_rest = state[LITERAL_REST];
  for (size_t i = 1; i <= blocks; i++) {
    uint64_t found = literal_rest;
    literal_rest = 0;
    for (uint64_t rest = scalar_starts[i] & ~(digit[i] | minus[i]); rest; rest &= rest - 1) {
      const unsigned at = __builtin_ctzll(rest);
      const unsigned length = literal_length(bytes + (i - 1) * 64 + at);
      const uint64_t run = ((uint64_t)1 << length) - 1;
      if (length == 0) suspect[i] |= 1;
      found |= run << at;
      if (at + length > 64) literal_rest = run >> (64 - at);
    }
    literal[i] = found;
  }
  state[LITERAL_REST] = literal_rest;

  // Numbers: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
  for (size_t i = 1; i <= blocks; i++) {
    const uint64_t number = scalar[i] & ~literal[i];
    number_starts[i] = scalar_starts[i] & number;
    first_sign[i] = number_starts[i] & minus[i];
    exponent[i] &= number;
    any_exponent |= exponent[i];
    suspect[i] |= (number & ~(digit[i] | point[i] | exponent[i] | sign[i])) | (MOVED1(literal, i) & number);
  }
  for (size_t i = 1; i <= blocks; i++) {
    const uint64_t after_exponent = MOVED1(exponent, i);
    uint64_t wrong = number_starts[i] & ~(digit[i] | minus[i]);
    wrong |= sign[i] & ~(first_sign[i] | after_exponent);
    wrong |= (point[i] | exponent[i]) & ~MOVED1(digit, i);
    wrong |= (MOVED1(sign, i) | MOVED1(point, i)) & ~digit[i];
    wrong |= after_exponent & ~(digit[i] | sign[i]);
    wrong |= digit[i] & MOVED1(zero, i) & (MOVED1(number_starts, i) | MOVED2(first_sign, i));
    suspect[i] |= wrong;
  }
  if (any_exponent) {
    uint64_t power = state[EXPONENT_CARRY];
    for (size_t i = 1; i <= blocks; i++) {
      const uint64_t run = digit[i] | sign[i];
      suspect[i] |= ends(MOVED1(exponent, i) & run, run, &power) & (point[i] | exponent[i]);
    }
    state[EXPONENT_CARRY] = power;
  }
  literal[0] = literal[blocks];
  digit[0] = digit[blocks];
  zero[0] = zero[blocks];
  number_starts[0] = number_starts[blocks];
  sign[0] = sign[blocks];
  first_sign[0] = first_sign[blocks];
  point[0] = point[blocks];
  exponent[0] = exponent[blocks];
}

CLONES size_t json_events(
  size_t blocks, const uint8_t *key_lengths, ptrdiff_t key_count, uint64_t *memory, uint16_t *restrict events, size_t *sound_blocks)
{
  const uint64_t *restrict suspect = ROW(JSON_SUSPECT);
  const uint64_t *restrict opens = ROW(JSON_OPENS);
  const uint64_t *restrict closes = ROW(JSON_CLOSES);
  const uint64_t *restrict key_ends = ROW(JSON_KEY_ENDS);
  const uint64_t *restrict escaped_key_ends = ROW(JSON_ESCAPED_KEY_ENDS);
  const uint64_t *restrict keys = ROW(JSON_KEYS);
  const uint64_t *restrict plain_values = ROW(JSON_PLAIN_VALUES);
  const uint64_t *restrict opens_after_value = ROW(JSON_OPENS_AFTER_VALUE);
  uint64_t *restrict opening_quotes = ROW(JSON_OPENING_QUOTES);
  uint64_t *restrict candidates = ROW(JSON_CANDIDATES);
  uint64_t *restrict wrong_in_object = ROW(JSON_WRONG_IN_OBJECT);
  uint64_t *restrict wrong_in_array = ROW(JSON_WRONG_IN_ARRAY);
  uint64_t *restrict between = ROW(JSON_BETWEEN);
  uint64_t *restrict state = ROW(JSON_STATE);

  uint64_t any_suspect = 0;
  for (size_t i = 1; i <= blocks; i++) any_suspect |= suspect[i];
  size_t sound = blocks;
  if (any_suspect) {
    sound = 0;
    while (!suspect[sound + 1]) sound++;
  }
  *sound_blocks = sound;

  // A key of the wanted length ends where its opening quote would be if it were moved up by as much.
  if (key_count < 0) {
    for (size_t i = 1; i <= sound; i++) candidates[i] = key_ends[i];
  } else {
    for (size_t i = 1; i <= sound; i++) candidates[i] = escaped_key_ends[i];
    for (ptrdiff_t key = 0; key < key_count; key++) {
      const unsigned distance = key_lengths[key] + 1;
      for (size_t i = 1; i <= sound; i++) {
        candidates[i] |= key_ends[i] & (opening_quotes[i] << distance | opening_quotes[i - 1] >> (64 - distance));
      }
    }
  }
  opening_quotes[0] = opening_quotes[blocks];

  for (size_t i = 1; i <= sound; i++) {
    between[i] = ~(opens[i] | closes[i]);
    wrong_in_object[i] = plain_values[i] & between[i];
    wrong_in_array[i] = keys[i] & between[i];
  }
  ends_of_all(wrong_in_object, between, sound, &state[WRONG_IN_OBJECT_CARRY]);
  ends_of_all(wrong_in_array, between, sound, &state[WRONG_IN_ARRAY_CARRY]);
  for (size_t i = 1; i <= sound; i++) {
    wrong_in_object[i] |= (plain_values[i] & ~between[i]) | opens_after_value[i];
    wrong_in_array[i] |= (keys[i] & ~between[i]) | opens_after_value[i];
  }

  size_t count = 0;
  for (size_t i = 1; i <= sound; i++) {
    const uint64_t top = (uint64_t)1 << 63;
    const uint16_t base = (uint16_t)((i - 1) * 64);
    uint64_t rest = opens[i] | closes[i] | candidates[i];
    const size_t found = (size_t)__builtin_popcountll(rest);
    // The first four are written whether there are any or not, which spares the branch. They are volatile because the compiler would put
    // them together in a vector first, which takes longer than to write them.
    volatile uint16_t *four = events + count;
    four[0] = base + (uint16_t)__builtin_ctzll(rest | top);
    rest &= rest - 1;
    four[1] = base + (uint16_t)__builtin_ctzll(rest | top);
    rest &= rest - 1;
    four[2] = base + (uint16_t)__builtin_ctzll(rest | top);
    rest &= rest - 1;
    four[3] = base + (uint16_t)__builtin_ctzll(rest | top);
    rest &= rest - 1;
    for (size_t written = 4; written < found; written++, rest &= rest - 1) events[count + written] = base + (uint16_t)__builtin_ctzll(rest);
    count += found;
  }
  return count;
}
