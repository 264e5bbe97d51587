// Rows of a full order: what is kept of each, and runs of them. A run is a list of small entries that are sorted and one
// piece of memory, in the order of the scan, to which they point: of each row its place, its key, and its record.
//
// The trick: an entry is a key's first eight bytes and a position. As rows are stored in the order of the scan, positions
// (and, between runs, the order of the runs) break ties, so that no place is ever compared.

import Reading

/// One row of a run.
struct OrderedEntry: Sendable {
  /// The first eight bytes of the key, as an integer that compares as they do.
  var prefix: UInt64
  private let packed: UInt64

  /// - Parameters:
  ///   - position: where the row is stored in the bytes of its run.
  ///   - isWhole: whether the prefix is the whole key.
  @inline(__always)
  init(prefix: UInt64, position: Int, isWhole: Bool) {
    self.prefix = prefix
    packed = UInt64(truncatingIfNeeded: position) &<< 1 | (isWhole ? 1 : 0)
  }

  @inline(__always) var position: Int { Int(truncatingIfNeeded: packed &>> 1) }
  @inline(__always) var isWhole: Bool { packed & 1 != 0 }

  /// How many of some entries have a prefix below this one, or one not above it.
  ///
  /// - Complexity: logarithmic; the entries are sorted.
  static func count(in entries: [OrderedEntry], prefix: UInt64, includesEqual: Bool) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let other = entries[middle].prefix
      if other < prefix || includesEqual && other == prefix { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// How a row is stored: two words, the key, the record.
struct StoredRow: Sendable {
  static let headerSize = 16
  /// The places that a header can hold: 44 bits of offset, 20 of the input.
  private static let offsetBits: UInt64 = 44

  /// Where the record begins, in bytes from the beginning of its input.
  let offset: Int
  let inputIndex: Int
  /// Bytes of the whole key; 0 where the prefix is the whole key.
  let keyCount: Int
  /// Bytes of the record, whether they are stored or not.
  let recordCount: Int

  static let none = StoredRow(offset: 0, inputIndex: 0, keyCount: 0, recordCount: 0)

  private init(offset: Int, inputIndex: Int, keyCount: Int, recordCount: Int) {
    self.offset = offset
    self.inputIndex = inputIndex
    self.keyCount = keyCount
    self.recordCount = recordCount
  }

  @inline(__always)
  init(_ bytes: Span<UInt8>, at position: Int) {
    let place = KeyBytes.word(bytes, position)
    let counts = KeyBytes.word(bytes, position &+ 8)
    offset = Int(truncatingIfNeeded: place & (1 &<< Self.offsetBits &- 1))
    inputIndex = Int(truncatingIfNeeded: place &>> Self.offsetBits)
    keyCount = Int(truncatingIfNeeded: counts &>> 32)
    recordCount = Int(truncatingIfNeeded: counts & 0xFFFF_FFFF)
  }

  /// Bytes of the whole row.
  @inline(__always)
  func size(keepsRecords: Bool) -> Int { Self.headerSize &+ keyCount &+ (keepsRecords ? recordCount : 0) }

  /// Where the key is of the row that is stored at a position.
  @inline(__always)
  static func keyRange(_ bytes: Span<UInt8>, at position: Int) -> Range<Int> {
    let count = Int(truncatingIfNeeded: KeyBytes.word(bytes, position &+ 8) &>> 32)
    return (position &+ headerSize)..<(position &+ headerSize &+ count)
  }

  /// Appends a row.
  ///
  /// - Parameters:
  ///   - record: the record; empty where it is not kept.
  ///   - recordCount: bytes of the record.
  static func append(
    place: RowPlace, key: Span<UInt8>, record: Span<UInt8>, recordCount: Int, to bytes: inout [UInt8]
  ) {
    let first = UInt64(truncatingIfNeeded: place.inputIndex) &<< offsetBits | UInt64(truncatingIfNeeded: place.offset)
    let second = UInt64(truncatingIfNeeded: key.count) &<< 32 | UInt64(truncatingIfNeeded: recordCount)
    bytes.append(addingCapacity: headerSize &+ key.count &+ record.count) { output in
      append(first, to: &output)
      append(second, to: &output)
      append(key, to: &output)
      append(record, to: &output)
    }
  }

  @inline(__always)
  static func append(_ word: UInt64, to output: inout OutputSpan<UInt8>) {
    unsafe output.withUnsafeMutableBufferPointer { buffer, count in
      unsafe UnsafeMutableRawBufferPointer(buffer).storeBytes(
        of: word.littleEndian, toByteOffset: count, as: UInt64.self)
      count += 8
    }
  }

  @inline(__always)
  static func append(_ span: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    unsafe span.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe output.withUnsafeMutableBufferPointer { buffer, count in
        let target = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count..<(count + source.count)])
        unsafe target.baseAddress?.update(from: address, count: source.count)
        count += source.count
      }
    }
  }
}

/// Rows that are being gathered, then sorted.
struct OrderedRun: Sendable {
  private(set) var entries: [OrderedEntry] = []
  private(set) var bytes: [UInt8] = []

  init() {}

  /// Bytes of memory in use.
  var size: Int { bytes.count &+ entries.count &* MemoryLayout<OrderedEntry>.stride }

  /// Makes room at once, so that growing does not copy.
  mutating func reserve(_ byteCount: Int) { bytes.reserveCapacity(byteCount) }

  /// Adds a row that comes later in the scan than all before.
  @inline(__always)
  mutating func append(
    prefix: KeyPrefix, key: Span<UInt8>, place: RowPlace, record: Span<UInt8>, recordCount: Int
  ) {
    entries.append(OrderedEntry(prefix: prefix.bits, position: bytes.count, isWhole: prefix.isExact))
    StoredRow.append(place: place, key: key, record: record, recordCount: recordCount, to: &bytes)
  }

  /// Puts the rows in order and gives back memory that is not needed.
  mutating func sort() {
    let bytes = bytes
    EntrySorting.sort(&entries, bytes.span)
    if self.bytes.capacity / 2 > self.bytes.count {
      var exact: [UInt8] = []
      exact.reserveCapacity(bytes.count)
      exact.append(copying: bytes.span)
      self.bytes = exact
    }
  }

  /// Drops all but the first rows of the order, and their bytes.
  mutating func truncate(to count: Int, keepsRecords: Bool) {
    guard count < entries.count else { return }
    entries.removeLast(entries.count - count)
    // In the order of the scan, as positions break ties.
    var byPosition = Array(entries.indices)
    let old = entries
    byPosition.sort { old[$0].position < old[$1].position }
    var kept: [UInt8] = []
    for index in byPosition {
      let entry = old[index]
      let size = StoredRow(bytes.span, at: entry.position).size(keepsRecords: keepsRecords)
      entries[index] = OrderedEntry(prefix: entry.prefix, position: kept.count, isWhole: entry.isWhole)
      kept.append(copying: bytes.span.extracting(entry.position..<(entry.position + size)))
    }
    bytes = kept
  }

  /// How many rows have a prefix below this one, or one not above it.
  ///
  /// - Complexity: logarithmic; the run is sorted.
  func count(prefix: UInt64, includesEqual: Bool) -> Int {
    OrderedEntry.count(in: entries, prefix: prefix, includesEqual: includesEqual)
  }
}
