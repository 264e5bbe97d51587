// BlockMask with the one instruction that plain Swift cannot name: PMOVMSKB, which every x86-64 processor has (SSE2).
// It comes from the intrinsics module of the compiler itself; no C target is needed. Elsewhere, BlockMask is the portable form.

#if arch(x86_64) && canImport(_Builtin_intrinsics.intel)
  import _Builtin_intrinsics.intel

  /// A block of 64 bytes that can be asked where a character stands.
  package struct BlockMask {
    private let quarter0: __m128i
    private let quarter1: __m128i
    private let quarter2: __m128i
    private let quarter3: __m128i

    /// Loads the 64 bytes at `pointer`, which need not be aligned.
    @inline(__always)
    package init(_ pointer: UnsafeRawPointer) {
      quarter0 = unsafe pointer.loadUnaligned(fromByteOffset: 0, as: __m128i.self)
      quarter1 = unsafe pointer.loadUnaligned(fromByteOffset: 16, as: __m128i.self)
      quarter2 = unsafe pointer.loadUnaligned(fromByteOffset: 32, as: __m128i.self)
      quarter3 = unsafe pointer.loadUnaligned(fromByteOffset: 48, as: __m128i.self)
    }

    /// The positions of a character.
    @inline(__always)
    package func positions(of character: UInt8) -> UInt64 {
      let wanted = _mm_set1_epi8(Int8(bitPattern: character))
      return BlockMask.pack(
        _mm_cmpeq_epi8(quarter0, wanted), _mm_cmpeq_epi8(quarter1, wanted),
        _mm_cmpeq_epi8(quarter2, wanted), _mm_cmpeq_epi8(quarter3, wanted))
    }

    /// The positions of either of two characters, at less than the cost of two questions.
    @inline(__always)
    package func positions(of first: UInt8, or second: UInt8) -> UInt64 {
      let wanted = _mm_set1_epi8(Int8(bitPattern: first))
      let other = _mm_set1_epi8(Int8(bitPattern: second))
      return BlockMask.pack(
        _mm_or_si128(_mm_cmpeq_epi8(quarter0, wanted), _mm_cmpeq_epi8(quarter0, other)),
        _mm_or_si128(_mm_cmpeq_epi8(quarter1, wanted), _mm_cmpeq_epi8(quarter1, other)),
        _mm_or_si128(_mm_cmpeq_epi8(quarter2, wanted), _mm_cmpeq_epi8(quarter2, other)),
        _mm_or_si128(_mm_cmpeq_epi8(quarter3, wanted), _mm_cmpeq_epi8(quarter3, other)))
    }

    @inline(__always)
    private static func pack(_ mask0: __m128i, _ mask1: __m128i, _ mask2: __m128i, _ mask3: __m128i) -> UInt64 {
      let bits0 = UInt64(truncatingIfNeeded: UInt32(bitPattern: _mm_movemask_epi8(mask0)))
      let bits1 = UInt64(truncatingIfNeeded: UInt32(bitPattern: _mm_movemask_epi8(mask1)))
      let bits2 = UInt64(truncatingIfNeeded: UInt32(bitPattern: _mm_movemask_epi8(mask2)))
      let bits3 = UInt64(truncatingIfNeeded: UInt32(bitPattern: _mm_movemask_epi8(mask3)))
      return bits0 | (bits1 &<< 16) | (bits2 &<< 32) | (bits3 &<< 48)
    }
  }
#else
  package typealias BlockMask = PortableBlockMask
#endif
