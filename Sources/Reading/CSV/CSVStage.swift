// The last step of a scan: rows wait here until there are enough of them to be worth an append.

/// Records on their way into a batch: gathered in memory that needs no check a record, handed over many at a time.
@unsafe
struct CSVStage {
  private let ranges: UnsafeMutablePointer<RecordRange>
  private let fields: UnsafeMutablePointer<Field>
  private let rowCapacity: Int
  private let slotCount: Int
  private var staged = 0
  /// Records that the batch still takes.
  private(set) var room: Int
  /// The row that is being filled.
  private(set) var row: UnsafeMutablePointer<Field>

  /// Bytes of memory that a stage needs.
  static func byteCount(rowCapacity: Int, slotCount: Int) -> Int {
    rowCapacity &* (MemoryLayout<RecordRange>.stride &+ slotCount &* MemoryLayout<Field>.stride)
  }

  /// - Parameters:
  ///   - memory: `byteCount` bytes, aligned for integers.
  ///   - room: records that the batch still takes.
  init(_ memory: UnsafeMutableRawPointer, rowCapacity: Int, slotCount: Int, room: Int) {
    unsafe ranges = memory.bindMemory(to: RecordRange.self, capacity: rowCapacity)
    unsafe fields = (memory + rowCapacity &* MemoryLayout<RecordRange>.stride)
      .bindMemory(to: Field.self, capacity: rowCapacity &* slotCount)
    unsafe self.rowCapacity = rowCapacity
    unsafe self.slotCount = slotCount
    unsafe self.room = room
    unsafe row = fields
    // The fields of columns that are not in the file stay as they are here.
    unsafe fields.initialize(repeating: .missing, count: rowCapacity &* slotCount)
  }

  /// The current row is complete.
  @inline(__always)
  mutating func commit(start: Int, end: Int, fieldCount: Int, batch: inout RecordBatch) {
    unsafe (ranges + staged).initialize(
      to: RecordRange(
        start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: end &- start),
        fieldCount: UInt32(truncatingIfNeeded: fieldCount)))
    unsafe staged &+= 1
    unsafe row += slotCount
    unsafe room &-= 1
    if unsafe staged == rowCapacity { unsafe flush(into: &batch) }
  }

  /// Hands everything over to the batch.
  @inline(never)
  mutating func flush(into batch: inout RecordBatch) {
    unsafe batch.records.append(contentsOf: UnsafeBufferPointer(start: ranges, count: staged))
    unsafe batch.fields.append(contentsOf: UnsafeBufferPointer(start: fields, count: staged &* slotCount))
    unsafe staged = 0
    unsafe row = fields
  }
}
