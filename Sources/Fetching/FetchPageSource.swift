// The rows of a descriptor by pages, for a pager: at any place, in any order, from one thread of its own, because reading
// blocks. What is handed out is a reference into the block that a fetch has filled; no row is copied.
//
// Whether there is more is known from one row too many, which is kept for the next page. Of a pipe it is not waited for.

import Dispatch
package import Paging
package import Reading
import Synchronization

/// Rows that were fetched together.
package final class FetchedBlock: Sendable {
  package let block: RowBlock

  package init(_ block: RowBlock) {
    self.block = block
  }
}

/// One row of a page. It keeps the block that it is in.
package struct FetchedRow: Sendable {
  package let block: FetchedBlock
  package let index: Int

  package init(block: FetchedBlock, index: Int) {
    self.block = block
    self.index = index
  }

  /// Where the record is from.
  package var entry: RowEntry { block.block.rows[index] }

  /// The record's bytes, for a `FieldReader` or a printer.
  package func withRecord<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    let block = block.block
    return try body(block.bytes.span.extracting(block.rows[index].range))
  }
}

/// Pages of a descriptor's rows.
package final class FetchPageSource: PageSource, Sendable {
  private struct State: Sendable {
    /// The results that all pages come from; with a sort those of the full order.
    var results: FetchResults
    /// The row after those that were fetched.
    var nextRow: Int
    /// The rows before that one that were fetched and not handed out: the one too many, or those of a cancelled fetch.
    var kept: ArraySlice<FetchedRow> = []
    /// With a sort: whether the first page has been made from a heap, or there was no reason to.
    var isPastFirstPage = false
  }

  private let state: Mutex<State>
  /// Known before all is in order; who asks does not wait for that.
  private let countedRows = Mutex<Int?>(nil)
  /// Serial: a fetch that was cancelled has left before the next one begins.
  private let queue = DispatchQueue(label: "pagecat.fetch", qos: .userInitiated)

  /// - Parameters:
  ///   - results: rows that nobody else takes.
  ///   - nextRow: how many of them were taken already.
  package init(_ results: FetchResults, nextRow: Int = 0) {
    state = Mutex(State(results: results, nextRow: nextRow))
  }

  package func fetch(offset: Int, limit: Int) async throws -> Page<FetchedRow> {
    let cancellation = ScanMonitor()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          continuation.resume(with: Result { try self.fetchNow(offset: offset, limit: limit, cancellation) })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  private func fetchNow(offset: Int, limit: Int, _ cancellation: ScanMonitor) throws -> Page<FetchedRow> {
    try state.withLock { state in
      if cancellation.isCancelled { throw CancellationError() }
      if offset == 0, state.nextRow == 0, state.kept.isEmpty, let first = try firstPage(of: &state, limit) {
        return first
      }
      return try page(of: &state, offset: offset, limit: max(1, limit), cancellation)
    }
  }

  /// The first rows of a sort from a heap, which is done long before all rows are in order; the next fetch, which a
  /// margin begins at once, puts them in order.
  private func firstPage(of state: inout State, _ limit: Int) throws -> Page<FetchedRow>? {
    guard !state.isPastFirstPage else { return nil }
    state.isPastFirstPage = true
    guard limit < FetchingLimits.topRowsCapacity, var results = state.results.resultsOfFirst(limit + 1) else {
      return nil
    }
    var block = RowBlock()
    _ = try results.append(to: &block, limit: limit + 1)
    noteCount(results)
    let fetched = FetchedBlock(block)
    // Where this was all, nothing is left to put in order; what was counted is what the notes are made of.
    if block.rows.count <= limit {
      state.results = results
      state.nextRow = block.rows.count
    }
    return Page(
      fetched: block.rows.indices.map { FetchedRow(block: fetched, index: $0) }, offset: 0, limit: limit)
  }

  private func page(
    of state: inout State, offset: Int, limit: Int, _ cancellation: ScanMonitor
  ) throws -> Page<FetchedRow> {
    var rows: [FetchedRow] = []
    let firstKept = state.nextRow - state.kept.count
    if offset >= firstKept && offset <= state.nextRow {
      rows = Array(state.kept.dropFirst(offset - firstKept))
    } else {
      state.results.move(toRow: offset)
      state.nextRow = offset
    }
    state.kept = []
    state.results.listen(to: cancellation)
    let isPipe = state.results.mayWait
    // Usually once; a second time where a large row filled the block, and there has to be one more to keep.
    var mayFollow = true
    while mayFollow && rows.count <= limit && (isPipe ? rows.isEmpty : rows.count < 2) {
      var block = RowBlock()
      var failure: (any Error)?
      do {
        let wanted = limit - rows.count
        mayFollow = try state.results.append(
          to: &block, limit: wanted < .max ? wanted + 1 : wanted, byteLimit: FetchingLimits.pageSize, waits: false)
      } catch {
        failure = error
      }
      noteCount(state.results)
      state.nextRow += block.rows.count
      let fetched = FetchedBlock(block)
      rows.reserveCapacity(rows.count + block.rows.count)
      for index in block.rows.indices { rows.append(FetchedRow(block: fetched, index: index)) }
      if cancellation.isCancelled {
        state.kept = rows[...]
        throw CancellationError()
      }
      if let failure {
        if rows.isEmpty { throw failure }
        // It is met again by the fetch that begins there.
        return handOut(rows, of: &state, offset: offset, limit: limit, keepsLast: false, mayFollow: true)
      }
      if isPipe && !rows.isEmpty { break }
    }
    return handOut(
      rows, of: &state, offset: offset, limit: limit, keepsLast: mayFollow && !isPipe, mayFollow: mayFollow)
  }

  /// Keeps what goes beyond the limit, or else the last row if it has to stand for those that follow.
  private func handOut(
    _ rows: [FetchedRow], of state: inout State, offset: Int, limit: Int, keepsLast: Bool, mayFollow: Bool
  ) -> Page<FetchedRow> {
    let count = rows.count > limit ? limit : keepsLast && rows.count > 1 ? rows.count - 1 : rows.count
    state.kept = rows[count...]
    return Page(
      rows: count < rows.count ? Array(rows[..<count]) : rows, offset: offset,
      hasMore: count < rows.count || mayFollow && !rows.isEmpty)
  }

  // MARK: What was found out

  private func noteCount(_ results: borrowing FetchResults) {
    guard let count = results.sortedRowCount else { return }
    countedRows.withLock { $0 = count }
  }

  /// The number of all rows, where a pass for a sort has counted them.
  package var sortedRowCount: Int? { countedRows.withLock { $0 } }

  /// What there is to remark, and what was counted, once no fetch is under way; nil while one is.
  package var report: (notes: [String], tally: PassTally?, columns: DatasetColumns)? {
    state.withLockIfAvailable { ($0.results.notes, $0.results.tally, $0.results.columns) }
  }

  /// Goes on with the same inputs opened anew, because they have grown; only without a sort.
  ///
  /// - Returns: whether that was done; not while a fetch is under way.
  package func reopen(_ inputs: [DatasetInput]) -> Bool {
    state.withLockIfAvailable { state in
      guard state.results.reopen(inputs) else { return false }
      state.kept = []
      // No row is the next one, so that every fetch moves to its own.
      state.nextRow = -1
      return true
    } ?? false
  }

  /// Gives the results back, behind the rows that were handed out, and those that were fetched and not handed out. To be
  /// called when no fetch is under way; it waits for one that is. Nothing can be fetched afterwards.
  package func giveBack() -> (results: FetchResults, kept: [FetchedRow]) {
    state.withLock { state in
      state.results.listen(to: nil)
      defer { state.kept = [] }
      return (state.results, Array(state.kept))
    }
  }

  /// The results as they are; nil while a fetch is under way, which may be waiting for a pipe.
  package var idleResults: FetchResults? { state.withLockIfAvailable { $0.results } }
}
