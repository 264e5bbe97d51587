// The text of a cell as it stands in csv, in a table and in a record: strings decoded, arrays and objects as compact
// JSON, null and missing as nothing. Quoting and padding are the printers'.

import Reading
import TerminalIO

/// Appends the text of cells; keeps its scratch between calls.
struct CellText {
  let compact: JSONCompactor
  private var scratch: [UInt8] = []
  private var faithful: [UInt8] = []

  init(compact: @escaping JSONCompactor) { self.compact = compact }

  /// Appends the bytes of a cell as they are, broken UTF-8 included.
  ///
  /// - Returns: the number of lone surrogates that became U+FFFD.
  mutating func appendFaithful(_ field: Field, in record: Span<UInt8>, to output: inout [UInt8]) -> Int {
    switch field.kind {
    case .missing, .null: break
    case .array, .object: compact(record.extracting(field.range(in: record)), &output)
    case .quotedEscaped: FieldText.append(field, in: record, to: &output)
    case .stringEscaped:
      scratch.removeAll(keepingCapacity: true)
      FieldText.append(field, in: record, to: &scratch)
      return CellText.replaceSurrogates(in: scratch.span, to: &output)
    default: output.append(copying: record.extracting(field.range(in: record)))
    }
    return 0
  }

  /// Appends the bytes of a cell with U+FFFD for each piece that is no UTF-8.
  ///
  /// - Returns: the number of pieces replaced.
  mutating func appendSound(_ field: Field, in record: Span<UInt8>, to output: inout [UInt8]) -> Int {
    var text: [UInt8] = []
    swap(&text, &faithful)
    text.removeAll(keepingCapacity: true)
    var count = appendFaithful(field, in: record, to: &text)
    count &+= CellText.appendRepaired(text.span, in: 0..<text.count, to: &output)
    swap(&text, &faithful)
    return count
  }

  /// Appends the text of a cell with visible stand-ins for all that must not reach a terminal or break a line.
  ///
  /// - Returns: the number of pieces that were no UTF-8.
  mutating func appendSafe(_ field: Field, in record: Span<UInt8>, to output: inout [UInt8]) -> Int {
    switch field.kind {
    case .missing, .null: return 0
    case .array, .object:
      scratch.removeAll(keepingCapacity: true)
      compact(record.extracting(field.range(in: record)), &scratch)
    case .quotedEscaped, .stringEscaped:
      scratch.removeAll(keepingCapacity: true)
      FieldText.append(field, in: record, to: &scratch)
    default:
      return SafeText.append(record, in: field.range(in: record), to: &output)
    }
    return SafeText.append(scratch.span, in: 0..<scratch.count, to: &output)
  }

  /// Lone surrogate escapes come decoded as three bytes, which no reader of UTF-8 accepts.
  private static func replaceSurrogates(in text: Span<UInt8>, to output: inout [UInt8]) -> Int {
    var count = 0
    var copied = 0
    var position = 0
    while position < text.count {
      if text[position] == 0xED && ScalarDecoder.isSurrogate(text, at: position, end: text.count) {
        output.append(copying: text.extracting(copied..<position))
        ScalarDecoder.append(0xFFFD, to: &output)
        count &+= 1
        position &+= 3
        copied = position
      } else {
        position &+= 1
      }
    }
    output.append(copying: text.extracting(copied..<text.count))
    return count
  }

  /// Appends text with each piece that is no UTF-8 replaced by U+FFFD, and nothing else changed.
  ///
  /// - Returns: the number of pieces replaced.
  static func appendRepaired(_ text: Span<UInt8>, in range: Range<Int>, to output: inout [UInt8]) -> Int {
    var count = 0
    var copied = range.lowerBound
    var position = ScalarDecoder.firstNonASCII(text, in: range)
    while position < range.upperBound {
      let scalar = ScalarDecoder.decode(text, at: position, end: range.upperBound)
      if !scalar.isValid {
        output.append(copying: text.extracting(copied..<position))
        ScalarDecoder.append(0xFFFD, to: &output)
        count &+= 1
        copied = position &+ scalar.count
      }
      position = ScalarDecoder.firstNonASCII(text, in: (position &+ scalar.count)..<range.upperBound)
    }
    output.append(copying: text.extracting(copied..<range.upperBound))
    return count
  }

  /// The position of the first piece in `range` that is no UTF-8, or nil.
  static func firstInvalid(in text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var position = ScalarDecoder.firstNonASCII(text, in: range)
    while position < range.upperBound {
      let scalar = ScalarDecoder.decode(text, at: position, end: range.upperBound)
      if !scalar.isValid { return position }
      position &+= scalar.count
      if position < range.upperBound && text[position] < 0x80 {
        position = ScalarDecoder.firstNonASCII(text, in: position..<range.upperBound)
      }
    }
    return nil
  }
}
