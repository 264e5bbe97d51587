// A page of rows and where pages come from. This module knows neither records nor files: a row is whatever the source
// hands out, and a page is a run of rows that stand one after another in the result.

/// Rows of a result that follow each other, and whether the result goes on after them.
package struct Page<Row: Sendable>: Sendable {
  package var rows: [Row]
  /// The index, in the result, of the first row (or of the place where it would stand, for a page without rows).
  package var offset: Int
  /// Whether at least one more row follows the last. Known from having seen that row, never from a count.
  package var hasMore: Bool

  package init(rows: [Row], offset: Int, hasMore: Bool) {
    self.rows = rows
    self.offset = offset
    self.hasMore = hasMore
  }

  /// A page cut from rows that were fetched with one to spare: the extra row tells that there is more, and goes.
  ///
  /// - Parameters:
  ///   - fetched: up to `limit` + 1 rows.
  ///   - offset: the index of the first.
  ///   - limit: how many rows the page may hold.
  package init(fetched: [Row], offset: Int, limit: Int) {
    let limit = max(0, limit)
    hasMore = fetched.count > limit
    rows = hasMore ? Array(fetched.prefix(limit)) : fetched
    self.offset = offset
  }

  /// The index after the last row.
  package var end: Int { offset.addingClamped(rows.count) }
}

extension Page: Equatable where Row: Equatable {}

/// A result that can be read by pages.
///
/// The pager has one fetch under way at a time. After a cancellation the next one may begin while the cancelled one is
/// still on its way out, so a source has to be ready for that.
package protocol PageSource<Row>: Sendable {
  associatedtype Row: Sendable

  /// The rows from `offset` on, at most `limit` of them.
  ///
  /// - A page may be shorter than `limit` and yet have more: rows of a pipe that have come so far, or those that stand
  ///   before damage. In that case hand out the good rows with `hasMore`, and throw when a fetch begins at the damage.
  /// - A page without rows that has more would ask for ever; it is taken as `PagingError.noProgress`.
  /// - An offset past the end gives a page without rows and without more.
  /// - `offset + limit` never overflows, but `limit` may be as large as a person can type: reserve nothing by it.
  /// - The task is cancelled when nobody wants the page any longer.
  func fetch(offset: Int, limit: Int) async throws -> Page<Row>
}

/// A source broke its contract.
package enum PagingError: Error, Equatable {
  /// A page without rows, at this offset, said that more rows follow.
  case noProgress(offset: Int)
  /// A page for one offset was answered with rows from another.
  case misplacedPage(requested: Int, received: Int)
}

extension Int {
  /// The sum, or the nearest representable number.
  func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The product, or the nearest representable number; for numbers from 0 on.
  func multipliedClamped(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
