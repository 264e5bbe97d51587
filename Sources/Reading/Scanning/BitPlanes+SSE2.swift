// BitPlanes with the instruction that plain Swift cannot name: PMOVMSKB takes the top bits of sixteen bytes at once, and adding
// a byte to itself moves its next bit to the top. Elsewhere the transposition in StructuralMasks.swift does the same.

#if arch(x86_64) && canImport(_Builtin_intrinsics.intel)
  import _Builtin_intrinsics.intel

  extension BitPlanes {
    /// Whether the words have to be made by `prepare` before planes are taken from them.
    static let needsPreparation = false

    /// - Parameter bytes: 64 bytes of any alignment.
    @inline(__always)
    init(block bytes: UnsafePointer<UInt8>, words: UnsafePointer<UInt64>) {
      let raw = unsafe UnsafeRawPointer(bytes)
      var quarters = unsafe Quarters(
        raw.loadUnaligned(fromByteOffset: 0, as: __m128i.self), raw.loadUnaligned(fromByteOffset: 16, as: __m128i.self),
        raw.loadUnaligned(fromByteOffset: 32, as: __m128i.self), raw.loadUnaligned(fromByteOffset: 48, as: __m128i.self)
      )
      p7 = quarters.topBits
      quarters.moveUp()
      p6 = quarters.topBits
      quarters.moveUp()
      p5 = quarters.topBits
      quarters.moveUp()
      p4 = quarters.topBits
      quarters.moveUp()
      p3 = quarters.topBits
      quarters.moveUp()
      p2 = quarters.topBits
      quarters.moveUp()
      p1 = quarters.topBits
      quarters.moveUp()
      p0 = quarters.topBits
    }
  }

  private struct Quarters {
    var a: __m128i
    var b: __m128i
    var c: __m128i
    var d: __m128i

    @inline(__always)
    init(_ a: __m128i, _ b: __m128i, _ c: __m128i, _ d: __m128i) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    @inline(__always)
    mutating func moveUp() {
      a = _mm_add_epi8(a, a)
      b = _mm_add_epi8(b, b)
      c = _mm_add_epi8(c, c)
      d = _mm_add_epi8(d, d)
    }

    @inline(__always)
    var topBits: UInt64 {
      let low =
        UInt64(UInt32(bitPattern: _mm_movemask_epi8(a))) | UInt64(UInt32(bitPattern: _mm_movemask_epi8(b))) &<< 16
      let high =
        UInt64(UInt32(bitPattern: _mm_movemask_epi8(c))) | UInt64(UInt32(bitPattern: _mm_movemask_epi8(d))) &<< 16
      return low | high &<< 32
    }
  }
#else
  extension BitPlanes {
    /// Whether the words have to be made by `prepare` before planes are taken from them.
    static let needsPreparation = true

    @inline(__always)
    init(block bytes: UnsafePointer<UInt8>, words: UnsafePointer<UInt64>) {
      unsafe self.init(words)
    }
  }
#endif
