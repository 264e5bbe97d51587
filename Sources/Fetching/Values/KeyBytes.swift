// The one definition of order: an encoding of values as bytes whose order, byte by byte, is the order of the values.
//
// No encoding is the beginning of another. So a key of several parts is the concatenation of its parts, and two keys
// that agree in their first eight bytes (padded with zeros) are equal when either is no longer than that.
//
// The top three bits of the first byte are the rank of the kind: 0 null when nulls come first, then `ValueKind`'s raw
// values 1 to 7. Descending complements every bit below the rank, so that kinds keep their order and each is reversed.

import Reading

/// The first eight bytes of a key, big-endian, padded with zeros.
package struct KeyPrefix: Sendable, Equatable {
  package var bits: UInt64
  /// Whether that is the whole key. Keys with equal bits are equal where either prefix is exact.
  package var isExact: Bool

  package init(bits: UInt64, isExact: Bool) {
    self.bits = bits
    self.isExact = isExact
  }
}

/// Pieces of the encoding that several kinds share.
package enum KeyBytes {
  /// The byte that is the whole key of null and missing.
  package static let null: UInt8 = ValueKind.null.rawValue << 5
  /// The same where nulls come first.
  package static let nullFirst: UInt8 = 0
  static let falseByte: UInt8 = ValueKind.boolean.rawValue << 5
  static let trueByte: UInt8 = falseByte | 0x10
  static let textRank: UInt8 = ValueKind.text.rawValue << 5
  static let arrayRank: UInt8 = ValueKind.array.rawValue << 5
  static let objectRank: UInt8 = ValueKind.object.rawValue << 5
  /// All bits of the first eight bytes but the rank.
  static let belowRank: UInt64 = UInt64.max >> 3

  /// The first eight bytes of a key, padded with zeros.
  package static func prefix(of encoded: Span<UInt8>) -> UInt64 {
    if encoded.count >= 8 { return word(encoded, 0).byteSwapped }
    var bits: UInt64 = 0
    for index in 0..<encoded.count { bits |= UInt64(encoded[index]) << UInt64(56 &- 8 &* index) }
    return bits
  }

  /// Compares two keys byte by byte: negative, 0 or positive.
  package static func compare(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
    let common = min(a.count, b.count)
    var index = 0
    while index &+ 8 <= common {
      let (left, right) = (word(a, index), word(b, index))
      if left != right { return left.byteSwapped < right.byteSwapped ? -1 : 1 }
      index &+= 8
    }
    while index < common {
      if a[index] != b[index] { return a[index] < b[index] ? -1 : 1 }
      index &+= 1
    }
    return a.count == b.count ? 0 : a.count < b.count ? -1 : 1
  }

  /// The same for keys that are kept in arrays.
  package static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int { compare(a.span, b.span) }

  /// Eight bytes, the first in the lowest place. The offset must leave eight bytes.
  @inline(__always)
  static func word(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The same without a look at where the bytes end, which the caller has had for many words together.
  @inline(__always)
  static func knownWord(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  static func append(_ word: UInt64, to out: inout [UInt8]) {
    var shift: UInt64 = 56
    while true {
      out.append(UInt8(truncatingIfNeeded: word >> shift))
      if shift == 0 { return }
      shift &-= 8
    }
  }

  /// Appends text with its rank: a zero byte as 00 FF, then 00 00.
  package static func appendText(_ text: Span<UInt8>, to out: inout [UInt8]) {
    out.append(textRank)
    appendEscaped(text, to: &out)
    out.append(0)
    out.append(0)
  }

  static func appendEscaped(_ text: Span<UInt8>, to out: inout [UInt8]) {
    var plain = 0
    for index in 0..<text.count where text[index] == 0 {
      out.append(copying: text.extracting(plain...index))
      out.append(0xFF)
      plain = index &+ 1
    }
    out.append(copying: text.extracting(plain..<text.count))
  }

  /// Complements the bytes of one key that begins at `start`, its rank apart. Null stays as it is.
  static func reverse(_ out: inout [UInt8], from start: Int) {
    guard start < out.count, out[start] & 0xE0 != null, out[start] != nullFirst else { return }
    out[start] ^= 0x1F
    complement(&out, from: start &+ 1)
  }

  static func complement(_ out: inout [UInt8], from start: Int) {
    for index in start..<max(start, out.count) { out[index] = ~out[index] }
  }
}

/// Appends decimal digits in pairs, each as its value + 1, and a zero byte after them. Zeros at the end must have been
/// left out by the caller, as 0.5 and 0.50 are one value.
struct DigitPairs {
  private var pending: UInt8?

  mutating func append(_ digit: UInt8, to out: inout [UInt8]) {
    if let first = pending {
      out.append(first &* 10 &+ digit &+ 1)
      pending = nil
    } else {
      pending = digit
    }
  }

  mutating func close(_ out: inout [UInt8]) {
    if let first = pending { out.append(first &* 10 &+ 1) }
    pending = nil
    out.append(0)
  }
}
