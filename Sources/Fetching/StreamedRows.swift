// Rows in the order of the file, read no further than they are asked for.

import Reading

/// Goes through the inputs record by record, leaving out what the predicate rejects.
struct StreamedRows: Sendable {
  private let inputs: [DatasetInput]
  private let fields: [FieldName]
  private var program: PredicateProgram?
  private var inputIndex = -1
  private var stream: RecordStream?
  private var selection: FieldSelection?
  private var batch = RecordBatch(fieldsPerRecord: 0)
  private var arranged: [Field] = []
  private var isArranged = false
  private var recordIndex = 0
  private var toSkip: Int
  private(set) var tally: PassTally

  init(inputs: [DatasetInput], predicate: Predicate?, fetchOffset: Int) {
    self.inputs = inputs
    fields = predicate?.fields ?? []
    program = predicate.map { PredicateProgram($0) }
    toSkip = fetchOffset
    tally = PassTally(fieldCount: fields.count)
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
    var count = 0
    while count < limit {
      // Taken out of self, so that its buffer can be looked at while the counts in self change.
      if let current = stream {
        stream = nil
        let isFull = take(from: current.buffer, into: &block, limit: limit, byteLimit: byteLimit, count: &count)
        stream = current
        if isFull { return true }
      }
      guard try readBatch() else { return false }
    }
    return true
  }

  /// Takes rows from what is left of the batch; true once the block is full.
  private mutating func take(
    from buffer: borrowing ChunkBuffer, into block: inout RowBlock, limit: Int, byteLimit: Int, count: inout Int
  ) -> Bool {
    var width = -1
    if case .csv(_, let header) = inputs[inputIndex].content { width = header.names.count }
    let window = buffer.storage.span.extracting(buffer.window)
    while recordIndex < batch.records.count {
      let record = batch.records[recordIndex]
      let at = recordIndex * fields.count
      recordIndex += 1
      tally.records += 1
      if !fields.isEmpty {
        tally.see(isArranged ? arranged.span : batch.fields.span, at: at)
        if program?.evaluate(window, isArranged ? arranged.span : batch.fields.span, at: at) == false { continue }
      }
      if width >= 0 && record.fieldCount != width {
        tally.ragged.add(record, width: width, inputIndex: inputIndex, buffer: buffer)
      }
      if toSkip > 0 {
        toSkip -= 1
        continue
      }
      block.append(
        window.extracting(record.range), inputIndex: inputIndex, offset: buffer.offset + Int(record.start))
      count += 1
      if count == limit || block.bytes.count >= byteLimit { return true }
    }
    return false
  }

  /// Reads the next batch, from the next input if need be; false at the end of the last.
  private mutating func readBatch() throws(ReadError) -> Bool {
    recordIndex = 0
    while true {
      if stream != nil {
        if try stream?.next(&batch) == true {
          isArranged = selection?.arrange(batch, into: &arranged) ?? false
          return true
        }
        tally.bytes += stream?.buffer.bytesRead ?? 0
        stream = nil
      }
      batch.removeAll()
      guard inputIndex + 1 < inputs.count else { return false }
      inputIndex += 1
      let input = inputs[inputIndex]
      let selection = FieldSelection(fields, of: input)
      self.selection = selection
      batch = selection.makeBatch()
      stream = selection.makeScanner().map { RecordStream(buffer: input.buffer, scanner: $0) }
    }
  }
}
