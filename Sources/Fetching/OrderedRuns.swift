// Everything in order: of each row its key's first eight bytes and its place, and the whole key only where eight bytes
// do not hold it. Every range of the file gives one sorted run; the runs are merged. Rows are read again when they are
// printed.

import Reading

/// One row of a full order.
struct OrderedEntry: Sendable {
  /// The first eight bytes of the key, as an integer that compares as they do.
  var prefix: UInt64
  /// Where the record begins, in bytes from the beginning of its input.
  var offset: Int
  /// Where the whole key stands among the run's keys.
  var keyStart: Int
  /// Bytes of the whole key there; 0 where the prefix is the whole key.
  var keyCount: UInt32
  /// Bytes of the record.
  var count: UInt32
  var inputIndex: Int32
}

/// Rows in order, with the keys that their prefixes do not hold.
struct OrderedRun: Sendable {
  var entries: [OrderedEntry] = []
  var keys: [UInt8] = []

  /// Whether an entry of this run comes before one of another, or of this one. Total: places break ties.
  static func precedes(
    _ left: OrderedEntry, in leftKeys: Span<UInt8>, _ right: OrderedEntry, in rightKeys: Span<UInt8>
  ) -> Bool {
    if left.prefix != right.prefix { return left.prefix < right.prefix }
    // Keys are prefix-free, so two with the same first eight bytes are both longer than that, or the same.
    if left.keyCount > 0 && right.keyCount > 0 {
      let order = KeyBytes.compare(
        leftKeys.extracting(left.keyStart..<(left.keyStart + Int(left.keyCount))),
        rightKeys.extracting(right.keyStart..<(right.keyStart + Int(right.keyCount))))
      if order != 0 { return order < 0 }
    }
    if left.inputIndex != right.inputIndex { return left.inputIndex < right.inputIndex }
    return left.offset < right.offset
  }

  mutating func sort() {
    let keys = keys
    entries.sort { Self.precedes($0, in: keys.span, $1, in: keys.span) }
  }

  /// This run and another merged.
  ///
  /// - Complexity: linear.
  func merged(with other: OrderedRun) -> OrderedRun {
    var result = OrderedRun()
    result.entries.reserveCapacity(entries.count + other.entries.count)
    result.keys.reserveCapacity(keys.count + other.keys.count)
    result.keys.append(contentsOf: keys)
    result.keys.append(contentsOf: other.keys)
    func moved(_ entry: OrderedEntry) -> OrderedEntry {
      var entry = entry
      entry.keyStart += keys.count
      return entry
    }
    var left = 0
    var right = 0
    while left < entries.count && right < other.entries.count {
      if Self.precedes(entries[left], in: keys.span, other.entries[right], in: other.keys.span) {
        result.entries.append(entries[left])
        left += 1
      } else {
        result.entries.append(moved(other.entries[right]))
        right += 1
      }
    }
    result.entries.append(contentsOf: entries[left...])
    for entry in other.entries[right...] { result.entries.append(moved(entry)) }
    return result
  }

  /// All runs as one, merged in pairs.
  static func merged(_ runs: [OrderedRun]) -> OrderedRun {
    var runs = runs
    while runs.count > 1 {
      var next: [OrderedRun] = []
      var index = 0
      while index < runs.count {
        next.append(index + 1 < runs.count ? runs[index].merged(with: runs[index + 1]) : runs[index])
        index += 2
      }
      runs = next
    }
    return runs.first ?? OrderedRun()
  }
}
