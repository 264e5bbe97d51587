// Which printer an invocation needs, with its settings.

import Fetching
import Reading
import Rendering
import TerminalIO

struct PrinterChoice {
  private let invocation: Invocation
  private let isTerminal: Bool

  init(_ invocation: Invocation, isTerminal: Bool) {
    self.invocation = invocation
    self.isTerminal = isTerminal
  }

  /// - Parameter firstRowNumber: the number of the first row that it will print.
  func makePrinter(_ plan: ColumnPlan, inputs: [DatasetInput], firstRowNumber: Int) -> any PagePrinter {
    var columns = outputColumns(plan, inputs)
    if let repeated = printedTwice(plan) { columns = repeated.map { columns[$0] } }
    let compact: JSONCompactor = { JSONText.appendCompact($0, to: &$1) }
    let lineEnd: CSVLineEnd = invocation.endsLinesByCRLF ? .crlf : .lf
    switch invocation.outputFormat {
    case .table:
      return TablePrinter(
        columns: columns, hiddenNames: plan.hiddenNames, limits: limits, printsHeading: invocation.printsHeading,
        usesColor: invocation.usesColor, compactJSON: compact)
    case .csv, .tsv:
      return CSVPrinter(
        columns: columns, delimiter: invocation.outputFormat == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t"),
        lineEnd: lineEnd, printsHeading: invocation.printsHeading, isTerminal: isTerminal, compactJSON: compact)
    case .json, .jsonl:
      return JSONPrinter(
        framing: invocation.outputFormat == .json ? .array : .lines,
        shape: invocation.columns == nil && invocation.hiddenColumns == nil ? .record : .columns, columns: columns,
        hiddenNames: plan.hiddenNames, strings: strings(plan), isTerminal: isTerminal, compactJSON: compact)
    case .markdown:
      return MarkdownPrinter(
        columns: columns, printsHeading: invocation.printsHeading, isTerminal: isTerminal, compactJSON: compact)
    case .record:
      return RecordPrinter(
        columns: columns, hiddenNames: plan.hiddenNames, firstRowNumber: firstRowNumber,
        printsHeading: invocation.printsHeading, isTerminal: isTerminal, usesColor: invocation.usesColor,
        compactJSON: compact)
    }
  }

  /// Of each column printed its index in the plan, where some are printed more than once; nil otherwise, and in JSON, whose
  /// objects have a key once.
  func printedTwice(_ plan: ColumnPlan) -> [Int]? {
    invocation.outputFormat == .json || invocation.outputFormat == .jsonl ? nil : plan.repeatedIndexes
  }

  /// CSV and TSV show the names as the file has them, also where two are the same.
  private func outputColumns(_ plan: ColumnPlan, _ inputs: [DatasetInput]) -> [OutputColumn] {
    guard inputs.count == 1, case .csv(_, let header) = inputs[0].content else {
      return plan.names.map { OutputColumn(name: $0) }
    }
    return plan.names.map { name in
      let index = header.distinctNames.firstIndex(of: name)
      return OutputColumn(name: name, originalName: index.map { header.names[$0] })
    }
  }

  private var limits: TableLimits {
    switch invocation.cellCut {
    case .nowhere: .none
    case .at(let width): TableLimits(cut: width, lineWidth: isTerminal ? TerminalSize.columns() : nil)
    case .onTerminal:
      isTerminal ? TableLimits(cut: PrintLimits.cellCut, lineWidth: TerminalSize.columns()) : .none
    }
  }

  private func strings(_ plan: ColumnPlan) -> StringColumns {
    switch invocation.stringCells {
    case .asWritten: .none
    case .all: .all
    case .columns(let list):
      .some(Set(list.split(separator: UInt8(ascii: ",")).compactMap { plan.names.firstIndex(of: Array($0)) }))
    }
  }
}
