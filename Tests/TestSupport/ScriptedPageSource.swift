// An array that is read by pages, with a script: which fetches fail, which pages come short, which wait at a gate. It does not
// know the module that defines `PageSource`; a test target that does adds the conformance, whose one method is here.

import Synchronization

/// The error that a script throws.
package struct ScriptedError: Error, Equatable {
  package var offset: Int
  package init(offset: Int) { self.offset = offset }
}

package final class ScriptedPageSource<Row: Sendable>: Sendable {
  package struct Fetch: Sendable, Equatable, CustomStringConvertible {
    package var offset: Int
    package var limit: Int
    package init(_ offset: Int, _ limit: Int) {
      self.offset = offset
      self.limit = limit
    }
    package var description: String { "\(offset)+\(limit)" }
  }

  private struct State {
    var rows: [Row]
    var fetches: [Fetch] = []
    var cancelled = 0
    var failures: [Int: Int] = [:]
    var longestPage = Int.max
  }

  private let state: Mutex<State>
  private let gate: Gate?

  /// - Parameters:
  ///   - rows: the whole result.
  ///   - gate: where every fetch waits before it answers.
  package init(_ rows: [Row], gate: Gate? = nil) {
    state = Mutex(State(rows: rows))
    self.gate = gate
  }

  /// What was fetched, in order.
  package var fetches: [Fetch] { state.withLock { $0.fetches } }

  /// How many fetches found their task cancelled when they came to answer.
  package var cancelledCount: Int { state.withLock { $0.cancelled } }

  /// Rows that cannot be read: a fetch that would cross one stops before it, one that begins at it fails.
  package func fail(at offset: Int, times: Int = .max) {
    state.withLock { $0.failures[offset] = times }
  }

  /// Hands out at most this many rows a fetch, whatever the limit.
  package func cutPages(to rows: Int) {
    state.withLock { $0.longestPage = rows }
  }

  package func append(_ rows: [Row]) {
    state.withLock { $0.rows += rows }
  }

  /// The rows from `offset` on, at most `limit`, and whether there are more.
  package func answer(offset: Int, limit: Int) async throws -> (rows: [Row], hasMore: Bool) {
    state.withLock { $0.fetches.append(Fetch(offset, limit)) }
    if let gate { await gate.pass() }
    return try state.withLock { state in
      if Task.isCancelled { state.cancelled += 1 }
      if let left = state.failures[offset], left > 0 {
        state.failures[offset] = left == .max ? left : left - 1
        throw ScriptedError(offset: offset)
      }
      let first = min(offset, state.rows.count)
      var end = first + min(limit, state.longestPage, state.rows.count - first)
      if let bad = state.failures.filter({ $0.value > 0 && $0.key > first }).keys.min() { end = min(end, bad) }
      return (Array(state.rows[first..<end]), end < state.rows.count)
    }
  }
}
