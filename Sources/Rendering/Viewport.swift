// Where the columns stand on a screen: the numbers of the rows, the frozen columns, a line, and from `firstColumn` on
// what fits of the others. Geometry only; it has seen no text.

/// The columns of a screen.
package struct Viewport: Sendable, Equatable {
  package struct Place: Sendable, Equatable {
    package var columnIndex: Int
    /// The cell of the screen where it begins.
    package var start: Int
    /// The cells it has; fewer than the column's width at the right edge.
    package var width: Int
  }

  package static let gap = 2

  package private(set) var places: [Place] = []
  /// Cells of the row numbers; 0: not shown.
  package private(set) var numberWidth = 0
  /// Where the line after the frozen columns stands.
  package private(set) var separator: Int?
  /// Where the columns that scroll begin.
  package private(set) var scrollStart = 0
  /// Whether columns stand left or right of what is shown.
  package private(set) var hasMoreLeft = false
  package private(set) var hasMoreRight = false

  /// - Parameters:
  ///   - columns: all columns; hidden ones get no place.
  ///   - frozenCount: how many of them, from the left, do not scroll.
  ///   - firstColumn: the first of the others to be shown.
  ///   - numberWidth: the digits of the largest row number.
  ///   - columnCount: the width of the screen.
  package init(
    columns: [ViewerColumn], frozenCount: Int, firstColumn: Int, numberWidth: Int, columnCount: Int
  ) {
    var start = 0
    // On a very narrow screen the data counts for more than the numbers of its rows.
    if numberWidth + Viewport.gap <= columnCount / 3 {
      self.numberWidth = numberWidth
      start = numberWidth + Viewport.gap
    }
    let frozen = Viewport.fixedCount(columns, frozenCount, from: start, columnCount)
    for index in 0..<frozen where !columns[index].isHidden {
      places.append(Place(columnIndex: index, start: start, width: columns[index].width))
      start += columns[index].width + Viewport.gap
    }
    if !places.isEmpty {
      separator = start - 1
      start += 1
    }
    scrollStart = start
    for index in columns.indices.dropFirst(frozen) where !columns[index].isHidden {
      if index < firstColumn {
        hasMoreLeft = true
        continue
      }
      let width = min(columns[index].width, columnCount - start)
      if width < columns[index].width { hasMoreRight = true }
      if width <= 0 { break }
      places.append(Place(columnIndex: index, start: start, width: width))
      start += width + Viewport.gap
    }
  }

  /// How many columns can be frozen so that a third of the screen still scrolls; otherwise none are.
  private static func fixedCount(
    _ columns: [ViewerColumn], _ frozenCount: Int, from start: Int, _ columnCount: Int
  ) -> Int {
    let count = min(max(0, frozenCount), columns.count)
    var end = start
    for column in columns[..<count] where !column.isHidden {
      end += column.width + gap
      if end + 1 > columnCount - columnCount / 3 { return 0 }
    }
    return count
  }

  /// Whether a column is shown in its full width.
  package func shows(_ columnIndex: Int, of columns: [ViewerColumn]) -> Bool {
    places.contains { $0.columnIndex == columnIndex && $0.width == columns[columnIndex].width }
  }

  /// The column at a cell of the screen.
  package func column(at cell: Int) -> Int? {
    places.last { $0.start <= cell }.flatMap { cell < $0.start + $0.width + Viewport.gap ? $0.columnIndex : nil }
  }
}
