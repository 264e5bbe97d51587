// One code point at a time out of UTF-8 that may be broken. No String is made, so a cell can be measured and made safe
// where it stands. It does not find graphemes.
//
// What is broken is cut as the Unicode Standard recommends (section 3.9, "maximal subparts", as the WHATWG decoder and
// Swift's own do): each longest beginning of a sequence that could have become valid counts as one. A surrogate in
// three bytes counts as one too, because that is how a lone surrogate escape of JSON arrives here.

/// A code point and how many bytes it took.
package struct DecodedScalar: Equatable {
  /// The code point; U+FFFD where the bytes are no UTF-8.
  package var value: UInt32
  /// Bytes read, at least 1.
  package var count: Int
  /// Whether the bytes were well-formed.
  package var isValid: Bool
}

package enum ScalarDecoder {
  /// Decodes the code point that begins at `position`, without looking at `end` or beyond.
  @inline(__always)
  package static func decode(_ text: Span<UInt8>, at position: Int, end: Int) -> DecodedScalar {
    let first = text[position]
    if first < 0x80 { return DecodedScalar(value: UInt32(first), count: 1, isValid: true) }
    return decodeMultibyte(text, at: position, end: end, first: first)
  }

  private static func decodeMultibyte(
    _ text: Span<UInt8>, at position: Int, end: Int, first: UInt8
  ) -> DecodedScalar {
    // The second byte's range shuts out overlong forms, surrogates and what lies beyond U+10FFFF (table 3-7).
    var low: UInt8 = 0x80
    var high: UInt8 = 0xBF
    let length: Int
    var value: UInt32
    switch first {
    case 0xC2...0xDF:
      length = 2
      value = UInt32(first & 0x1F)
    case 0xE0...0xEF:
      length = 3
      value = UInt32(first & 0x0F)
      if first == 0xE0 { low = 0xA0 } else if first == 0xED { high = 0x9F }
    case 0xF0...0xF4:
      length = 4
      value = UInt32(first & 0x07)
      if first == 0xF0 { low = 0x90 } else if first == 0xF4 { high = 0x8F }
    default:
      return DecodedScalar(value: 0xFFFD, count: 1, isValid: false)
    }
    if first == 0xED && isSurrogate(text, at: position, end: end) {
      return DecodedScalar(value: 0xFFFD, count: 3, isValid: false)
    }
    var read = 1
    while read < length {
      let next = position &+ read
      guard next < end else { break }
      let byte = text[next]
      guard byte >= low, byte <= high else { break }
      value = value << 6 | UInt32(byte & 0x3F)
      low = 0x80
      high = 0xBF
      read &+= 1
    }
    if read < length { return DecodedScalar(value: 0xFFFD, count: read, isValid: false) }
    return DecodedScalar(value: value, count: length, isValid: true)
  }

  /// Whether a surrogate in three bytes (as in WTF-8) begins at `position`.
  package static func isSurrogate(_ text: Span<UInt8>, at position: Int, end: Int) -> Bool {
    end &- position >= 3 && text[position] == 0xED && text[position &+ 1] & 0xE0 == 0xA0
      && text[position &+ 2] & 0xC0 == 0x80
  }

  /// Appends the UTF-8 bytes of a code point; U+FFFD for a number that is none.
  package static func append(_ value: UInt32, to output: inout [UInt8]) {
    let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { output.append(byte) }
  }

  /// The position of the first byte above 0x7F in `range`, or its upper bound.
  package static func firstNonASCII(_ text: Span<UInt8>, in range: Range<Int>) -> Int {
    var position = range.lowerBound
    while range.upperBound &- position >= 8 {
      let word = wordAt(position, of: text)
      let high = word & 0x8080_8080_8080_8080
      if high != 0 { return position &+ high.trailingZeroBitCount / 8 }
      position &+= 8
    }
    while position < range.upperBound && text[position] < 0x80 { position &+= 1 }
    return position
  }

  /// The position of the first byte in `range` that is not printable ASCII (0x20–0x7E), or its upper bound.
  @inline(__always)
  package static func firstNotPrintable(_ text: Span<UInt8>, in range: Range<Int>) -> Int {
    var position = range.lowerBound
    while range.upperBound &- position >= 8 {
      let word = wordAt(position, of: text)
      // The high bit of a byte of each term: above 0x7F; below 0x20; 0x7F. Borrows and carries run upwards only, so
      // the lowest bit set is always right.
      let controls = (word &- 0x2020_2020_2020_2020) & ~word
      let deletes = (word ^ 0x7F7F_7F7F_7F7F_7F7F) &- 0x0101_0101_0101_0101
      let stops = (word | controls | (deletes & ~(word ^ 0x7F7F_7F7F_7F7F_7F7F))) & 0x8080_8080_8080_8080
      if stops != 0 { return position &+ stops.trailingZeroBitCount / 8 }
      position &+= 8
    }
    while position < range.upperBound {
      let byte = text[position]
      if byte < 0x20 || byte > 0x7E { break }
      position &+= 1
    }
    return position
  }

  /// Eight bytes as a little-endian word; the caller has seen to it that they are there.
  @inline(__always)
  private static func wordAt(_ position: Int, of text: Span<UInt8>) -> UInt64 {
    unsafe UInt64(littleEndian: text.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
  }
}
