// One run of printing: blocks of rows from the results through a printer to standard output.
//
// A file takes blocks as large as they come. For a reader that may sleep (a pipe, a terminal), rows go through a pager: the
// margin stands ready and no more is read, unless the reader keeps up, which makes the pager fetch many pages at a time. One
// that keeps up for long gets blocks too, smaller ones: they are written when they are there, and one more is made meanwhile.

import Fetching
import Paging
import Reading
import Rendering

struct PrintSession {
  let invocation: Invocation
  private let query: Query
  private let output: OutputWriter
  private let isTerminal: Bool
  private(set) var results: FetchResults
  private var columns: DatasetColumns
  private var plan: ColumnPlan?
  private var readers: [any FieldReader] = []
  /// Of each input the delimiter where records may be printed as they are.
  private var wholeDelimiters: [UInt8?] = []
  private var printer: (any PagePrinter)?
  /// Of each column printed its index among the fields read, where some are printed more than once.
  private var repeatedIndexes: [Int]?
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
  /// Names asked for that no record had so far.
  private var absentNames: [ColumnPlan.AbsentName] = []
  /// Names that first appeared after the first page.
  private var lateNames: [[UInt8]] = []
  private(set) var rowCount = 0
  private var lastWriteSize = 0
  /// With --resume: where the position is kept, how it moves, and the row that it is to move behind.
  private let resumeFile: ResumeFile?
  private var reservedFile: ReservedFile?
  private var tracking: ResumePositionTracking?
  private var lastRow: (entry: RowEntry, record: [UInt8])?
  private var rowsBehindPosition = 0
  private let rowsBeforeRun: Int
  /// Where the first text stands that is no UTF-8 and was replaced.
  private var replacements: ReplacementPlace
  /// With --each: what the printers of the pages so far have noted.
  private var earlierNotes = PrintNotes()
  private var endNote: String?
  /// What the pager did; nil where none was needed.
  private(set) var statistics: PagerStatistics?
  private var rowsInBlocks = 0

  private let monitor: ScanMonitor?

  /// - Parameter monitor: who is told how far it is, and may end it by `CancellationError`.
  init(
    _ query: Query, invocation: Invocation, output: OutputWriter, isTerminal: Bool, monitor: ScanMonitor? = nil
  ) {
    self.monitor = monitor
    self.query = query
    self.invocation = invocation
    self.output = output
    self.isTerminal = isTerminal
    columns = query.columns
    isTabular = query.inputs.map(\.isTabular)
    printsObjects = invocation.outputFormat == .json || invocation.outputFormat == .jsonl
    passesThrough =
      printsObjects && query.columnRequest.columns == nil && query.columnRequest.hidden.isEmpty
    resumeFile = query.resume?.file
    tracking = query.resume?.tracking
    rowsBeforeRun = tracking?.rowCount ?? 0
    replacements = ReplacementPlace(inputs: query.inputs)
    results = FetchResults(
      query.descriptor, inputs: query.inputs, columns: query.columns, collectsColumns: query.collectsColumns)
    if let monitor {
      results.watch(by: monitor)
      results.listen(to: monitor)
    }
  }

  /// Prints everything asked for.
  mutating func run() throws {
    var block = RowBlock()
    var mayFollow = true
    var failure: (any Error)?
    if query.collectsColumns && results.plan == .stream { try collectAllColumns() }
    do {
      mayFollow = try results.append(to: &block, limit: invocation.pageSize)
      if mayFollow && invocation.extent == .everything && invocation.command == nil {
        mayFollow = results.appendAtHand(to: &block, limit: PrintLimits.widthRows)
      }
    } catch {
      failure = error
      mayFollow = false
    }
    // Nothing more to go on with, and nothing to run a command for: no heading either.
    if block.rows.isEmpty && (tracking != nil || invocation.command != nil) {
      if let failure, !isLeftForNextRun(failure) { throw failure }
      return
    }
    // A name or a first record that is wrong leaves nothing to print.
    if let failure, block.rows.isEmpty { throw failure }
    reservedFile = try resumeFile?.reserve()
    try begin(with: block)
    if let command = invocation.command {
      try runCommand(ShellCommand(text: command), from: block, mayFollow: mayFollow, failure: failure)
      return
    }
    if mayFollow && output.reader != .none {
      try printPages(from: block)
    } else {
      try printBlocks(from: block, mayFollow: mayFollow, failure: failure)
    }
    printer?.finish(into: &buffer)
    try flush()
    try movePosition()
  }

  /// Prints blocks as large as they come.
  private mutating func printBlocks(from first: RowBlock, mayFollow: Bool, failure: (any Error)?) throws {
    var (block, mayFollow, failure) = (first, mayFollow, failure)
    while true {
      let mayWait = results.mayWait
      // The other core has the next block ready when this one is printed.
      if mayFollow && failure == nil && tracking == nil && rowCount > 0 && !mayWait {
        results.prefetch(limit: FetchingLimits.blockRows, byteLimit: blockSize)
      }
      print(block, endsPage: rowCount == 0 || tracking != nil || !mayFollow || failure != nil || mayWait)
      if mayFollow || failure != nil {
        try flush()
        try movePosition()
      }
      if let failure {
        if isLeftForNextRun(failure) { return }
        throw failure
      }
      guard mayFollow else { return }
      if monitor?.isCancelled == true { throw CancellationError() }
      block.removeAll()
      do {
        mayFollow = try results.append(
          to: &block, limit: FetchingLimits.blockRows, byteLimit: blockSize, waits: false)
      } catch {
        failure = error
      }
      noteBlock(block.rows.count)
    }
  }

  /// Bytes of a block at which it is printed.
  private var blockSize: Int { output.reader == .none ? FetchingLimits.blockSize : PrintLimits.pipeBlockSize }

  /// A block for a reader that kept up has come.
  private mutating func noteBlock(_ rowCount: Int) {
    guard var counted = statistics, rowCount > 0 else { return }
    let size = max(1, invocation.pageSize)
    let before = (rowsInBlocks + size - 1) / size
    rowsInBlocks += rowCount
    let pages = (rowsInBlocks + size - 1) / size - before
    let late = min(pages, output.isReaderWaiting(output.reader) ? 1 : 0)
    counted.pagesFetched += pages
    counted.latePages += late
    counted.prefetchHits += pages - late
    statistics = counted
  }

  /// Prints page after page at the reader's pace.
  private mutating func printPages(from first: RowBlock) throws {
    let source = FetchPageSource(results, nextRow: first.rows.count)
    let pager = makePager(source, loaded: first)
    var goesByPages = true
    defer { if goesByPages { finishPaging(source, pager) } }
    let reader = output.reader
    // Now the margin after these rows is fetched, while they are laid out and written.
    pager.rowsInView(0..<first.rows.count)
    print(first)
    try flush()
    let output = output
    var pages = PageCursor(pager, from: first.rows.count, wholePages: false) { output.isReaderWaiting(reader) }
    var keepsUp = false
    var writesInTime = 0
    while let page = try next(&pages) {
      print(page.rows)
      // For a reader that keeps up, the pages that are there go together.
      if keepsUp && buffer.count < PrintLimits.writeSize && pager.loadedRow(at: pages.offset) != nil { continue }
      keepsUp = output.readerKeepsUp(afterWriting: lastWriteSize, to: reader)
      pager.readerKeepsUp(keepsUp)
      lastWriteSize = buffer.count
      try flush()
      try movePosition()
      writesInTime = keepsUp ? writesInTime + 1 : 0
      if writesInTime == PrintLimits.writesInTime {
        while let page = try nextOnTheWay(&pages) {
          print(page.rows)
          // Rows that are there do not wait for those that a pipe is to bring.
          if pager.loadedRow(at: pages.offset) != nil { continue }
          try flush()
          try movePosition()
        }
        goesByPages = false
        statistics = pager.statistics
        try printBlocks(behind: source)
        return
      }
    }
  }

  /// Goes on behind a source of pages from which nobody fetches any more.
  private mutating func printBlocks(behind source: FetchPageSource) throws {
    let (results, kept) = source.giveBack()
    self.results = results
    if let monitor { self.results.listen(to: monitor) }
    print(kept, endsPage: results.mayWait)
    if results.mayWait {
      try flush()
      try movePosition()
    }
    var block = RowBlock()
    var mayFollow = true
    var failure: (any Error)?
    do {
      mayFollow = try self.results.append(
        to: &block, limit: FetchingLimits.blockRows, byteLimit: blockSize, waits: false)
    } catch {
      failure = error
    }
    noteBlock(block.rows.count)
    try printBlocks(from: block, mayFollow: mayFollow, failure: failure)
  }

  /// As `next`, without fetching more.
  private mutating func nextOnTheWay(_ pages: inout PageCursor<FetchedRow>) throws -> Page<FetchedRow>? {
    do {
      return try pages.nextOnTheWay()
    } catch {
      if isLeftForNextRun(error) { return nil }
      throw error
    }
  }

  /// The next page; nil too where only a value is left that is not complete yet, and may be the next time.
  mutating func next(_ pages: inout PageCursor<FetchedRow>) throws -> Page<FetchedRow>? {
    do {
      return try pages.next()
    } catch {
      if isLeftForNextRun(error) { return nil }
      throw error
    }
  }

  /// Whether --resume takes what was met for the end, and leaves it for the next run.
  private mutating func isLeftForNextRun(_ error: any Error) -> Bool {
    guard let tracking, case .read(let error)? = error as? FetchError, tracking.isUnclosedEnd(error) else {
      return false
    }
    endNote = "\(error.inputName): the last value is not complete yet, and left for the next run"
    return true
  }

  /// Moves the position of --resume behind the rows that were written.
  mutating func movePosition() throws {
    guard let resumeFile, let lastRow, rowsBehindPosition > 0 else { return }
    try tracking?.advance(to: lastRow.entry, record: lastRow.record.span, count: rowsBehindPosition)
    rowsBehindPosition = 0
    if let position = tracking?.position { try resumeFile.write(position, into: &reservedFile) }
  }

  func makePager(_ source: FetchPageSource, loaded block: RowBlock, hasMore: Bool = true) -> Pager<FetchedRow> {
    let fetched = FetchedBlock(block)
    let rows = block.rows.indices.map { FetchedRow(block: fetched, index: $0) }
    return Pager(
      source: source,
      configuration: PagerConfiguration(
        pageSize: invocation.pageSize, prefetchMargin: invocation.prefetchMargin),
      loaded: Page(rows: rows, offset: 0, hasMore: hasMore))
  }

  /// Takes the results back, for what they have to remark.
  mutating func finishPaging(_ source: FetchPageSource, _ pager: Pager<FetchedRow>) {
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
    firstBlockSize = block.rows.count
    // No more than a page, whatever else is at hand: the columns must not depend on how a pipe delivers.
    firstPageSize = min(block.rows.count, invocation.pageSize)
    for row in block.rows.prefix(firstPageSize) where !isTabular[row.inputIndex] {
      _ = columns.add(record: block.bytes.span.extracting(row.range))
    }
    let plan: ColumnPlan
    do throws(UnknownColumnError) {
      plan = try ColumnPlan(query.columnRequest, known: columns.names, inputs: query.inputs)
    } catch {
      throw UsageError("\(error.option ?? "--columns"): " + error.message)
    }
    self.plan = plan
    absentNames = plan.absentNames
    readers = plan.makeReaders(nullNames: columns.nullNames)
    wholeDelimiters = plan.delimitersOfWholeRecords()
    makePrinter(plan, firstRowNumber: firstRowIndex + 1)
  }

  private mutating func makePrinter(_ plan: ColumnPlan, firstRowNumber: Int) {
    let choice = PrinterChoice(invocation, isTerminal: isTerminal && invocation.command == nil)
    repeatedIndexes = choice.printedTwice(plan)
    var printer = choice.makePrinter(plan, inputs: query.inputs, firstRowNumber: firstRowNumber)
    printer.begin(into: &buffer)
    replacements.begin(afterRows: rowCount)
    self.printer = printer
  }

  /// Begins a document of its own, for the next page of --each.
  mutating func renewPrinter(firstRowNumber: Int) {
    guard let plan else { return }
    if let printer { earlierNotes = printer.notes.adding(earlierNotes) }
    buffer.removeAll(keepingCapacity: true)
    makePrinter(plan, firstRowNumber: firstRowNumber)
  }

  /// Ends the document and hands it out.
  mutating func takeDocument() -> [UInt8] {
    printer?.finish(into: &buffer)
    var document: [UInt8] = []
    swap(&document, &buffer)
    return document
  }

  /// With --resume, the rows that earlier runs have printed; nil where this is the first.
  var resumedRowCount: Int? { tracking?.position == nil || rowsBeforeRun == 0 ? nil : rowsBeforeRun }

  /// The first row of the run, counted from that of the dataset: behind the rows that --offset leaves out, and those that
  /// earlier runs have printed.
  var firstRowIndex: Int { resumedRowCount.map { $0 + (invocation.offset ?? 0) } ?? invocation.firstRowIndex }

  /// What --stats says.
  var statisticsLines: [String] {
    StatisticsReport(
      tally: results.tally, rowCount: rowCount, pageSize: invocation.pageSize, pager: statistics
    ).lines
  }

  /// Prints the rows of a page, piece by piece of the blocks they are in.
  mutating func print(_ rows: [FetchedRow], endsPage: Bool = true) {
    var first = 0
    while first < rows.count {
      let block = rows[first].block
      var end = first + 1
      while end < rows.count && rows[end].block === block && rows[end].index == rows[end - 1].index + 1 { end += 1 }
      print(block.block, rows[first].index..<(rows[end - 1].index + 1), endsPage: endsPage && end == rows.count)
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
    // Where all records were passed over for their columns, none is late.
    let looksForLateNames = !printsObjects && query.columnRequest.columns == nil && !query.collectsColumns
    for row in block.rows[range ?? block.rows.indices] {
      let record = block.bytes.span.extracting(row.range)
      let isPrinted =
        wholeDelimiters[row.inputIndex].map {
          printer.printWhole(record: record, delimiter: $0, into: &buffer)
        } ?? false
      if !isPrinted {
        var hasOtherNames = false
        if passesThrough && !isTabular[row.inputIndex] {
          // An empty list of fields: the record itself.
          fields.removeAll(keepingCapacity: true)
        } else {
          hasOtherNames = readers[row.inputIndex].read(record, into: &fields)
        }
        if !absentNames.isEmpty && !fields.isEmpty {
          absentNames.removeAll { absent in
            absent.columnIndex.map { fields.indices.contains($0) && fields[$0].kind != .missing } ?? false
          }
        }
        if let repeatedIndexes { ColumnPlan.repeatFields(repeatedIndexes, in: &fields) }
        printer.print(record: record, fields: fields.span, into: &buffer)
        if hasOtherNames && looksForLateNames && rowCount >= firstPageSize { lateNames += columns.add(record: record) }
      }
      rowCount += 1
      // The layout must not depend on how many rows came at a time.
      if rowCount > firstBlockSize && rowCount % pageSize == 0 { printer.endPage(into: &buffer) }
    }
    if endsPage { printer.endPage(into: &buffer) }
    replacements.look(
      at: printer.notes, rows: block, range ?? block.rows.indices, endsPage: endsPage, pageSize: pageSize)
    swap(&buffer, &self.buffer)
    swap(&readers, &self.readers)
    self.printer = printer
    if tracking != nil, let last = block.rows[range ?? block.rows.indices].last {
      lastRow = (last, Array(block.bytes[last.range]))
      rowsBehindPosition += (range ?? block.rows.indices).count
    }
  }

  // MARK: What there is to remark

  /// Damaged records that were left out.
  var damageNotes: [String] { results.damageNotes }

  var notes: [String] {
    var notes = absentNames.map(\.note) + results.notes
    if let endNote { notes.append(endNote) }
    guard let printed = printer?.notes.adding(earlierNotes) else { return notes }
    if printsObjects, let plan, let indexes = plan.repeatedIndexes {
      let names = plan.names.indices.filter { index in indexes.count { $0 == index } > 1 }.map { plan.names[$0] }
      notes.append("--columns: an object has a key once, also where it is named again: \(Self.list(names))")
    }
    if !lateNames.isEmpty {
      notes.append(
        "columns that first appear after the first page were left out: \(Self.list(lateNames)); see --all-columns")
    }
    if printed.replacedCount > 0 {
      let row = printed.firstReplacedRowIndex.map { ", first in row \($0 + 1)" } ?? ""
      let pieces = Self.counted(printed.replacedCount, "piece")
      notes.append("\(replacements.text)\(pieces) of text that is no UTF-8 became U+FFFD\(row)")
    }
    let isFaithful = invocation.outputFormat == .csv || invocation.outputFormat == .tsv
    if let plan, !isFaithful {
      // The names in JSON that passes through are text like any other.
      let names = passesThrough ? Array(Self.headerNames(query.inputs)) : plan.names
      let count = names.count { !ReplacementPlace.isUTF8($0) }
      if count > 0 {
        notes.append("\(Self.counted(count, "column name")) with text that is no UTF-8, shown as U+FFFD")
      }
    }
    if printed.cutCellCount > 0 {
      notes.append("\(Self.counted(printed.cutCellCount, "cell")) cut; see --wide")
    }
    if printed.leftOutColumnCount > 0 {
      notes.append("\(Self.counted(printed.leftOutColumnCount, "column")) left out on the right; see --wide, --columns")
    }
    if let plan, !printed.partlyBareColumnIndexes.isEmpty {
      // Cells beyond the header are named by position.
      let names = printed.partlyBareColumnIndexes.map {
        plan.names.indices.contains($0) ? plan.names[$0] : Array("c\($0 + plan.hiddenNames.count + 1)".utf8)
      }
      let shown = names.prefix(5).map { Diagnostics.quoted($0) }.joined(separator: ", ")
      notes.append("written partly as numbers or booleans and partly as strings: \(shown); see --strings")
    }
    return notes
  }

  /// Some names for a note.
  private static func list(_ names: [[UInt8]]) -> String {
    names.prefix(5).map { Diagnostics.quoted($0) }.joined(separator: ", ")
      + (names.count > 5 ? " and \(names.count - 5) more" : "")
  }

  private static func headerNames(_ inputs: [DatasetInput]) -> Set<[UInt8]> {
    inputs.reduce(into: []) { names, input in
      if case .csv(_, let header) = input.content { names.formUnion(header.distinctNames) }
    }
  }

  private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

enum PrintLimits {
  /// Rows whose widths a table begins with, where as many are at hand.
  static let widthRows = 1000
  /// Bytes written at a time where the reader keeps up: what a pipe holds.
  static let writeSize = 64 * 1024
  /// Writes in a row after which a reader that had taken all before them gets blocks: by then the pager fetches as many
  /// pages at a time as it may.
  static let writesInTime = 10
  /// Bytes of such a block. It and the next are all that is ahead of a reader who falls asleep.
  static let pipeBlockSize = 128 * 1024
  /// Cells of the screen at which a cell of a table is cut on a terminal.
  static let cellCut = 64
}
