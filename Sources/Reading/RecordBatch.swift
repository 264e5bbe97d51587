// What a scanner hands on: the records it found in a window of bytes, and of each record just the wanted fields.

/// Where one record stands in its window.
@frozen @usableFromInline
package struct RecordRange: Sendable, Equatable {
  /// First byte, from the beginning of the window.
  @usableFromInline package var start: UInt32
  /// Number of bytes, without the line end or separator after it.
  @usableFromInline package var count: UInt32
  /// CSV: the number of fields the record has. JSON: 0.
  @usableFromInline package var fieldCount: UInt32

  @inlinable
  package init(start: UInt32, count: UInt32, fieldCount: UInt32 = 0) {
    self.start = start
    self.count = count
    self.fieldCount = fieldCount
  }

  @inlinable @inline(__always)
  package var range: Range<Int> { Int(start)..<(Int(start) &+ Int(count)) }
}

/// Records of one window, in order, with their wanted fields.
///
/// The positions count from the beginning of the window that was scanned. A batch is reused: `removeAll` keeps the
/// memory.
package struct RecordBatch: Sendable {
  /// How many fields of each record are wanted.
  package let fieldsPerRecord: Int
  /// A scanner stops with `.batchFull` when the batch holds this many records.
  package let recordLimit: Int
  package var records: [RecordRange] = []
  /// Row by row: the wanted fields of record i begin at `i * fieldsPerRecord`.
  package var fields: [Field] = []

  package init(fieldsPerRecord: Int, recordLimit: Int = 8192) {
    self.fieldsPerRecord = fieldsPerRecord
    // Wide requests get fewer records a batch, so that a batch stays within a few megabytes.
    self.recordLimit = max(16, min(recordLimit, 262_144 / max(1, fieldsPerRecord)))
  }

  package mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
  }
}
