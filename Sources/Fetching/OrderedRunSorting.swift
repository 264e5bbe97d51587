// Sorts the entries of a run: by a stable radix sort on the eight bytes at hand, least significant first, where bytes that
// are the same in all entries cost nothing. Entries that agree in them, and whose keys go on, are then sorted by the next
// eight bytes of their keys, and so on.
//
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.2.5 (radix sorting).

import Reading

enum EntrySorting {
  /// Below this, comparing costs less than counting digits.
  private static let smallCount = 128

  /// Entries that agree in a number of bytes of their keys.
  private struct Group {
    var range: Range<Int>
    var depth: Int
    var prefix: UInt64
  }

  /// Sorts entries that stand in the order of their positions, keeping that order between equal keys.
  ///
  /// - Parameter bytes: the rows that the entries point to.
  static func sort(_ entries: inout [OrderedEntry], _ bytes: Span<UInt8>) {
    var spare: [OrderedEntry] = []
    sort(&entries, 0..<entries.count, &spare)
    var groups: [Group] = []
    collectGroups(entries, 0..<entries.count, depth: 8, prefix: nil, into: &groups)
    // Groups lie inside the one they come from, and the prefixes are put back once a group needs no more bytes.
    while let group = groups.popLast() {
      for index in group.range {
        let key = StoredRow.keyRange(bytes, at: entries[index].position)
        let rest = min(key.lowerBound + group.depth, key.upperBound)..<key.upperBound
        entries[index] = OrderedEntry(
          prefix: KeyBytes.prefix(of: bytes.extracting(rest)), position: entries[index].position,
          isWhole: rest.count <= 8)
      }
      sort(&entries, group.range, &spare)
      let before = groups.count
      collectGroups(entries, group.range, depth: group.depth + 8, prefix: group.prefix, into: &groups)
      var next = group.range.lowerBound
      // What is in a deeper group gets its prefix back there.
      for inner in groups[before...] {
        restore(&entries, next..<inner.range.lowerBound, prefix: group.prefix)
        next = inner.range.upperBound
      }
      restore(&entries, next..<group.range.upperBound, prefix: group.prefix)
    }
  }

  private static func restore(_ entries: inout [OrderedEntry], _ range: Range<Int>, prefix: UInt64) {
    for index in range {
      entries[index] = OrderedEntry(prefix: prefix, position: entries[index].position, isWhole: false)
    }
  }

  /// Finds the entries of a sorted range that agree in their prefixes without being whole.
  private static func collectGroups(
    _ entries: [OrderedEntry], _ range: Range<Int>, depth: Int, prefix: UInt64?, into groups: inout [Group]
  ) {
    var start = range.lowerBound
    while start < range.upperBound {
      let first = entries[start]
      var end = start + 1
      while end < range.upperBound && entries[end].prefix == first.prefix { end += 1 }
      // Keys are prefix-free: where one ends, all that agree so far are equal.
      if end - start > 1 && !first.isWhole {
        groups.append(Group(range: start..<end, depth: depth, prefix: prefix ?? first.prefix))
      }
      start = end
    }
  }

  /// Sorts a range by prefix alone, stable.
  private static func sort(_ entries: inout [OrderedEntry], _ range: Range<Int>, _ spare: inout [OrderedEntry]) {
    if range.count < smallCount {
      insertionSort(&entries, range)
    } else {
      radixSort(&entries, range, &spare)
    }
  }

  private static func insertionSort(_ entries: inout [OrderedEntry], _ range: Range<Int>) {
    guard range.count > 1 else { return }
    for index in (range.lowerBound + 1)..<range.upperBound {
      let entry = entries[index]
      var hole = index
      while hole > range.lowerBound && entries[hole - 1].prefix > entry.prefix {
        entries[hole] = entries[hole - 1]
        hole -= 1
      }
      entries[hole] = entry
    }
  }

  private static func radixSort(_ entries: inout [OrderedEntry], _ range: Range<Int>, _ spare: inout [OrderedEntry]) {
    let count = range.count
    let base = range.lowerBound
    let missing = count - spare.count
    if missing > 0 {
      spare.append(contentsOf: repeatElement(OrderedEntry(prefix: 0, position: 0, isWhole: true), count: missing))
    }
    var ends = [Int](repeating: 0, count: 8 * 256)
    for index in range {
      var rest = entries[index].prefix
      var digit = 0
      while digit < 8 * 256 {
        ends[digit &+ Int(truncatingIfNeeded: rest & 0xFF)] &+= 1
        rest &>>= 8
        digit &+= 256
      }
    }
    var isInSpare = false
    let first = entries[base].prefix
    for digit in 0..<8 {
      let shift = UInt64(digit * 8)
      let row = digit * 256
      // All have the same byte here.
      if ends[row + Int(truncatingIfNeeded: (first >> shift) & 0xFF)] == count { continue }
      var sum = 0
      for value in row..<(row + 256) {
        let found = ends[value]
        ends[value] = sum
        sum += found
      }
      if isInSpare {
        scatter(spare, from: 0, count, shift, &ends, row, into: &entries, at: base)
      } else {
        scatter(entries, from: base, count, shift, &ends, row, into: &spare, at: 0)
      }
      isInSpare.toggle()
    }
    if isInSpare {
      for index in 0..<count { entries[base + index] = spare[index] }
    }
  }

  @inline(__always)
  private static func scatter(
    _ source: [OrderedEntry], from start: Int, _ count: Int, _ shift: UInt64, _ ends: inout [Int], _ row: Int,
    into target: inout [OrderedEntry], at base: Int
  ) {
    for index in start..<(start + count) {
      let entry = source[index]
      let bucket = row &+ Int(truncatingIfNeeded: (entry.prefix &>> shift) & 0xFF)
      target[base &+ ends[bucket]] = entry
      ends[bucket] &+= 1
    }
  }
}
