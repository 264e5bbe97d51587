// A pass that only counts the records that match.

import Reading

struct CountPass: RecordAccumulator {
  private let descriptor: FetchDescriptor
  private let inputs: [DatasetInput]
  private let fieldCount: Int
  private var inputIndex = 0
  private var width = -1
  private(set) var program: PredicateProgram?
  var tally: PassTally
  private(set) var count = 0

  init(_ descriptor: FetchDescriptor, inputs: [DatasetInput]) {
    self.descriptor = descriptor
    self.inputs = inputs
    fieldCount = descriptor.predicate?.fields.count ?? 0
    program = descriptor.predicate.map { PredicateProgram($0) }
    tally = PassTally(fieldCount: fieldCount)
  }

  /// The records to come are from this input.
  mutating func read(_ index: Int) {
    inputIndex = index
    width = -1
    if inputs.indices.contains(index), case .csv(_, let header) = inputs[index].content { width = header.names.count }
  }

  func makeSuccessor() -> CountPass {
    var successor = CountPass(descriptor, inputs: inputs)
    successor.read(inputIndex)
    return successor
  }

  mutating func add(
    _ batch: borrowing RecordBatch, fields: Span<Field>, buffer: borrowing ChunkBuffer, scratch: inout Void
  ) {
    tally.add(batch, width: width, inputIndex: inputIndex, buffer: buffer)
    guard program != nil else {
      count += batch.records.count
      return
    }
    let window = buffer.storage.span.extracting(buffer.window)
    for index in 0..<batch.records.count {
      let at = index &* fieldCount
      tally.see(fields, at: at)
      if program?.evaluate(window, fields, at: at) == true { count += 1 }
    }
  }

  mutating func finishRange() {}

  mutating func append(_ later: CountPass) {
    tally.append(later.tally)
    count += later.count
    if let counted = later.program { program?.addCounts(of: counted) }
  }
}

/// A pass that only collects the columns of JSON.
struct ColumnPass: RecordAccumulator {
  private(set) var columns: DatasetColumns

  init(_ columns: DatasetColumns) {
    self.columns = columns
  }

  func makeSuccessor() -> ColumnPass { ColumnPass(columns) }

  mutating func add(
    _ batch: borrowing RecordBatch, fields: Span<Field>, buffer: borrowing ChunkBuffer, scratch: inout Void
  ) {
    let window = buffer.storage.span.extracting(buffer.window)
    for index in 0..<batch.records.count {
      _ = columns.add(record: window.extracting(batch.records[index].range))
    }
  }

  mutating func finishRange() {}

  mutating func append(_ later: ColumnPass) { columns.add(later.columns) }
}
