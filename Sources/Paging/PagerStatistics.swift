// What a pager tells about itself: how many rows there are, for a status line, and how well it did, for --stats.

/// How many rows are known.
package struct PagerCount: Sendable, Equatable {
  /// Rows reached so far: the index after the last row that was ever loaded from this source.
  package var reached: Int
  /// Rows of the whole result, once its end was met or a pass has counted them; 0 of an empty result.
  package var total: Int?

  package init(reached: Int = 0, total: Int? = nil) {
    self.reached = reached
    self.total = total
  }
}

/// What a pager did, over all its sources.
package struct PagerStatistics: Sendable, Equatable {
  /// Fetches begun.
  package var fetches = 0
  /// Pages that arrived, a page begun counting as one.
  package var pagesFetched = 0
  /// Pages that were there before the reader needed a row of theirs.
  package var prefetchHits = 0
  /// Pages that were not there when the reader needed a row of theirs. A reader of what somebody writes needs a page once
  /// it has nothing left to read of those before; whether the writer had to wait for it is of no matter.
  package var latePages = 0
  /// Fetches that failed.
  package var failures = 0
  /// Results that came after their fetch was cancelled, and were dropped.
  package var droppedResults = 0
  /// Pages dropped from the cache to make room.
  package var evictedPages = 0

  package init() {}
}

/// What a viewer can show at a row's place right now.
package enum RowState<Row: Sendable>: Sendable {
  case loaded(Row)
  /// Not there yet; a row in view is being fetched.
  case loading
  /// Its fetch failed, or was cancelled (`CancellationError`); `Pager.retry()` tries again.
  case failed(any Error)
  /// The result ends before this row.
  case pastEnd
}
