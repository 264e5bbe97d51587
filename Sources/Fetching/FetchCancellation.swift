// A flag that a fetch looks at now and then, as it runs on threads that know nothing of tasks.

import Synchronization

/// Tells a fetch that nobody wants its rows any more.
package final class FetchCancellation: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  package func cancel() { flag.store(true, ordering: .relaxed) }
}
