// Rows in the order of the file, read no further than they are asked for.

import Reading

/// Goes through the inputs record by record, leaving out what the predicate rejects.
struct StreamedRows: Sendable {
  /// An input that is being read, and the batch at hand.
  fileprivate struct Source: Sendable {
    let selection: FieldSelection
    /// Cells of a CSV header; -1 in JSON.
    let width: Int
    var stream: RecordStream
    var batch: RecordBatch
    var arranged: [Field] = []
    var isArranged = false

    init(_ selection: FieldSelection, of input: DatasetInput, _ stream: RecordStream) {
      self.selection = selection
      if case .csv(_, let header) = input.content { width = header.names.count } else { width = -1 }
      self.stream = stream
      batch = selection.makeBatch()
    }
  }

  private var inputs: [DatasetInput]
  private let fields: [FieldName]
  private var program: PredicateProgram?
  private var inputIndex = -1
  private var source: Source?
  /// The next record of the batch at hand.
  private var recordIndex = 0
  private var toSkip: Int
  private let fetchOffset: Int
  /// Matching records met before the next one, those that are skipped among them.
  private var rowIndex = 0
  private var index = RecordIndex()
  /// Where reading began, if not at the beginning.
  private let start: RecordPosition?
  /// Records before this place have been counted; reading them again counts nothing.
  private var counted = RecordPosition(inputIndex: 0, offset: 0, resumption: nil, recordIndex: 0)
  private var passTally: PassTally
  /// Reading began again at a place that was found before, where now something else may stand.
  private var hasGoneBack = false
  /// Ends a long way to the next row.
  var cancellation: ScanMonitor?
  /// Damaged records left out of each input.
  private(set) var leftOut: [DamageTally]

  /// - Parameter start: where to begin reading; nil: with the first record. Files only.
  init(inputs: [DatasetInput], predicate: Predicate?, fetchOffset: Int, start: RecordPosition? = nil) {
    self.inputs = inputs
    fields = predicate?.fields ?? []
    program = predicate.map { PredicateProgram($0) }
    toSkip = fetchOffset
    self.fetchOffset = fetchOffset
    self.start = start
    passTally = PassTally(fieldCount: fields.count)
    leftOut = Array(repeating: DamageTally(), count: inputs.count)
    if let start { open(start) }
  }

  /// What was counted so far.
  var tally: PassTally {
    var tally = passTally
    if let source { tally.bytes += source.stream.buffer.bytesRead }
    return tally
  }

  /// Whether the next row may have to be waited for: it is to come from a pipe, and nothing of it is at hand.
  var mayWait: Bool {
    guard let source else {
      return inputs.indices.contains(inputIndex + 1) && !inputs[inputIndex + 1].source.isSeekable
    }
    return !source.stream.buffer.source.isSeekable && !source.stream.buffer.isFinal
  }

  /// What the predicate has to remark.
  var predicateNotes: [String] { program?.notes() ?? [] }

  /// Adds the next rows to a block.
  ///
  /// - Parameters:
  ///   - limit: how many rows at most.
  ///   - byteLimit: no further row is added to a block with this many bytes.
  ///   - waits: whether to go on until there are so many; else a pipe is waited for only while there is no row at all.
  /// - Returns: false once the end was reached; true too where the fetch was cancelled.
  /// - Throws: `ReadError` for damage, only once the rows before it were handed over.
  mutating func append(
    to block: inout RowBlock, limit: Int, byteLimit: Int, waits: Bool = true
  ) throws(ReadError) -> Bool {
    let before = block.rows.count
    let end = before.addingReportingOverflow(limit)
    let rowLimit = end.overflow ? Int.max : end.partialValue
    while true {
      if takeFromBatch(into: &block, rowLimit: rowLimit, byteLimit: byteLimit) { return true }
      if !waits && block.rows.count > before && mayWait { return true }
      if cancellation?.isCancelled == true { return true }
      guard try readBatch() else { return false }
    }
  }

  /// Rows met so far from the first that is handed over, in one go from the beginning.
  var metCount: Int { max(0, rowIndex - fetchOffset) }

  /// Goes on with the same inputs opened anew, because they have grown. The next row has to be moved to.
  mutating func reopen(_ inputs: [DatasetInput]) {
    guard inputs.count == self.inputs.count else { return }
    if let source { passTally.bytes += source.stream.buffer.bytesRead }
    self.inputs = inputs
    source = nil
    recordIndex = 0
    inputIndex = -1
    rowIndex = 0
    toSkip = fetchOffset
  }

  /// Makes a row the next one to be handed over. Files can be gone back in, at the cost of a batch of records; in what
  /// was not read yet, and in a pipe, the way leads through all rows before.
  mutating func move(toRow row: Int) {
    let sum = fetchOffset.addingReportingOverflow(row)
    let target = sum.overflow ? Int.max : sum.partialValue
    let entry = index.entry(beforeRow: target)
    if target < rowIndex || (entry.map { $0.rowIndex > rowIndex } ?? false) {
      if let source { passTally.bytes += source.stream.buffer.bytesRead }
      source = nil
      recordIndex = 0
      inputIndex = -1
      rowIndex = 0
      if let entry {
        rowIndex = entry.rowIndex
        hasGoneBack = true
        open(entry.position)
      } else if let start {
        open(start)
      }
    }
    toSkip = target - rowIndex
  }

  /// Begins to read at a place.
  private mutating func open(_ position: RecordPosition) {
    guard inputs.indices.contains(position.inputIndex) else { return }
    let input = inputs[position.inputIndex]
    let selection = FieldSelection(fields, of: input)
    inputIndex = position.inputIndex
    source = position.stream(of: input, selection).map { Source(selection, of: input, $0) }
  }

  /// Adds the rows that are left of the batch at hand, without reading.
  mutating func appendAtHand(to block: inout RowBlock, limit: Int) {
    _ = takeFromBatch(into: &block, rowLimit: block.rows.count + limit, byteLimit: .max)
  }

  /// Takes rows from what is left of the batch; true once the block is full.
  private mutating func takeFromBatch(into block: inout RowBlock, rowLimit: Int, byteLimit: Int) -> Bool {
    if block.rows.count >= rowLimit { return true }
    // Taken out of self, so that it can be looked at while the counts in self change.
    guard let current = source else { return false }
    source = nil
    let isFull =
      current.isArranged
      ? take(from: current, current.arranged.span, into: &block, rowLimit: rowLimit, byteLimit: byteLimit)
      : take(from: current, current.batch.fields.span, into: &block, rowLimit: rowLimit, byteLimit: byteLimit)
    source = current
    return isFull
  }

  private mutating func take(
    from current: Source, _ fields: Span<Field>, into block: inout RowBlock, rowLimit: Int, byteLimit: Int
  ) -> Bool {
    let buffer = current.stream.buffer
    let window = buffer.storage.span.extracting(buffer.window)
    let fieldCount = self.fields.count
    // Records before this place of the window were counted when they were read the first time.
    let countedEnd =
      counted.inputIndex == inputIndex ? counted.offset - buffer.offset : counted.inputIndex > inputIndex ? Int.max : 0
    var isFull = false
    while recordIndex < current.batch.records.count {
      let record = current.batch.records[recordIndex]
      let at = recordIndex * fieldCount
      recordIndex += 1
      let isNew = Int(record.start) >= countedEnd
      if isNew { passTally.records += 1 }
      if fieldCount > 0 {
        passTally.see(fields, at: at)
        if program?.evaluate(window, fields, at: at) == false { continue }
      }
      if isNew && current.width >= 0 && record.fieldCount != current.width {
        passTally.ragged.add(record, width: current.width, inputIndex: inputIndex, buffer: buffer)
      }
      rowIndex += 1
      if toSkip > 0 {
        toSkip -= 1
        continue
      }
      block.append(
        window.extracting(record.range), inputIndex: inputIndex, offset: buffer.offset + Int(record.start))
      if block.rows.count >= rowLimit || block.bytes.count >= byteLimit {
        isFull = true
        break
      }
    }
    if recordIndex > 0 {
      let end = buffer.offset + Int(current.batch.records[recordIndex - 1].start) + 1
      if (inputIndex, end) > (counted.inputIndex, counted.offset) {
        counted = RecordPosition(inputIndex: inputIndex, offset: end, resumption: nil, recordIndex: 0)
      }
    }
    return isFull
  }

  /// Reads the next batch, from the next input if need be; false at the end of the last.
  private mutating func readBatch() throws(ReadError) -> Bool {
    if hasGoneBack, inputs.indices.contains(inputIndex) {
      try inputs[inputIndex].source.checkUnchanged()
      hasGoneBack = false
    }
    recordIndex = 0
    while true {
      // Taken out, so that the batch is not shared while it is filled.
      if var current = source {
        source = nil
        let place = current.place(in: inputIndex)
        let isThere: Bool
        let position = current.stream.position
        // Less than before only where records are read again.
        defer {
          if current.stream.leftOut.count > leftOut[inputIndex].count { leftOut[inputIndex] = current.stream.leftOut }
        }
        do throws(ReadError) {
          isThere = try current.stream.next(&current.batch)
        } catch {
          // The next call meets it again.
          source = current
          throw error
        }
        if isThere {
          cancellation?.add(current.stream.position - position)
          if let place { index.add(place, rowIndex: rowIndex) }
          current.isArranged = current.selection.arrange(current.batch, into: &current.arranged)
          source = current
          return true
        }
        do throws(ReadError) {
          try current.stream.buffer.source.checkUnchanged()
        } catch {
          source = current
          throw error
        }
        passTally.bytes += current.stream.buffer.bytesRead
      }
      guard inputIndex + 1 < inputs.count else { return false }
      inputIndex += 1
      let input = inputs[inputIndex]
      let selection = FieldSelection(fields, of: input)
      guard let scanner = selection.makeScanner() else { continue }
      source = Source(selection, of: input, RecordStream(buffer: input.buffer, scanner: scanner))
    }
  }
}

extension StreamedRows.Source {
  /// Where the stream stands, if reading can begin again there.
  fileprivate func place(in inputIndex: Int) -> RecordPosition? {
    guard stream.buffer.source.isReplayable else { return nil }
    var resumption: JSONResumption?
    if let scanner = stream.scanner as? JSONScanner {
      guard let found = scanner.position.resumption else { return nil }
      resumption = found
    }
    return RecordPosition(
      inputIndex: inputIndex, offset: stream.position, resumption: resumption, recordIndex: stream.recordCount)
  }
}
