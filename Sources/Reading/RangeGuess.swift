// Where a record probably begins in the middle of a file. In CSV: after the first line end, as if it stood outside quotes.
// In JSON: where the text between the first two records of the file, with the first key of the second, stands again.
// A wrong guess costs time, never a result: RangeScan checks each.

struct RangeGuess: Sendable {
  private let input: DatasetInput
  private let selection: FieldSelection
  private let json: JSONPattern?
  /// Bytes of the first read of a range.
  private let chunkSize: Int

  private struct JSONPattern: Sendable {
    var separator: JSONRecordSeparator
    /// The state before such a record, and how to begin in it.
    var position: JSONScannerPosition
    var resumption: JSONResumption
  }

  /// - Returns: nil where the first bytes give nothing to guess by.
  init?(input: DatasetInput, selection: FieldSelection, chunkSize: Int) {
    self.chunkSize = chunkSize
    self.input = input
    self.selection = selection
    switch input.content {
    case .empty: return nil
    case .csv: json = nil
    case .json:
      guard let pattern = Self.pattern(of: input, selection) else { return nil }
      json = pattern
    }
  }

  private static func pattern(of input: DatasetInput, _ selection: FieldSelection) -> JSONPattern? {
    var batch = selection.makeBatch()
    guard var scanner = selection.makeScanner() else { return nil }
    return input.buffer.withWindow { window -> JSONPattern? in
      _ = scanner.scan(window, from: 0, limit: .max, isFinal: false, into: &batch)
      guard batch.records.count >= 2 else { return nil }
      guard let separator = JSONRecordSeparator(window, between: batch.records[0], and: batch.records[1]) else {
        return nil
      }
      // The state before a record is found by stopping there.
      guard var probe = selection.makeScanner() as? JSONScanner else { return nil }
      let limit = batch.records[1].range.lowerBound
      batch.removeAll()
      let stop = probe.scan(window, from: 0, limit: limit, isFinal: false, into: &batch)
      guard stop.stop == .limitReached else { return nil }
      let resumption: JSONResumption
      switch probe.position {
      case .beforeElement: resumption = .elementStart
      case .betweenValues: resumption = .valueStart
      default: return nil
      }
      return JSONPattern(separator: separator, position: probe.position, resumption: resumption)
    }
  }

  /// Whether a scanner that stopped at a limit is in the state that a guess assumes.
  func isSteady(_ scanner: any RecordScanner) -> Bool {
    guard let json else { return true }
    return (scanner as? JSONScanner)?.position == json.position
  }

  /// How many bytes before a place are looked at to find a record that begins there.
  var bytesBefore: Int { json?.separator.recordOffset ?? 1 }

  /// A stream that begins with the first record guessed at or after a place.
  ///
  /// - Parameters:
  ///   - start: in bytes from the beginning of the input.
  ///   - limit: where the range ends.
  /// - Returns: nil where nothing was found before the limit, or reading failed: the caller reads such a range in order.
  func stream(from start: Int, limit: Int) -> RecordStream? {
    let before = bytesBefore
    guard start >= before else { return nil }
    var buffer = ChunkBuffer(
      source: input.source, offset: start - before, firstReadSize: chunkSize,
      recordLimit: input.buffer.recordLimit)
    while true {
      guard (try? buffer.fill()) != nil else { return nil }
      let found = buffer.withWindow { window -> Int? in
        guard let json else { return CSVScanner.assumedRecordStart(window, from: 0) }
        return json.separator.nextRecord(in: window, from: 0)
      }
      if let found {
        buffer.discard(found)
        break
      }
      if buffer.isFinal || buffer.offset + buffer.window.count >= limit { return nil }
      // What was searched is dropped, but for the beginning of a match.
      buffer.discard(max(0, buffer.window.count - (json?.separator.text.count ?? 1)))
    }
    guard buffer.offset < limit else { return nil }
    let scanner = json.map { selection.makeScanner(resumingAt: $0.resumption) } ?? selection.makeScanner()
    guard let scanner else { return nil }
    return RecordStream(buffer: buffer, scanner: scanner, limit: limit, resolvesPlaces: false)
  }
}
