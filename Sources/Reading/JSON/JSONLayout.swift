// How records lie in a JSON input, and where a scanner stands in it.

/// How records lie in a JSON input.
package struct JSONLayout: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// Values one after another; arrays among them are read as their elements.
    case values
    /// JSON Lines: nothing is unwrapped, but for arrays whose first element is an object.
    case lines
    /// One object with the records in an array somewhere inside.
    case wrapped
  }

  package let kind: Kind
  /// `.wrapped`: the names that lead to the array of records, in UTF-8. Else empty.
  package let path: [[UInt8]]
  /// `.wrapped`: where the array's `[` stands, from the beginning of the input (after a BOM).
  package let arrayOffset: Int

  package static let values = JSONLayout(kind: .values, path: [], arrayOffset: 0)
  package static let lines = JSONLayout(kind: .lines, path: [], arrayOffset: 0)

  package static func wrapped(path: [[UInt8]], arrayOffset: Int) -> JSONLayout {
    JSONLayout(kind: .wrapped, path: path, arrayOffset: arrayOffset)
  }

  /// The path of a wrapper for people: `data.items`.
  package var pathText: String {
    path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
  }
}

/// Where a scanner stands between two records.
///
/// A range of a file that was read from an assumed position holds if the range before it ended in just that position.
package enum JSONScannerPosition: UInt8, Sendable, Equatable {
  /// At the beginning of an object that wraps the records.
  case wrapperStart
  /// Between values at the top level.
  case betweenValues
  /// In an array of records, after its `[`.
  case arrayStart
  /// In an array of records, after an element.
  case afterElement
  /// In an array of records, before an element that must come.
  case beforeElement
  /// In an object that wraps the records, after their array.
  case wrapperEnd
  /// After an object that wraps the records.
  case ended
}

/// Where a scanner that does not begin at the beginning is to begin.
package enum JSONResumption: Sendable, Equatable {
  /// Right at (or in white space before) an element of the array of records.
  case elementStart
  /// Behind an element of the array of records, before the comma or bracket that follows it.
  case elementEnd
  /// Between values at the top level.
  case valueStart
}

extension JSONScannerPosition {
  /// How a scanner begins in this position; nil where no records are near.
  package var resumption: JSONResumption? {
    switch self {
    case .beforeElement: .elementStart
    case .afterElement: .elementEnd
    case .betweenValues: .valueStart
    case .wrapperStart, .arrayStart, .wrapperEnd, .ended: nil
    }
  }
}
