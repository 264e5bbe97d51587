// Moves a position along with the rows that were handed out. What lies between two positions is read once more, without
// its fields: that gives the scanner's state, the number of the record and that of the line, at the cost of the page.

package import Reading

/// Knows the position behind the last row that was handed out.
package struct ResumePositionTracking: Sendable {
  private let inputs: [DatasetInput]
  private let sortBy: [SortDescriptor]
  private let descriptor: String
  private let sample: ColumnSample?
  /// The position; nil before the first row.
  package private(set) var position: ResumePosition?

  /// - Parameters:
  ///   - inputs: all of them files.
  ///   - descriptor: what is asked for, in words.
  ///   - position: that of the run before; nil for the first.
  ///   - sample: where the columns come from, to be kept for the next run.
  package init(
    inputs: [DatasetInput], sortBy: [SortDescriptor], descriptor: String, position: ResumePosition?,
    sample: ColumnSample? = nil
  ) {
    self.sample = sample
    self.inputs = inputs
    self.sortBy = sortBy
    self.descriptor = descriptor
    self.position = position
  }

  /// Rows that were handed out.
  package var rowCount: Int { position?.rowCount ?? 0 }

  /// Moves behind a row.
  ///
  /// - Parameter count: how many rows more were handed out, this one the last.
  /// - Complexity: linear in what lies between the positions; with a sort constant.
  package mutating func advance(to row: RowEntry, record: Span<UInt8>, count: Int) throws(ReadError) {
    let input = inputs[row.inputIndex]
    let end = row.offset + row.count
    var place = RecordPosition(inputIndex: row.inputIndex, offset: end, resumption: nil, recordIndex: 0)
    var lineNumber = 0
    var key: [UInt8] = []
    var kinds: [String] = []
    if sortBy.isEmpty {
      let before = position.flatMap { $0.mark.position.inputIndex == row.inputIndex ? $0 : nil }
      (place.resumption, place.recordIndex) = try state(before: row, from: before?.mark.position)
      place.recordIndex += 1
      lineNumber =
        try (before?.lineNumber ?? 1) + lineEnds(in: min(end, before?.mark.position.offset ?? 0)..<end, of: input)
    } else {
      (key, kinds) = encodedKey(of: record, input)
    }
    var heads = position?.heads ?? []
    if heads.isEmpty {
      for input in inputs {
        heads.append(Digest(try input.source.bytes(in: 0..<min(ResumePosition.hashedSize, input.source.size ?? 0))))
      }
    }
    position = ResumePosition(
      descriptor: descriptor, rowCount: rowCount + count,
      mark: FetchMark(
        position: place, place: RowPlace(inputIndex: row.inputIndex, offset: row.offset), key: key,
        sizes: inputs.map { $0.source.knownSize ?? 0 }),
      lineNumber: lineNumber, kinds: kinds, heads: heads,
      before: Digest(try input.source.bytes(in: max(0, end - ResumePosition.hashedSize)..<end)), sample: sample)
  }

  /// The scanner's state behind a record, and how many records stand before it, found by reading up to it.
  private func state(
    before row: RowEntry, from start: RecordPosition?
  ) throws(ReadError) -> (JSONResumption?, Int) {
    let input = inputs[row.inputIndex]
    guard var stream = stream(of: input, from: start, limit: row.offset) else { return (nil, 0) }
    var batch = RecordBatch(fieldsPerRecord: 0)
    while try stream.next(&batch) {}
    guard let scanner = stream.scanner as? JSONScanner else { return (nil, stream.recordCount) }
    return (scanner.position == .betweenValues ? .valueStart : .elementEnd, stream.recordCount)
  }

  private func stream(of input: DatasetInput, from start: RecordPosition?, limit: Int) -> RecordStream? {
    let selection = FieldSelection([], of: input)
    let scanner = start?.resumption.map { selection.makeScanner(resumingAt: $0) } ?? selection.makeScanner()
    guard let scanner else { return nil }
    let buffer = start.map {
      input.buffer.restarted(at: $0.offset, firstReadSize: ReadingLimits.firstChunkSizeOnTheWay)
    }
    return RecordStream(
      buffer: buffer ?? input.buffer, scanner: scanner, limit: limit, recordsBefore: start?.recordIndex ?? 0)
  }

  private func lineEnds(in range: Range<Int>, of input: DatasetInput) throws(ReadError) -> Int {
    var counter = LineCounter()
    var start = range.lowerBound
    while start < range.upperBound {
      let bytes = try input.source.bytes(in: start..<min(range.upperBound, start + ReadingLimits.chunkSize))
      if bytes.isEmpty { break }
      counter.feed(bytes.span)
      start += bytes.count
    }
    return counter.lineNumber - 1
  }

  /// The key of a row, and the kinds of its parts.
  private func encodedKey(of record: Span<UInt8>, _ input: DatasetInput) -> ([UInt8], [String]) {
    let selection = FieldSelection(sortBy.map(\.key), of: input)
    var batch = selection.makeBatch()
    var arranged: [Field] = []
    var encoder = SortKeyEncoder(sortBy: sortBy)
    var key: [UInt8] = []
    guard var scanner = selection.makeScannerOfLoneRecord() else { return ([], []) }
    _ = scanner.scan(record, from: 0, limit: .max, isFinal: true, into: &batch)
    guard !batch.records.isEmpty else { return ([], []) }
    if !selection.arrange(batch, into: &arranged) { arranged = batch.fields }
    _ = encoder.prefix(record, arranged.span, at: 0)
    encoder.append(record, arranged.span, at: 0, to: &key)
    return (key, encoder.tallies.map { tally in tally.kinds.map { "\($0)" }.first ?? "null" })
  }

  /// Whether damage is only a JSON value at the very end of the dataset that has not been written to its end yet. Read as
  /// if more was to come, such a value is no damage.
  package func isUnclosedEnd(_ error: ReadError) -> Bool {
    guard sortBy.isEmpty, case .damage = error.problem, let input = inputs.last, error.inputName == input.name,
      case .json = input.content
    else { return false }
    let start = position.flatMap { $0.mark.position.inputIndex == inputs.count - 1 ? $0.mark.position : nil }
    guard let stream = stream(of: input, from: start, limit: .max) else { return false }
    var (buffer, scanner) = (stream.buffer, stream.scanner)
    var batch = RecordBatch(fieldsPerRecord: 0)
    while true {
      let result = buffer.withWindow { scanner.scan($0, from: 0, limit: .max, isFinal: false, into: &batch) }
      batch.removeAll()
      buffer.discard(result.consumed)
      switch result.stop {
      case .damage, .limitReached: return false
      case .batchFull: continue
      case .windowEnd:
        if buffer.isFinal { return true }
        guard (try? buffer.fill()) != nil else { return false }
      }
    }
  }
}
