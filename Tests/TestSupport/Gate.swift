// Points where concurrent tests wait for each other, instead of sleeping: a tally that can be awaited, and a gate that
// holds whoever comes until it is opened.

import Synchronization

/// Counts what has happened, and lets others wait until it has happened a number of times.
package final class Tally: Sendable {
  private struct State {
    var count = 0
    var waiting: [(goal: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var count: Int { state.withLock { $0.count } }

  package func add() {
    let reached = state.withLock { state in
      state.count += 1
      let reached = state.waiting.filter { $0.goal <= state.count }
      state.waiting.removeAll { $0.goal <= state.count }
      return reached.map(\.continuation)
    }
    for continuation in reached { continuation.resume() }
  }

  /// Returns once the count is `goal` or more.
  package func reach(_ goal: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.count >= goal { return true }
        state.waiting.append((goal, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }
}

/// Holds whoever wants to pass while it is closed, whether their task is cancelled or not.
package final class Gate: Sendable {
  private struct State {
    var isOpen: Bool
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>
  /// Everybody who has come to the gate.
  package let arrivals = Tally()

  package init(isOpen: Bool = false) {
    state = Mutex(State(isOpen: isOpen))
  }

  package func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.held.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
      arrivals.add()
    }
  }

  /// Lets through all who are held, and all who come.
  package func open() {
    release { $0.isOpen = true }
  }

  /// Lets through those who are held, and holds all who come.
  package func letThrough() {
    release { _ in }
  }

  private func release(_ change: (inout State) -> Void) {
    let held = state.withLock { state in
      change(&state)
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }
}
