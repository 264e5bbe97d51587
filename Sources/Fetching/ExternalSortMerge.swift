// Sorted runs as one sequence of rows: a tree of losers finds the next row with one comparison a level, and rows in memory
// that are not wanted are passed over without merging.
//
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.4.1 (replacement selection by a tree of losers).

import Reading

struct RunMerge: Sendable {
  /// The next row of a source.
  fileprivate struct Head: Sendable {
    var prefix: UInt64
    /// Where the row is stored in the bytes of the source.
    var position: Int
    /// In memory: the row after it.
    var next = 0
    var isWhole: Bool
    /// The source has no more rows.
    var isAtEnd: Bool

    static let end = Head(prefix: .max, position: 0, isWhole: true, isAtEnd: true)
  }

  /// A run, with the bytes at hand.
  fileprivate struct Source: Sendable {
    var bytes: [UInt8]
    /// In memory: the rows.
    var entries: [OrderedEntry] = []
    /// In a file: all of it.
    var origin: SpilledRun?
    /// In a file: what has not been read of it.
    var unread: SpilledRun?
    /// The bytes at hand that are worth something.
    var filled = 0
    var retained: RetainedMemory?
  }

  private let keepsRecords: Bool
  private let bufferSize: Int
  private var sources: [Source] = []
  private var heads: [Head] = []
  /// Of each inner node the source that lost there.
  private var losers: [Int] = []
  private var winner = 0
  /// How many rows were taken or passed over; with `target`, where to go before more are.
  private var nextRow = 0
  private var target: Int?
  /// All runs are in memory, so that rows stay where they are while others are looked for.
  private let isInMemory: Bool
  /// A run in a file could not be read on. What would come next is not known any more, so every later call meets it again.
  private var failure: ReadError?
  /// Rows that were found, of which those from `nextGathered` on have not been taken.
  private var gathered: [GatheredRow] = []
  private var nextGathered = 0

  /// A row that was found.
  private struct GatheredRow: Sendable {
    var source: Int
    var position: Int
    var row = StoredRow.none
  }

  /// Rows that are looked for before they are copied: their bytes stand all over the memory, and loads that do not
  /// depend on one another are waited for together.
  private static let gatherCount = 256

  /// - Parameter bufferSize: bytes that are read of a run in a file at a time.
  init(_ runs: consuming [SortedRun], keepsRecords: Bool, bufferSize: Int) throws(ReadError) {
    self.keepsRecords = keepsRecords
    self.bufferSize = bufferSize
    isInMemory = !runs.contains { $0.isSpilled }
    for run in runs {
      switch run {
      case .memory(let run, let retained):
        sources.append(Source(bytes: run.bytes, entries: run.entries, retained: retained))
      case .spilled(let run): sources.append(Source(bytes: [], origin: run, unread: run))
      }
      heads.append(.end)
    }
    for source in sources.indices { try advance(source) }
    build()
  }

  /// Whether all rows were taken.
  var isAtEnd: Bool { failure == nil && target == nil && nextGathered == gathered.count && isMerged }

  /// Whether the next rows are got without a look at the inputs.
  var isAtHand: Bool { keepsRecords && failure == nil }

  /// Whether all rows were found.
  private var isMerged: Bool { heads.isEmpty || heads[winner].isAtEnd }

  // MARK: Taking rows

  /// Makes a row the next one, counted from the first. It is gone to when rows are asked for, where errors have a place.
  mutating func move(toRow row: Int) {
    target = row
    if failure != nil {
      // Where it stands now is not known; it begins from the first row, and what failed is tried again.
      failure = nil
      nextRow = .max
    }
  }

  /// Goes to the row that was asked for.
  private mutating func moveToTarget() throws(ReadError) {
    guard let row = target else { return }
    target = nil
    gathered = []
    nextGathered = 0
    if isInMemory || row < nextRow {
      nextRow = 0
      for index in sources.indices {
        heads[index] = .end
        sources[index].filled = 0
        sources[index].unread = sources[index].origin
        try advance(index)
      }
      build()
    }
    let count = row - nextRow
    nextRow = row
    try skip(count)
  }

  /// Passes over rows; rows in memory from the first.
  ///
  /// - Complexity: logarithmic for what is in memory, as long as prefixes tell rows apart.
  private mutating func skip(_ count: Int) throws(ReadError) {
    var rest = count
    if isInMemory && rest > 1 {
      let prefix = Self.prefix(atRank: rest, of: sources.map(\.entries))
      for index in sources.indices {
        let passed = OrderedEntry.count(in: sources[index].entries, prefix: prefix, includesEqual: false)
        heads[index].next = passed
        rest -= passed
        try advance(index)
      }
      build()
    }
    while rest > 0 && !isMerged {
      try advance(winner)
      replay()
      rest -= 1
    }
  }

  /// Adds the next rows to a block.
  ///
  /// - Parameters:
  ///   - limit: how many rows at most.
  ///   - byteLimit: no further row is added to a block with this many bytes.
  ///   - inputs: where records are read again that were not kept.
  mutating func append(
    to block: inout RowBlock, limit: Int, byteLimit: Int, inputs: [DatasetInput]
  ) throws(ReadError) {
    if let failure { throw failure }
    do throws(ReadError) {
      try moveToTarget()
    } catch {
      failure = error
      throw error
    }
    let before = block.rows.count
    try take(into: &block, limit: limit, byteLimit: byteLimit, inputs: inputs)
    if !keepsRecords && block.rows.count > before {
      // What was read again has to be what was there before.
      do throws(ReadError) {
        for input in inputs { try input.source.checkUnchanged() }
      } catch {
        block.truncate(to: before)
        throw error
      }
    }
  }

  private mutating func take(
    into block: inout RowBlock, limit: Int, byteLimit: Int, inputs: [DatasetInput]
  ) throws(ReadError) {
    var count = 0
    defer { nextRow += count }
    while count < limit && block.bytes.count < byteLimit {
      if isAtEnd { break }
      if isInMemory && keepsRecords {
        if nextGathered == gathered.count { gather() }
        let first = nextGathered
        let sources = sources
        nextGathered = Self.copy(
          sources.span, gathered, from: first, to: &block, limit: limit - count, byteLimit: byteLimit)
        count += nextGathered - first
      } else {
        try appendWinner(to: &block, inputs)
        count += 1
        do throws(ReadError) {
          try advance(winner)
        } catch {
          // The row is good, and must not come again.
          failure = error
          return
        }
        replay()
      }
    }
  }

  /// Finds the next rows; all runs are in memory.
  private mutating func gather() {
    gathered.removeAll(keepingCapacity: true)
    nextGathered = 0
    let sources = sources
    winner = Self.gather(sources.span, &heads, &losers, winner, into: &gathered)
  }

  /// Static and over a span, so that nothing is counted for the arrays in sources.
  private static func gather(
    _ sources: Span<Source>, _ heads: inout [Head], _ losers: inout [Int], _ first: Int,
    into gathered: inout [GatheredRow]
  ) -> Int {
    var winner = first
    while gathered.count < gatherCount && !heads[winner].isAtEnd {
      gathered.append(GatheredRow(source: winner, position: heads[winner].position))
      heads[winner] = sources[winner].head(at: heads[winner].next)
      var node = (heads.count &+ winner) / 2
      while node > 0 {
        let other = losers[node]
        if precedes(heads, sources, other, winner) {
          losers[node] = winner
          winner = other
        }
        node /= 2
      }
    }
    for index in 0..<gathered.count {
      gathered[index].row = sources[gathered[index].source].row(at: gathered[index].position)
    }
    return winner
  }

  /// Copies rows that were found to a block.
  ///
  /// - Returns: the first that was not copied.
  private static func copy(
    _ sources: Span<Source>, _ gathered: [GatheredRow], from first: Int, to block: inout RowBlock, limit: Int,
    byteLimit: Int
  ) -> Int {
    var next = first
    let end = min(gathered.count, limit < gathered.count - first ? first + limit : gathered.count)
    while next < end && block.bytes.count < byteLimit {
      let found = gathered[next]
      let start = found.position &+ StoredRow.headerSize &+ found.row.keyCount
      sources[found.source].append(start..<(start &+ found.row.recordCount), of: found.row, to: &block)
      next &+= 1
    }
    return next
  }

  private func appendWinner(to block: inout RowBlock, _ inputs: [DatasetInput]) throws(ReadError) {
    let position = heads[winner].position
    let row = sources[winner].row(at: position)
    if keepsRecords {
      let start = position &+ StoredRow.headerSize &+ row.keyCount
      sources[winner].append(start..<(start &+ row.recordCount), of: row, to: &block)
    } else {
      let source = inputs[row.inputIndex].source
      try block.append(count: row.recordCount, inputIndex: row.inputIndex, offset: row.offset) {
        bytes, start throws(ReadError) in
        try source.readExactly(row.recordCount, at: row.offset, into: &bytes, at: start)
      }
    }
  }

  /// Writes the next row as it is stored; false where there is none.
  mutating func moveRow(to writer: inout SpillWriter) throws(ReadError) -> Bool {
    if isMerged { return false }
    let position = heads[winner].position
    let size = sources[winner].row(at: position).size(keepsRecords: keepsRecords)
    try sources[winner].write(position..<(position + size), prefix: heads[winner].prefix, to: &writer)
    try advance(winner)
    replay()
    return true
  }

  // MARK: Sources

  /// Goes on to the next row of a source.
  private mutating func advance(_ index: Int) throws(ReadError) {
    if sources[index].unread == nil && sources[index].filled == 0 {
      heads[index] = sources[index].head(at: heads[index].next)
    } else {
      try advanceInFile(index)
    }
  }

  private mutating func advanceInFile(_ index: Int) throws(ReadError) {
    // The prefix stands before the row.
    var start = 0
    if !heads[index].isAtEnd && sources[index].filled > 0 {
      let position = heads[index].position
      start = position + sources[index].row(at: position).size(keepsRecords: keepsRecords)
    }
    if try sources[index].hold(8 + StoredRow.headerSize, from: &start, bufferSize) {
      let size = sources[index].row(at: start + 8).size(keepsRecords: keepsRecords)
      if try sources[index].hold(8 + size, from: &start, bufferSize) {
        let row = sources[index].row(at: start + 8)
        heads[index] = Head(
          prefix: sources[index].word(at: start), position: start + 8, isWhole: row.keyCount == 0,
          isAtEnd: false)
        return
      }
    }
    heads[index] = .end
    // Its memory is needed no more.
    sources[index].bytes = []
    sources[index].filled = 0
    sources[index].unread = nil
  }

  // MARK: The tree

  /// Whether the head of one source comes before that of another.
  @inline(__always)
  private static func precedes(_ heads: [Head], _ sources: Span<Source>, _ left: Int, _ right: Int) -> Bool {
    let first = heads[left].prefix
    let second = heads[right].prefix
    return first != second ? first < second : precedesOfEqual(heads, sources, left, right)
  }

  @inline(never)
  private static func precedesOfEqual(_ heads: [Head], _ sources: Span<Source>, _ left: Int, _ right: Int) -> Bool {
    if heads[left].isAtEnd || heads[right].isAtEnd { return !heads[left].isAtEnd }
    if !heads[left].isWhole && !heads[right].isWhole {
      let order = Source.compareKeys(
        sources[left], at: heads[left].position, sources[right], at: heads[right].position)
      if order != 0 { return order < 0 }
    }
    return left < right
  }

  /// Plays all matches. Node i of the tree has the children 2i and 2i + 1; source i stands at the leaf count + i.
  private mutating func build() {
    let count = heads.count
    losers = Array(repeating: 0, count: count)
    guard count > 0 else { return }
    var winners = Array(repeating: 0, count: 2 * count)
    for source in 0..<count { winners[count + source] = source }
    var node = count - 1
    while node > 0 {
      let left = winners[2 * node]
      let right = winners[2 * node + 1]
      let isLeft = Self.precedes(heads, sources.span, left, right)
      winners[node] = isLeft ? left : right
      losers[node] = isLeft ? right : left
      node -= 1
    }
    winner = count == 1 ? 0 : winners[1]
  }

  /// Plays the matches of the source whose head has changed.
  @inline(__always)
  private mutating func replay() {
    var current = winner
    var node = (heads.count &+ current) / 2
    while node > 0 {
      let other = losers[node]
      if Self.precedes(heads, sources.span, other, current) {
        losers[node] = current
        current = other
      }
      node /= 2
    }
    winner = current
  }

  // MARK: Ranks

  /// The prefix of the row at a rank among the rows in memory, from 0; the greatest there is beyond the end.
  static func prefix(atRank rank: Int, of runs: [SortedRun]) -> UInt64 {
    prefix(
      atRank: rank,
      of: runs.compactMap { run in
        if case .memory(let run, _) = run { run.entries } else { nil }
      })
  }

  private static func prefix(atRank rank: Int, of runs: [[OrderedEntry]]) -> UInt64 {
    // The least prefix that more than `rank` rows are not above.
    var low = UInt64.min
    var high = UInt64.max
    while low < high {
      let middle = low + (high - low) / 2
      if runs.reduce(0, { $0 + OrderedEntry.count(in: $1, prefix: middle, includesEqual: true) }) > rank {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }
}

extension RunMerge.Source {
  @inline(__always)
  fileprivate func row(at position: Int) -> StoredRow { StoredRow(bytes.span, at: position) }

  /// In memory: the row at an index of the order; the end where there is none.
  @inline(__always)
  fileprivate func head(at index: Int) -> RunMerge.Head {
    guard index < entries.count else { return .end }
    let entry = entries[index]
    return RunMerge.Head(
      prefix: entry.prefix, position: entry.position, next: index &+ 1, isWhole: entry.isWhole, isAtEnd: false)
  }

  fileprivate func word(at position: Int) -> UInt64 { KeyBytes.word(bytes.span, position) }

  @inline(__always)
  fileprivate func append(_ record: Range<Int>, of row: StoredRow, to block: inout RowBlock) {
    block.append(bytes.span.extracting(record), inputIndex: row.inputIndex, offset: row.offset)
  }

  fileprivate func write(_ row: Range<Int>, prefix: UInt64, to writer: inout SpillWriter) throws(ReadError) {
    try writer.append(prefix: prefix, row: bytes.span.extracting(row))
  }

  /// Compares the keys of the rows that are stored at two positions.
  fileprivate static func compareKeys(
    _ left: borrowing RunMerge.Source, at leftPosition: Int, _ right: borrowing RunMerge.Source, at rightPosition: Int
  ) -> Int {
    let first = StoredRow.keyRange(left.bytes.span, at: leftPosition)
    let second = StoredRow.keyRange(right.bytes.span, at: rightPosition)
    return KeyBytes.compare(left.bytes.span.extracting(first), right.bytes.span.extracting(second))
  }

  /// Sees to it that some bytes of a run in a file are at hand.
  ///
  /// - Parameter start: where they begin among the bytes at hand, which may move.
  /// - Returns: false at the end of the run.
  fileprivate mutating func hold(_ count: Int, from start: inout Int, _ bufferSize: Int) throws(ReadError) -> Bool {
    if filled - start >= count { return true }
    guard var unread else { return false }
    if start > 0 {
      SystemCall.moveBytes(in: &bytes, from: start, to: 0, count: filled - start)
      filled -= start
      start = 0
    }
    let wanted = max(count, bufferSize)
    if bytes.count < wanted { bytes.append(contentsOf: repeatElement(0, count: wanted - bytes.count)) }
    let size = min(bytes.count - filled, unread.range.count)
    try unread.file.read(size, at: unread.range.lowerBound, into: &bytes, at: filled)
    filled += size
    unread.range = (unread.range.lowerBound + size)..<unread.range.upperBound
    self.unread = unread
    return filled >= count
  }
}
