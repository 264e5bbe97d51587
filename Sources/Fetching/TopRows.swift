// The best rows seen so far, up to a capacity: a heap whose top is the worst row kept, so that nearly every record is
// turned away after one comparison with `threshold`. Equal keys keep the order of the file, so what is kept does not
// depend on the order of insertion.
//
// The heap moves small entries only; keys and rows stand in buffers, one a slot, that are reused when a row goes.

import Reading

/// Where a row stands in the dataset. The order of places is the order of the rows.
package struct RowPlace: Sendable, Equatable, Comparable {
  /// Which of the inputs.
  package var inputIndex: Int
  /// First byte in that input.
  package var offset: Int
  /// Number of bytes of the record.
  package var byteCount: Int

  package init(inputIndex: Int = 0, offset: Int, byteCount: Int = 0) {
    self.inputIndex = inputIndex
    self.offset = offset
    self.byteCount = byteCount
  }

  @inline(__always)
  package static func < (left: RowPlace, right: RowPlace) -> Bool {
    left.inputIndex == right.inputIndex ? left.offset < right.offset : left.inputIndex < right.inputIndex
  }
}

/// Keeps the rows that order first.
package struct TopRows: Sendable {
  /// A row that is kept.
  package struct Entry: Sendable {
    package let prefix: KeyPrefix
    package let place: RowPlace
    fileprivate let slot: Int
  }

  /// Whether a row with a certain prefix belongs to the best.
  package enum Verdict: Sendable, Equatable {
    case no
    case yes
    /// The whole key decides.
    case compareFully
  }

  package let capacity: Int
  private var heap: [Entry] = []
  private var keys: [[UInt8]] = []
  private var rows: [[UInt8]] = []

  /// A row whose prefix is above this is not kept; `UInt64.max` while there is room.
  package private(set) var threshold: UInt64

  package init(capacity: Int) {
    self.capacity = max(0, capacity)
    threshold = capacity > 0 ? UInt64.max : 0
  }

  package var count: Int { heap.count }
  /// Bytes of the keys and rows that are kept.
  package private(set) var byteCount = 0
  package var isFull: Bool { heap.count >= capacity }

  /// Whether a row would be kept, by the first eight bytes of its key alone.
  @inline(__always)
  package func wouldKeep(prefix: UInt64) -> Verdict {
    if !isFull { return .yes }
    if prefix > threshold || capacity == 0 { return .no }
    return prefix < threshold ? .yes : .compareFully
  }

  /// Whether a row would be kept; decides more than the bits alone, as an exact prefix is the whole key.
  package func wouldKeep(prefix: KeyPrefix, at place: RowPlace) -> Verdict {
    let verdict = wouldKeep(prefix: prefix.bits)
    guard verdict == .compareFully, let worst = heap.first, prefix.isExact || worst.prefix.isExact else {
      return verdict
    }
    return place < worst.place ? .yes : .no
  }

  /// Keeps a row if it belongs to the best; the worst one goes for it when there is no room.
  ///
  /// - Parameters:
  ///   - key: the whole key; it may be empty where the prefix is exact.
  ///   - row: the bytes of the record, which are copied.
  /// - Returns: whether it was kept.
  /// - Complexity: logarithmic in the capacity. No allocation once every slot has seen a row of this size.
  @discardableResult
  package mutating func insert(prefix: KeyPrefix, key: Span<UInt8>, place: RowPlace, row: Span<UInt8>) -> Bool {
    guard capacity > 0 else { return false }
    if heap.count < capacity {
      let slot = heap.count
      var keyBytes: [UInt8] = []
      keyBytes.append(copying: key)
      var rowBytes: [UInt8] = []
      rowBytes.append(copying: row)
      keys.append(keyBytes)
      rows.append(rowBytes)
      byteCount &+= key.count &+ row.count
      heap.append(Entry(prefix: prefix, place: place, slot: slot))
      siftUp(heap.count &- 1)
    } else {
      guard let worst = heap.first, isBefore(prefix, key, place, worst) else { return false }
      let slot = worst.slot
      byteCount &+= key.count &+ row.count &- keys[slot].count &- rows[slot].count
      keys[slot].removeAll(keepingCapacity: true)
      keys[slot].append(copying: key)
      rows[slot].removeAll(keepingCapacity: true)
      rows[slot].append(copying: row)
      heap[0] = Entry(prefix: prefix, place: place, slot: slot)
      siftDown(0)
    }
    if heap.count == capacity, let worst = heap.first { threshold = worst.prefix.bits }
    return true
  }

  /// Takes in the rows that another thread kept.
  package mutating func merge(_ other: TopRows) {
    for entry in other.heap where wouldKeep(prefix: entry.prefix, at: entry.place) != .no {
      let key = other.keys[entry.slot]
      let row = other.rows[entry.slot]
      insert(prefix: entry.prefix, key: key.span, place: entry.place, row: row.span)
    }
  }

  /// The rows kept, in order.
  package func sorted() -> [Entry] { heap.sorted { isBefore($0, $1) } }

  /// The rows kept, in the order of the scan.
  func inPlaceOrder() -> [Entry] { heap.sorted { $0.place < $1.place } }

  /// The bytes of a row that is kept.
  package func rowBytes(_ entry: Entry) -> [UInt8] { rows[entry.slot] }

  /// The key of a row that is kept, as it was given.
  package func keyBytes(_ entry: Entry) -> [UInt8] { keys[entry.slot] }

  private func isBefore(_ left: Entry, _ right: Entry) -> Bool {
    if left.prefix.bits != right.prefix.bits { return left.prefix.bits < right.prefix.bits }
    if !left.prefix.isExact && !right.prefix.isExact {
      let order = KeyBytes.compare(keys[left.slot], keys[right.slot])
      if order != 0 { return order < 0 }
    }
    return left.place < right.place
  }

  private func isBefore(_ prefix: KeyPrefix, _ key: Span<UInt8>, _ place: RowPlace, _ right: Entry) -> Bool {
    if prefix.bits != right.prefix.bits { return prefix.bits < right.prefix.bits }
    if !prefix.isExact && !right.prefix.isExact {
      let other = keys[right.slot]
      let order = KeyBytes.compare(key, other.span)
      if order != 0 { return order < 0 }
    }
    return place < right.place
  }

  private mutating func siftUp(_ start: Int) {
    let entry = heap[start]
    var index = start
    while index > 0 {
      let parent = (index &- 1) / 2
      guard isBefore(heap[parent], entry) else { break }
      heap[index] = heap[parent]
      index = parent
    }
    heap[index] = entry
  }

  private mutating func siftDown(_ start: Int) {
    let entry = heap[start]
    var index = start
    while true {
      var child = 2 &* index &+ 1
      guard child < heap.count else { break }
      if child &+ 1 < heap.count && isBefore(heap[child], heap[child &+ 1]) { child &+= 1 }
      guard isBefore(entry, heap[child]) else { break }
      heap[index] = heap[child]
      index = child
    }
    heap[index] = entry
  }
}
