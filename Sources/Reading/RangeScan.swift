// A whole pass over one input, on all cores where it is a file or a stream that is not kept: the input is cut into ranges, every range is read from a
// guess of where a record begins in it, and the guess is checked against where the range before really ended. A range
// whose guess was wrong is read again from the right place. What was found is merged in the order of the input, so
// that the result is the same for any number of threads and any size of ranges.
//
// A stream is cut in ranges as it comes. Only so many are under way that memory stays bounded.

import Dispatch
import Synchronization

/// Takes in records and keeps what a question needs of them.
package protocol RecordAccumulator: Sendable {
  /// Memory to work in, of which nothing is kept: a thread has one, whatever the number of its ranges.
  associatedtype Scratch = Void
  func makeScratch() -> Scratch
  /// Takes the records of a batch.
  ///
  /// - Parameters:
  ///   - batch: their ranges, in the buffer's window.
  ///   - fields: row by row the wanted fields of each record.
  ///   - buffer: the window's bytes, and where they stand in the input.
  ///   - scratch: memory to work in.
  mutating func add(
    _ batch: borrowing RecordBatch, fields: Span<Field>, buffer: borrowing ChunkBuffer, scratch: inout Scratch)
  /// The records of a range are all here.
  mutating func finishRange()
  /// Takes what another has found in records that come later in the file.
  mutating func append(_ later: Self)
  /// An accumulator for records that come later. It may leave out what this one is sure to reject.
  func makeSuccessor() -> Self
}

extension RecordAccumulator where Scratch == Void {
  package func makeScratch() {}
}

/// How a file is cut for a pass. The result never depends on it.
package struct ScanConfiguration: Sendable {
  /// The most threads to use; nil: one a core. How many there are is asked only once a pass begins.
  private let givenThreadCount: Int?
  /// Bytes of a range; nil: by the size of the file.
  package var rangeSize: Int?
  /// Bytes of the first read of a range.
  package var chunkSize: Int
  /// Bytes of a stream that may be held while several threads read in it.
  package var streamMemory: Int
  /// Who is told how far the pass is, and may end it.
  package var monitor: ScanMonitor?

  package init(
    threadCount: Int? = nil, rangeSize: Int? = nil, chunkSize: Int = ReadingLimits.chunkSize,
    streamMemory: Int = .max, monitor: ScanMonitor? = nil
  ) {
    self.streamMemory = streamMemory
    self.monitor = monitor
    givenThreadCount = threadCount
    self.rangeSize = rangeSize
    self.chunkSize = chunkSize
  }

  /// The most threads to use.
  package var threadCount: Int { givenThreadCount ?? WorkerThreads.coreCount }
}

package struct RangeScan<Accumulator: RecordAccumulator>: Sendable {
  private let input: DatasetInput
  private let selection: FieldSelection
  private let threadCount: Int
  private let rangeSize: Int
  private let chunkSize: Int
  private let monitor: ScanMonitor?

  package init(
    input: DatasetInput, selection: FieldSelection, configuration: ScanConfiguration = ScanConfiguration()
  ) {
    self.input = input
    self.selection = selection
    threadCount = max(1, configuration.threadCount)
    chunkSize = configuration.chunkSize
    monitor = configuration.monitor
    let streamRanges = ReadingLimits.streamRangesPerThread * threadCount
    var size = max(
      ReadingLimits.smallestStreamRangeSize,
      min(ReadingLimits.streamRangeSize, configuration.streamMemory / streamRanges))
    if let whole = input.source.size {
      size = max(ReadingLimits.smallestRangeSize, min(ReadingLimits.rangeSize, whole / (4 * threadCount)))
    }
    rangeSize = configuration.rangeSize.map { max(1, $0) } ?? size
  }

  private init(_ scan: RangeScan, input: DatasetInput) {
    self.input = input
    selection = scan.selection
    threadCount = scan.threadCount
    chunkSize = scan.chunkSize
    rangeSize = scan.rangeSize
    monitor = scan.monitor
  }

  /// Reads all records.
  ///
  /// - Parameter counts: replaced by how many records and bytes were read, and what was left out.
  /// - Throws: `ReadError` for the first damage in the file, with what comes before it in the accumulator and the counts.
  package func run(into accumulator: inout Accumulator, counts: inout Counts) throws(ReadError) {
    counts = Counts(bytes: input.buffer.bytesRead)
    guard let scanner = selection.makeScanner() else { return }
    if let size = input.source.size, size - input.buffer.offset >= 2 * rangeSize,
      let guess = RangeGuess(input: input, selection: selection, chunkSize: chunkSize)
    {
      return try runRanges(size: size, scanner: scanner, guess: guess, into: &accumulator, counts: &counts)
    }
    if input.source.size == nil, let shared = sharedStream() {
      return try shared.scan.runRanges(
        size: nil, scanner: scanner, guess: shared.guess, into: &accumulator, counts: &counts)
    }
    var desk = Desk(selection, scratch: accumulator.makeScratch())
    let part = scan(
      RecordStream(buffer: input.buffer, scanner: scanner), into: accumulator.makeSuccessor(), on: &desk)
    accumulator.append(part.accumulator)
    counts = part.counts
    if let error = part.error { throw error }
  }

  /// The scan of a stream by several threads; nil where it is too short for that, or is kept to be read again.
  private func sharedStream() -> (scan: RangeScan, guess: RangeGuess)? {
    guard threadCount > 1, !input.source.isReplayable, !input.buffer.isFinal else { return nil }
    let shared = RangeScan(
      self, input: input.sharedInPass(pieceSize: min(rangeSize, ReadingLimits.streamRangeSize), monitor: monitor))
    let guess = RangeGuess(input: shared.input, selection: selection, chunkSize: chunkSize)
    return guess.map { (shared, $0) }
  }

  /// Reads all records, where the counts matter only if all could be read.
  package func run(into accumulator: inout Accumulator) throws(ReadError) -> Counts {
    var counts = Counts()
    try run(into: &accumulator, counts: &counts)
    return counts
  }

  /// What was read.
  package struct Counts: Sendable, Equatable {
    package internal(set) var records = 0
    package internal(set) var bytes = 0
    package internal(set) var leftOut = DamageTally()

    package init(bytes: Int = 0) { self.bytes = bytes }

    init(records: Int, bytes: Int, leftOut: DamageTally) {
      self.records = records
      self.bytes = bytes
      self.leftOut = leftOut
    }

    mutating func append(_ later: Counts) {
      records += later.records
      bytes += later.bytes
      leftOut.append(later.leftOut)
    }
  }

  /// What one thread reads at a time.
  private struct ScanRange: Sendable {
    var index: Int
    var start: Int
    /// Records that begin from here on are not of it.
    var limit: Int
  }

  /// What was found in one range.
  private struct Part: Sendable {
    var accumulator: Accumulator
    /// The end of its range.
    var limit = Int.max
    /// Where its first record was assumed to begin; nil where no guess could be made.
    var start: Int?
    var end: RangeEnd
    var counts = Counts()
    var error: ReadError?
  }

  /// Where a range really ended, and in which state.
  private struct RangeEnd: Sendable {
    var offset: Int
    var scanner: any RecordScanner
  }

  private struct Progress: Sendable {
    var nextRange = 0
    var nextToMerge = 0
    var waiting: [Int: Part] = [:]
    var merged: Accumulator
    var end: RangeEnd
    var counts = Counts()
    var error: ReadError?
  }

  private final class Shared: Sendable {
    let progress: Mutex<Progress>
    init(_ progress: Progress) { self.progress = Mutex(progress) }
  }

  /// What a thread works with, from range to range.
  private struct Desk {
    var batch: RecordBatch
    var arranged: [Field] = []
    var scratch: Accumulator.Scratch

    init(_ selection: FieldSelection, scratch: Accumulator.Scratch) {
      batch = selection.makeBatch()
      self.scratch = scratch
    }
  }

  private func scan(
    _ stream: consuming RecordStream, into accumulator: Accumulator, on desk: inout Desk
  ) -> Part {
    let start = stream.position
    var part = Part(accumulator: accumulator, start: start, end: RangeEnd(offset: start, scanner: stream.scanner))
    var position = start
    // Out of the desk, from which the fields are handed on meanwhile.
    var scratch = accumulator.makeScratch()
    swap(&scratch, &desk.scratch)
    defer { swap(&scratch, &desk.scratch) }
    stream.listen(to: monitor)
    do throws(ReadError) {
      while try stream.next(&desk.batch) {
        if let monitor {
          if monitor.isCancelled { throw ReadError(inputName: input.name, problem: .cancelled) }
          monitor.add(stream.position &- position)
          position = stream.position
        }
        if selection.arrange(desk.batch, into: &desk.arranged) {
          part.accumulator.add(
            desk.batch, fields: desk.arranged.span, buffer: stream.buffer, scratch: &scratch)
        } else {
          part.accumulator.add(
            desk.batch, fields: desk.batch.fields.span, buffer: stream.buffer, scratch: &scratch)
        }
      }
    } catch {
      part.error = error
    }
    part.accumulator.finishRange()
    part.counts = Counts(
      records: stream.recordCount, bytes: stream.buffer.bytesRead, leftOut: stream.leftOut)
    part.end = RangeEnd(offset: stream.position, scanner: stream.scanner)
    return part
  }

  private func runRanges(
    size: Int?, scanner: any RecordScanner, guess: RangeGuess, into accumulator: inout Accumulator,
    counts: inout Counts
  ) throws(ReadError) {
    let origin = input.buffer.offset
    let count = size.map { max(1, ($0 - origin + rangeSize - 1) / rangeSize) } ?? Int.max
    let window = input.source.passWindow
    let shared = Shared(
      Progress(merged: accumulator, end: RangeEnd(offset: origin, scanner: scanner)))
    // From nothing up: one that ends with less than it began with is a fault to Dispatch.
    let room = DispatchSemaphore(value: 0)
    for _ in 0..<(threadCount * ReadingLimits.streamRangesPerThread) where window != nil { room.signal() }
    WorkerThreads.run(min(threadCount, count)) {
      var desk = Desk(selection, scratch: shared.progress.withLock { $0.merged.makeScratch() })
      while true {
        if window != nil { room.wait() }
        let work = shared.progress.withLock { progress -> (Int, Accumulator)? in
          guard progress.error == nil, progress.nextRange < count else { return nil }
          progress.nextRange += 1
          return (progress.nextRange - 1, progress.merged.makeSuccessor())
        }
        guard let (index, seed) = work, let range = range(at: index, of: count, in: window) else { break }
        let part = scan(range, scanner: scanner, guess: guess, into: seed, on: &desk)
        let (merged, hasFailed) = shared.progress.withLock { progress in
          progress.waiting[range.index] = part
          let before = progress.nextToMerge
          if let limit = merge(&progress, guess: guess, on: &desk), progress.error == nil {
            // A range that is still to be read looks for a record from a little before its beginning.
            window?.release(before: min(progress.end.offset, limit - guess.bytesBefore))
          }
          return (progress.nextToMerge - before, progress.error != nil)
        }
        if window != nil { for _ in 0..<merged { room.signal() } }
        if hasFailed {
          window?.giveUp()
          break
        }
      }
      // Whoever waits for room is to see that there is nothing more to do.
      if window != nil { room.signal() }
    }
    let (merged, found, error) = shared.progress.withLock { ($0.merged, $0.counts, $0.error) }
    accumulator = merged
    counts = found
    if var error {
      error.resolvePlace(in: input.source)
      throw error
    }
  }

  /// The range that a thread takes next: one of a file, or what comes next of a stream, and in the end how it ends; nil where there
  /// is no more.
  private func range(at index: Int, of count: Int, in window: StreamWindow?) -> ScanRange? {
    guard let window else {
      let start = input.buffer.offset + index * rangeSize
      return ScanRange(index: index, start: start, limit: index + 1 == count ? .max : start + rangeSize)
    }
    switch window.claim() {
    case .piece(let index, let place): return ScanRange(index: index, start: place.lowerBound, limit: place.upperBound)
    case .end(let index): return ScanRange(index: index, start: .max, limit: .max)
    case nil: return nil
    }
  }

  private func scan(
    _ range: ScanRange, scanner: any RecordScanner, guess: RangeGuess, into seed: Accumulator, on desk: inout Desk
  ) -> Part {
    var part = Part(accumulator: seed, start: nil, end: RangeEnd(offset: range.start, scanner: scanner))
    if range.index == 0 {
      part = scan(
        RecordStream(buffer: input.buffer, scanner: scanner, limit: range.limit, resolvesPlaces: false), into: seed,
        on: &desk)
    } else if range.start < .max, let stream = guess.stream(from: range.start, limit: range.limit) {
      part = scan(stream, into: seed, on: &desk)
    }
    part.limit = range.limit
    return part
  }

  /// Merges what waits, in the order of the file, as far as it goes without a gap.
  ///
  /// - Returns: the end of the last range that was merged; nil where none was.
  private func merge(_ progress: inout Progress, guess: RangeGuess, on desk: inout Desk) -> Int? {
    var last: Int?
    while progress.error == nil, let part = progress.waiting.removeValue(forKey: progress.nextToMerge) {
      let index = progress.nextToMerge
      progress.nextToMerge += 1
      last = part.limit
      // A record longer than a range: nothing begins in this one.
      if progress.end.offset >= part.limit { continue }
      let isGuessed = part.start == progress.end.offset && guess.isSteady(progress.end.scanner)
      let sound =
        index == 0 || isGuessed
        ? part
        : scanInOrder(from: progress.end, limit: part.limit, into: progress.merged.makeSuccessor(), on: &desk)
      append(sound, to: &progress)
      progress.end = sound.end
    }
    return last
  }

  private func scanInOrder(
    from end: RangeEnd, limit: Int, into seed: Accumulator, on desk: inout Desk
  ) -> Part {
    let buffer = ChunkBuffer(
      source: input.source, offset: end.offset, firstReadSize: chunkSize,
      recordLimit: input.buffer.recordLimit)
    return scan(
      RecordStream(buffer: buffer, scanner: end.scanner, limit: limit, resolvesPlaces: false), into: seed,
      on: &desk)
  }

  private func append(_ part: Part, to progress: inout Progress) {
    progress.merged.append(part.accumulator)
    if var error = part.error {
      error.place?.recordNumber? += progress.counts.records + progress.counts.leftOut.count
      progress.error = error
    }
    progress.counts.append(part.counts)
  }
}
