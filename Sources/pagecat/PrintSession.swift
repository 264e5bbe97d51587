// One run of printing: blocks of rows from the results through a printer to standard output.
//
// While the reader of a pipe keeps up, blocks grow; when it sleeps, nothing is read: the next block is fetched only once
// the pipe takes bytes again, and is a page.

import Fetching
import Glibc
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
  /// Of each input the delimiter where records may be printed as they are.
  private var wholeDelimiters: [UInt8?] = []
  private var printer: (any PagePrinter)?
  private let isTabular: [Bool]
  private let printsObjects: Bool
  /// Whether JSON records are printed as they are.
  private let passesThrough: Bool
  /// Rows whose names are among the columns in any case.
  private var firstPageSize = 0
  private var buffer: [UInt8] = []
  private var fields: [Field] = []
  /// Names asked for that no record had so far.
  private var absentNames: [ColumnPlan.AbsentName] = []
  /// Names that first appeared after the first page.
  private var lateNames: [[UInt8]] = []
  private(set) var rowCount = 0

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
    var limit = invocation.pageSize
    while true {
      // Once the reader has kept up for a while, the other core has the next block ready.
      if mayFollow && limit == FetchingLimits.blockRows && output.isReady() {
        results.prefetch(limit: limit, byteLimit: FetchingLimits.blockSize)
      }
      print(block)
      if mayFollow || failure != nil { try flush() }
      if let failure { throw failure }
      guard mayFollow else { break }
      limit = output.isReady() ? min(limit * 2, FetchingLimits.blockRows) : invocation.pageSize
      output.waitUntilReady()
      block.removeAll()
      do {
        mayFollow = try results.append(to: &block, limit: max(1, limit), byteLimit: FetchingLimits.blockSize)
      } catch {
        failure = error
      }
    }
    printer?.finish(into: &buffer)
    try flush()
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
    readers = plan.makeReaders()
    wholeDelimiters = plan.delimitersOfWholeRecords()
    var printer = PrinterChoice(invocation, isTerminal: isTerminal).makePrinter(plan, inputs: query.inputs)
    printer.begin(into: &buffer)
    self.printer = printer
  }

  private mutating func print(_ block: RowBlock) {
    guard var printer else { return }
    // Both taken out, so that they can change while the session is looked at.
    self.printer = nil
    var buffer: [UInt8] = []
    swap(&buffer, &self.buffer)
    var readers: [any FieldReader] = []
    swap(&readers, &self.readers)
    let looksForLateNames = !printsObjects && query.columnRequest.columns == nil
    for row in block.rows {
      let record = block.bytes.span.extracting(row.range)
      if let delimiter = wholeDelimiters[row.inputIndex],
        printer.printWhole(record: record, delimiter: delimiter, into: &buffer)
      {
        rowCount += 1
        continue
      }
      let isTabular = isTabular[row.inputIndex]
      if passesThrough && !isTabular {
        // An empty list of fields: the record itself.
        fields.removeAll(keepingCapacity: true)
      } else {
        readers[row.inputIndex].read(record, into: &fields)
      }
      if !absentNames.isEmpty && !fields.isEmpty {
        absentNames.removeAll { absent in
          absent.columnIndex.map { fields.indices.contains($0) && fields[$0].kind != .missing } ?? false
        }
      }
      printer.print(record: record, fields: fields.span, into: &buffer)
      if looksForLateNames && !isTabular && rowCount >= firstPageSize { noteLateNames(in: record) }
      rowCount += 1
    }
    printer.endPage(into: &buffer)
    swap(&buffer, &self.buffer)
    swap(&readers, &self.readers)
    self.printer = printer
  }

  private mutating func noteLateNames(in record: Span<UInt8>) {
    lateNames += columns.add(record: record)
  }

  // MARK: What there is to remark

  /// Damaged records that were left out.
  var damageNotes: [String] { results.damageNotes }

  var notes: [String] {
    var notes = absentNames.map(\.note) + results.notes
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
      // Cells beyond the header are named by position.
      let names = printed.partlyBareColumnIndexes.map {
        plan.names.indices.contains($0) ? plan.names[$0] : Array("c\($0 + 1)".utf8)
      }
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
  /// Cells of the screen at which a cell of a table is cut on a terminal.
  static let cellCut = 64
}
