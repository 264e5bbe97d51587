// Sorted runs of any number of rows within a budget of memory: what does not fit goes to a file. Runs stand in the order of
// the scan, whichever thread made them, so that the result does not depend on threads or budget.
//
// Where only the first rows of the order are wanted, runs are cut from time to time, and the worst row that is kept becomes
// a bound for those to come.

import Reading
import Synchronization

/// What all threads of a sort share.
final class SortMemory: Sendable {
  let limit: Int
  /// Whether the records themselves are kept, rather than read again.
  let keepsRecords: Bool
  /// Bytes at which a run is sorted and put away.
  let runSize: Int
  /// Bytes that a heap of the best rows may hold; there is one a thread, one of what they found, and those in between.
  let heapSize: Int
  /// Bytes of a buffer in front of a run in a file.
  let bufferSize: Int
  /// Runs in files that are merged at once at most.
  let fanIn: Int
  private let retainedLimit: Int
  private let retained = Atomic<Int>(0)
  private let file = Mutex<SpillFile?>(nil)

  /// - Parameters:
  ///   - limit: bytes of memory to use at most; however little it is, a row and a few small buffers are held.
  ///   - threadCount: how many runs are filled at a time.
  init(limit: Int, keepsRecords: Bool, threadCount: Int = WorkerThreads.coreCount) {
    let limit = max(0, limit)
    self.limit = limit
    self.keepsRecords = keepsRecords
    // A thread holds its run, and while it sorts its entries twice.
    runSize = min(SortLimits.runSize, limit / (4 * max(1, threadCount)))
    heapSize = limit / (2 * max(1, threadCount) + 2)
    retainedLimit = limit - runSize * max(1, threadCount) * 3 / 2
    bufferSize = max(SortLimits.smallestBufferSize, min(SortLimits.bufferSize, limit / 64))
    fanIn = max(SortLimits.smallestFanIn, min(SortLimits.fanIn, limit / 4 / bufferSize))
  }

  /// Takes memory for a run, if there is any left.
  fileprivate func retain(_ size: Int) -> Bool {
    let after = retained.add(size, ordering: .relaxed).newValue
    if after <= retainedLimit { return true }
    release(size)
    return false
  }

  fileprivate func retainAnyway(_ size: Int) { retained.add(size, ordering: .relaxed) }

  fileprivate func release(_ size: Int) { retained.subtract(size, ordering: .relaxed) }

  /// Whether a run was put in a file.
  var hasFile: Bool { file.withLock { $0 != nil } }

  /// The file of the runs that do not fit.
  private func spillFile() throws(ReadError) -> SpillFile {
    try file.withLock { (file) throws(ReadError) in
      if let file { return file }
      let made = try SpillFile()
      file = made
      return made
    }
  }

  /// Puts a sorted run away: in memory if there is room.
  func put(_ run: consuming OrderedRun) throws(ReadError) -> SortedRun {
    let size = run.size
    if retain(size) { return .memory(run, RetainedMemory(size: size, of: self)) }
    var writer = SpillWriter(
      try spillFile(), size: run.bytes.count + 8 * run.entries.count, bufferSize: bufferSize)
    try run.write(to: &writer, keepsRecords: keepsRecords)
    return .spilled(try writer.finish())
  }
}

/// The tuning constants of the full order, each with its reason.
enum SortLimits {
  /// A run's entries and their copy while they are sorted should stay in a core's second-level cache, or near it.
  static let runSize = 16 * 1024 * 1024
  /// Large enough that a disk reads a run in one go, mostly.
  static let bufferSize = 256 * 1024
  static let smallestBufferSize = 512
  /// Merging more at a time saves no pass of any input that fits on a disk.
  static let fanIn = 512
  static let smallestFanIn = 4
  /// Rows beyond those wanted that are kept before runs are cut, so that cutting costs little a row.
  static let slackRows = 65536
}

/// Memory of a run that counts as used until the last owner is gone.
final class RetainedMemory: Sendable {
  private let size: Int
  private let memory: SortMemory

  fileprivate init(size: Int, of memory: SortMemory) {
    self.size = size
    self.memory = memory
  }

  deinit { memory.release(size) }
}

/// A run that is put away.
enum SortedRun: Sendable {
  case memory(OrderedRun, RetainedMemory)
  case spilled(SpilledRun)

  var isSpilled: Bool { if case .spilled = self { true } else { false } }
}

extension OrderedRun {
  fileprivate func write(to writer: inout SpillWriter, keepsRecords: Bool) throws(ReadError) {
    for entry in entries {
      let size = StoredRow(bytes.span, at: entry.position).size(keepsRecords: keepsRecords)
      try writer.append(
        prefix: entry.prefix, row: bytes.span.extracting(entry.position..<(entry.position + size)))
    }
  }
}

/// What a pass for a full order gathers.
struct ExternalSort: Sendable {
  let memory: SortMemory
  /// How many of the first rows are wanted; nil: all.
  private let rowLimit: Int?
  /// Rows beyond those wanted that are kept before runs are cut.
  private let slackRows: Int
  private var runs: [SortedRun] = []
  /// The run that is being filled.
  private var open = OrderedRun()
  private(set) var failure: ReadError?
  /// Rows of `runs` that are in memory.
  private var memoryRowCount = 0
  /// The prefix that a later row must not be above; with `rejectsTies`, a whole key must be below.
  private(set) var bound = UInt64.max
  private(set) var rejectsTies = false

  init(memory: SortMemory, rowLimit: Int?, slackRows: Int = SortLimits.slackRows) {
    self.memory = memory
    self.rowLimit = rowLimit
    self.slackRows = slackRows
  }

  /// A sort of the rows that a heap has kept so far, and of those to come: for rows too large for a heap to hold.
  init(_ top: TopRows, memory: SortMemory) {
    self.init(memory: memory, rowLimit: top.capacity, slackRows: top.capacity)
    for entry in top.inPlaceOrder() {
      let key = top.keyBytes(entry)
      let row = top.rowBytes(entry)
      append(prefix: entry.prefix, key: key.span, place: entry.place, record: row.span)
    }
    if top.isFull {
      bound = top.threshold
      rejectsTies = true
    }
  }

  /// A sort for rows that come later.
  func makeSuccessor() -> ExternalSort {
    var successor = ExternalSort(memory: memory, rowLimit: rowLimit, slackRows: slackRows)
    successor.bound = bound
    successor.rejectsTies = rejectsTies
    successor.failure = failure
    return successor
  }

  /// Whether a row with this prefix is sure not to be wanted.
  @inline(__always)
  func rejects(_ prefix: KeyPrefix) -> Bool {
    prefix.bits >= bound && rejectsTies && (prefix.bits > bound || prefix.isExact)
  }

  /// Adds a row.
  ///
  /// - Parameter key: the whole key; empty where the prefix is exact.
  @inline(__always)
  mutating func append(prefix: KeyPrefix, key: Span<UInt8>, place: RowPlace, record: Span<UInt8>) {
    if open.entries.isEmpty { open.reserve(memory.runSize) }
    let kept = memory.keepsRecords ? record : record.extracting(0..<0)
    open.append(prefix: prefix, key: key, place: place, record: kept, recordCount: record.count)
    if open.size >= memory.runSize { closeRun() }
  }

  /// Sorts the run that is being filled and puts it away.
  mutating func closeRun() {
    guard !open.entries.isEmpty else { return }
    var run = OrderedRun()
    swap(&run, &open)
    if failure != nil { return }
    run.sort()
    if let rowLimit { run.truncate(to: rowLimit, keepsRecords: memory.keepsRecords) }
    let count = run.entries.count
    do throws(ReadError) {
      let sorted = try memory.put(run)
      if !sorted.isSpilled { memoryRowCount += count }
      runs.append(sorted)
    } catch {
      failure = error
    }
  }

  /// Takes the runs of rows that come later.
  mutating func append(_ later: consuming ExternalSort) {
    // The order of runs is that of their rows.
    closeRun()
    later.closeRun()
    if failure == nil { failure = later.failure }
    runs.append(contentsOf: later.runs)
    memoryRowCount += later.memoryRowCount
    if let rowLimit, memoryRowCount / 2 >= rowLimit, memoryRowCount - rowLimit >= slackRows {
      cut(to: rowLimit)
    }
  }

  /// Leaves of the runs in memory just the rows that are among the first `rowLimit` of them, ties apart.
  private mutating func cut(to rowLimit: Int) {
    let prefix = RunMerge.prefix(atRank: max(0, rowLimit - 1), of: runs)
    bound = prefix
    rejectsTies = true
    var counts: [Int] = []
    var belowCount = 0
    for run in runs {
      guard case .memory(let run, _) = run else { continue }
      counts.append(run.count(prefix: prefix, includesEqual: false))
      belowCount += counts.last ?? 0
    }
    var ties = rowLimit - belowCount
    var kept: [SortedRun] = []
    kept.reserveCapacity(runs.count)
    memoryRowCount = 0
    var index = 0
    for run in runs {
      guard case .memory(var run, let retained) = run else {
        kept.append(run)
        continue
      }
      let below = counts[index]
      index += 1
      var wanted = run.count(prefix: prefix, includesEqual: true)
      // Of rows with the very same key, the first are enough.
      if below < wanted && run.entries[below].isWhole { wanted = below + max(0, min(wanted - below, ties)) }
      ties -= wanted - below
      memoryRowCount += wanted
      if wanted == run.entries.count {
        kept.append(.memory(run, retained))
      } else if wanted > 0 {
        run.truncate(to: wanted, keepsRecords: memory.keepsRecords)
        // What goes is more than what stays, and is counted out right after.
        memory.retainAnyway(run.size)
        kept.append(.memory(run, RetainedMemory(size: run.size, of: memory)))
      }
    }
    runs = kept
  }

  /// The rows in order.
  ///
  /// - Parameter monitor: who may end it, which is then `ReadError.Problem.cancelled`.
  /// - Complexity: runs in files beyond `fanIn` are merged in passes, each of which reads and writes all of them once.
  consuming func merge(_ monitor: ScanMonitor? = nil) throws(ReadError) -> RunMerge {
    closeRun()
    if let failure { throw failure }
    var runs = runs
    self.runs = []
    let fanIn = memory.fanIn
    while runs.reduce(0, { $0 + ($1.isSpilled ? 1 : 0) }) > fanIn {
      let file = try SpillFile()
      var next: [SortedRun] = []
      var group: [SortedRun] = []
      var spilledCount = 0
      // Neighbours are merged, as the order of runs breaks ties.
      var pending = ArraySlice(runs)
      runs = []
      while true {
        let run = pending.popFirst()
        if run == nil || spilledCount == fanIn {
          if spilledCount > 1 {
            next.append(.spilled(try Self.merged(group, into: file, memory, monitor)))
          } else {
            next += group
          }
          group = []
          spilledCount = 0
        }
        guard let run else { break }
        spilledCount += run.isSpilled ? 1 : 0
        group.append(run)
      }
      runs = next
    }
    return try RunMerge(runs, keepsRecords: memory.keepsRecords, bufferSize: memory.bufferSize)
  }

  private static func merged(
    _ runs: [SortedRun], into file: SpillFile, _ memory: SortMemory, _ monitor: ScanMonitor?
  ) throws(ReadError) -> SpilledRun {
    var size = 0
    for run in runs {
      switch run {
      case .memory(let run, _): size += run.bytes.count + 8 * run.entries.count
      case .spilled(let run): size += run.range.count
      }
    }
    var writer = SpillWriter(file, size: size, bufferSize: memory.bufferSize)
    var merge = try RunMerge(runs, keepsRecords: memory.keepsRecords, bufferSize: memory.bufferSize)
    while try merge.moveRow(to: &writer) {
      if monitor?.isCancelled == true { throw ReadError(inputName: SpillFile.name, problem: .cancelled) }
    }
    return try writer.finish()
  }
}
