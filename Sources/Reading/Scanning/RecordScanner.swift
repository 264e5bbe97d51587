// What every format's scanner is to the rest: a kernel over the caller's window of bytes. It reads nothing itself,
// throws nothing, and says what it needs next.

/// Why a scan ended.
package enum ScanStop: Sendable, Equatable {
  /// All complete records of the window are in the batch; the rest needs more bytes (or, in a final window, there is
  /// nothing left).
  case windowEnd
  /// The batch is full; call again with `from` = `consumed`.
  case batchFull
  /// A record begins at or after the limit; `consumed` is where it begins.
  case limitReached
  /// The data is damaged at this place. The records before it are in the batch.
  case damage(Damage)
}

/// How far a scan came and why it ended there.
package struct ScanResult: Sendable, Equatable {
  /// Bytes of the window that are done with: everything before this position need not be seen again.
  package var consumed: Int
  package var stop: ScanStop

  package init(consumed: Int, stop: ScanStop) {
    self.consumed = consumed
    self.stop = stop
  }
}

/// Damage met by a scanner, with its place in the window.
package struct Damage: Sendable, Equatable {
  /// Where it is, from the beginning of the window. For an unclosed quote or string: where it opened.
  package var offset: Int
  /// What is wrong and what was expected, for people: "expected ',' or ']' after an element".
  package var reason: String
  /// Where the damaged record begins.
  package var recordStart: Int

  package init(offset: Int, reason: String, recordStart: Int) {
    self.offset = offset
    self.reason = reason
    self.recordStart = recordStart
  }
}

/// Finds records and their wanted fields in windows of bytes.
///
/// A window is a piece of the input that begins at or before `from`, where the scanner left off. A record is handed
/// over only when it is complete in the window; otherwise the caller comes again with a longer window.
package protocol RecordScanner: Sendable {
  /// Scans a window.
  ///
  /// - Parameters:
  ///   - window: the bytes.
  ///   - from: where to go on: 0, or `consumed` of the call before (moved along if the window was moved).
  ///   - limit: no record is read that begins at or after this position of the window. `Int.max`: no limit.
  ///   - isFinal: whether the input ends with this window.
  ///   - batch: the records found are appended to it.
  /// - Returns: how far it came and why it stopped.
  /// - Complexity: linear in the bytes scanned. No allocation a record.
  mutating func scan(
    _ window: Span<UInt8>, from: Int, limit: Int, isFinal: Bool, into batch: inout RecordBatch
  ) -> ScanResult
  /// What damaged records the last scan left out, with places in its window; each is told once.
  mutating func takeLeftOut() -> LeftOutRecords
}

extension RecordScanner {
  /// Most scanners leave nothing out.
  package mutating func takeLeftOut() -> LeftOutRecords { LeftOutRecords() }
}

/// Damaged records that were left out.
package struct LeftOutRecords: Sendable, Equatable {
  package private(set) var count = 0
  /// The damage of the first.
  package private(set) var first: Damage?

  package init() {}

  mutating func add(_ damage: Damage) {
    count += 1
    if first == nil { first = damage }
  }
}

/// Picks fields out of single records, for the rows that are printed.
package protocol FieldReader: Sendable {
  /// Finds the fields of the columns that the reader was made for.
  ///
  /// - Parameters:
  ///   - record: the bytes of one complete record, already found sound by a scanner.
  ///   - fields: replaced by one field a column, in the order of the columns, with positions counted from the
  ///     beginning of the record; in CSV the cells beyond the header's width may follow (see the reader).
  /// - Returns: whether the record may have names that the reader was not told of.
  @discardableResult
  mutating func read(_ record: Span<UInt8>, into fields: inout [Field]) -> Bool
}
