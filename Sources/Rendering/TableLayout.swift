// How wide the columns of a table are and how many of them fit. Only numbers: it has seen no text and writes none.

/// What may be shown of a table.
package struct TableLimits: Sendable, Equatable {
  /// A cell is cut at this many cells of the terminal; nil: never.
  package var cut: Int?
  /// The width of a line; columns that do not fit are left out at the right. Nil: any width.
  package var lineWidth: Int?

  package init(cut: Int? = nil, lineWidth: Int? = nil) {
    self.cut = cut.map { max(1, $0) }
    self.lineWidth = lineWidth.map { max(1, $0) }
  }

  /// Nothing is cut and nothing left out: for pipes and files, and for --wide.
  package static let none = TableLimits()
}

/// Widths of columns, which only ever grow, so that pages line up.
package struct TableLayout: Sendable, Equatable {
  /// A longer cell pushes the rest of its line to the right instead of widening its column for all.
  package static let widestColumn = 64
  /// Blanks between two columns.
  package static let gap = 2

  package private(set) var widths: [Int] = []
  /// How many columns are shown, from the left.
  package private(set) var shownCount = 0
  private let limits: TableLimits
  private var isSettled = false

  package init(limits: TableLimits) { self.limits = limits }

  /// The columns that are left out at the right.
  package var leftOutCount: Int { widths.count - shownCount }

  /// Where a cell of a column is cut, or nil where it is not.
  package func cut(at columnIndex: Int) -> Int? {
    guard limits.lineWidth != nil else { return limits.cut }
    return min(limits.cut ?? Int.max, widths[columnIndex])
  }

  /// Takes the widest cells of another page.
  ///
  /// - Parameter needs: for each column, its widest cell; more columns than before may come, never fewer.
  package mutating func grow(to needs: [Int]) {
    let old = widths
    let widest = limits.cut ?? (limits.lineWidth == nil ? TableLayout.widestColumn : Int.max)
    for (index, need) in needs.enumerated() {
      let width = min(need, widest)
      if index < widths.count { widths[index] = max(widths[index], width) } else { widths.append(width) }
    }
    guard let lineWidth = limits.lineWidth else {
      shownCount = widths.count
      return
    }
    if isSettled {
      settle(after: old, lineWidth: lineWidth)
    } else {
      fit(lineWidth)
      isSettled = true
    }
  }

  /// The first page: as many columns as fit, and at least one.
  private mutating func fit(_ lineWidth: Int) {
    var end = 0
    shownCount = 0
    for width in widths {
      let next = end + (shownCount > 0 ? TableLayout.gap : 0) + width
      if next > lineWidth { break }
      end = next
      shownCount += 1
    }
    if shownCount == 0, let first = widths.first {
      widths[0] = min(first, lineWidth)
      shownCount = 1
    }
  }

  /// A later page: the columns that are shown stay, and grow only into what is free at the right.
  private mutating func settle(after old: [Int], lineWidth: Int) {
    let shown = old[..<min(shownCount, old.count)]
    var free = lineWidth - shown.reduce(0, +) - TableLayout.gap * max(0, shown.count - 1)
    for index in shown.indices {
      let growth = min(widths[index] - old[index], max(0, free))
      widths[index] = old[index] + growth
      free -= growth
    }
    guard shownCount == old.count else { return }
    while shownCount < widths.count {
      let needed = widths[shownCount] + (shownCount > 0 ? TableLayout.gap : 0)
      if needed > free { return }
      free -= needed
      shownCount += 1
    }
  }
}
