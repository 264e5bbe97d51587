// Rows in the order of the file, read no further than they are asked for.

import Reading

/// Goes through the inputs record by record, leaving out what the predicate rejects.
struct StreamedRows: Sendable {
  /// An input that is being read, and the batch at hand.
  private struct Source: Sendable {
    let selection: FieldSelection
    /// Cells of a CSV header; -1 in JSON.
    let width: Int
    var stream: RecordStream
    var batch: RecordBatch
    var arranged: [Field] = []
    var isArranged = false
  }

  private let inputs: [DatasetInput]
  private let fields: [FieldName]
  private var program: PredicateProgram?
  private var inputIndex = -1
  private var source: Source?
  /// The next record of the batch at hand.
  private var recordIndex = 0
  private var toSkip: Int
  private(set) var tally: PassTally
  /// Damaged records left out of each input.
  private(set) var leftOut: [DamageTally]

  init(inputs: [DatasetInput], predicate: Predicate?, fetchOffset: Int) {
    self.inputs = inputs
    fields = predicate?.fields ?? []
    program = predicate.map { PredicateProgram($0) }
    toSkip = fetchOffset
    tally = PassTally(fieldCount: fields.count)
    leftOut = Array(repeating: DamageTally(), count: inputs.count)
  }

  /// What the predicate has to remark.
  var predicateNotes: [String] { program?.notes() ?? [] }

  /// Adds the next rows to a block.
  ///
  /// - Parameters:
  ///   - limit: how many rows at most.
  ///   - byteLimit: no further row is added to a block with this many bytes.
  /// - Returns: false once the end was reached.
  /// - Throws: `ReadError` for damage, only once the rows before it were handed over.
  mutating func append(to block: inout RowBlock, limit: Int, byteLimit: Int) throws(ReadError) -> Bool {
    let end = block.rows.count.addingReportingOverflow(limit)
    let rowLimit = end.overflow ? Int.max : end.partialValue
    while true {
      if takeFromBatch(into: &block, rowLimit: rowLimit, byteLimit: byteLimit) { return true }
      guard try readBatch() else { return false }
    }
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
    while recordIndex < current.batch.records.count {
      let record = current.batch.records[recordIndex]
      let at = recordIndex * fieldCount
      recordIndex += 1
      tally.records += 1
      if fieldCount > 0 {
        tally.see(fields, at: at)
        if program?.evaluate(window, fields, at: at) == false { continue }
      }
      if current.width >= 0 && record.fieldCount != current.width {
        tally.ragged.add(record, width: current.width, inputIndex: inputIndex, buffer: buffer)
      }
      if toSkip > 0 {
        toSkip -= 1
        continue
      }
      block.append(
        window.extracting(record.range), inputIndex: inputIndex, offset: buffer.offset + Int(record.start))
      if block.rows.count >= rowLimit || block.bytes.count >= byteLimit { return true }
    }
    return false
  }

  /// Reads the next batch, from the next input if need be; false at the end of the last.
  private mutating func readBatch() throws(ReadError) -> Bool {
    recordIndex = 0
    while true {
      // Taken out, so that the batch is not shared while it is filled.
      if var current = source {
        source = nil
        let isThere: Bool
        defer { leftOut[inputIndex] = current.stream.leftOut }
        do throws(ReadError) {
          isThere = try current.stream.next(&current.batch)
        } catch {
          // The next call meets it again.
          source = current
          throw error
        }
        if isThere {
          current.isArranged = current.selection.arrange(current.batch, into: &current.arranged)
          source = current
          return true
        }
        tally.bytes += current.stream.buffer.bytesRead
      }
      guard inputIndex + 1 < inputs.count else { return false }
      inputIndex += 1
      let input = inputs[inputIndex]
      let selection = FieldSelection(fields, of: input)
      guard let scanner = selection.makeScanner() else { continue }
      var width = -1
      if case .csv(_, let header) = input.content { width = header.names.count }
      source = Source(
        selection: selection, width: width, stream: RecordStream(buffer: input.buffer, scanner: scanner),
        batch: selection.makeBatch())
    }
  }
}
