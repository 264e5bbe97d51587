// The full order against sorting an array, with budgets from nothing to plenty, so that every path is gone: runs in memory,
// runs in files, both together, and merging in several passes.

import Reading
import TestSupport
import Testing

@testable import Fetching

private struct Candidate {
  var key: [UInt8]
  var place: RowPlace
  var record: [UInt8]

  var prefix: KeyPrefix { KeyPrefix(bits: KeyBytes.prefix(of: key.span), isExact: key.count <= 8) }
}

private func candidates(_ count: Int, _ random: inout SeededGenerator, records: Int = 40) -> [Candidate] {
  (0..<count).map { index in
    var key: [UInt8] = []
    switch random.below(4) {
    case 0: key.append(KeyBytes.null)
    case 1: KeyBytes.append(UInt64(random.below(5)) << 56 | UInt64(random.below(3)), to: &key)
    default:
      // Long keys that agree for any number of bytes.
      let text = Array(repeating: UInt8(ascii: "x"), count: random.below(30)) + [random.pick(Array("ab".utf8))]
      KeyBytes.appendText(text.span, to: &key)
    }
    return Candidate(
      key: key, place: RowPlace(inputIndex: index / 50, offset: index * 10),
      record: (0..<random.below(records)).map { _ in random.pick(Array("abc,\"\n".utf8)) } + Array(" \(index)".utf8))
  }
}

private func sorted(_ candidates: [Candidate]) -> [Candidate] {
  candidates.sorted { left, right in
    let order = KeyBytes.compare(left.key, right.key)
    return order == 0 ? left.place < right.place : order < 0
  }
}

private func add(_ candidate: Candidate, to sort: inout ExternalSort) {
  if sort.rejects(candidate.prefix) { return }
  let key = candidate.prefix.isExact ? [] : candidate.key
  sort.append(
    prefix: candidate.prefix, key: key.span, place: candidate.place, record: candidate.record.span)
}

/// Feeds ranges of random sizes, which are merged in order, as a pass does.
private func gather(
  _ all: [Candidate], _ memory: SortMemory, rowLimit: Int? = nil, rangeSize: Int, _ random: inout SeededGenerator
) -> ExternalSort {
  var sort = ExternalSort(memory: memory, rowLimit: rowLimit, slackRows: 10)
  var rest = ArraySlice(all)
  while !rest.isEmpty {
    var part = sort.makeSuccessor()
    for candidate in rest.prefix(1 + random.below(rangeSize)) {
      add(candidate, to: &part)
      rest.removeFirst()
    }
    part.closeRun()
    sort.append(part)
  }
  return sort
}

private func rows(_ merge: inout RunMerge, blockRows: Int) throws -> [[UInt8]] {
  var rows: [[UInt8]] = []
  while !merge.isAtEnd {
    var block = RowBlock()
    try merge.append(to: &block, limit: blockRows, byteLimit: .max, inputs: [])
    for row in block.rows { rows.append(Array(block.bytes[row.range])) }
  }
  return rows
}

@Suite struct ExternalSortTests {
  @Test(arguments: [0, 1, 300, 1024, 4096, 20_000, 100_000, 8 << 30])
  func ordersAsAnArray(limit: Int) throws {
    var random = SeededGenerator(seed: UInt64(limit) + 1)
    for (count, rangeSize) in [(0, 1), (1, 1), (40, 3), (700, 90), (700, 1000), (1500, 10)] {
      let all = candidates(count, &random)
      let sort = gather(
        all, SortMemory(limit: limit, keepsRecords: true, threadCount: 1 + random.below(3)), rangeSize: rangeSize,
        &random)
      var merge = try sort.merge()
      #expect(try rows(&merge, blockRows: 1 + random.below(100)) == sorted(all).map(\.record))
    }
  }

  @Test(arguments: [0, 4096, 8 << 30])
  func passesOverRows(limit: Int) throws {
    var random = SeededGenerator(seed: 5)
    let all = candidates(500, &random)
    let expected = sorted(all).map(\.record)
    for offset in [0, 1, 2, 17, 250, 499, 500, 700] {
      let sort = gather(
        all, SortMemory(limit: limit, keepsRecords: true), rangeSize: 60, &random)
      var merge = try sort.merge()
      for row in [offset, 3, offset, 490, 0, offset] {
        merge.move(toRow: row)
        var block = RowBlock()
        try merge.append(to: &block, limit: random.below(20), byteLimit: .max, inputs: [])
        let found = block.rows.map { Array(block.bytes[$0.range]) }
        #expect(found == Array(expected.dropFirst(row).prefix(found.count)))
      }
      merge.move(toRow: offset)
      #expect(try rows(&merge, blockRows: 64) == Array(expected.dropFirst(offset)))
      #expect(merge.isAtEnd)
    }
  }

  @Test func recordsLargerThanTheMemory() throws {
    var random = SeededGenerator(seed: 6)
    let all = candidates(60, &random, records: 3000)
    let sort = gather(all, SortMemory(limit: 1024, keepsRecords: true), rangeSize: 9, &random)
    var merge = try sort.merge()
    #expect(try rows(&merge, blockRows: 7) == sorted(all).map(\.record))
  }

  /// More rows than are wanted are cut away on the way, and later ones turned away by the worst that is kept.
  @Test(arguments: [4096, 8 << 30])
  func keepsTheFirstRowsOfMany(limit: Int) throws {
    var random = SeededGenerator(seed: 7)
    for rowLimit in [1, 20, 400] {
      let all = candidates(2000, &random, records: 9)
      let sort = gather(
        all, SortMemory(limit: limit, keepsRecords: true), rowLimit: rowLimit, rangeSize: 100, &random)
      let wasCut = sort.rejectsTies
      if limit > 1 << 20 { #expect(wasCut) }
      var merge = try sort.merge()
      let found = try rows(&merge, blockRows: 4096)
      #expect(Array(found.prefix(rowLimit)) == sorted(all).prefix(rowLimit).map(\.record))
    }
  }

  /// A run in a file that cannot be read on: the rows before come once, then the error, as often as somebody asks.
  @Test func rowsBeforeARunThatIsCutComeOnce() throws {
    var random = SeededGenerator(seed: 9)
    let all = candidates(300, &random)
    let memory = SortMemory(limit: 0, keepsRecords: true)
    var runs: [SortedRun] = []
    for part in [all[..<150], all[150...]] {
      var run = OrderedRun()
      for candidate in part {
        let key = candidate.prefix.isExact ? [] : candidate.key
        run.append(
          prefix: candidate.prefix, key: key.span, place: candidate.place, record: candidate.record.span,
          recordCount: candidate.record.count)
      }
      run.sort()
      guard case .spilled(var spilled) = try memory.put(run) else {
        Issue.record("the run is in memory")
        return
      }
      // The second run is said to be longer than its file.
      if !runs.isEmpty { spilled.range = spilled.range.lowerBound..<(spilled.range.upperBound + 1000) }
      runs.append(.spilled(spilled))
    }
    var merge = try RunMerge(runs, keepsRecords: true, bufferSize: 512)
    var found: [[UInt8]] = []
    var errors = 0
    while errors < 3 {
      var block = RowBlock()
      do throws(ReadError) {
        try merge.append(to: &block, limit: 7, byteLimit: .max, inputs: [])
      } catch {
        #expect(error.problem == .shrunk && block.rows.isEmpty)
        errors += 1
      }
      found += block.rows.map { Array(block.bytes[$0.range]) }
      try #require(found.count <= all.count && !merge.isAtEnd)
    }
    #expect(found.count > 100)
    #expect(found == Array(sorted(all).map(\.record).prefix(found.count)))
  }

  @Test func sortsEntriesByKeysOfAnyLength() {
    var random = SeededGenerator(seed: 8)
    for count in [0, 1, 2, 127, 128, 129, 5000] {
      let all = candidates(count, &random)
      var run = OrderedRun()
      for candidate in all {
        let key = candidate.prefix.isExact ? [] : candidate.key
        run.append(
          prefix: candidate.prefix, key: key.span, place: candidate.place, record: candidate.record.span,
          recordCount: candidate.record.count)
      }
      run.sort()
      let found = run.entries.map { entry in
        let row = StoredRow(run.bytes.span, at: entry.position)
        return RowPlace(inputIndex: row.inputIndex, offset: row.offset)
      }
      #expect(found == sorted(all).map(\.place))
      for (entry, candidate) in zip(run.entries, sorted(all)) {
        #expect(entry.prefix == candidate.prefix.bits && entry.isWhole == candidate.prefix.isExact)
      }
    }
  }
}
