// Finding text in cells: for the highlights on the screen, for the rows that are loaded, and, in the program's hands,
// for all others. Plain text is looked for here; a regular expression comes as a function from who can compile it.

import Reading
import TerminalIO

/// Finds the first match in a text at or after a position.
package typealias ViewerMatch = @Sendable (_ text: Span<UInt8>, _ from: Int) -> Range<Int>?

/// What is searched for.
package struct ViewerSearch: Sendable {
  /// As it was typed.
  package let text: String
  package let isBackward: Bool
  package let match: ViewerMatch
  /// Whether it is a plain text.
  package let isPlain: Bool

  /// - Parameter match: nil for a plain text.
  package init(text: String, isBackward: Bool, match: ViewerMatch? = nil) {
    self.text = text
    self.isBackward = isBackward
    isPlain = match == nil
    self.match = match ?? ViewerSearch.plain(text)
  }

  /// The pattern of a search for a regular expression: what stands between slashes; nil for plain text.
  package static func pattern(in text: String) -> String? {
    guard text.utf8.count > 2, text.hasPrefix("/"), text.hasSuffix("/") else { return nil }
    return String(text.dropFirst().dropLast())
  }

  /// A plain text, found whatever the case of ASCII letters unless it has a large one itself, as less -i does.
  private static func plain(_ text: String) -> ViewerMatch {
    let wanted = Array(text.utf8)
    let folds = !text.contains { $0.isUppercase }
    return { bytes, from in
      guard let first = wanted.first else { return nil }
      var start = from
      while start &+ wanted.count <= bytes.count {
        if isSame(bytes[start], first, folds) {
          var length = 1
          while length < wanted.count && isSame(bytes[start &+ length], wanted[length], folds) { length &+= 1 }
          if length == wanted.count { return start..<(start &+ length) }
        }
        start &+= 1
      }
      return nil
    }
  }

  @inline(__always)
  private static func isSame(_ byte: UInt8, _ wanted: UInt8, _ folds: Bool) -> Bool {
    byte == wanted || (folds && byte &- 0x41 < 26 && byte | 0x20 == wanted)
  }

  /// What to say of a search that has come to an end of the rows.
  ///
  /// - Parameter isAbsent: whether all rows were looked at, and none matched.
  package func failure(isBackward: Bool, isAbsent: Bool) -> String {
    if isAbsent { return "not found: \(text)" }
    return "no match \(isBackward ? "before" : "after") this row: \(text)"
  }

  /// The first column, among those that are shown, in which a row matches.
  package func column(in row: ViewerRow, columns: [ViewerColumn]) -> Int? {
    let record = row.record.span
    var text: [UInt8] = []
    for (index, field) in row.fields.enumerated() where !field.isNull {
      if index < columns.count && columns[index].isHidden { continue }
      text.removeAll(keepingCapacity: true)
      FieldText.append(field, in: record, to: &text)
      if match(text.span, 0) != nil { return index }
    }
    return nil
  }
}
