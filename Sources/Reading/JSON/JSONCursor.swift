// Steps over the members of one object or array in JSON text that a scanner has found sound. It does not check the text;
// on unsound text it ends early, but never reads out of bounds and always ends. Nested values are skipped by counting
// brackets, so depth costs no stack.

/// A member of an object, or an element of an array.
package struct JSONMember: Sendable, Equatable {
  /// The name: `.string` or `.stringEscaped` in an object, `.missing` in an array.
  package var key: Field
  package var value: Field

  package init(key: Field, value: Field) {
    self.key = key
    self.value = value
  }
}

/// Walks over the members of an object or the elements of an array.
package struct JSONCursor: Sendable {
  private var position: Int
  private let end: Int
  private var isStarted = false
  private var isObject = false

  /// - Parameter range: the range of an array or object with its brackets, as a `Field` has it.
  package init(inside range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  /// The next member, or nil after the last one.
  ///
  /// - Parameter bytes: the bytes that the range counts in, the same at every call.
  package mutating func next(_ bytes: Span<UInt8>) -> JSONMember? { next(bytes, nil) }

  /// The next member, or nil after the last one.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that the range counts in, the same at every call.
  ///   - nesting: where nested values end, for walking deep values as a whole in linear time.
  package mutating func next(_ bytes: Span<UInt8>, _ nesting: JSONNesting?) -> JSONMember? {
    let end = min(end, bytes.count)
    if !isStarted {
      guard position >= 0 && position < end else { return nil }
      isStarted = true
      isObject = bytes[position] == UInt8(ascii: "{")
      position &+= 1
    }
    position = JSONText.skipSpaceAndCommas(bytes, position, end)
    guard position < end else { return nil }
    var key = Field.missing
    if isObject {
      guard bytes[position] == UInt8(ascii: "\"") else { return nil }
      key = JSONText.string(bytes, position, end)
      position = JSONText.skipSpace(bytes, key.range.upperBound &+ 1, end)
      guard position < end && bytes[position] == UInt8(ascii: ":") else { return nil }
      position &+= 1
    }
    let (value, after) = JSONText.value(bytes, position, end, nesting)
    guard value.kind != .missing else { return nil }
    position = after
    return JSONMember(key: key, value: value)
  }

  /// The value that begins at an offset, white space before it skipped; `.missing` where none does.
  package static func field(at offset: Int, _ bytes: Span<UInt8>) -> Field {
    guard offset >= 0 else { return .missing }
    return JSONText.value(bytes, offset, bytes.count).field
  }
}

/// Where the arrays and objects within a deep value end. Skipping them one level at a time, a walk through all levels
/// would take time in proportion to depth times length.
package struct JSONNesting: Sendable {
  private var starts: [Int] = []
  private var ends: [Int] = []

  /// From this depth on it pays to look at the whole value once more.
  private static let deepest = 16

  /// - Returns: nil where the value is not so deep, or its brackets do not close.
  /// - Complexity: linear in the value.
  package init?(inside range: Range<Int>, _ bytes: Span<UInt8>) {
    let end = min(range.upperBound, bytes.count)
    guard range.lowerBound >= 0, Self.depth(bytes, range.lowerBound, end) > Self.deepest else { return nil }
    var open: [Int] = []
    var position = range.lowerBound
    while position < end {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position = JSONText.string(bytes, position, end).range.upperBound
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        open.append(starts.count)
        starts.append(position)
        ends.append(end)
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard let index = open.popLast() else { return nil }
        ends[index] = position &+ 1
      default:
        break
      }
      position &+= 1
    }
  }

  /// The position after the value that begins at `start`; nil where none does.
  fileprivate func end(of start: Int) -> Int? {
    var lower = 0
    var upper = starts.count
    while lower < upper {
      let middle = (lower &+ upper) / 2
      if starts[middle] < start { lower = middle &+ 1 } else { upper = middle }
    }
    return lower < starts.count && starts[lower] == start ? ends[lower] : nil
  }

  private static func depth(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var position = start
    var depth = 0
    var deepest = 0
    while position < end {
      switch bytes[position] {
      case UInt8(ascii: "\""): position = JSONText.string(bytes, position, end).range.upperBound
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth &+= 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth &-= 1
      default: break
      }
      position &+= 1
    }
    return deepest
  }
}

/// Finds where the pieces of sound JSON text end.
private enum JSONText {
  static func skipSpace(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var position = start
    while position < end && isSpace(bytes[position]) { position &+= 1 }
    return position
  }

  static func skipSpaceAndCommas(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var position = start
    while position < end {
      let byte = bytes[position]
      guard isSpace(byte) || byte == UInt8(ascii: ",") else { break }
      position &+= 1
    }
    return position
  }

  /// The value at or after `start`, and the position after it.
  static func value(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ nesting: JSONNesting? = nil
  ) -> (field: Field, after: Int) {
    let start = skipSpace(bytes, start, end)
    guard start < end else { return (.missing, end) }
    switch bytes[start] {
    case UInt8(ascii: "\""):
      let field = string(bytes, start, end)
      return (field, min(end, field.range.upperBound &+ 1))
    case UInt8(ascii: "{"):
      let after = nesting?.end(of: start) ?? skipNested(bytes, start, end)
      return (Field(start..<after, .object), after)
    case UInt8(ascii: "["):
      let after = nesting?.end(of: start) ?? skipNested(bytes, start, end)
      return (Field(start..<after, .array), after)
    case UInt8(ascii: "t"):
      let after = min(end, start &+ 4)
      return (Field(start..<after, .true), after)
    case UInt8(ascii: "f"):
      let after = min(end, start &+ 5)
      return (Field(start..<after, .false), after)
    case UInt8(ascii: "n"):
      let after = min(end, start &+ 4)
      return (Field(start..<after, .null), after)
    case UInt8(ascii: "-"), 0x30...0x39:
      var after = start &+ 1
      while after < end && isNumberByte(bytes[after]) { after &+= 1 }
      return (Field(start..<after, .number), after)
    default:
      return (.missing, end)
    }
  }

  /// The string whose opening quote stands at `start`.
  static func string(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Field {
    var position = start &+ 1
    var kind = FieldKind.string
    while position < end {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        kind = .stringEscaped
        position &+= 1
      }
      position &+= 1
    }
    return Field((start &+ 1)..<max(start &+ 1, min(position, end)), kind)
  }

  /// The position after the bracket that closes the one at `start`.
  private static func skipNested(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var position = start
    var depth = 0
    while position < end {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position = string(bytes, position, end).range.upperBound
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth &+= 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth &-= 1
        if depth == 0 { return position &+ 1 }
      default:
        break
      }
      position &+= 1
    }
    return end
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private static func isNumberByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default:
      false
    }
  }
}
