// What a pass and who started it have to say to each other while it runs: how far it is, and that nobody wants it any more.

import Synchronization

/// Watches passes over a dataset, one after another, and ends the one that is under way.
package final class ScanMonitor: Sendable {
  private let flag = Atomic(false)
  private let bytes = Atomic(0)
  private let total = Atomic(0)

  package init() {}

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  package func cancel() { flag.store(true, ordering: .relaxed) }

  /// A pass begins, over so many bytes; 0: nobody knows how many.
  package func begin(total count: Int) {
    bytes.store(0, ordering: .relaxed)
    total.store(count, ordering: .relaxed)
  }

  /// So many bytes more are done with.
  package func add(_ count: Int) {
    bytes.wrappingAdd(count, ordering: .relaxed)
  }

  /// So many bytes of the whole are done with.
  package func reach(_ count: Int) { bytes.store(count, ordering: .relaxed) }

  /// How much of the pass is done; nil where that is not known.
  package var percent: Int? {
    let whole = total.load(ordering: .relaxed)
    guard whole > 0 else { return nil }
    return min(99, max(0, Int(Double(bytes.load(ordering: .relaxed)) / Double(whole) * 100)))
  }
}
