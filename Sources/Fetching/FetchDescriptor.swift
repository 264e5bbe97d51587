// What is asked for, in the words of SwiftData. What will run is the FetchPlan.

import Reading

/// A question to a dataset: which records, in which order, how many, from where on.
package struct FetchDescriptor: Sendable {
  /// Which records; nil: every one.
  package var predicate: Predicate?
  /// In which order; empty: as they stand in the file.
  package var sortBy: [SortDescriptor]
  /// How many rows at most, 0 or more; nil: all.
  package var fetchLimit: Int?
  /// How many rows to leave out before the first, 0 or more.
  package var fetchOffset = 0
  /// Bytes of memory that an order may use; what it needs beyond goes to a temporary file.
  package var memoryLimit = FetchingLimits.memoryLimit
  /// The row of an earlier fetch behind which this one begins; nil: with the first.
  package var mark: FetchMark?

  package init(predicate: Predicate? = nil, sortBy: [SortDescriptor] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
  /// How many rows of the order have to be known; nil: all.
  var rowLimit: Int? {
    guard let fetchLimit else { return nil }
    let (wanted, overflows) = fetchOffset.addingReportingOverflow(fetchLimit)
    return overflows ? nil : wanted
  }
}
