// How a descriptor is going to be answered: the cheapest way that gives the rows asked for.

/// The way rows are found.
package enum FetchPlan: Sendable, Equatable {
  /// In the order of the file, reading no further than the rows asked for.
  case stream
  /// One pass that keeps the best rows in a bounded heap.
  case topRows(capacity: Int)
  /// One pass that keeps every row with its key in sorted runs, then merges them.
  case fullOrder

  /// Plans for a descriptor.
  package init(for descriptor: FetchDescriptor) {
    guard !descriptor.sortBy.isEmpty else {
      self = .stream
      return
    }
    if let wanted = descriptor.rowLimit, wanted <= FetchingLimits.topRowsCapacity {
      self = .topRows(capacity: wanted)
    } else {
      self = .fullOrder
    }
  }

  /// Whether a full order keeps the records, or reads again the few that are printed.
  static func keepsRecords(_ descriptor: FetchDescriptor) -> Bool {
    descriptor.fetchLimit.map { $0 > FetchingLimits.topRowsCapacity } ?? true
  }
}

/// The tuning constants of fetching, each with its reason.
package enum FetchingLimits {
  /// Rows that a heap holds at most: beyond, copying rows into it costs more than reading them again from the file.
  package static let topRowsCapacity = 10_000
  /// Bytes that an order may use where `--memory` says nothing else.
  package static let memoryLimit = 512 * 1024 * 1024
  /// Rows of one block at most, where whole results are streamed.
  package static let blockRows = 8192
  /// Bytes of one block at which it is handed on, however few rows it has: a thread is started for each, and two of
  /// them with what is printed should stay in a cache.
  package static let blockSize = 512 * 1024
  /// Bytes of one page at which it is handed on, however many rows were asked for.
  package static let pageSize = 4 * 1024 * 1024
}
