// Where the next rows of a result come from, and getting them on another thread while those before are printed.

import Reading
import Synchronization

/// The source of a result's rows.
enum FoundRows: Sendable {
  /// A pass has to be made first.
  case unknown
  case streamed(StreamedRows)
  case top(TopRows, [TopRows.Entry], next: Int)
  case merge(RunMerge)
  /// The rows are in other hands at the moment.
  case lent

  var streamed: StreamedRows? { if case .streamed(let rows) = self { rows } else { nil } }

  /// Adds the next rows to a block.
  ///
  /// - Returns: whether more rows may follow.
  mutating func append(
    to block: inout RowBlock, limit: Int, byteLimit: Int, inputs: [DatasetInput], waits: Bool = true
  ) throws(ReadError) -> Bool {
    switch self {
    case .unknown, .lent: return false
    case .streamed(var streamed):
      // Given up first, so that nothing is copied when it changes.
      self = .lent
      defer { self = .streamed(streamed) }
      return try streamed.append(to: &block, limit: limit, byteLimit: byteLimit, waits: waits)
    case .top(let top, let entries, var next):
      var count = 0
      while count < limit && next < entries.count && block.bytes.count < byteLimit {
        let entry = entries[next]
        block.append(top.rowBytes(entry).span, inputIndex: entry.place.inputIndex, offset: entry.place.offset)
        next += 1
        count += 1
      }
      self = .top(top, entries, next: next)
      return next < entries.count
    case .merge(var merge):
      self = .lent
      defer { self = .merge(merge) }
      try merge.append(to: &block, limit: limit, byteLimit: byteLimit, inputs: inputs)
      return !merge.isAtEnd
    }
  }

  /// Makes a row the next one, counted from the first of the descriptor.
  mutating func move(toRow row: Int, fetchOffset: Int) {
    let (sum, overflows) = fetchOffset.addingReportingOverflow(row)
    switch self {
    case .unknown, .lent: break
    case .streamed(var streamed):
      self = .lent
      streamed.move(toRow: row)
      self = .streamed(streamed)
    case .top(let top, let entries, _):
      self = .top(top, entries, next: overflows ? entries.count : min(sum, entries.count))
    case .merge(var merge):
      self = .lent
      merge.move(toRow: overflows ? .max : sum)
      self = .merge(merge)
    }
  }

  /// What tells a fetch of a stream that is under way to end.
  mutating func listen(to cancellation: ScanMonitor?) {
    guard case .streamed(var streamed) = self else { return }
    self = .lent
    streamed.cancellation = cancellation
    self = .streamed(streamed)
  }

  /// Goes on with the inputs of a stream opened anew.
  mutating func reopen(_ inputs: [DatasetInput]) {
    guard case .streamed(var streamed) = self else { return }
    self = .lent
    streamed.reopen(inputs)
    self = .streamed(streamed)
  }

  /// Adds rows that were read already: of a stream those of the batch at hand, of an order any that it keeps. Others are
  /// read again from a file, which is left to `append`, where an error has its place.
  mutating func appendAtHand(to block: inout RowBlock, limit: Int, inputs: [DatasetInput]) {
    switch self {
    case .streamed(var streamed):
      self = .lent
      streamed.appendAtHand(to: &block, limit: limit)
      self = .streamed(streamed)
    case .merge(var merge) where merge.isAtHand:
      self = .lent
      // Where a temporary file cannot be read, the next call meets that again.
      try? merge.append(to: &block, limit: limit, byteLimit: FetchingLimits.blockSize, inputs: inputs)
      self = .merge(merge)
    default: break
    }
  }
}

/// A block of rows that is being filled on another thread. Whoever made it must take it.
final class RowsAhead: Sendable {
  private struct State: Sendable {
    var rows: FoundRows
    var block: RowBlock
    var mayFollow = false
    var error: ReadError?
  }

  private final class Shared: Sendable {
    let state: Mutex<State>
    init(_ state: State) { self.state = Mutex(state) }
  }

  private let shared: Shared
  private let work: BackgroundWork

  init(
    _ rows: consuming FoundRows, into block: consuming RowBlock, limit: Int, byteLimit: Int, inputs: [DatasetInput]
  ) {
    let shared = Shared(State(rows: rows, block: block))
    self.shared = shared
    work = BackgroundWork {
      shared.state.withLock { state in
        do throws(ReadError) {
          state.mayFollow = try state.rows.append(
            to: &state.block, limit: limit, byteLimit: byteLimit, inputs: inputs)
        } catch {
          state.error = error
        }
      }
    }
  }

  /// Waits for the rows and hands them over, with their source.
  ///
  /// - Parameter spare: becomes the block that was given for it, for its memory.
  /// - Returns: whether more rows may follow.
  /// - Throws: the error that stands behind these rows.
  func take(
    into block: inout RowBlock, rows: inout FoundRows, spare: inout RowBlock
  ) throws(ReadError) -> Bool {
    work.wait()
    let (mayFollow, error) = shared.state.withLock { state in
      rows = state.rows
      state.rows = .lent
      block.append(&state.block)
      swap(&spare, &state.block)
      return (state.mayFollow, state.error)
    }
    if let error { throw error }
    return mayFollow
  }
}
