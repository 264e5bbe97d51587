// One key of a sort: which field, in which direction, and how its values are understood.

package import Reading

/// The direction of a sort key.
package enum SortOrder: Sendable, Equatable {
  case forward
  case reverse
}

/// How the values of a sort key are understood.
package enum SortKind: Sendable, Equatable {
  /// Each value by its own kind.
  case auto
  /// The text as csv prints it, by code point.
  case text
  case number
  case date
  /// A date in the form that strptime's codes describe.
  case dateFormat(String)
  /// Day, month, year.
  case dmy
  /// Month, day, year.
  case mdy
  /// Seconds from 1970, or milliseconds from 10^11 on.
  case epoch
  /// Text with runs of digits compared by value.
  case natural
  /// Text by the C library's collation.
  case locale
}

/// Where null and missing go, in either direction.
package enum NullOrder: Sendable, Equatable {
  case first
  case last
}

/// A key to sort by.
package struct SortDescriptor: Sendable, Equatable {
  package var key: FieldName
  package var order: SortOrder
  package var kind: SortKind = .auto
  package var ignoresCase = false
  package var nulls: NullOrder = .last

  package init(_ key: FieldName, order: SortOrder = .forward) {
    self.key = key
    self.order = order
  }

  /// The key as it can be given to --sort again, in one way of several.
  package var description: String {
    let name = key.description
    let isPlain =
      !name.isEmpty
      && name.utf8.allSatisfy { byte in
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[")
          || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "-") || (byte >= 0x30 && byte <= 0x39)
          || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
      }
    // Quotes make it one name, which is wrong for a path and needed for what else would be read as one.
    let isQuotedPath = key.path.isEmpty && !FieldName(key.text).path.isEmpty
    let hasBothQuotes = name.utf8.contains(UInt8(ascii: "`")) && name.utf8.contains(UInt8(ascii: "}"))
    let standsBare = isPlain || ((!key.path.isEmpty || hasBothQuotes) && Self.canStandBare(key.text))
    var text = name
    if isQuotedPath || !standsBare {
      text = name.utf8.contains(UInt8(ascii: "}")) ? "`\(name)`" : "{\(name)}"
    }
    if order == .reverse { text += ":desc" }
    if ignoresCase { text += ":nocase" }
    if nulls == .first { text += ":nulls-first" }
    // Last, as a parenthesis in the format that is never closed goes on to the end.
    switch kind {
    case .auto: break
    case .dateFormat(let format): text += ":date(\(format))"
    default: text += ":\(kind)"
    }
    return text
  }

  /// Whether a name without quotes is read as it is.
  private static func canStandBare(_ name: [UInt8]) -> Bool {
    guard let first = name.first, let last = name.last else { return false }
    let blank = UInt8(ascii: " ")
    return first != blank && last != blank && first != UInt8(ascii: "`") && first != UInt8(ascii: "{")
      && !name.contains(UInt8(ascii: ",")) && !name.contains(UInt8(ascii: ":"))
  }
}
