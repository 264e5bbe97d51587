// Where a record probably begins in the middle of a file. In CSV: after the first line end, as if it stood outside quotes.
// In JSON: where the text between the first two records of the file, with the first key of the second, stands again.
// A wrong guess costs time, never a result: RangeScan checks each.

struct RangeGuess: Sendable {
  private let input: DatasetInput
  private let selection: FieldSelection
  private let json: JSONPattern?

  private struct JSONPattern: Sendable {
    /// From the last byte of a record to the end of the next one's first key.
    var bytes: [UInt8]
    /// Where in it the record begins.
    var recordIndex: Int
    /// The state before such a record, and how to begin in it.
    var position: JSONScannerPosition
    var resumption: JSONResumption
  }

  /// - Returns: nil where the first bytes give nothing to guess by.
  init?(input: DatasetInput, selection: FieldSelection) {
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
      let first = batch.records[0].range
      let second = batch.records[1].range
      guard window[first.lowerBound] == UInt8(ascii: "{"), window[second.lowerBound] == UInt8(ascii: "{") else {
        return nil
      }
      var cursor = JSONCursor(inside: second)
      guard let member = cursor.next(window) else { return nil }
      let start = first.upperBound - 1
      let end = member.key.range.upperBound + 1
      guard start >= 0, end <= second.upperBound, end - start <= ReadingLimits.longestPattern else { return nil }
      // The state before a record is found by stopping there.
      guard var probe = selection.makeScanner() as? JSONScanner else { return nil }
      batch.removeAll()
      let stop = probe.scan(window, from: 0, limit: second.lowerBound, isFinal: false, into: &batch)
      guard stop.stop == .limitReached else { return nil }
      let resumption: JSONResumption
      switch probe.position {
      case .beforeElement: resumption = .elementStart
      case .betweenValues: resumption = .valueStart
      default: return nil
      }
      return JSONPattern(
        bytes: (start..<end).map { window[$0] }, recordIndex: second.lowerBound - start, position: probe.position,
        resumption: resumption)
    }
  }

  /// Whether a scanner that stopped at a limit is in the state that a guess assumes.
  func isSteady(_ scanner: any RecordScanner) -> Bool {
    guard let json else { return true }
    return (scanner as? JSONScanner)?.position == json.position
  }

  /// A stream that begins with the first record guessed at or after a place.
  ///
  /// - Parameters:
  ///   - start: in bytes from the beginning of the input.
  ///   - limit: where the range ends.
  /// - Returns: nil where nothing was found before the limit, or reading failed: the caller reads such a range in order.
  func stream(from start: Int, limit: Int) -> RecordStream? {
    let before = json?.recordIndex ?? 1
    guard start >= before else { return nil }
    var buffer = ChunkBuffer(
      source: input.source, offset: start - before, firstReadSize: ReadingLimits.chunkSize,
      recordLimit: input.buffer.recordLimit)
    while true {
      guard (try? buffer.fill()) != nil else { return nil }
      let found = buffer.withWindow { window -> Int? in
        guard let json else { return CSVScanner.assumedRecordStart(window, from: 0) }
        return Self.find(json.bytes, in: window).map { $0 + json.recordIndex }
      }
      if let found {
        buffer.discard(found)
        break
      }
      if buffer.isFinal || buffer.offset + buffer.window.count >= limit { return nil }
      // What was searched is dropped, but for the beginning of a match.
      buffer.discard(max(0, buffer.window.count - (json?.bytes.count ?? 1)))
    }
    guard buffer.offset < limit else { return nil }
    let scanner = json.map { selection.makeScanner(resumingAt: $0.resumption) } ?? selection.makeScanner()
    guard let scanner else { return nil }
    return RecordStream(buffer: buffer, scanner: scanner, limit: limit, resolvesPlaces: false)
  }

  /// The first place where some bytes stand.
  private static func find(_ pattern: [UInt8], in window: Span<UInt8>) -> Int? {
    guard let first = pattern.first, pattern.count <= window.count else { return nil }
    for index in 0...(window.count - pattern.count) where window[index] == first {
      var length = 1
      while length < pattern.count && window[index + length] == pattern[length] { length += 1 }
      if length == pattern.count { return index }
    }
    return nil
  }
}
