// CSV and TSV (RFC 4180), with as few quotes as possible and every byte of a cell as it was read.
//
// The trick: a record that is written as it should be already is copied as it is; else cells that stand side by side in the record as they will in the output are copied as one run, so that a
// clean record of a file in the same dialect is one search for a quote and one copy.

package import Reading
import TerminalIO

/// How a line of CSV ends.
package enum CSVLineEnd: Sendable {
  case lf
  case crlf
}

package struct CSVPrinter: PagePrinter {
  package private(set) var notes = PrintNotes()

  private let columns: [OutputColumn]
  private let delimiter: UInt8
  /// Whether numbers and literals may need quotes.
  private let delimiterStandsInNumbers: Bool
  private let endsWithCRLF: Bool
  private let printsHeading: Bool
  private let showsSafeText: Bool
  private let stops: ByteStops
  private var cellText: CellText
  private var scratch: [UInt8] = []

  /// - Parameters:
  ///   - columns: the columns, in order.
  ///   - delimiter: what stands between cells, an ASCII character.
  ///   - lineEnd: how lines end.
  ///   - printsHeading: whether the names come first.
  ///   - isTerminal: whether control characters must be replaced by visible stand-ins.
  ///   - compactJSON: takes the white space out of arrays and objects.
  package init(
    columns: [OutputColumn], delimiter: UInt8 = UInt8(ascii: ","), lineEnd: CSVLineEnd = .lf,
    printsHeading: Bool = true, isTerminal: Bool = false, compactJSON: @escaping JSONCompactor
  ) {
    self.columns = columns
    self.delimiter = delimiter
    delimiterStandsInNumbers = !",;\t|".utf8.contains(delimiter)
    endsWithCRLF = lineEnd == .crlf
    self.printsHeading = printsHeading
    showsSafeText = isTerminal
    // Everything below 0x0E stops the search, so that CR and LF need no comparison of their own.
    stops = ByteStops(delimiter, UInt8(ascii: "\""), below: 0x0E)
    cellText = CellText(compact: compactJSON)
  }

  package mutating func begin(into output: inout [UInt8]) {
    guard printsHeading, !columns.isEmpty else { return }
    for (index, column) in columns.enumerated() {
      if index > 0 { output.append(delimiter) }
      let name = showsSafeText ? SafeText.safe(column.originalName) : column.originalName
      output.append(addingCapacity: name.count * 2 + 2) { line in
        appendCell(name.span, in: 0..<name.count, to: &line)
      }
    }
    output.append(addingCapacity: 2) { line in endLine(to: &line) }
  }

  package mutating func print(record: Span<UInt8>, fields: Span<Field>, into output: inout [UInt8]) {
    let room = self.room(for: fields, in: record)
    output.append(addingCapacity: room) { line in appendLine(record, fields, to: &line) }
    notes.rowCount &+= 1
  }

  package mutating func printWhole(record: Span<UInt8>, delimiter: UInt8, into output: inout [UInt8]) -> Bool {
    guard delimiter == self.delimiter, !showsSafeText,
      CSVMinimalQuoting.holds(for: record, delimiter: delimiter, width: columns.count)
    else { return false }
    output.append(addingCapacity: record.count &+ 2) { line in
      line.append(copying: record, 0..<record.count)
      endLine(to: &line)
    }
    notes.rowCount &+= 1
    return true
  }

  /// The most bytes that a row can take, so that they are written without looking for room at each.
  private func room(for fields: Span<Field>, in record: Span<UInt8>) -> Int {
    var textCount = 0
    for index in 0..<fields.count { textCount &+= fields[index].range(in: record).count }
    // A stand-in takes up to four times the bytes of what it stands for, a doubled quote twice; and a word more is written.
    return textCount &* (showsSafeText ? 8 : 2) &+ max(fields.count, columns.count) &* 3 &+ 12
  }

  private mutating func appendLine(
    _ record: Span<UInt8>, _ fields: Span<Field>, to output: inout OutputSpan<UInt8>
  ) {
    var index = 0
    while index < fields.count {
      if index > 0 { output.append(delimiter) }
      let field = fields[index]
      index &+= 1
      if showsSafeText {
        appendSafe(field, in: record, to: &output)
        continue
      }
      switch field.kind {
      case .missing, .null:
        break
      case .bare:
        let range = field.range(in: record)
        let end = endOfRun(from: range.upperBound, in: record, fields: fields, index: &index)
        appendBare(record, range.lowerBound..<end, isRun: end != range.upperBound, to: &output)
      case .number, .true, .false:
        if delimiterStandsInNumbers {
          appendCell(record, in: field.range(in: record), to: &output)
        } else {
          output.append(copying: record, field.range(in: record))
        }
      case .quoted, .string:
        appendCell(record, in: field.range(in: record), to: &output)
      case .quotedEscaped, .stringEscaped, .array, .object:
        scratch.removeAll(keepingCapacity: true)
        notes.countReplaced(cellText.appendFaithful(field, in: record, to: &scratch))
        appendCell(scratch.span, in: 0..<scratch.count, to: &output)
      }
    }
    // Short records are filled to the header's width.
    while index < columns.count {
      if index > 0 { output.append(delimiter) }
      index &+= 1
    }
    if output.isEmpty {
      output.append(UInt8(ascii: "\""))
      output.append(UInt8(ascii: "\""))
    }
    endLine(to: &output)
  }

  /// Takes in the bare cells that follow one that ends at `end` with just the delimiter between them.
  ///
  /// Bare cells cut at this very delimiter cannot hold it, so the run needs no look at them but for quotes.
  @inline(__always)
  private func endOfRun(
    from end: Int, in record: Span<UInt8>, fields: Span<Field>, index: inout Int
  ) -> Int {
    var end = end
    while index < fields.count {
      let next = fields[index]
      guard next.kind == .bare, Int(next.start) == end &+ 1, end < record.count, record[end] == delimiter else {
        break
      }
      end = next.range(in: record).upperBound
      index &+= 1
    }
    return end
  }

  /// Appends one bare cell, or a run of them.
  private func appendBare(_ record: Span<UInt8>, _ range: Range<Int>, isRun: Bool, to output: inout OutputSpan<UInt8>) {
    if range.isEmpty { return }
    guard isRun else { return appendCell(record, in: range, to: &output) }
    if !record.contains(SpreadByte(UInt8(ascii: "\"")), in: range) {
      output.append(copying: record, range)
      return
    }
    // A quote inside a bare cell: cell by cell.
    var start = range.lowerBound
    for position in range where record[position] == delimiter {
      if start < position { appendCell(record, in: start..<position, to: &output) }
      output.append(delimiter)
      start = position &+ 1
    }
    if start < range.upperBound { appendCell(record, in: start..<range.upperBound, to: &output) }
  }

  private mutating func appendSafe(_ field: Field, in record: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    if field.isNull { return }
    scratch.removeAll(keepingCapacity: true)
    notes.countReplaced(cellText.appendSafe(field, in: record, to: &scratch))
    appendCell(scratch.span, in: 0..<scratch.count, to: &output)
  }

  /// Appends a cell that is not null, quoted where it must be.
  private func appendCell(_ text: Span<UInt8>, in range: Range<Int>, to output: inout OutputSpan<UInt8>) {
    let quote = UInt8(ascii: "\"")
    if !range.isEmpty {
      // Nearly always it is copied by the time it is known to need no quotes.
      let start = output.count
      let stop = output.append(copying: text, range, until: stops)
      if stop == range.upperBound { return }
      if !needsQuotes(text, stop..<range.upperBound) {
        output.append(copying: text, stop..<range.upperBound)
        return
      }
      output.removeLast(output.count &- start)
    }
    output.append(quote)
    var copied = range.lowerBound
    for position in range where text[position] == quote {
      output.append(copying: text, copied..<(position &+ 1))
      copied = position
    }
    output.append(copying: text, copied..<range.upperBound)
    output.append(quote)
  }

  /// Whether text that is not empty must be quoted.
  private func needsQuotes(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var position = range.lowerBound
    while true {
      position = stops.firstPosition(in: text, position..<range.upperBound)
      if position == range.upperBound { return false }
      let byte = text[position]
      if byte == delimiter || byte == UInt8(ascii: "\"") || byte == 0x0A || byte == 0x0D { return true }
      position &+= 1
    }
  }

  @inline(__always)
  private func endLine(to output: inout OutputSpan<UInt8>) {
    if endsWithCRLF { output.append(0x0D) }
    output.append(0x0A)
  }
}
