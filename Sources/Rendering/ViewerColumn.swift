// A column as the viewer shows it: how it is called, how wide it is, whether it is hidden. Widths only ever grow by what
// is seen, and not while rows pass line by line (`ViewerState.measure`); a person may set them otherwise.

import TerminalIO

/// A column of the viewer.
package struct ViewerColumn: Sendable, Equatable {
  /// No column is wider by itself; longer cells are cut, and the record view has them in full.
  package static let widest = 64
  private static let widestChosen = 1000

  /// The name (UTF-8).
  package let name: [UInt8]
  /// The name with nothing in it that could drive a terminal.
  let safeName: [UInt8]
  let nameWidth: Int
  /// How the column is named in --sort and --columns.
  package let sortName: String
  /// How the column is named in a filter.
  package let filterName: String
  package var isHidden = false
  /// Whether it has no name in the file: that of cells beyond the header, which no option can name.
  var isMade = false
  private var seenWidth = 1
  private var chosenWidth: Int?
  private var hasNumber = false
  private var hasOther = false

  /// - Parameters:
  ///   - sortName: nil: the name, in braces or backquotes where the grammar of --sort needs them.
  ///   - filterName: nil: the name, in backquotes or braces where the grammar of filters needs them.
  package init(name: [UInt8], sortName: String? = nil, filterName: String? = nil) {
    self.name = name
    safeName = SafeText.safe(name)
    nameWidth = DisplayWidth.cells(safeName)
    self.sortName = sortName ?? ViewerNames.inSort(name)
    self.filterName = filterName ?? ViewerNames.inFilter(name)
    seenWidth = min(max(1, nameWidth), ViewerColumn.widest)
  }

  package init(_ name: String) { self.init(name: Array(name.utf8)) }

  /// The cells it takes where there is room.
  package var width: Int { chosenWidth ?? seenWidth }

  /// Whether all that was seen in it were numbers; its name then stands to the right too.
  var isNumeric: Bool { hasNumber && !hasOther }

  /// Takes note of a cell.
  mutating func see(width: Int, isNumber: Bool) {
    seenWidth = max(seenWidth, min(width, ViewerColumn.widest))
    if isNumber { hasNumber = true } else { hasOther = true }
  }

  /// Makes room for the sign of a sort after the name.
  mutating func makeRoomForSign() { seenWidth = max(seenWidth, min(nameWidth + 2, ViewerColumn.widest)) }

  /// The column by a number of cells wider, or narrower.
  mutating func widen(by cells: Int) {
    chosenWidth = min(max(1, width + min(max(cells, -4096), 4096)), ViewerColumn.widestChosen)
  }
}

/// How names are written in expressions.
package enum ViewerNames {
  /// The name in --sort and --columns: as it is, unless something in it means something there.
  package static func inSort(_ name: [UInt8]) -> String {
    let text = String(decoding: name, as: UTF8.self)
    let isPlain =
      !name.isEmpty && name.first != 0x20 && name.last != 0x20
      && !name.contains { ",:{}`()[]\"'".utf8.contains($0) || $0 < 0x20 }
    return isPlain ? text : quoted(text)
  }

  /// The name in a filter: bare only where it reads as a name or a path.
  package static func inFilter(_ name: [UInt8]) -> String {
    let text = String(decoding: name, as: UTF8.self)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { part in
      guard let first = part.utf8.first, !(first >= 0x30 && first <= 0x39) else { return false }
      return part.utf8.allSatisfy {
        $0 >= 0x80 || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || "_$@".utf8.contains($0)
      }
    }
    return isPlain && !words.contains(text.lowercased()) ? text : quoted(text)
  }

  /// A text value in a filter.
  package static func literal(_ text: [UInt8]) -> String {
    var output = "\""
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\"", "\\": output += "\\" + String(scalar)
      case "\n": output += "\\n"
      case "\t": output += "\\t"
      case "\r": output += "\\r"
      default:
        if SafeText.isUnsafe(scalar.value) {
          let digits = String(scalar.value, radix: 16)
          output += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        } else {
          output.unicodeScalars.append(scalar)
        }
      }
    }
    return output + "\""
  }

  private static func quoted(_ text: String) -> String { text.contains("`") ? "{\(text)}" : "`\(text)`" }

  /// Words that mean something in a filter.
  private static let words: Set<String> = [
    "and", "or", "not", "in", "between", "contains", "beginswith", "endswith", "like", "matches", "is", "null", "true",
    "false", "now", "today",
  ]
}
