// What a pass over records counts for notes and errors.

import Reading

/// Counts of a pass.
package struct PassTally: Sendable {
  /// Records looked at.
  package internal(set) var records = 0
  /// Bytes read.
  package internal(set) var bytes = 0
  /// Of each wanted field, whether some record had it.
  package private(set) var isPresent: [Bool]
  package internal(set) var ragged = RaggedTally()
  /// Fields not seen yet; once it is 0, nothing is looked up any more.
  private var absentCount: Int

  init(fieldCount: Int) {
    isPresent = Array(repeating: false, count: fieldCount)
    absentCount = fieldCount
  }

  /// Notes which of a record's wanted fields are there.
  mutating func see(_ fields: Span<Field>, at: Int) {
    if absentCount == 0 { return }
    var index = 0
    while index < isPresent.count {
      if fields[at &+ index].kind != .missing { setPresent(index) }
      index &+= 1
    }
  }

  /// The same for several records of a batch.
  mutating func see(_ fields: Span<Field>, records: Range<Int>, fieldCount: Int) {
    var record = records.lowerBound
    while absentCount != 0 && record < records.upperBound {
      see(fields, at: record &* fieldCount)
      record &+= 1
    }
  }

  private mutating func setPresent(_ index: Int) {
    if isPresent[index] { return }
    isPresent[index] = true
    absentCount -= 1
  }

  /// Counts the records of a batch, and those among them whose number of cells is not `width`.
  ///
  /// - Parameter width: cells of the header; negative where the input is no CSV.
  mutating func add(
    _ batch: borrowing RecordBatch, width: Int, inputIndex: Int, buffer: borrowing ChunkBuffer
  ) {
    records += batch.records.count
    guard width >= 0 else { return }
    for index in 0..<batch.records.count where batch.records[index].fieldCount != width {
      ragged.add(batch.records[index], width: width, inputIndex: inputIndex, buffer: buffer)
    }
  }

  /// Adds what was counted over later records.
  mutating func append(_ later: PassTally) {
    records += later.records
    bytes += later.bytes
    ragged.append(later.ragged)
    for index in later.isPresent.indices where later.isPresent[index] { setPresent(index) }
  }
}
