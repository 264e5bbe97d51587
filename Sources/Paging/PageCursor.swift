// A printer's way through a pager: page after page, on a plain thread that may block. While a page is written, the next
// is fetched behind it as the margin asks; a printer that stalls therefore stalls the source.

/// Reads a result page by page, from a row on.
///
///     var pages = PageCursor(pager, from: 0)
///     while let page = try pages.next() { pager.readerKeepsUp(write(page.rows)) }
package struct PageCursor<Row: Sendable> {
  private let pager: Pager<Row>
  private let wholePages: Bool
  private let isReaderWaiting: () -> Bool
  /// Nothing is late before the first page.
  private var hasPages: Bool
  /// Met after some rows of a page; those are handed out first.
  private var heldError: (any Error)?

  /// The index of the next page's first row.
  package private(set) var offset: Int

  /// - Parameters:
  ///   - pager: the rows.
  ///   - offset: the row to begin with; pages have `pageSize` rows counted from here only if it is a multiple of it.
  ///   - wholePages: whether to wait until a page is full (except at the end or before an error), or to hand out what a
  ///     slow pipe has brought so far.
  ///   - isReaderWaiting: asked when a page comes that had to be waited for: whether the reader has nothing left of what
  ///     was handed out before. Only then the page was late.
  package init(
    _ pager: Pager<Row>, from offset: Int = 0, wholePages: Bool = true,
    isReaderWaiting: @escaping () -> Bool = { true }
  ) {
    self.pager = pager
    self.offset = max(0, offset)
    self.wholePages = wholePages
    self.isReaderWaiting = isReaderWaiting
    hasPages = offset > 0
  }

  /// The next page, or `nil` after the last; the first page of an empty result is `nil`. Blocks until it is there.
  ///
  /// - Throws: what the source threw at the very row that comes next; all rows before it have been handed out. Calling
  ///   again tries again.
  package mutating func next() throws -> Page<Row>? {
    if let error = heldError {
      heldError = nil
      throw error
    }
    var didWait = false
    guard offset < .max, let first = try pager.waitForRows(from: offset, didWait: &didWait), !first.isEmpty else {
      return nil
    }
    let size = pager.configuration.pageSize
    let start = offset
    let end = start.addingClamped(size - start % size)
    var rows = Array(first)
    offset = start.addingClamped(rows.count)
    if wholePages {
      do {
        while offset < end, let more = try pager.waitForRows(from: offset, didWait: &didWait), !more.isEmpty {
          rows += more
          offset = offset.addingClamped(more.count)
        }
      } catch {
        heldError = error
      }
    }
    if didWait && hasPages { pager.noteWait(readerWaited: isReaderWaiting()) }
    hasPages = true
    // All of the page comes into view as it is handed out: now the margin after it is fetched.
    pager.rowsInView(start..<offset)
    return Page(rows: rows, offset: start, hasMore: heldError != nil || pager.mayHaveRow(at: offset))
  }

  /// The next rows that are in memory or on their way, without fetching others: for who goes on without the pager.
  ///
  /// - Returns: nil where there are no more. No fetch is under way then, and none begins.
  /// - Throws: as `next()`.
  package mutating func nextOnTheWay() throws -> Page<Row>? {
    if let error = heldError {
      heldError = nil
      throw error
    }
    // Nothing is in view any more, so that nothing is fetched ahead of it.
    pager.rowsInView(0..<0)
    var didWait = false
    guard pager.isOnTheWay(row: offset), let rows = try pager.waitForRows(from: offset, didWait: &didWait),
      !rows.isEmpty
    else { return nil }
    if didWait && hasPages { pager.noteWait(readerWaited: isReaderWaiting()) }
    let start = offset
    offset = start.addingClamped(rows.count)
    return Page(rows: Array(rows), offset: start, hasMore: pager.mayHaveRow(at: offset))
  }
}
