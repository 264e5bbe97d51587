// The table: a header, then one line a row, columns lined up. The rows of a page are kept until it ends, as safe text
// in one buffer, because their widths decide where the columns stand. `TableLayout` has the rules for widths.

package import Reading
import TerminalIO

package struct TablePrinter: PagePrinter {
  package private(set) var notes = PrintNotes()
  /// The widths so far.
  package private(set) var layout: TableLayout

  private let columns: [OutputColumn]
  private let printsHeading: Bool
  private let usesColor: Bool
  private var madeNames: MadeNames
  private var cellText: CellText
  private var page = TablePage()
  private var hasPrintedHeading = false
  /// Columns of numbers have their heading to the right.
  private var isNumericColumn: [Bool] = []

  /// - Parameters:
  ///   - columns: the columns, in order.
  ///   - hiddenNames: columns of the file that are not among these.
  ///   - limits: what is cut and left out.
  ///   - printsHeading: whether the names come first.
  ///   - usesColor: whether the heading is bold.
  ///   - compactJSON: takes the white space out of arrays and objects.
  package init(
    columns: [OutputColumn], hiddenNames: [[UInt8]] = [], limits: TableLimits = .none, printsHeading: Bool = true,
    usesColor: Bool = false, compactJSON: @escaping JSONCompactor
  ) {
    self.columns = columns
    self.printsHeading = printsHeading
    self.usesColor = usesColor
    layout = TableLayout(limits: limits)
    madeNames = MadeNames(columns: columns, hidden: hiddenNames)
    cellText = CellText(compact: compactJSON)
  }

  package mutating func print(record: Span<UInt8>, fields: Span<Field>, into output: inout [UInt8]) {
    // A record that may be shown as it is is copied whole: its cells are then places in the copy, and as wide as they are
    // long up to the first that is not printable ASCII. Not where little of it is shown.
    var shownCount = 0
    for index in 0..<fields.count { shownCount &+= Int(fields[index].count) &+ 2 }
    let asciiEnd = ScalarDecoder.firstNotPrintable(record, in: 0..<record.count)
    let isSafe = shownCount >= record.count / 4 && SafeText.isSafe(record, in: asciiEnd..<record.count)
    let base = page.text.count
    if isSafe { page.text.append(copying: record) }
    for index in 0..<fields.count {
      let field = fields[index]
      let range = field.range(in: record)
      var cell = TablePage.Cell(start: base &+ range.lowerBound, count: range.count, width: range.count)
      switch field.kind {
      case .missing, .null:
        cell.count = 0
        cell.width = 0
      case .quotedEscaped, .stringEscaped, .array, .object:
        appendDecoded(field, in: record, cell: &cell)
      default:
        if !isSafe {
          appendDecoded(field, in: record, cell: &cell)
        } else if range.upperBound > asciiEnd {
          cell.width = DisplayWidth.cells(record, in: range)
        }
      }
      switch field.kind {
      case .number: cell.isNumeric = true
      case .bare, .quoted, .quotedEscaped:
        cell.isNumeric = NumericText.isNumber(page.text.span, in: cell.range)
      default: break
      }
      page.cells.append(cell)
    }
    page.endRow()
    notes.rowCount &+= 1
  }

  /// Appends the text of a cell to the page and measures it.
  private mutating func appendDecoded(_ field: Field, in record: Span<UInt8>, cell: inout TablePage.Cell) {
    cell.start = page.text.count
    notes.countReplaced(cellText.appendSafe(field, in: record, to: &page.text))
    cell.count = page.text.count &- cell.start
    cell.width = DisplayWidth.cells(page.text.span, in: cell.range)
  }

  package mutating func endPage(into output: inout [UInt8]) {
    var columnCount = max(columns.count, layout.widths.count)
    var start = 0
    for end in page.rowEnds {
      columnCount = max(columnCount, end - start)
      start = end
    }
    var needs = Array(repeating: 0, count: columnCount)
    let names = hasPrintedHeading || !printsHeading ? [] : (0..<columnCount).map { shownName(at: $0) }
    for (index, name) in names.enumerated() { needs[index] = DisplayWidth.cells(name) }
    page.widen(&needs)
    layout.grow(to: needs)
    notes.leftOutColumnCount = layout.leftOutCount
    if !hasPrintedHeading {
      isNumericColumn = page.numericColumns(count: columnCount)
      printHeading(names, into: &output)
      hasPrintedHeading = true
    }
    printRows(into: &output)
    page.removeAll()
  }

  package mutating func finish(into output: inout [UInt8]) {
    if !hasPrintedHeading || !page.rowEnds.isEmpty { endPage(into: &output) }
  }

  private mutating func shownName(at index: Int) -> [UInt8] {
    SafeText.safe(index < columns.count ? columns[index].name : madeNames.name(at: index))
  }

  private mutating func printHeading(_ names: [[UInt8]], into output: inout [UInt8]) {
    if names.isEmpty { return }
    if usesColor { output.append(copying: [0x1B, 0x5B, 0x31, 0x6D].span) }
    var line = TableLine()
    for index in 0..<layout.shownCount {
      let name = names[index]
      let width = layout.widths[index]
      output.append(addingCapacity: line.room(for: name.count, column: width)) { room in
        let wasCut = line.append(
          name.span, in: 0..<name.count, width: DisplayWidth.cells(name), column: width, cut: layout.cut(at: index),
          isRight: isNumericColumn[index], to: &room)
        if wasCut { notes.cutCellCount &+= 1 }
      }
    }
    if usesColor { output.append(copying: [0x1B, 0x5B, 0x30, 0x6D].span) }
    output.append(0x0A)
  }

  private mutating func printRows(into output: inout [UInt8]) {
    var start = 0
    for end in page.rowEnds {
      var room = 1
      for index in start..<end {
        let columnIndex = index &- start
        if columnIndex >= layout.shownCount { break }
        room &+= TableLine.room(for: page.cells[index].count, column: layout.widths[columnIndex])
      }
      output.append(addingCapacity: room) { line in appendRow(start..<end, to: &line) }
      start = end
    }
  }

  private mutating func appendRow(_ cellIndexes: Range<Int>, to output: inout OutputSpan<UInt8>) {
    var line = TableLine()
    for columnIndex in 0..<min(cellIndexes.count, layout.shownCount) {
      let cell = page.cells[cellIndexes.lowerBound &+ columnIndex]
      let wasCut = line.append(
        page.text.span, in: cell.range, width: cell.width, column: layout.widths[columnIndex],
        cut: layout.cut(at: columnIndex), isRight: cell.isNumeric, to: &output)
      if wasCut { notes.cutCellCount &+= 1 }
    }
    output.append(0x0A)
  }
}

/// A line being written. Blanks are held back until something follows them, so that no line ends in blanks.
private struct TableLine {
  private var blanks = 0
  private var isFirst = true

  /// The most bytes that a cell adds to what may be written: its own, its column's blanks, the gap, an ellipsis.
  @inline(__always)
  static func room(for byteCount: Int, column: Int) -> Int {
    byteCount &+ column &+ TableLayout.gap &+ 3
  }

  /// The same with the blanks that are held back.
  func room(for byteCount: Int, column: Int) -> Int {
    blanks &+ TableLine.room(for: byteCount, column: column)
  }

  /// Appends a cell.
  ///
  /// - Returns: whether it was cut.
  mutating func append(
    _ text: Span<UInt8>, in range: Range<Int>, width: Int, column: Int, cut: Int?, isRight: Bool,
    to output: inout OutputSpan<UInt8>
  ) -> Bool {
    if !isFirst { blanks &+= TableLayout.gap }
    isFirst = false
    if range.isEmpty {
      blanks &+= column
      return false
    }
    if let cut, width > cut {
      writeBlanks(to: &output)
      let (end, cells) = DisplayWidth.prefix(text, in: range, cells: cut &- 1)
      output.append(copying: text, range.lowerBound..<end)
      // "…", U+2026
      output.append(0xE2)
      output.append(0x80)
      output.append(0xA6)
      blanks = max(0, column &- cells &- 1)
      return true
    }
    let rest = max(0, column &- width)
    if isRight { blanks &+= rest }
    writeBlanks(to: &output)
    output.append(copying: text, range)
    blanks = isRight ? 0 : rest
    return false
  }

  @inline(__always)
  private mutating func writeBlanks(to output: inout OutputSpan<UInt8>) {
    output.append(repeating: 0x20, count: blanks)
    blanks = 0
  }
}

/// The rows of one page as safe text. The memory is kept from page to page.
private struct TablePage {
  struct Cell {
    var start: Int
    var count: Int
    var width: Int
    var isNumeric = false

    var range: Range<Int> { start..<(start &+ count) }
  }

  var text: [UInt8] = []
  var cells: [Cell] = []
  /// Where the cells of each row end.
  private(set) var rowEnds: [Int] = []

  mutating func endRow() { rowEnds.append(cells.count) }

  mutating func removeAll() {
    text.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    rowEnds.removeAll(keepingCapacity: true)
  }

  /// Raises each column's need to its widest cell.
  func widen(_ needs: inout [Int]) {
    var cellIndex = 0
    for rowEnd in rowEnds {
      var columnIndex = 0
      while cellIndex < rowEnd {
        let width = cells[cellIndex].width
        if width > needs[columnIndex] { needs[columnIndex] = width }
        cellIndex &+= 1
        columnIndex &+= 1
      }
    }
  }

  /// Whether each column has numbers and nothing else.
  func numericColumns(count: Int) -> [Bool] {
    var hasNumbers = Array(repeating: false, count: count)
    var hasOthers = Array(repeating: false, count: count)
    var cellIndex = 0
    for rowEnd in rowEnds {
      var columnIndex = 0
      while cellIndex < rowEnd {
        let cell = cells[cellIndex]
        if cell.isNumeric {
          hasNumbers[columnIndex] = true
        } else if cell.count > 0 {
          hasOthers[columnIndex] = true
        }
        cellIndex &+= 1
        columnIndex &+= 1
      }
    }
    return zip(hasNumbers, hasOthers).map { $0 && !$1 }
  }
}
