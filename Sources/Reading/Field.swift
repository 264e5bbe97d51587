// A field of a record as a range of bytes. Nothing is decoded here: a value is looked at when a comparison or a
// printer needs it, and most fields of most records never are.

/// How the bytes of a field are to be understood.
@frozen @usableFromInline
package enum FieldKind: UInt8, Sendable, Equatable {
  /// The record has no such field. The range is empty.
  case missing

  // CSV and TSV
  /// An unquoted cell; the range is the whole cell. An empty one is null.
  case bare
  /// A quoted cell without a quote inside; the range is what stands between the quotes. An empty one is empty text.
  case quoted
  /// A quoted cell with doubled quotes, or with text after its closing quote; the range begins after the opening
  /// quote and ends with the cell, its closing quote included. `FieldText` decodes it.
  case quotedEscaped

  // JSON
  case null
  case `false`
  case `true`
  /// A number; the range is its text.
  case number
  /// A string without a backslash; the range is what stands between the quotes.
  case string
  /// A string with at least one escape; the range is what stands between the quotes.
  case stringEscaped
  /// An array, with its brackets.
  case array
  /// An object, with its braces.
  case object
}

/// One field of a record: where its bytes are and what they are.
@frozen @usableFromInline
package struct Field: Sendable, Equatable {
  /// First byte, counted from the beginning of the bytes it was found in (a window, or a single record).
  @usableFromInline package var start: UInt32
  /// Number of bytes.
  @usableFromInline package var count: UInt32
  @usableFromInline package var kind: FieldKind

  package static let missing = Field(start: 0, count: 0, kind: .missing)

  @inlinable
  package init(start: UInt32, count: UInt32, kind: FieldKind) {
    self.start = start
    self.count = count
    self.kind = kind
  }

  @inlinable
  package init(_ range: Range<Int>, _ kind: FieldKind) {
    start = UInt32(truncatingIfNeeded: range.lowerBound)
    count = UInt32(truncatingIfNeeded: range.count)
    self.kind = kind
  }

  /// The bytes' positions.
  @inlinable @inline(__always)
  package var range: Range<Int> { Int(start)..<(Int(start) &+ Int(count)) }

  /// Whether the field counts as null: missing, JSON `null`, or an empty unquoted cell.
  @inlinable @inline(__always)
  package var isNull: Bool {
    switch kind {
    case .missing, .null: true
    case .bare: count == 0
    default: false
    }
  }
}
