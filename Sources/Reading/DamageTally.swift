// Damaged records that were left out, counted for one note and for the exit status.

/// Counts the records that --on-error skip left out of one input.
package struct DamageTally: Sendable, Equatable {
  package private(set) var count = 0
  /// Where the first damage is, and what is wrong there. Line and column are 0 where they have not been worked out yet.
  private(set) var firstPlace: Place?
  private(set) var firstReason = ""

  package init() {}

  /// Counts what a scan of the buffer's window left out.
  mutating func add(_ leftOut: LeftOutRecords, buffer: borrowing ChunkBuffer) {
    guard let first = leftOut.first else { return }
    count += leftOut.count
    guard firstPlace == nil else { return }
    firstReason = first.reason
    // A stream cannot be read again, so its lines are counted now; a file's only if a note is written.
    firstPlace =
      buffer.source.isSeekable
      ? Place(lineNumber: 0, column: 0, offset: buffer.offset + first.offset) : buffer.place(at: first.offset)
  }

  /// Adds what was left out later in the same input.
  mutating func append(_ later: DamageTally) {
    count += later.count
    if firstPlace == nil { (firstPlace, firstReason) = (later.firstPlace, later.firstReason) }
  }

  /// The note; nil where nothing was left out.
  package func note(on input: DatasetInput) -> String? {
    guard var place = firstPlace else { return nil }
    if let found = input.source.place(ofOffset: place.offset) {
      (place.lineNumber, place.column) = (found.lineNumber, found.column)
    }
    let records = count == 1 ? "1 damaged record" : "\(count) damaged records"
    return "\(input.name): \(place.description): \(firstReason); \(records) left out"
  }
}
