// Sorted runs as one sequence of rows: a tree of losers finds the next row with one comparison a level, and rows in memory
// that are not wanted are passed over without merging.
//
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.4.1 (replacement selection by a tree of losers).

import Reading

struct RunMerge: Sendable {
  /// The next row of a source.
  private struct Head: Sendable {
    var prefix: UInt64
    /// Where the row is stored in the bytes of the source.
    var position: Int
    var isWhole: Bool
    /// The source has no more rows.
    var isAtEnd: Bool
  }

  /// A run, with the bytes at hand.
  fileprivate struct Source: Sendable {
    var bytes: [UInt8]
    /// In memory: the rows.
    var entries: [OrderedEntry] = []
    var next = 0
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
  /// All runs are in memory, so that rows stay where they are while others are looked for.
  private let isInMemory: Bool
  /// Rows that were found, of which those from `nextGathered` on have not been taken.
  private var gathered: [GatheredRow] = []
  private var nextGathered = 0

  /// A row that was found.
  private struct GatheredRow: Sendable {
    var source: Int
    var position: Int
    var row: StoredRow
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
      case .spilled(let run): sources.append(Source(bytes: [], unread: run))
      }
      heads.append(Head(prefix: .max, position: 0, isWhole: true, isAtEnd: true))
    }
    for source in sources.indices { try advance(source) }
    build()
  }

  /// Whether all rows were taken.
  var isAtEnd: Bool { nextGathered == gathered.count && isMerged }

  /// Whether all rows were found.
  private var isMerged: Bool { heads.isEmpty || heads[winner].isAtEnd }

  // MARK: Taking rows

  /// Passes over rows.
  ///
  /// - Complexity: logarithmic for what is in memory, as long as prefixes tell rows apart.
  /// To be called before rows are taken.
  mutating func skip(_ count: Int) throws(ReadError) {
    var rest = count
    if isInMemory && rest > 1 {
      let prefix = Self.prefix(atRank: rest, of: sources.map { Run(entries: $0.entries) })
      for index in sources.indices {
        let passed = Run(entries: sources[index].entries).count(prefix: prefix, includesEqual: false)
        sources[index].next = passed
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
    var count = 0
    while count < limit && block.bytes.count < byteLimit {
      if nextGathered == gathered.count {
        if isMerged { break }
        if !isInMemory || !keepsRecords {
          let position = heads[winner].position
          let found = GatheredRow(source: winner, position: position, row: sources[winner].row(at: position))
          try append(found, to: &block, inputs)
          count += 1
          try advance(winner)
          replay()
          continue
        }
        try gather()
      }
      try append(gathered[nextGathered], to: &block, inputs)
      nextGathered += 1
      count += 1
    }
  }

  /// Finds the next rows.
  private mutating func gather() throws(ReadError) {
    gathered.removeAll(keepingCapacity: true)
    nextGathered = 0
    var places: [(source: Int, position: Int)] = []
    places.reserveCapacity(Self.gatherCount)
    while places.count < Self.gatherCount && !isMerged {
      places.append((winner, heads[winner].position))
      try advance(winner)
      replay()
    }
    for place in places {
      gathered.append(
        GatheredRow(
          source: place.source, position: place.position, row: sources[place.source].row(at: place.position)))
    }
  }

  @inline(__always)
  private func append(_ found: GatheredRow, to block: inout RowBlock, _ inputs: [DatasetInput]) throws(ReadError) {
    let row = found.row
    if keepsRecords {
      let start = found.position &+ StoredRow.headerSize &+ row.keyCount
      sources[found.source].append(start..<(start &+ row.recordCount), of: row, to: &block)
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
  @inline(__always)
  private mutating func advance(_ index: Int) throws(ReadError) {
    let next = sources[index].next
    if next < sources[index].entries.count {
      let entry = sources[index].entries[next]
      sources[index].next = next &+ 1
      heads[index] = Head(
        prefix: entry.prefix, position: entry.position, isWhole: entry.isWhole, isAtEnd: false)
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
    heads[index] = Head(prefix: .max, position: 0, isWhole: true, isAtEnd: true)
    if isInMemory { return }
    // Its memory is needed no more.
    sources[index].bytes = []
    sources[index].entries = []
    sources[index].next = 0
    sources[index].filled = 0
    sources[index].unread = nil
    sources[index].retained = nil
  }

  // MARK: The tree

  /// Whether the head of one source comes before that of another.
  @inline(__always)
  private func precedes(_ left: Int, _ right: Int) -> Bool {
    let first = heads[left].prefix
    let second = heads[right].prefix
    return first != second ? first < second : precedesOfEqual(left, right)
  }

  @inline(never)
  private func precedesOfEqual(_ left: Int, _ right: Int) -> Bool {
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
      let isLeft = precedes(left, right)
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
      if precedes(other, current) {
        losers[node] = current
        current = other
      }
      node /= 2
    }
    winner = current
  }

  // MARK: Ranks

  /// The entries of a run, for counting.
  private struct Run {
    let entries: [OrderedEntry]

    func count(prefix: UInt64, includesEqual: Bool) -> Int {
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

  /// The prefix of the row at a rank among the rows in memory, from 0; the greatest there is beyond the end.
  static func prefix(atRank rank: Int, of runs: [SortedRun]) -> UInt64 {
    prefix(
      atRank: rank,
      of: runs.compactMap { run in
        if case .memory(let run, _) = run { Run(entries: run.entries) } else { nil }
      })
  }

  private static func prefix(atRank rank: Int, of runs: [Run]) -> UInt64 {
    // The least prefix that more than `rank` rows are not above.
    var low = UInt64.min
    var high = UInt64.max
    while low < high {
      let middle = low + (high - low) / 2
      if runs.reduce(0, { $0 + $1.count(prefix: middle, includesEqual: true) }) > rank {
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
