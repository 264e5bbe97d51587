// A small terminal in memory, for whole-screen tests: bytes in, the screen out. It understands what the program sends
// (moves, erasing, SGR, scroll regions, inserted and deleted lines, the alternate screen, modes) and records any other
// sequence in `unknown`, which a test expects to be empty. It is written from the standards, not from the encoder.
//
// Autowrap is off unless `ESC[?7h` was sent after `ESC[?7l`: a character at the edge stays there.

/// How a place of the emulated screen looks.
package struct VirtualStyle: Equatable, Sendable, CustomStringConvertible {
  package var isBold = false
  package var isDim = false
  package var isItalic = false
  package var isUnderlined = false
  package var isReversed = false
  package var foreground: Int?
  package var background: Int?

  package init() {}

  /// One letter an attribute: `bdiur`, then the colours; empty where plain.
  package var description: String {
    var text = ""
    if isBold { text += "b" }
    if isDim { text += "d" }
    if isItalic { text += "i" }
    if isUnderlined { text += "u" }
    if isReversed { text += "r" }
    if let foreground { text += "f\(foreground)" }
    if let background { text += "g\(background)" }
    return text
  }
}

/// A place of the emulated screen.
package struct VirtualCell: Equatable, Sendable {
  /// A grapheme; empty for a place that a wide one covers.
  package var text: String
  package var style: VirtualStyle

  package static let blank = VirtualCell(text: " ", style: VirtualStyle())
}

/// The emulated terminal.
package struct VirtualTerminal: Sendable {
  package private(set) var columnCount: Int
  package private(set) var lineCount: Int
  package private(set) var lines: [[VirtualCell]]
  package private(set) var cursor = (columnIndex: 0, lineIndex: 0)
  package private(set) var isCursorVisible = true
  package private(set) var isAlternate = false
  package private(set) var modes: Set<Int> = []
  package private(set) var unknown: [String] = []
  /// The payloads of OSC sequences.
  package private(set) var commands: [String] = []
  /// Characters that controls other than ESC would have been.
  package private(set) var strayControls: [UInt8] = []

  private let cellsOf: @Sendable (String) -> Int
  private var style = VirtualStyle()
  private var region: Range<Int>
  private var main: [[VirtualCell]] = []
  private var pending: [UInt8] = []

  /// - Parameter cellsOf: how many places a grapheme takes.
  package init(columnCount: Int, lineCount: Int, cellsOf: @escaping @Sendable (String) -> Int) {
    self.columnCount = columnCount
    self.lineCount = lineCount
    self.cellsOf = cellsOf
    lines = Array(repeating: Array(repeating: .blank, count: columnCount), count: lineCount)
    region = 0..<lineCount
  }

  /// The text of a line without the blanks at its end.
  package func text(ofLine lineIndex: Int) -> String {
    var text = lines[lineIndex].map(\.text).joined()
    while text.last == " " { text.removeLast() }
    return text
  }

  /// All lines, without blanks at their ends.
  package var text: String { (0..<lineCount).map { text(ofLine: $0) }.joined(separator: "\n") }

  /// The runs of a line that are not plain, as `style:text`.
  package func styledRuns(ofLine lineIndex: Int) -> [String] {
    var runs: [String] = []
    var start = 0
    let cells = lines[lineIndex]
    while start < cells.count {
      var end = start
      while end < cells.count && cells[end].style == cells[start].style { end += 1 }
      if cells[start].style != VirtualStyle() {
        runs.append("\(cells[start].style):" + cells[start..<end].map(\.text).joined())
      }
      start = end
    }
    return runs
  }

  /// Takes what the program sent.
  package mutating func receive(_ bytes: [UInt8]) {
    let bytes = pending + bytes
    pending = []
    var index = 0
    var text: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      if byte >= 0x20 && byte != 0x7F {
        text.append(byte)
        index += 1
        continue
      }
      put(text)
      text = []
      guard byte == 0x1B else {
        control(byte)
        index += 1
        continue
      }
      guard let end = sequence(bytes, index) else {
        pending = Array(bytes[index...])
        return
      }
      index = end
    }
    put(text)
  }

  // MARK: Text

  private mutating func put(_ text: [UInt8]) {
    if text.isEmpty { return }
    for character in String(decoding: text, as: UTF8.self) {
      let width = cellsOf(String(character))
      if width == 0 {
        let column = max(0, cursor.columnIndex - 1)
        lines[cursor.lineIndex][column].text += String(character)
        continue
      }
      var column = cursor.columnIndex
      if column + width > columnCount { column = max(0, columnCount - width) }
      for offset in 0..<width where column + offset < columnCount { split(cursor.lineIndex, column + offset) }
      for offset in 0..<width where column + offset < columnCount {
        lines[cursor.lineIndex][column + offset] = VirtualCell(
          text: offset == 0 ? String(character) : "", style: style)
      }
      cursor.columnIndex = min(column + width, columnCount - 1)
    }
  }

  /// Overwriting a part of a wide character leaves blanks where the rest of it was.
  private mutating func split(_ line: Int, _ column: Int) {
    var start = column
    while start > 0 && lines[line][start].text.isEmpty { start -= 1 }
    var end = start + 1
    while end < columnCount && lines[line][end].text.isEmpty { end += 1 }
    if end - start == 1 { return }
    for place in start..<end { lines[line][place].text = " " }
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x0D: cursor.columnIndex = 0
    case 0x0A: if cursor.lineIndex < lineCount - 1 { cursor.lineIndex += 1 }
    default: strayControls.append(byte)
    }
  }

  // MARK: Sequences

  /// Performs the sequence that begins at `start`; returns where it ends, or nil if it is not complete.
  private mutating func sequence(_ bytes: [UInt8], _ start: Int) -> Int? {
    guard start + 1 < bytes.count else { return nil }
    switch bytes[start + 1] {
    case UInt8(ascii: "["):
      var index = start + 2
      while index < bytes.count && bytes[index] >= 0x20 && bytes[index] < 0x40 { index += 1 }
      guard index < bytes.count else { return nil }
      perform(String(decoding: bytes[(start + 2)..<index], as: UTF8.self), bytes[index])
      return index + 1
    case UInt8(ascii: "]"):
      var index = start + 2
      while index < bytes.count && bytes[index] != 0x07 && bytes[index] != 0x1B { index += 1 }
      guard index < bytes.count else { return nil }
      commands.append(String(decoding: bytes[(start + 2)..<index], as: UTF8.self))
      return index + (bytes[index] == 0x07 ? 1 : 2)
    default:
      unknown.append("ESC \(Character(Unicode.Scalar(bytes[start + 1])))")
      return start + 2
    }
  }

  private mutating func perform(_ parameters: String, _ final: UInt8) {
    let letter = Character(Unicode.Scalar(final))
    if parameters.hasPrefix("?") {
      for part in parameters.dropFirst().split(separator: ";") { setMode(Int(part) ?? -1, letter) }
      return
    }
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    let first = max(1, numbers.first ?? 1)
    switch letter {
    case "H": move(line: first - 1, column: (numbers.count > 1 ? max(1, numbers[1]) : 1) - 1)
    case "A": move(line: cursor.lineIndex - first, column: cursor.columnIndex)
    case "B": move(line: cursor.lineIndex + first, column: cursor.columnIndex)
    case "C": move(line: cursor.lineIndex, column: cursor.columnIndex + first)
    case "D": move(line: cursor.lineIndex, column: cursor.columnIndex - first)
    case "G": move(line: cursor.lineIndex, column: first - 1)
    case "d": move(line: first - 1, column: cursor.columnIndex)
    case "J":
      guard numbers.first == 2 else { return unknown.append("CSI \(parameters)J") }
      for line in 0..<lineCount { erase(line, 0..<columnCount) }
    case "K":
      split(cursor.lineIndex, cursor.columnIndex)
      erase(cursor.lineIndex, cursor.columnIndex..<columnCount)
    case "@":
      if lines[cursor.lineIndex][cursor.columnIndex].text.isEmpty { split(cursor.lineIndex, cursor.columnIndex) }
      let count = min(first, columnCount - cursor.columnIndex)
      lines[cursor.lineIndex].removeLast(count)
      lines[cursor.lineIndex].insert(contentsOf: Array(repeating: .blank, count: count), at: cursor.columnIndex)
      erase(cursor.lineIndex, cursor.columnIndex..<(cursor.columnIndex + count))
    case "L", "M":
      guard region.contains(cursor.lineIndex) else { return }
      scroll(cursor.lineIndex..<region.upperBound, by: letter == "M" ? first : -first)
      cursor.columnIndex = 0
    case "S": scroll(region, by: first)
    case "T": scroll(region, by: -first)
    case "r":
      let top = first - 1
      let bottom = numbers.count > 1 && numbers[1] > 0 ? numbers[1] : lineCount
      region = top < bottom && bottom <= lineCount ? top..<bottom : 0..<lineCount
      cursor = (0, 0)
    case "m": setStyle(numbers)
    default: unknown.append("CSI \(parameters)\(letter)")
    }
  }

  private mutating func move(line: Int, column: Int) {
    cursor = (min(max(0, column), columnCount - 1), min(max(0, line), lineCount - 1))
  }

  private mutating func erase(_ line: Int, _ columns: Range<Int>) {
    var erased = VirtualCell.blank
    erased.style.background = style.background
    for column in columns { lines[line][column] = erased }
  }

  private mutating func scroll(_ range: Range<Int>, by distance: Int) {
    let source = lines
    for line in range {
      let from = line + distance
      if range.contains(from) { lines[line] = source[from] } else { erase(line, 0..<columnCount) }
    }
  }

  private mutating func setMode(_ mode: Int, _ letter: Character) {
    guard letter == "h" || letter == "l" else { return unknown.append("CSI ?\(mode)\(letter)") }
    let isSet = letter == "h"
    switch mode {
    case 25: isCursorVisible = isSet
    case 1049:
      if isSet && !isAlternate {
        main = lines
        for line in 0..<lineCount { erase(line, 0..<columnCount) }
      } else if !isSet && isAlternate {
        lines = main
      }
      isAlternate = isSet
    case 7, 1000, 1002, 1006, 2004, 2026: if isSet { modes.insert(mode) } else { modes.remove(mode) }
    default: unknown.append("CSI ?\(mode)\(letter)")
    }
  }

  private mutating func setStyle(_ numbers: [Int]) {
    var index = 0
    while index < numbers.count {
      let number = numbers[index]
      switch number {
      case 0: style = VirtualStyle()
      case 1: style.isBold = true
      case 2: style.isDim = true
      case 3: style.isItalic = true
      case 4: style.isUnderlined = true
      case 7: style.isReversed = true
      case 30...37: style.foreground = number - 30
      case 40...47: style.background = number - 40
      case 90...97: style.foreground = number - 82
      case 100...107: style.background = number - 92
      case 39: style.foreground = nil
      case 49: style.background = nil
      case 38 where index + 2 < numbers.count && numbers[index + 1] == 5:
        style.foreground = numbers[index + 2]
        index += 2
      case 48 where index + 2 < numbers.count && numbers[index + 1] == 5:
        style.background = numbers[index + 2]
        index += 2
      default: unknown.append("SGR \(number)")
      }
      index += 1
    }
    if numbers.isEmpty { style = VirtualStyle() }
  }
}
