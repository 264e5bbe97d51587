// Records of one input, batch after batch, from a scanner over a window: the one loop that feeds scanners.

/// A sequence of batches of records.
///
/// The positions in a batch count from the beginning of the buffer's window, which stays as it is until the next call
/// of `next`.
package struct RecordStream: Sendable {
  package private(set) var buffer: ChunkBuffer
  package private(set) var scanner: any RecordScanner
  /// No record is read that begins at or after this offset of the input.
  private let limit: Int
  /// How much of the window is done with.
  private var consumed = 0
  private var pending: Damage?
  /// A record that is larger than one may be, found behind those that were handed over.
  private var tooLarge: ReadError?
  private var isAtEnd = false
  /// Whether errors get their line and column at once. A pass over guessed ranges works them out at its end instead,
  /// for the one error that counts.
  private let resolvesPlaces: Bool
  /// Records handed over so far, and those before the stream's beginning.
  package private(set) var recordCount = 0
  /// Damaged records left out so far.
  package private(set) var leftOut = DamageTally()

  package init(
    buffer: ChunkBuffer, scanner: any RecordScanner, limit: Int = .max, resolvesPlaces: Bool = true,
    recordsBefore: Int = 0
  ) {
    recordCount = recordsBefore
    self.resolvesPlaces = resolvesPlaces
    self.buffer = buffer
    self.scanner = scanner
    self.limit = limit
  }

  /// Lets somebody end waiting for a stream, which is then `ReadError.Problem.cancelled`.
  mutating func listen(to monitor: ScanMonitor?) { buffer.monitor = monitor }

  /// Where the next record, or what stands before it, begins: in bytes from the beginning of the input.
  package var position: Int { buffer.offset + consumed }

  /// Finds the next records.
  ///
  /// - Parameter batch: emptied, then filled with at least one record unless the end was reached.
  /// - Returns: whether there are records in the batch.
  /// - Throws: `ReadError` for damage, but only once the records before it have been handed over.
  package mutating func next(_ batch: inout RecordBatch) throws(ReadError) -> Bool {
    batch.removeAll()
    if let damage = pending { throw error(for: damage) }
    if let tooLarge { throw tooLarge }
    if isAtEnd { return false }
    buffer.discard(consumed)
    consumed = 0
    while true {
      let bound = limit == .max ? Int.max : max(0, limit - buffer.offset)
      let result = Self.scan(&scanner, buffer, limit: bound, into: &batch)
      consumed = result.consumed
      leftOut.add(scanner.takeLeftOut(), buffer: buffer)
      switch result.stop {
      case .damage(let damage):
        pending = damage
        if batch.records.isEmpty { throw error(for: damage) }
      case .limitReached:
        isAtEnd = true
      case .batchFull:
        break
      case .windowEnd:
        if batch.records.isEmpty {
          if buffer.isFinal || isFarBehindLimit {
            isAtEnd = true
          } else {
            buffer.discard(consumed)
            consumed = 0
            try fill()
            continue
          }
        }
      }
      if buffer.window.count > buffer.recordLimit { checkSizes(&batch) }
      recordCount += batch.records.count
      if batch.records.isEmpty, let tooLarge { throw tooLarge }
      return !batch.records.isEmpty
    }
  }

  /// Whether so much that is no record lies behind the limit that others should go on from here.
  private var isFarBehindLimit: Bool { limit < .max && position >= limit &+ ReadingLimits.seamSize }

  private mutating func fill() throws(ReadError) {
    do throws(ReadError) {
      try buffer.fill()
    } catch {
      var error = error
      if case .recordTooLarge = error.problem { error.place?.recordNumber = recordNumber }
      throw error
    }
  }

  /// Cuts a batch in front of a record that is larger than one may be.
  private mutating func checkSizes(_ batch: inout RecordBatch) {
    guard let index = batch.records.firstIndex(where: { $0.count > buffer.recordLimit }) else { return }
    var place = Place(lineNumber: 0, column: 0, offset: buffer.offset + Int(batch.records[index].start))
    if resolvesPlaces { place = buffer.place(at: Int(batch.records[index].start)) }
    place.recordNumber = recordNumber + index
    tooLarge = ReadError(
      inputName: buffer.source.name, problem: .recordTooLarge(limit: buffer.recordLimit), place: place)
    batch.records.removeSubrange(index...)
    batch.fields.removeSubrange((index * batch.fieldsPerRecord)...)
  }

  /// The number of the next record; those left out count too.
  private var recordNumber: Int { recordCount + leftOut.count + 1 }

  /// Static, so that the scanner is changed while the buffer is only looked at.
  private static func scan(
    _ scanner: inout any RecordScanner, _ buffer: borrowing ChunkBuffer, limit: Int, into batch: inout RecordBatch
  ) -> ScanResult {
    scanner.scan(
      buffer.storage.span.extracting(buffer.window), from: 0, limit: limit, isFinal: buffer.isFinal, into: &batch)
  }

  private func error(for damage: Damage) -> ReadError {
    let place =
      resolvesPlaces
      ? buffer.place(at: damage.offset, recordNumber: recordNumber)
      : Place(recordNumber: recordNumber, lineNumber: 0, column: 0, offset: buffer.offset + damage.offset)
    // What looks damaged may be the middle of another text.
    let isRewritten = buffer.source.change() == .rewritten
    return ReadError(
      inputName: buffer.source.name, problem: isRewritten ? .rewritten : .damage(damage.reason), place: place)
  }
}
