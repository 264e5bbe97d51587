// The rows in memory, by page. Pages lie on a grid: page p holds the rows from p * pageSize on, as many as have come, without
// a hole. They are kept sorted in one array, so that the page farthest from the view is always the first or the last.

/// Pages of a result, up to a number of rows.
package struct PageCache<Row: Sendable>: Sendable {
  private struct Entry {
    let pageIndex: Int
    var rows: [Row]
    /// Came before it was needed, and has not been needed since.
    var isAhead: Bool
  }

  package let pageSize: Int
  /// Rows to keep; more only where what is in view and its margins need more.
  package let limit: Int
  package private(set) var rowCount = 0
  private var entries: [Entry] = []
  /// The indices, in no order, of the pages that are not full: the last one, as a rule, and none else.
  private var partial: [Int] = []

  package init(pageSize: Int, limit: Int) {
    self.pageSize = max(1, pageSize)
    self.limit = max(self.pageSize, limit)
  }

  // MARK: Looking up

  /// The row, if it is there. O(log pages).
  package func row(at index: Int) -> Row? {
    rows(from: index)?.first
  }

  /// The row and those after it in its page, if it is there. The indices of the slice mean nothing. O(log pages).
  package func rows(from index: Int) -> ArraySlice<Row>? {
    guard index >= 0, let position = position(ofRow: index) else { return nil }
    let rows = entries[position].rows
    let first = index % pageSize
    return first < rows.count ? rows[first...] : nil
  }

  /// Where a fetch that is to bring this row has to begin: at its page, or at what is missing of it.
  package func fetchOffset(forRow index: Int) -> Int {
    let start = pageStart(ofRow: index)
    guard let position = position(ofRow: index) else { return start }
    return start + entries[position].rows.count
  }

  /// The first row that is missing, in the order of rows, from the page of `index` on. O(log pages).
  package func firstMissingRow(from index: Int) -> Int {
    let pageIndex = index / pageSize
    let first = lowerBound(pageIndex)
    // As long as no page is missing, page indices grow with positions; so the end of the run can be searched for.
    var low = first
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].pageIndex - pageIndex == middle - first { low = middle + 1 } else { high = middle }
    }
    let runEnd = pageIndex.addingClamped(low - first)
    if let short = partial.filter({ $0 >= pageIndex && $0 < runEnd }).min() {
      return fetchOffset(forRow: short * pageSize)
    }
    return runEnd.multipliedClamped(by: pageSize)
  }

  /// The last row that is missing before the page of `index`, if it is not before `first`.
  package func lastMissingRow(before index: Int, downTo first: Int) -> Int? {
    var pageIndex = index / pageSize
    var position = lowerBound(pageIndex)
    while pageIndex > 0, pageIndex * pageSize - 1 >= first {
      position -= 1
      pageIndex -= 1
      guard position >= 0, entries[position].pageIndex == pageIndex, entries[position].rows.count == pageSize
      else { return pageIndex * pageSize + (pageSize - 1) }
    }
    return nil
  }

  /// The first row of the next page in memory after the page of `index`, where a longer fetch can stop.
  package func nextPageStart(after index: Int) -> Int? {
    let position = lowerBound((index / pageSize).addingClamped(1))
    return position < entries.count ? entries[position].pageIndex * pageSize : nil
  }

  // MARK: Changing

  /// Keeps rows from `offset` on, which is where a page begins or where what is there of it ends. Rows that would leave a
  /// hole before them in their page (the page was dropped meanwhile) are not kept.
  ///
  /// - Parameter isAhead: says of a range of rows whether it came before it was needed.
  /// - Returns: the number of pages these rows belong to.
  @discardableResult
  package mutating func store(_ rows: [Row], at offset: Int, isAhead: (Range<Int>) -> Bool) -> Int {
    var first = 0
    var pages = 0
    while first < rows.count, offset >= 0, offset.addingClamped(first) < .max {
      let start = offset + first
      let within = start % pageSize
      let count = min(pageSize - within, rows.count - first, Int.max - start)
      keep(rows[first..<(first + count)], pageIndex: start / pageSize, within: within) {
        isAhead(start..<start.addingClamped(count))
      }
      first += count
      pages += 1
    }
    return pages
  }

  private mutating func keep(_ rows: ArraySlice<Row>, pageIndex: Int, within: Int, isAhead: () -> Bool) {
    let position = lowerBound(pageIndex)
    if position < entries.count, entries[position].pageIndex == pageIndex {
      guard entries[position].rows.count == within else { return }
      entries[position].rows.append(contentsOf: rows)
      entries[position].isAhead = isAhead()
    } else {
      guard within == 0 else { return }
      entries.insert(Entry(pageIndex: pageIndex, rows: Array(rows), isAhead: isAhead()), at: position)
    }
    rowCount += rows.count
    if within + rows.count == pageSize {
      if within > 0 { partial.removeAll { $0 == pageIndex } }
    } else if within == 0 {
      partial.append(pageIndex)
    }
  }

  /// Marks the pages of these rows as needed.
  ///
  /// - Returns: how many of them had come ahead and are needed for the first time.
  package mutating func markNeeded(_ range: Range<Int>) -> Int {
    guard !range.isEmpty, range.lowerBound >= 0 else { return 0 }
    var hits = 0
    var position = lowerBound(range.lowerBound / pageSize)
    let last = (range.upperBound - 1) / pageSize
    while position < entries.count, entries[position].pageIndex <= last {
      if entries[position].isAhead {
        entries[position].isAhead = false
        hits += 1
      }
      position += 1
    }
    return hits
  }

  /// Drops pages until the limit is kept, those farthest from `window` first and none that touches it.
  ///
  /// - Parameter row: a row whose page stays too.
  /// - Returns: how many were dropped.
  package mutating func evict(around window: Range<Int>, keeping row: Int? = nil) -> Int {
    guard rowCount > limit else { return 0 }
    // Taken out meanwhile, so that it does not shield the pages between it and the window.
    let pinned = row.flatMap { position(ofRow: $0) }.map { entries.remove(at: $0) }
    var front = 0
    var back = entries.count
    var kept = rowCount
    while kept > limit, front < back {
      let before = distance(entries[front], window)
      let after = distance(entries[back - 1], window)
      if before == 0 && after == 0 { break }
      if before >= after {
        kept -= entries[front].rows.count
        front += 1
      } else {
        back -= 1
        kept -= entries[back].rows.count
      }
    }
    let dropped = front + (entries.count - back)
    entries.removeLast(entries.count - back)
    entries.removeFirst(front)
    if let pinned { entries.insert(pinned, at: lowerBound(pinned.pageIndex)) }
    rowCount = kept
    if !partial.isEmpty && dropped > 0 { forgetDroppedPartialPages() }
    return dropped
  }

  /// Drops the last row that there is of a page, if it is this one; it is to be fetched again.
  package mutating func dropLast(row index: Int) {
    guard index >= 0, let position = position(ofRow: index), index % pageSize == entries[position].rows.count - 1
    else { return }
    if entries[position].rows.count == pageSize { partial.append(index / pageSize) }
    entries[position].rows.removeLast()
    rowCount -= 1
    if entries[position].rows.isEmpty {
      entries.remove(at: position)
      partial.removeAll { $0 == index / pageSize }
    }
  }

  private mutating func forgetDroppedPartialPages() {
    partial = partial.filter { position(ofRow: $0 * pageSize) != nil }
  }

  package mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    partial.removeAll()
    rowCount = 0
  }

  // MARK: The grid

  /// The index of the first row of the page that a row belongs to.
  package func pageStart(ofRow index: Int) -> Int { index - index % pageSize }

  /// 0 where the page touches the window, with the rows it will have: one that comes in parts must stay until it is whole.
  private func distance(_ entry: Entry, _ window: Range<Int>) -> Int {
    let start = entry.pageIndex * pageSize
    let end = start.addingClamped(pageSize)
    if start >= window.upperBound { return (start - window.upperBound).addingClamped(1) }
    return end <= window.lowerBound ? (window.lowerBound - end).addingClamped(1) : 0
  }

  private func position(ofRow index: Int) -> Int? {
    let pageIndex = index / pageSize
    let position = lowerBound(pageIndex)
    return position < entries.count && entries[position].pageIndex == pageIndex ? position : nil
  }

  private func lowerBound(_ pageIndex: Int) -> Int {
    // Reading on at the end is what nearly always happens.
    if let last = entries.last, last.pageIndex <= pageIndex {
      return last.pageIndex == pageIndex ? entries.count - 1 : entries.count
    }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].pageIndex < pageIndex { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
