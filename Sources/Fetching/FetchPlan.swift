// How a descriptor is going to be answered: the cheapest way that gives the rows asked for.

/// The way rows are found.
package enum FetchPlan: Sendable, Equatable {
  /// In the order of the file, reading no further than the rows asked for.
  case stream
  /// One pass that keeps the best rows in a bounded heap.
  case topRows(capacity: Int)
  /// One pass that keeps a key and a place of every row, then puts them in order.
  case fullOrder

  /// Plans for a descriptor.
  package init(for descriptor: FetchDescriptor) {
    guard !descriptor.sortBy.isEmpty else {
      self = .stream
      return
    }
    guard let limit = descriptor.fetchLimit else {
      self = .fullOrder
      return
    }
    let (wanted, overflows) = descriptor.fetchOffset.addingReportingOverflow(limit)
    self = overflows || wanted > FetchingLimits.topRowsCapacity ? .fullOrder : .topRows(capacity: wanted)
  }
}

/// The tuning constants of fetching, each with its reason.
package enum FetchingLimits {
  /// Rows that a heap holds at most: beyond, copying rows into it costs more than reading them again from the file.
  package static let topRowsCapacity = 10_000
  /// Rows of one block at most, where whole results are streamed.
  package static let blockRows = 4096
  /// Bytes of one page at which it is handed on, however many rows were asked for.
  package static let pageSize = 4 * 1024 * 1024
  /// Bytes of one block at which it is handed on, however few rows it has.
  package static let blockSize = 256 * 1024
}
