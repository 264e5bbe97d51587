// The kinds of values and how many of each were met. Which kind a field is of is decided here and nowhere else, so that
// sorting, filtering and the schema agree.

package import Reading

/// The kind of a value, for comparing.
package enum ValueKind: UInt8, Sendable, Equatable, CaseIterable {
  case boolean = 1
  case number = 2
  case date = 3
  case text = 4
  case array = 5
  case object = 6
  case null = 7

  /// The kind that a field is of: a CSV cell by what it looks like, a JSON value by its type (a string that is a date
  /// is a date).
  ///
  /// - Complexity: linear in the field where it may be a number or a date. Only escaped text is copied.
  package static func of(_ field: Field, _ bytes: Span<UInt8>) -> ValueKind {
    switch field.kind {
    case .missing, .null: return .null
    case .true, .false: return .boolean
    case .number: return .number
    case .array: return .array
    case .object: return .object
    case .bare where field.count == 0: return .null
    case .bare, .quoted: return ofCell(bytes.extracting(field.range))
    case .string: return ofString(bytes.extracting(field.range))
    case .quotedEscaped, .stringEscaped:
      var text: [UInt8] = []
      FieldText.append(field, in: bytes, to: &text)
      return field.kind == .quotedEscaped ? ofCell(text.span) : ofString(text.span)
    }
  }

  /// The kind of a CSV cell that is not null.
  package static func ofCell(_ text: Span<UInt8>) -> ValueKind {
    guard CellShape.mayBeNumberOrDate(text) else { return .text }
    if CellShape.mayBeDate(text) && Instant(text) != nil { return .date }
    return DecimalText(text) != nil ? .number : .text
  }

  /// The kind of a JSON string.
  package static func ofString(_ text: Span<UInt8>) -> ValueKind {
    CellShape.mayBeDate(text) && Instant(text) != nil ? .date : .text
  }
}

/// Quick looks that tell most text from numbers and dates.
enum CellShape {
  @inline(__always)
  static func mayBeNumberOrDate(_ text: Span<UInt8>) -> Bool {
    guard !text.isEmpty else { return false }
    switch text[0] {
    case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."): return true
    default: return false
    }
  }

  @inline(__always)
  static func mayBeDate(_ text: Span<UInt8>) -> Bool {
    text.count >= 10 && text[4] == UInt8(ascii: "-") && text[7] == UInt8(ascii: "-")
  }
}

/// How many values of each kind a key met.
package struct KindTally: Sendable, Equatable {
  private var counters = SIMD8<Int>()

  package init() {}

  /// Counts one value.
  ///
  /// - Parameter isMissing: whether the record had no such field; it is counted apart from null.
  @inline(__always)
  package mutating func count(_ kind: ValueKind, isMissing: Bool = false) {
    counters[isMissing ? 0 : Int(kind.rawValue)] &+= 1
  }

  /// Counts values of one kind that the records had.
  @inline(__always)
  mutating func count(_ kind: ValueKind, times: Int) { counters[Int(kind.rawValue)] &+= times }

  package mutating func merge(_ other: KindTally) { counters &+= other.counters }

  package subscript(kind: ValueKind) -> Int { counters[Int(kind.rawValue)] }

  /// Records without the field.
  package var missing: Int { counters[0] }

  /// Records that had the field, be it null.
  package var present: Int { counters.wrappedSum() &- counters[0] }

  /// The kinds met besides null, in the order of kinds.
  package var kinds: [ValueKind] { ValueKind.allCases.filter { $0 != .null && self[$0] > 0 } }
}
