// The heap against sorting everything and taking the beginning.

import Reading
import TestSupport
import Testing

@testable import Fetching

private struct Candidate {
  var key: [UInt8]
  var place: RowPlace
  var row: [UInt8]

  var prefix: KeyPrefix { KeyPrefix(bits: KeyBytes.prefix(of: key.span), isExact: key.count <= 8) }
}

private func candidates(_ count: Int, _ random: inout SeededGenerator) -> [Candidate] {
  (0..<count).map { index in
    var key: [UInt8] = []
    let text = (0..<random.below(12)).map { _ in random.pick(Array("aaab".utf8)) }
    KeyBytes.appendText(text.span, to: &key)
    let place = RowPlace(inputIndex: index % 3, offset: index * 10, byteCount: 5)
    return Candidate(key: key, place: place, row: Array("row \(index)".utf8))
  }
}

private func expected(_ candidates: [Candidate], _ capacity: Int) -> [[UInt8]] {
  candidates.sorted { left, right in
    let order = KeyBytes.compare(left.key, right.key)
    return order == 0 ? left.place < right.place : order < 0
  }.prefix(capacity).map(\.row)
}

/// Inserts as a caller does: the verdict first, the whole key only where needed.
private func insert(_ candidate: Candidate, into top: inout TopRows) {
  let verdict = top.wouldKeep(prefix: candidate.prefix.bits)
  if top.isFull && candidate.prefix.bits > top.threshold { #expect(verdict == .no) }
  guard verdict != .no else { return }
  let exact = top.wouldKeep(prefix: candidate.prefix, at: candidate.place)
  let kept = top.insert(
    prefix: candidate.prefix, key: candidate.key.span, place: candidate.place, row: candidate.row.span)
  if exact != .compareFully { #expect(kept == (exact == .yes)) }
}

@Suite struct TopRowsTests {
  @Test func keepsWhatSortingWouldShow() {
    var random = SeededGenerator(seed: 21)
    for capacity in [0, 1, 2, 3, 7, 50, 400] {
      let all = candidates(300, &random)
      for _ in 0..<3 {
        var top = TopRows(capacity: capacity)
        for candidate in all.shuffled(using: &random) { insert(candidate, into: &top) }
        #expect(top.sorted().map { top.rowBytes($0) } == expected(all, capacity))
        #expect(top.count == min(capacity, 300))
        if capacity == 400 { #expect(top.threshold == UInt64.max) }
      }
    }
  }

  @Test func mergesWhatThreadsKept() {
    var random = SeededGenerator(seed: 22)
    for capacity in [0, 1, 20, 500] {
      let all = candidates(300, &random)
      var parts = [TopRows(capacity: capacity), TopRows(capacity: capacity), TopRows(capacity: capacity)]
      for candidate in all { insert(candidate, into: &parts[random.below(3)]) }
      var top = TopRows(capacity: capacity)
      for part in parts { top.merge(part) }
      let sorted = top.sorted()
      #expect(sorted.map { top.rowBytes($0) } == expected(all, capacity))
      for entry in sorted { #expect(KeyBytes.prefix(of: top.keyBytes(entry).span) == entry.prefix.bits) }
    }
  }
}
