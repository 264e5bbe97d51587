// JSON and JSON Lines. Records that are JSON pass through with their white space taken out; records of a CSV file, and
// of JSON when columns are named, become objects of the columns. The text of a value is copied, never made anew.

package import Reading
import TerminalIO

/// What a row becomes in JSON output.
package enum JSONRowShape: Sendable {
  /// The record itself where it is JSON, which its printer is given no fields of; else an object of the columns.
  case record
  /// An object of the columns, in their order, missing ones left out.
  case columns
}

/// Which CSV columns keep all their cells as strings in JSON output.
package enum StringColumns: Sendable {
  case none
  case all
  /// The columns at these indexes.
  case some(Set<Int>)
}

/// Whether JSON is printed as one array or one record a line.
package enum JSONFraming: Sendable {
  case array
  case lines
}

package struct JSONPrinter: PagePrinter {
  /// What is worth a note so far.
  package var notes: PrintNotes {
    var notes = counted
    notes.partlyBareColumnIndexes = bareCounts.indices.filter { bareCounts[$0] > 0 && stringCounts[$0] > 0 }
    return notes
  }

  private var counted = PrintNotes()
  private let framing: JSONFraming
  private let shape: JSONRowShape
  private let isTerminal: Bool
  private let compact: JSONCompactor
  private let columnCount: Int
  /// The names as `"name":`, one after another, and where each ends.
  private var keys: [UInt8] = []
  private var keyEnds: [Int] = []
  private var madeNames: MadeNames
  private var keepsStrings: [Bool]
  private let keepsAllStrings: Bool
  /// CSV cells written bare, and as strings, of each column.
  private var bareCounts: [Int]
  private var stringCounts: [Int]
  private var line: [UInt8] = []
  private var scratch: [UInt8] = []

  /// - Parameters:
  ///   - framing: one array, or one record a line.
  ///   - shape: whether records pass through or become objects of the columns.
  ///   - columns: the columns, in order; of no use where records pass through.
  ///   - hiddenNames: columns of the file that are not among these.
  ///   - strings: which CSV columns stay text throughout.
  ///   - isTerminal: whether characters that could drive a terminal must be `\u` escapes.
  ///   - compactJSON: takes the white space out of JSON.
  package init(
    framing: JSONFraming, shape: JSONRowShape, columns: [OutputColumn], hiddenNames: [[UInt8]] = [],
    strings: StringColumns = .none, isTerminal: Bool = false, compactJSON: @escaping JSONCompactor
  ) {
    self.framing = framing
    self.shape = shape
    self.isTerminal = isTerminal
    compact = compactJSON
    columnCount = columns.count
    madeNames = MadeNames(columns: columns, hidden: hiddenNames)
    keepsStrings = Array(repeating: false, count: columns.count)
    bareCounts = Array(repeating: 0, count: columns.count)
    stringCounts = Array(repeating: 0, count: columns.count)
    switch strings {
    case .none: keepsAllStrings = false
    case .all: keepsAllStrings = true
    case .some(let indexes):
      keepsAllStrings = false
      for index in indexes where keepsStrings.indices.contains(index) { keepsStrings[index] = true }
    }
    for column in columns { appendKey(column.name) }
  }

  package mutating func print(record: Span<UInt8>, fields: Span<Field>, into output: inout [UInt8]) {
    if framing == .array {
      output.append(counted.rowCount == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
      output.append(0x0A)
    }
    if isTerminal {
      line.removeAll(keepingCapacity: true)
      // Taken out, so that the line can be written while the rest of the printer is in use.
      var taken: [UInt8] = []
      swap(&taken, &line)
      appendRow(record, fields, to: &taken)
      counted.countReplaced(SafeText.appendJSON(taken.span, in: 0..<taken.count, to: &output))
      swap(&taken, &line)
    } else {
      let start = output.count
      appendRow(record, fields, to: &output)
      repair(&output, from: start)
    }
    if framing == .lines { output.append(0x0A) }
    counted.rowCount &+= 1
  }

  package mutating func finish(into output: inout [UInt8]) {
    guard framing == .array else { return }
    if counted.rowCount == 0 {
      output.append(UInt8(ascii: "["))
    } else {
      output.append(0x0A)
    }
    output.append(UInt8(ascii: "]"))
    output.append(0x0A)
  }

  private mutating func appendRow(_ record: Span<UInt8>, _ fields: Span<Field>, to output: inout [UInt8]) {
    if shape == .record && fields.isEmpty {
      compact(record, &output)
      return
    }
    if fields.count > keyEnds.count { addExtraColumns(count: fields.count) }
    let room = self.room(for: fields, in: record)
    output.append(addingCapacity: room) { line in appendObject(record, fields, to: &line) }
  }

  /// The most bytes that a row can take, so that they are written without looking for room at each.
  private func room(for fields: Span<Field>, in record: Span<UInt8>) -> Int {
    // Strings are written by words, which need a few bytes more.
    var room = keys.count &+ 12
    for index in 0..<fields.count {
      let field = fields[index]
      let range = field.range(in: record)
      // A comma, and two quotes or `null`.
      room &+= range.count &+ 5
      switch field.kind {
      case .bare, .quoted, .quotedEscaped:
        // An escape takes up to six bytes for one. Only long cells are worth counting.
        room &+= (range.count < 64 ? range.count : record.escapeCount(in: range)) &* 5
      default: break
      }
    }
    return room
  }

  private mutating func appendObject(
    _ record: Span<UInt8>, _ fields: Span<Field>, to output: inout OutputSpan<UInt8>
  ) {
    output.append(UInt8(ascii: "{"))
    var isFirst = true
    for index in 0..<fields.count {
      let field = fields[index]
      if field.kind == .missing { continue }
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      let keyStart = index == 0 ? 0 : keyEnds[index &- 1]
      output.append(copying: keys.span, keyStart..<keyEnds[index])
      appendValue(field, in: record, columnIndex: index, to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  private mutating func appendValue(
    _ field: Field, in record: Span<UInt8>, columnIndex: Int, to output: inout OutputSpan<UInt8>
  ) {
    let range = field.range(in: record)
    switch field.kind {
    case .missing, .null:
      appendNull(to: &output)
    case .false, .true, .number:
      output.append(copying: record, range)
    case .string, .stringEscaped:
      output.append(UInt8(ascii: "\""))
      output.append(copying: record, range)
      output.append(UInt8(ascii: "\""))
    case .array, .object:
      scratch.removeAll(keepingCapacity: true)
      compact(record.extracting(range), &scratch)
      // Taking out white space adds nothing, so there is room.
      output.append(copying: scratch.span, 0..<min(scratch.count, range.count))
    case .bare:
      if range.isEmpty { return appendNull(to: &output) }
      if !keepsAllStrings && !keepsStrings[columnIndex] && JSONPrinter.standsBare(record, range) {
        bareCounts[columnIndex] &+= 1
        output.append(copying: record, range)
      } else {
        stringCounts[columnIndex] &+= 1
        JSONPrinter.appendString(record, range, to: &output)
      }
    case .quoted:
      stringCounts[columnIndex] &+= 1
      JSONPrinter.appendString(record, range, to: &output)
    case .quotedEscaped:
      stringCounts[columnIndex] &+= 1
      scratch.removeAll(keepingCapacity: true)
      FieldText.append(field, in: record, to: &scratch)
      JSONPrinter.appendString(scratch.span, 0..<scratch.count, to: &output)
    }
  }

  /// Cells beyond the header's width get made names, once each.
  private mutating func addExtraColumns(count: Int) {
    while keyEnds.count < count {
      let name = madeNames.name(at: keyEnds.count)
      appendKey(name)
      keepsStrings.append(false)
      bareCounts.append(0)
      stringCounts.append(0)
    }
  }

  private mutating func appendKey(_ name: [UInt8]) {
    var sound: [UInt8] = []
    _ = CellText.appendRepaired(name.span, in: 0..<name.count, to: &sound)
    keys.append(addingCapacity: sound.count * 6 + 10) { key in
      JSONPrinter.appendString(sound.span, 0..<sound.count, to: &key)
    }
    keys.append(UInt8(ascii: ":"))
    keyEnds.append(keys.count)
  }

  /// Replaces what is no UTF-8 in what was just appended; nearly always there is nothing to replace.
  private mutating func repair(_ output: inout [UInt8], from start: Int) {
    guard let invalid = CellText.firstInvalid(in: output.span, start..<output.count) else { return }
    scratch.removeAll(keepingCapacity: true)
    counted.countReplaced(
      CellText.appendRepaired(output.span, in: invalid..<output.count, to: &scratch))
    output.removeSubrange(invalid...)
    output.append(copying: scratch.span)
  }

  private func appendNull(to output: inout OutputSpan<UInt8>) {
    output.append(UInt8(ascii: "n"))
    output.append(UInt8(ascii: "u"))
    output.append(UInt8(ascii: "l"))
    output.append(UInt8(ascii: "l"))
  }

  /// Whether an unquoted CSV cell is written as it stands.
  private static func standsBare(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    let first = text[range.lowerBound]
    if first == UInt8(ascii: "t") { return equals(text, range, "true") }
    if first == UInt8(ascii: "f") { return equals(text, range, "false") }
    return NumericText.isJSONNumber(text, in: range)
  }

  private static func equals(_ text: Span<UInt8>, _ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<range.count where unsafe text[range.lowerBound &+ index] != word.utf8Start[index] { return false }
    return true
  }

  private static let stops = ByteStops(UInt8(ascii: "\""), UInt8(ascii: "\\"), below: 0x20)

  /// Appends text as a JSON string; UTF-8 is left for the caller to repair.
  static func appendString(_ text: Span<UInt8>, _ range: Range<Int>, to output: inout OutputSpan<UInt8>) {
    output.append(UInt8(ascii: "\""))
    var position = range.lowerBound
    while true {
      let stop = output.append(copying: text, position..<range.upperBound, until: stops)
      if stop == range.upperBound { break }
      appendEscape(text[stop], to: &output)
      position = stop &+ 1
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func appendEscape(_ byte: UInt8, to output: inout OutputSpan<UInt8>) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    default:
      output.append(UInt8(ascii: "u"))
      output.append(UInt8(ascii: "0"))
      output.append(UInt8(ascii: "0"))
      output.append(UInt8(ascii: "0") &+ byte >> 4)
      let low = byte & 0xF
      output.append(low < 10 ? UInt8(ascii: "0") &+ low : UInt8(ascii: "a") &+ low &- 10)
    }
  }
}
