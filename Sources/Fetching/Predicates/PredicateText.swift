// What filters ask of text besides order: equality, parts, patterns, length, case. All on bytes, without a String, and
// with a meaning also for bytes that are no UTF-8.

import Reading

enum PredicateText {
  static func isEqual(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
    first.count == second.count && matching(first, second, first.count) == first.count
  }

  static func hasPrefix(_ text: Span<UInt8>, _ prefix: Span<UInt8>) -> Bool {
    text.count >= prefix.count && matching(text, prefix, prefix.count) == prefix.count
  }

  static func hasSuffix(_ text: Span<UInt8>, _ suffix: Span<UInt8>) -> Bool {
    text.count >= suffix.count && isEqual(text.extracting((text.count - suffix.count)..<text.count), suffix)
  }

  static func contains(_ text: Span<UInt8>, _ part: Span<UInt8>) -> Bool {
    guard part.count > 0 else { return true }
    guard text.count >= part.count else { return false }
    let first = part[0]
    let last = text.count &- part.count
    var position = 0
    while position <= last {
      if text[position] == first,
        matching(text.extracting(position..<(position &+ part.count)), part, part.count) == part.count
      {
        return true
      }
      position &+= 1
    }
    return false
  }

  static func isASCII(_ text: Span<UInt8>) -> Bool {
    var position = 0
    while position &+ 8 <= text.count {
      if KeyBytes.word(text, position) & 0x8080_8080_8080_8080 != 0 { return false }
      position &+= 8
    }
    while position < text.count {
      if text[position] >= 0x80 { return false }
      position &+= 1
    }
    return true
  }

  /// Whether a letter beyond ASCII may be there that folding makes one of ASCII: the Kelvin sign, the long s, or the capital i
  /// with a dot. By their first bytes, as more does not matter.
  static func mayFoldToASCII(_ text: Span<UInt8>) -> Bool {
    if isASCII(text) { return false }
    for index in text.indices where text[index] == 0xC4 || text[index] == 0xC5 || text[index] == 0xE2 { return true }
    return false
  }

  /// How many of the first `count` bytes are the same in both, which have at least as many.
  @inline(__always)
  private static func matching(_ first: Span<UInt8>, _ second: Span<UInt8>, _ count: Int) -> Int {
    var position = 0
    while position &+ 8 <= count {
      let difference = KeyBytes.word(first, position) ^ KeyBytes.word(second, position)
      if difference != 0 { return position &+ difference.trailingZeroBitCount / 8 }
      position &+= 8
    }
    while position < count && first[position] == second[position] { position &+= 1 }
    return position
  }

  // MARK: Patterns

  static let anyRun: UInt16 = 256
  static let anyCharacter: UInt16 = 257

  /// The pattern of `like`: `*` any run, `?` one code point, a backslash before one of them or itself takes it as it
  /// is.
  static func pattern(of text: [UInt8]) -> [UInt16] {
    var pattern: [UInt16] = []
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "\\"), index + 1 < text.count,
        [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "\\")].contains(text[index + 1])
      {
        index += 1
        pattern.append(UInt16(text[index]))
      } else if byte == UInt8(ascii: "*") {
        if pattern.last != anyRun { pattern.append(anyRun) }
      } else {
        pattern.append(byte == UInt8(ascii: "?") ? anyCharacter : UInt16(byte))
      }
      index += 1
    }
    return pattern
  }

  /// Whether the whole text fits the pattern.
  ///
  /// Only the last `*` met is ever gone back to: whatever an earlier one could take more, the last one can as well.
  static func isLike(_ text: Span<UInt8>, _ pattern: Span<UInt16>) -> Bool {
    var position = 0
    var index = 0
    var retryIndex = -1
    var retryPosition = 0
    while true {
      if index < pattern.count, pattern[index] == anyRun {
        index &+= 1
        if index == pattern.count { return true }
        retryIndex = index
        retryPosition = position
        continue
      }
      if index < pattern.count, position < text.count {
        if pattern[index] == anyCharacter {
          position = afterCharacter(text, position)
          index &+= 1
          continue
        }
        if pattern[index] == UInt16(text[position]) {
          position &+= 1
          index &+= 1
          continue
        }
      }
      if index == pattern.count, position == text.count { return true }
      guard retryIndex >= 0, retryPosition < text.count else { return false }
      retryPosition = afterCharacter(text, retryPosition)
      position = retryPosition
      index = retryIndex
    }
  }

  private static func afterCharacter(_ text: Span<UInt8>, _ start: Int) -> Int {
    var position = start &+ 1
    if text[start] >= 0xC0 {
      while position < text.count && text[position] & 0xC0 == 0x80 { position &+= 1 }
    }
    return position
  }

  /// The number of code points; a byte that belongs to none counts as one where it leads nothing.
  static func length(_ text: Span<UInt8>) -> Int {
    var count = 0
    for index in text.indices where text[index] & 0xC0 != 0x80 { count &+= 1 }
    return count
  }

  // MARK: Case

  enum Case {
    case lower, upper
  }

  /// Appends a text in another case. Bytes that are no UTF-8 stay as they are.
  static func append(_ text: Span<UInt8>, in letterCase: Case, to result: inout [UInt8]) {
    var position = 0
    while position < text.count {
      let byte = text[position]
      if byte < 0x80 {
        let isLetter = (byte | 0x20) &- 0x61 < 26
        result.append(!isLetter ? byte : letterCase == .upper ? byte & 0xDF : byte | 0x20)
        position &+= 1
      } else if let (scalar, count) = scalar(text, position) {
        switch letterCase {
        case .lower: result.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
        case .upper: result.append(contentsOf: scalar.properties.uppercaseMapping.utf8)
        }
        position &+= count
      } else {
        result.append(byte)
        position &+= 1
      }
    }
  }

  /// The code point beyond ASCII that begins at a position, and its number of bytes.
  private static func scalar(_ text: Span<UInt8>, _ position: Int) -> (Unicode.Scalar, Int)? {
    let lead = text[position]
    let count = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    guard lead >= 0xC2, lead < 0xF5, position &+ count <= text.count else { return nil }
    var value = UInt32(lead) & (0x7F >> UInt32(count))
    for index in 1..<count {
      let byte = text[position &+ index]
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard value >= (count == 2 ? 0x80 : count == 3 ? 0x800 : 0x10000), let scalar = Unicode.Scalar(value) else {
      return nil
    }
    return (scalar, count)
  }
}
