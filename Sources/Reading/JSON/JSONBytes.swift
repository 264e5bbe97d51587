// The smallest questions about JSON bytes: is this an escape, where does this string or value end.
// The walking functions are for bytes already found sound; they stay in bounds on any bytes, but check nothing.

enum JSONBytes {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let recordSeparator: UInt8 = 0x1E
  /// The lowest and the highest bit of each byte of a word, for looking at eight bytes at once.
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  static func isWhite(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// The value of a hexadecimal digit, or nil.
  @inline(__always)
  static func hexDigit(_ byte: UInt8) -> UInt32? {
    if isDigit(byte) { return UInt32(byte &- 0x30) }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? UInt32(letter &+ 10) : nil
  }

  /// Whether what follows a backslash makes an escape. Reads five bytes at most, and no more after a wrong one.
  @inline(__always)
  static func isEscape(_ bytes: UnsafePointer<UInt8>) -> Bool {
    switch unsafe bytes[0] {
    case quote, backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      true
    case UInt8(ascii: "u"):
      unsafe hexDigit(bytes[1]) != nil && hexDigit(bytes[2]) != nil && hexDigit(bytes[3]) != nil
        && hexDigit(bytes[4]) != nil
    default: false
    }
  }

  /// 4 or 5 where `true`, `null` or `false` stands, else 0. Reads five bytes.
  @inline(__always)
  static func literalLength(_ bytes: UnsafePointer<UInt8>) -> Int {
    let word = unsafe UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
    let isTrueOrNull = word == 0x6575_7274 || word == 0x6C6C_756E
    let isFalse = unsafe word == 0x736C_6166 && bytes[4] == 0x65
    return isTrueOrNull ? 4 : isFalse ? 5 : 0
  }

  /// The first position from `from` on that is not white, or `count`.
  @inline(__always)
  static func skipWhite(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> Int {
    var at = from
    while at < count, unsafe isWhite(bytes[at]) { at &+= 1 }
    return at
  }

  /// The first position from `from` on that is neither white nor a record separator (RFC 7464), or `count`.
  @inline(__always)
  static func skipBetweenValues(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> Int {
    var at = from
    while at < count, unsafe isWhite(bytes[at]) || bytes[at] == recordSeparator { at &+= 1 }
    return at
  }

  /// The first quote, backslash or control character at or after `from`, or `count`.
  @inline(__always)
  static func stringPause(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> Int {
    var at = from
    while at &+ 8 <= count {
      let word = unsafe UInt64(littleEndian: (UnsafeRawPointer(bytes) + at).loadUnaligned(as: UInt64.self))
      let quotes = word ^ (ones &* UInt64(quote))
      let backslashes = word ^ (ones &* UInt64(backslash))
      // A borrow can only make a false hit above a true one, so the lowest hit is always right.
      let hits =
        (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
          | ((word &- (ones &* 0x20)) & ~word)) & tops
      if hits != 0 { return at &+ (hits.trailingZeroBitCount &>> 3) }
      at &+= 8
    }
    while at < count {
      let byte = unsafe bytes[at]
      if byte == quote || byte == backslash || byte < 0x20 { return at }
      at &+= 1
    }
    return count
  }

  /// The closing quote of the string whose content begins at `from`, or `count`; and whether it has escapes.
  @inline(__always)
  static func stringEnd(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> (end: Int, hasEscapes: Bool) {
    var at = from
    var hasEscapes = false
    while true {
      at = unsafe quoteOrBackslash(bytes, from: at, count: count)
      if at >= count { return (count, hasEscapes) }
      if unsafe bytes[at] == quote { return (at, hasEscapes) }
      hasEscapes = true
      at &+= 2
    }
  }

  /// The first quote or backslash at or after `from`, or `count`.
  @inline(__always)
  private static func quoteOrBackslash(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> Int {
    var at = from
    while at &+ 8 <= count {
      let word = unsafe UInt64(littleEndian: (UnsafeRawPointer(bytes) + at).loadUnaligned(as: UInt64.self))
      let quotes = word ^ (ones &* UInt64(quote))
      let backslashes = word ^ (ones &* UInt64(backslash))
      let hits = (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & tops
      if hits != 0 { return at &+ (hits.trailingZeroBitCount &>> 3) }
      at &+= 8
    }
    while at < count, unsafe bytes[at] != quote && bytes[at] != backslash { at &+= 1 }
    return min(at, count)
  }

  /// The end of the number or literal that begins at `from`.
  @inline(__always)
  static func scalarEnd(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> Int {
    var at = from
    while at &+ 8 <= count {
      let word = unsafe UInt64(littleEndian: (UnsafeRawPointer(bytes) + at).loadUnaligned(as: UInt64.self))
      // `]` and `}` differ in one bit only, which a comma has too.
      let folded = word | (ones &* 0x20)
      let commas = folded ^ (ones &* UInt64(UInt8(ascii: ",")))
      let brackets = folded ^ (ones &* UInt64(UInt8(ascii: "}")))
      let hits =
        (((commas &- ones) & ~commas) | ((brackets &- ones) & ~brackets) | ((word &- (ones &* 0x21)) & ~word)) & tops
      if hits != 0 { return at &+ (hits.trailingZeroBitCount &>> 3) }
      at &+= 8
    }
    while at < count {
      let byte = unsafe bytes[at]
      if byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { break }
      at &+= 1
    }
    return at
  }

  /// The end of the array or object that begins at `from`.
  static func containerEnd(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> Int {
    var at = from
    var depth = 0
    while at < count {
      let byte = unsafe bytes[at]
      at &+= 1
      if byte == quote {
        at = unsafe stringEnd(bytes, from: at, count: count).end &+ 1
      } else {
        // `[` and `{`, `]` and `}` differ in one bit only.
        let folded = byte | 0x20
        if folded == 0x7B {
          depth &+= 1
        } else if folded == 0x7D {
          depth &-= 1
          if depth == 0 { return at }
        }
      }
    }
    return count
  }

  /// The value that begins at `from` (no white space before it), as a field.
  @inline(__always)
  static func value(_ bytes: UnsafePointer<UInt8>, from: Int, count: Int) -> (field: Field, end: Int) {
    guard from < count else { return (.missing, count) }
    let first = unsafe bytes[from]
    switch first {
    case quote:
      let (end, hasEscapes) = unsafe stringEnd(bytes, from: from &+ 1, count: count)
      let field = Field(
        start: word(from &+ 1), count: word(end &- from &- 1), kind: hasEscapes ? .stringEscaped : .string)
      return (field, min(end &+ 1, count))
    case UInt8(ascii: "{"):
      let end = unsafe containerEnd(bytes, from: from, count: count)
      return (Field(start: word(from), count: word(end &- from), kind: .object), end)
    case UInt8(ascii: "["):
      let end = unsafe containerEnd(bytes, from: from, count: count)
      return (Field(start: word(from), count: word(end &- from), kind: .array), end)
    default:
      let end = unsafe scalarEnd(bytes, from: from, count: count)
      return (Field(start: word(from), count: word(end &- from), kind: scalarKind(first)), end)
    }
  }

  @inline(__always)
  static func scalarKind(_ first: UInt8) -> FieldKind {
    switch first {
    case UInt8(ascii: "n"): .null
    case UInt8(ascii: "t"): .true
    case UInt8(ascii: "f"): .false
    default: .number
    }
  }

  @inline(__always)
  static func word(_ value: Int) -> UInt32 { UInt32(truncatingIfNeeded: value) }

  /// Whether `name` stands at `start`; the caller sees to it that `start + name.count` is in bounds.
  @inline(__always)
  static func equal(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ name: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    let left = unsafe UnsafeRawPointer(bytes) + start
    let right = unsafe UnsafeRawPointer(name)
    if length < 4 {
      for at in 0..<length where unsafe bytes[start &+ at] != name[at] { return false }
      return true
    }
    // The last word overlaps with the one before.
    if length < 8 {
      return unsafe left.loadUnaligned(as: UInt32.self) == right.loadUnaligned(as: UInt32.self)
        && (left + length - 4).loadUnaligned(as: UInt32.self) == (right + length - 4).loadUnaligned(as: UInt32.self)
    }
    var at = 0
    while at &+ 8 < length {
      if unsafe (left + at).loadUnaligned(as: UInt64.self) != (right + at).loadUnaligned(as: UInt64.self) {
        return false
      }
      at &+= 8
    }
    return unsafe (left + length - 8).loadUnaligned(as: UInt64.self)
      == (right + length - 8).loadUnaligned(as: UInt64.self)
  }

  /// Compares the raw text of a key that has escapes with a name, decoding as it goes. A lone surrogate, which no
  /// UTF-8 name can hold, equals only its own three-byte form.
  static func equalDecoded(
    _ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, _ name: UnsafePointer<UInt8>, _ length: Int
  ) -> Bool {
    var matched = 0
    let same = unsafe decode(bytes, range) { byte in
      guard matched < length, unsafe name[matched] == byte else { return false }
      matched &+= 1
      return true
    }
    return same && matched == length
  }

  /// Hands the decoded bytes of a string's raw text to `take`, until it returns false.
  @inline(__always)
  static func decode(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, _ take: (UInt8) -> Bool) -> Bool {
    var at = range.lowerBound
    while at < range.upperBound {
      var byte = unsafe bytes[at]
      at &+= 1
      if byte != backslash || at >= range.upperBound {
        if !take(byte) { return false }
        continue
      }
      byte = unsafe bytes[at]
      at &+= 1
      switch byte {
      case UInt8(ascii: "b"): if !take(0x08) { return false }
      case UInt8(ascii: "f"): if !take(0x0C) { return false }
      case UInt8(ascii: "n"): if !take(0x0A) { return false }
      case UInt8(ascii: "r"): if !take(0x0D) { return false }
      case UInt8(ascii: "t"): if !take(0x09) { return false }
      case UInt8(ascii: "u"):
        var scalar = unsafe codeUnit(bytes, at, range.upperBound)
        at = min(at &+ 4, range.upperBound)
        if scalar >= 0xD800, scalar < 0xDC00, at &+ 6 <= range.upperBound, unsafe bytes[at] == backslash,
          unsafe bytes[at &+ 1] == UInt8(ascii: "u")
        {
          let low = unsafe codeUnit(bytes, at &+ 2, range.upperBound)
          if low >= 0xDC00, low < 0xE000 {
            scalar = 0x10000 &+ ((scalar &- 0xD800) &<< 10) &+ (low &- 0xDC00)
            at &+= 6
          }
        }
        if !encode(scalar, take) { return false }
      default: if !take(byte) { return false }
      }
    }
    return true
  }

  /// The decoded bytes of a string's raw text.
  static func decoded(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> [UInt8] {
    var text: [UInt8] = []
    _ = unsafe decode(bytes, range) { byte in
      text.append(byte)
      return true
    }
    return text
  }

  private static func codeUnit(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> UInt32 {
    var unit: UInt32 = 0
    for at in start..<max(start, min(start &+ 4, end)) {
      unit = (unit &<< 4) | (unsafe hexDigit(bytes[at]) ?? 0)
    }
    return unit
  }

  @inline(__always)
  private static func encode(_ scalar: UInt32, _ take: (UInt8) -> Bool) -> Bool {
    @inline(__always) func tail(_ shift: UInt32) -> UInt8 {
      UInt8(truncatingIfNeeded: (scalar &>> shift) & 0x3F | 0x80)
    }
    if scalar < 0x80 { return take(UInt8(truncatingIfNeeded: scalar)) }
    if scalar < 0x800 { return take(UInt8(truncatingIfNeeded: scalar &>> 6) | 0xC0) && take(tail(0)) }
    if scalar < 0x10000 {
      return take(UInt8(truncatingIfNeeded: scalar &>> 12) | 0xE0) && take(tail(6)) && take(tail(0))
    }
    return take(UInt8(truncatingIfNeeded: scalar &>> 18) | 0xF0) && take(tail(12)) && take(tail(6)) && take(tail(0))
  }
}
