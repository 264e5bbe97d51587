// One run of printing: blocks of rows from the results through a printer to standard output.
//
// A file takes blocks as large as they come. For a reader that may sleep (a pipe, a terminal), rows go through a pager: the
// margin stands ready and no more is read, unless the reader keeps up, which makes the pager fetch many pages at a time.

import Fetching
import Paging
import Reading
import Rendering

struct PrintSession {
  private let invocation: Invocation
  private let query: Query
  private let output: OutputWriter
  private let isTerminal: Bool
  private var results: FetchResults
  private var columns: DatasetColumns
  private var plan: ColumnPlan?
  private var readers: [any FieldReader] = []
  private var printer: (any PagePrinter)?
  private let isTabular: [Bool]
  private let printsObjects: Bool
  /// Whether JSON records are printed as they are.
  private let passesThrough: Bool
  /// Rows whose names are among the columns in any case.
  private var firstPageSize = 0
  /// Rows whose widths a table begins with.
  private var firstBlockSize = 0
  private var buffer: [UInt8] = []
  private var fields: [Field] = []
  /// Names that first appeared after the first page.
  private var lateNames: [[UInt8]] = []
  private(set) var rowCount = 0
  private var lastWriteSize = 0
  /// What the pager did; nil where none was needed.
  private(set) var statistics: PagerStatistics?

  init(_ query: Query, invocation: Invocation, output: OutputWriter, isTerminal: Bool) {
    self.query = query
    self.invocation = invocation
    self.output = output
    self.isTerminal = isTerminal
    columns = query.columns
    isTabular = query.inputs.map(\.isTabular)
    printsObjects = invocation.outputFormat == .json || invocation.outputFormat == .jsonl
    passesThrough =
      printsObjects && query.columnRequest.columns == nil && query.columnRequest.hidden.isEmpty
    results = FetchResults(
      query.descriptor, inputs: query.inputs, columns: query.columns, collectsColumns: query.collectsColumns)
  }

  /// Prints everything asked for.
  mutating func run() throws {
    var block = RowBlock()
    var mayFollow = true
    var failure: (any Error)?
    if query.collectsColumns && results.plan == .stream { try collectAllColumns() }
    do {
      mayFollow = try results.append(to: &block, limit: invocation.pageSize)
      if mayFollow && invocation.extent == .everything {
        mayFollow = results.appendAtHand(to: &block, limit: PrintLimits.widthRows)
      }
    } catch {
      failure = error
      mayFollow = false
    }
    // A name or a first record that is wrong leaves nothing to print.
    if let failure, block.rows.isEmpty { throw failure }
    try begin(with: block)
    if mayFollow && output.reader != .none {
      try printPages(from: block)
    } else {
      try printBlocks(from: block, mayFollow: mayFollow, failure: failure)
    }
    printer?.finish(into: &buffer)
    try flush()
  }

  /// Prints blocks as large as they come.
  private mutating func printBlocks(from first: RowBlock, mayFollow: Bool, failure: (any Error)?) throws {
    var (block, mayFollow, failure) = (first, mayFollow, failure)
    while true {
      print(block, endsPage: rowCount == 0 || !mayFollow || failure != nil || results.mayWait)
      if mayFollow || failure != nil { try flush() }
      if let failure { throw failure }
      guard mayFollow else { return }
      block.removeAll()
      do {
        mayFollow = try results.append(
          to: &block, limit: FetchingLimits.blockRows, byteLimit: FetchingLimits.blockSize, waits: false)
      } catch {
        failure = error
      }
    }
  }

  /// Prints page after page at the reader's pace.
  private mutating func printPages(from first: RowBlock) throws {
    let source = FetchPageSource(results, nextRow: first.rows.count)
    let pager = makePager(source, loaded: first)
    defer { finishPaging(source, pager) }
    let reader = output.reader
    // Now the margin after these rows is fetched, while they are laid out and written.
    pager.rowsInView(0..<first.rows.count)
    print(first)
    try flush()
    var pages = PageCursor(pager, from: first.rows.count, wholePages: false)
    var keepsUp = false
    while let page = try pages.next() {
      print(page.rows)
      // For a reader that keeps up, the pages that are there go together.
      if keepsUp && buffer.count < PrintLimits.writeSize && pager.loadedRow(at: pages.offset) != nil { continue }
      keepsUp = output.readerKeepsUp(afterWriting: lastWriteSize, to: reader)
      pager.readerKeepsUp(keepsUp)
      lastWriteSize = buffer.count
      try flush()
    }
  }

  private func makePager(_ source: FetchPageSource, loaded block: RowBlock) -> Pager<FetchedRow> {
    let fetched = FetchedBlock(block)
    let rows = block.rows.indices.map { FetchedRow(block: fetched, index: $0) }
    return Pager(
      source: source,
      configuration: PagerConfiguration(
        pageSize: invocation.pageSize, prefetchMargin: invocation.prefetchMargin),
      loaded: Page(rows: rows, offset: 0, hasMore: true))
  }

  /// Takes the results back, for what they have to remark.
  private mutating func finishPaging(_ source: FetchPageSource, _ pager: Pager<FetchedRow>) {
    pager.cancel()
    statistics = pager.statistics
    if let idle = source.idleResults { results = idle }
  }

  /// Writes what was printed so far.
  mutating func flush() throws {
    if buffer.isEmpty { return }
    try output.write(buffer.span)
    buffer.removeAll(keepingCapacity: true)
  }

  /// A pass over all records just for their names, where a stream would not meet them in time.
  private mutating func collectAllColumns() throws {
    columns = try results.collectColumns()
  }

  private mutating func begin(with block: RowBlock) throws {
    if query.collectsColumns { columns = results.columns }
    firstPageSize = block.rows.count
    firstBlockSize = block.rows.count
    for row in block.rows where !isTabular[row.inputIndex] {
      _ = columns.add(record: block.bytes.span.extracting(row.range))
    }
    let plan: ColumnPlan
    do throws(UnknownColumnError) {
      plan = try ColumnPlan(query.columnRequest, known: columns.names, inputs: query.inputs)
    } catch {
      throw UsageError("--columns: " + error.message)
    }
    self.plan = plan
    readers = plan.makeReaders()
    var printer = PrinterChoice(invocation, isTerminal: isTerminal).makePrinter(plan, inputs: query.inputs)
    printer.begin(into: &buffer)
    self.printer = printer
  }

  /// Prints the rows of a page, piece by piece of the blocks they are in.
  private mutating func print(_ rows: [FetchedRow]) {
    var first = 0
    while first < rows.count {
      let block = rows[first].block
      var end = first + 1
      while end < rows.count && rows[end].block === block && rows[end].index == rows[end - 1].index + 1 { end += 1 }
      print(block.block, rows[first].index..<(rows[end - 1].index + 1), endsPage: end == rows.count)
      first = end
    }
  }

  /// Prints a block, or a part of it.
  private mutating func print(_ block: RowBlock, _ range: Range<Int>? = nil, endsPage: Bool = true) {
    guard var printer else { return }
    // Both taken out, so that they can change while the session is looked at.
    self.printer = nil
    var buffer: [UInt8] = []
    swap(&buffer, &self.buffer)
    var readers: [any FieldReader] = []
    swap(&readers, &self.readers)
    let pageSize = max(1, invocation.pageSize)
    let looksForLateNames = !printsObjects && query.columnRequest.columns == nil
    for row in block.rows[range ?? block.rows.indices] {
      let record = block.bytes.span.extracting(row.range)
      let isTabular = isTabular[row.inputIndex]
      if passesThrough && !isTabular {
        // An empty list of fields: the record itself.
        fields.removeAll(keepingCapacity: true)
      } else {
        readers[row.inputIndex].read(record, into: &fields)
      }
      printer.print(record: record, fields: fields.span, into: &buffer)
      if looksForLateNames && !isTabular && rowCount >= firstPageSize { noteLateNames(in: record) }
      rowCount += 1
      // The layout must not depend on how many rows came at a time.
      if rowCount > firstBlockSize && rowCount % pageSize == 0 { printer.endPage(into: &buffer) }
    }
    if endsPage { printer.endPage(into: &buffer) }
    swap(&buffer, &self.buffer)
    swap(&readers, &self.readers)
    self.printer = printer
  }

  private mutating func noteLateNames(in record: Span<UInt8>) {
    lateNames += columns.add(record: record)
  }

  // MARK: What there is to remark

  var notes: [String] {
    var notes = (plan?.notes ?? []).map { "--columns: " + $0 } + results.notes
    guard let printed = printer?.notes else { return notes }
    if !lateNames.isEmpty {
      let shown = lateNames.prefix(5).map { Diagnostics.quoted($0) }.joined(separator: ", ")
      let more = lateNames.count > 5 ? " and \(lateNames.count - 5) more" : ""
      notes.append(
        "columns that first appear after the first page were left out: \(shown)\(more); see --all-columns")
    }
    if printed.replacedCount > 0 {
      let row = printed.firstReplacedRowIndex.map { ", first in row \($0 + 1)" } ?? ""
      notes.append("\(Self.counted(printed.replacedCount, "piece")) of text that is no UTF-8 became U+FFFD\(row)")
    }
    if printed.cutCellCount > 0 {
      notes.append("\(Self.counted(printed.cutCellCount, "cell")) cut; see --wide")
    }
    if printed.leftOutColumnCount > 0 {
      notes.append("\(Self.counted(printed.leftOutColumnCount, "column")) left out on the right; see --wide, --columns")
    }
    if let plan, !printed.partlyBareColumnIndexes.isEmpty {
      let names = printed.partlyBareColumnIndexes.compactMap { plan.names.indices.contains($0) ? plan.names[$0] : nil }
      let shown = names.prefix(5).map { Diagnostics.quoted($0) }.joined(separator: ", ")
      notes.append("written partly as numbers or booleans and partly as strings: \(shown); see --strings")
    }
    return notes
  }

  private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

enum PrintLimits {
  /// Rows whose widths a table begins with, where as many are at hand.
  static let widthRows = 1000
  /// Bytes written at a time where the reader keeps up: what a pipe holds.
  static let writeSize = 64 * 1024
  /// Cells of the screen at which a cell of a table is cut on a terminal.
  static let cellCut = 64
}
