// How large pages are, how early the next one is fetched, how much is kept. Whatever numbers come in, those that come
// out fit together; nothing here is an error, since the options have been checked where they were read.

/// The sizes a pager works with, all in rows.
package struct PagerConfiguration: Sendable, Equatable {
  /// Rows a page; at least 1.
  package let pageSize: Int
  /// Rows that stand ready after the last one in view; 0 fetches only when the reader asks past the end.
  package let prefetchMargin: Int
  /// Rows kept in memory, the ones in view and their margins always among them. Never less than a page and two margins.
  package let cacheLimit: Int

  /// Enough that a person who scrolls back a few hundred screens reads nothing again, and little memory beside a batch.
  package static let defaultCacheLimit = 10_000

  /// No size is larger than this, so that a page and two margins can be added up.
  package static let maximumSize = Int.max / 8

  /// - Parameters:
  ///   - pageSize: rows a page; raised to 1.
  ///   - prefetchMargin: `nil` for the default, `max(1, pageSize - 10)`; below 0 counts as 0.
  ///   - cacheLimit: rows to keep; raised to `pageSize + 2 * prefetchMargin`.
  package init(pageSize: Int, prefetchMargin: Int? = nil, cacheLimit: Int = Self.defaultCacheLimit) {
    let size = min(max(1, pageSize), Self.maximumSize)
    let margin = min(max(0, prefetchMargin ?? max(1, size - 10)), Self.maximumSize)
    self.pageSize = size
    self.prefetchMargin = margin
    self.cacheLimit = max(cacheLimit, size + 2 * margin)
  }
}
