// The text of a field, decoded: quotes undone in CSV, escapes undone in JSON. It neither checks that the text is sound
// (the scanners did) nor that it is UTF-8. Lone surrogate escapes become three bytes each, as in WTF-8
// (https://simonsapin.github.io/wtf-8/), so that different texts stay different and their order stays theirs.

/// Decodes the text of fields.
package enum FieldText {
  /// Appends the decoded text of a field.
  ///
  /// Null and missing have no text; arrays, objects, numbers and the literals are their text as it stands.
  ///
  /// - Parameters:
  ///   - field: the field; what of its range lies outside `bytes` is left out.
  ///   - bytes: the bytes that the field's positions count in.
  ///   - text: receives the text.
  package static func append(_ field: Field, in bytes: Span<UInt8>, to text: inout [UInt8]) {
    let range = clamped(field, bytes)
    switch field.kind {
    case .missing, .null: return
    case .quotedEscaped: appendUnquoted(bytes, range, to: &text)
    case .stringEscaped: appendUnescaped(bytes, range, to: &text)
    default: text.append(copying: bytes.extracting(range))
    }
  }

  /// Whether the decoded text of a field is the given text, byte for byte. Null and missing equal the empty text.
  ///
  /// - Complexity: linear in the shorter of the two; nothing is allocated.
  package static func equals(_ field: Field, in bytes: Span<UInt8>, _ text: Span<UInt8>) -> Bool {
    let range = clamped(field, bytes)
    var position = range.lowerBound
    let end = range.upperBound
    var index = 0
    switch field.kind {
    case .missing, .null:
      return text.isEmpty
    case .quotedEscaped:
      var isOpen = true
      while position < end {
        let byte = bytes[position]
        position &+= 1
        if isOpen && byte == Byte.quote {
          guard position < end && bytes[position] == Byte.quote else {
            isOpen = false
            continue
          }
          position &+= 1
        }
        guard index < text.count && text[index] == byte else { return false }
        index &+= 1
      }
    case .stringEscaped:
      while position < end {
        var decoded = DecodedBytes(bytes[position])
        if bytes[position] == Byte.backslash {
          decoded = unescape(bytes, &position, end)
        } else {
          position &+= 1
        }
        while decoded.count > 0 {
          guard index < text.count && text[index] == decoded.removeFirst() else { return false }
          index &+= 1
        }
      }
    default:
      guard range.count == text.count else { return false }
      while position < end {
        if bytes[position] != text[index] { return false }
        position &+= 1
        index &+= 1
      }
    }
    return index == text.count
  }

  /// The field's range, cut to the bytes there are.
  private static func clamped(_ field: Field, _ bytes: Span<UInt8>) -> Range<Int> {
    let lower = min(Int(field.start), bytes.count)
    return lower..<min(lower &+ Int(field.count), bytes.count)
  }

  /// CSV: `""` is a quote, the first single quote closes, and what follows it is kept as it stands.
  private static func appendUnquoted(_ bytes: Span<UInt8>, _ range: Range<Int>, to text: inout [UInt8]) {
    var position = range.lowerBound
    let end = range.upperBound
    var plain = position
    while position < end {
      if bytes[position] != Byte.quote {
        position &+= 1
        continue
      }
      let isDoubled = position &+ 1 < end && bytes[position &+ 1] == Byte.quote
      text.append(copying: bytes.extracting(plain..<(isDoubled ? position &+ 1 : position)))
      plain = position &+ (isDoubled ? 2 : 1)
      if !isDoubled { break }
      position = plain
    }
    text.append(copying: bytes.extracting(plain..<end))
  }

  private static func appendUnescaped(_ bytes: Span<UInt8>, _ range: Range<Int>, to text: inout [UInt8]) {
    var position = range.lowerBound
    let end = range.upperBound
    var plain = position
    while position < end {
      if bytes[position] != Byte.backslash {
        position &+= 1
        continue
      }
      text.append(copying: bytes.extracting(plain..<position))
      var decoded = unescape(bytes, &position, end)
      while decoded.count > 0 { text.append(decoded.removeFirst()) }
      plain = position
    }
    text.append(copying: bytes.extracting(plain..<end))
  }

  /// Decodes the escape that begins at `position` (a backslash) and steps over it. An escape that JSON does not know
  /// stands for itself.
  private static func unescape(_ bytes: Span<UInt8>, _ position: inout Int, _ end: Int) -> DecodedBytes {
    let start = position
    position &+= 1
    guard position < end else { return DecodedBytes(Byte.backslash) }
    let letter = bytes[position]
    switch letter {
    case UInt8(ascii: "n"): position &+= 1; return DecodedBytes(0x0A)
    case UInt8(ascii: "t"): position &+= 1; return DecodedBytes(0x09)
    case UInt8(ascii: "r"): position &+= 1; return DecodedBytes(0x0D)
    case UInt8(ascii: "b"): position &+= 1; return DecodedBytes(0x08)
    case UInt8(ascii: "f"): position &+= 1; return DecodedBytes(0x0C)
    case Byte.quote, Byte.backslash, UInt8(ascii: "/"): position &+= 1; return DecodedBytes(letter)
    case UInt8(ascii: "u"): break
    default: return DecodedBytes(Byte.backslash)
    }
    guard let unit = hexUnit(bytes, start &+ 2, end) else { return DecodedBytes(Byte.backslash) }
    position = start &+ 6
    if unit & 0xFC00 == 0xD800, position &+ 1 < end, bytes[position] == Byte.backslash,
      bytes[position &+ 1] == UInt8(ascii: "u"), let low = hexUnit(bytes, position &+ 2, end), low & 0xFC00 == 0xDC00
    {
      position &+= 6
      return DecodedBytes(scalar: 0x10000 &+ ((unit & 0x3FF) << 10) &+ (low & 0x3FF))
    }
    return DecodedBytes(scalar: unit)
  }

  /// The value of four hexadecimal digits, or nil where there are none.
  private static func hexUnit(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt32? {
    guard start &+ 4 <= end else { return nil }
    var unit: UInt32 = 0
    for index in start..<(start &+ 4) {
      let byte = bytes[index]
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte &- 0x30
      case 0x41...0x46: digit = byte &- 0x37
      case 0x61...0x66: digit = byte &- 0x57
      default: return nil
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}

/// Up to four bytes that an escape stands for, the first in the lowest place.
private struct DecodedBytes {
  private var packed: UInt32
  private(set) var count: Int

  init(_ byte: UInt8) {
    packed = UInt32(byte)
    count = 1
  }

  /// UTF-8, with surrogates encoded like any other code point.
  init(scalar: UInt32) {
    func continuation(_ shift: UInt32) -> UInt32 { 0x80 | (scalar >> shift & 0x3F) }
    if scalar < 0x80 {
      (packed, count) = (scalar, 1)
    } else if scalar < 0x800 {
      (packed, count) = (0xC0 | scalar >> 6 | continuation(0) << 8, 2)
    } else if scalar < 0x10000 {
      (packed, count) = (0xE0 | scalar >> 12 | continuation(6) << 8 | continuation(0) << 16, 3)
    } else {
      packed = 0xF0 | scalar >> 18 | continuation(12) << 8 | continuation(6) << 16 | continuation(0) << 24
      count = 4
    }
  }

  mutating func removeFirst() -> UInt8 {
    let byte = UInt8(truncatingIfNeeded: packed)
    packed >>= 8
    count &-= 1
    return byte
  }
}

private enum Byte {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
}

extension Array where Element == UInt8 {
  /// Appends a copy of the bytes of a span.
  package mutating func append(copying span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
