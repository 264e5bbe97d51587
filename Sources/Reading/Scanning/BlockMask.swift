// 64 bytes as one question: at which of them stands this character? Bit i of a mask answers for byte i.
// This is the portable form in plain Swift; BlockMask+SSE2.swift holds the form with the processor's own instruction.
// The trick here: a comparison of vectors gives bytes of 0 or 255, and one multiplication packs eight of them, seen as
// one integer, into eight bits. (`|` on the vectors themselves, `.replacing` and loops over lanes are a hundred times slower.)

/// A block of 64 bytes that can be asked where a character stands.
package struct PortableBlockMask {
  private let bytes: SIMD64<UInt8>

  /// Loads the 64 bytes at `pointer`, which need not be aligned.
  @inline(__always)
  package init(_ pointer: UnsafeRawPointer) {
    bytes = unsafe pointer.loadUnaligned(as: SIMD64<UInt8>.self)
  }

  /// The positions of a character.
  @inline(__always)
  package func positions(of character: UInt8) -> UInt64 {
    PortableBlockMask.pack(bytes .== SIMD64(repeating: character))
  }

  /// The positions of either of two characters, at less than the cost of two questions.
  @inline(__always)
  package func positions(of first: UInt8, or second: UInt8) -> UInt64 {
    PortableBlockMask.pack((bytes .== SIMD64(repeating: first)) .| (bytes .== SIMD64(repeating: second)))
  }

  @inline(__always)
  private static func pack(_ mask: SIMDMask<SIMD64<Int8>>) -> UInt64 {
    let lanes = unsafe unsafeBitCast(mask, to: SIMD8<UInt64>.self)
    var packed: UInt64 = 0
    for lane in 0..<8 {
      // The multiplier moves the lowest bit of byte i to bit 56 + i; no two of the 64 products meet.
      let bits = ((lanes[lane] & 0x0101_0101_0101_0101) &* 0x0102_0408_1020_4080) &>> 56
      packed |= bits &<< UInt64(lane &* 8)
    }
    return packed
  }
}

extension BlockMask {
  /// Bytes in a block, and bits in a mask.
  package static let width = 64

  /// Every bit becomes the xor of itself and all lower ones: from the positions of quotes, the positions that lie
  /// between an opening quote (included) and its closing quote (left out).
  ///
  /// Source: Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019, section 3.1.1, there by a carry-less multiplication.
  @inline(__always)
  package static func prefixXor(_ mask: UInt64) -> UInt64 {
    var result = mask
    result ^= result &<< 1
    result ^= result &<< 2
    result ^= result &<< 4
    result ^= result &<< 8
    result ^= result &<< 16
    result ^= result &<< 32
    return result
  }

  /// All positions below `position`, which is at most 64.
  @inline(__always)
  package static func below(_ position: Int) -> UInt64 {
    position >= 64 ? .max : (1 &<< UInt64(truncatingIfNeeded: position)) &- 1
  }

  /// The lowest position of a mask that is not empty.
  @inline(__always)
  package static func lowest(_ mask: UInt64) -> Int { mask.trailingZeroBitCount }
}
