// CSV records with fewer or more cells than the header, counted for one note.

package import Reading

/// Counts the records whose number of cells is not the header's.
package struct RaggedTally: Sendable {
  package private(set) var shortCount = 0
  package private(set) var longCount = 0
  /// Where the first of them stands: the input, the offset in it, and the line where it is known at once.
  package private(set) var first: (inputIndex: Int, offset: Int, lineNumber: Int?)?

  package init() {}

  package var isEmpty: Bool { first == nil }

  /// Counts a record whose number of cells is not `width`.
  mutating func add(_ record: RecordRange, width: Int, inputIndex: Int, buffer: borrowing ChunkBuffer) {
    if record.fieldCount < width { shortCount += 1 } else { longCount += 1 }
    guard first == nil else { return }
    let start = Int(record.start)
    // A stream cannot be read again, so its lines are counted now; a file's only if a note is written.
    let lineNumber = buffer.source.isSeekable ? nil : buffer.place(at: start).lineNumber
    first = (inputIndex, buffer.offset + start, lineNumber)
  }

  /// Adds what was counted in later records.
  mutating func append(_ later: RaggedTally) {
    shortCount += later.shortCount
    longCount += later.longCount
    if first == nil { first = later.first }
  }

  /// The note; nil where every record fitted.
  package func note(inputs: [DatasetInput]) -> String? {
    guard let first, inputs.indices.contains(first.inputIndex) else { return nil }
    let input = inputs[first.inputIndex]
    let line = first.lineNumber ?? input.source.place(ofOffset: first.offset)?.lineNumber
    func records(_ count: Int) -> String { count == 1 ? "1 record has" : "\(count) records have" }
    var parts: [String] = []
    var measure = "the header"
    if case .csv(let dialect, _) = input.content, !dialect.hasHeaderRow { measure = "the first record" }
    if shortCount > 0 { parts.append("\(records(shortCount)) fewer fields than \(measure)") }
    if longCount > 0 { parts.append("\(records(longCount)) more fields than \(measure)") }
    let place = line.map { ", the first in line \($0)" } ?? ""
    return "\(input.name): \(parts.joined(separator: ", "))\(place)"
  }
}
