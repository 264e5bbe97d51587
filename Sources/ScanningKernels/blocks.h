// What the kernels share: a block of 64 bytes, the question where in it something stands, and the running xor.

#ifndef BLOCKS_H
#define BLOCKS_H

#include "ScanningKernels.h"

#include <string.h>

#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

typedef uint8_t bytes64 __attribute__((vector_size(64), aligned(1)));
typedef int8_t signed_bytes64 __attribute__((vector_size(64), aligned(1)));
typedef _Bool bits64 __attribute__((ext_vector_type(64)));
typedef uint64_t words8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t signed_words8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef _Bool bits8 __attribute__((ext_vector_type(8)));

// A comparison of 64 bytes as a mask. It is a macro because a vector of 64 bytes may not be handed from function to function in code
// for processors without one.
#define POSITIONS(comparison) \
  ({ \
    bits64 bits_ = __builtin_convertvector((comparison), bits64); \
    uint64_t mask_; \
    memcpy(&mask_, &bits_, sizeof mask_); \
    mask_; \
  })

// A comparison of eight words as eight bits, and eight bits as words that are 0 or 1.
#define LANES(comparison) \
  ({ \
    bits8 bits_ = __builtin_convertvector((comparison), bits8); \
    uint8_t mask_; \
    memcpy(&mask_, &bits_, sizeof mask_); \
    (unsigned)mask_; \
  })
#define FROM_LANES(mask) \
  ({ \
    const uint8_t mask_ = (uint8_t)(mask); \
    bits8 bits_; \
    memcpy(&bits_, &mask_, sizeof mask_); \
    __builtin_convertvector(bits_, words8); \
  })

// Every bit becomes the xor of itself and all lower ones: from the positions of quotes, what lies between them.
static inline __attribute__((always_inline)) uint64_t prefix_xor(uint64_t mask) {
  mask ^= mask << 1;
  mask ^= mask << 2;
  mask ^= mask << 4;
  mask ^= mask << 8;
  mask ^= mask << 16;
  mask ^= mask << 32;
  return mask;
}

// The mask at `row[i]`, moved up by one or two bytes.
#define MOVED1(row, i) ((row)[i] << 1 | (row)[(i) - 1] >> 63)
#define MOVED2(row, i) ((row)[i] << 2 | (row)[(i) - 1] >> 62)

#endif
