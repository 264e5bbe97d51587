// --each: every page is a document of its own, made by a printer of its own, and goes to a run of the command. The next page
// is fetched meanwhile, as the margin asks.

import Fetching
import Paging
import Rendering

extension PrintSession {
  /// Runs the command for page after page.
  mutating func runCommand(
    _ command: ShellCommand, from first: RowBlock, mayFollow: Bool, failure: (any Error)?
  ) throws {
    var pageNumber = resumedRowCount.map { $0 / invocation.pageSize + 1 } ?? invocation.page ?? 1
    var rowIndex = firstRowIndex
    let source = FetchPageSource(results, nextRow: first.rows.count)
    let pager = makePager(source, loaded: first, hasMore: mayFollow || failure != nil)
    defer { finishPaging(source, pager) }
    var pages = PageCursor(pager, from: 0)
    while let page = try next(&pages) {
      renewPrinter(firstRowNumber: rowIndex + 1)
      print(page.rows)
      let ending = try run(command, page: pageNumber, offset: rowIndex, rows: page.rows.count)
      guard ending == .status(0) else { throw EachFailure(ending: ending, pageNumber: pageNumber) }
      try movePosition()
      pageNumber += 1
      rowIndex += page.rows.count
      if invocation.extent == .page { return }
    }
  }

  private mutating func run(
    _ command: ShellCommand, page: Int, offset: Int, rows: Int
  ) throws -> ShellCommand.Ending {
    let document = takeDocument()
    return try command.run(
      input: document.span,
      variables: [("PAGECAT_PAGE", "\(page)"), ("PAGECAT_OFFSET", "\(offset)"), ("PAGECAT_ROWS", "\(rows)")])
  }
}

extension PrintNotes {
  /// These, and what was noted while earlier pages were printed.
  func adding(_ earlier: PrintNotes) -> PrintNotes {
    var sum = self
    sum.rowCount += earlier.rowCount
    sum.replacedCount += earlier.replacedCount
    sum.firstReplacedRowIndex = earlier.firstReplacedRowIndex ?? firstReplacedRowIndex.map { $0 + earlier.rowCount }
    sum.cutCellCount += earlier.cutCellCount
    sum.leftOutColumnCount = max(leftOutColumnCount, earlier.leftOutColumnCount)
    sum.partlyBareColumnIndexes = Set(partlyBareColumnIndexes).union(earlier.partlyBareColumnIndexes).sorted()
    return sum
  }
}
