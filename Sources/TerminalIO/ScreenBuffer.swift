// A whole screen as a grid of cells: drawing writes here, `ANSIEncoder` sends what has changed. It cuts at its edges,
// keeps wide glyphs whole, and does not make text safe: that is done before by `SafeText`; what slips through is shown
// as U+FFFD, so that no control character ever lies in a cell.

/// Blanks that push part of some lines to the right.
package struct ScreenInsertion: Sendable, Equatable {
  package var lines: Range<Int>
  package var columnIndex: Int
  package var count: Int

  package init(lines: Range<Int>, columnIndex: Int, count: Int) {
    self.lines = lines
    self.columnIndex = columnIndex
    self.count = count
  }
}

/// The screen's contents.
package struct ScreenBuffer: Sendable {
  package let columnCount: Int
  package let lineCount: Int
  private(set) var cells: [Cell]
  /// Glyphs of more than eight bytes.
  private var longGlyphs: [[UInt8]] = []
  /// Where the cursor is shown; nil: hidden.
  package var cursor: (columnIndex: Int, lineIndex: Int)?

  /// More bytes of one glyph are left out: marks can be stacked without end.
  package static let longestGlyph = 64
  /// No terminal is larger; keeps a wrong size from taking all memory.
  package static let longestSide = 4096

  /// A blank screen.
  package init(columnCount: Int, lineCount: Int) {
    self.columnCount = min(max(1, columnCount), ScreenBuffer.longestSide)
    self.lineCount = min(max(1, lineCount), ScreenBuffer.longestSide)
    cells = Array(repeating: .blank, count: self.columnCount * self.lineCount)
  }

  /// Makes everything blank and keeps the memory.
  package mutating func clear() {
    for index in cells.indices { cells[index] = .blank }
    longGlyphs.removeAll(keepingCapacity: true)
    cursor = nil
  }

  /// The cell at a place; blank outside the screen.
  package subscript(columnIndex: Int, lineIndex: Int) -> Cell {
    guard columnIndex >= 0, columnIndex < columnCount, lineIndex >= 0, lineIndex < lineCount else { return .blank }
    return cells[lineIndex * columnCount + columnIndex]
  }

  /// Appends the UTF-8 bytes of a cell's glyph; nothing for a place that a wide glyph covers.
  package func appendGlyph(of cell: Cell, to output: inout [UInt8]) {
    if cell.isIndexed {
      output += longGlyphs[cell.index]
      return
    }
    var glyph = cell.glyph
    while glyph != 0 {
      output.append(UInt8(truncatingIfNeeded: glyph))
      glyph >>= 8
    }
  }

  /// The text of a line, with blanks at its end.
  package func text(ofLine lineIndex: Int) -> String {
    var bytes: [UInt8] = []
    for columnIndex in 0..<columnCount { appendGlyph(of: self[columnIndex, lineIndex], to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether two places of two screens look the same.
  func isSame(_ index: Int, as other: ScreenBuffer, _ otherIndex: Int) -> Bool {
    let left = cells[index]
    let right = other.cells[otherIndex]
    if left == right { return !left.isIndexed || longGlyphs[left.index] == other.longGlyphs[right.index] }
    guard left.isIndexed, right.isIndexed, left.style == right.style, left.width == right.width else { return false }
    return longGlyphs[left.index] == other.longGlyphs[right.index]
  }

  /// A number that is equal for lines that look the same, and seldom for others.
  func hash(ofLine lineIndex: Int) -> UInt64 {
    // FNV-1a over words with a final mix; a collision costs bytes, never a wrong screen.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in (lineIndex * columnCount)..<((lineIndex + 1) * columnCount) {
      let cell = cells[index]
      let glyph = cell.isIndexed ? UInt64(longGlyphs[cell.index].count) : cell.glyph
      hash = (hash ^ (glyph &+ UInt64(cell.style.bits) &* 0x9E37_79B9_7F4A_7C15)) &* 0x100_0000_01B3
      hash ^= hash >> 29
    }
    return hash
  }

  // MARK: Drawing

  /// Fills part of a line with blanks of a style.
  package mutating func fill(
    lineIndex: Int, from columnIndex: Int = 0, count: Int = .max, style: Style = .plain
  ) {
    guard lineIndex >= 0, lineIndex < lineCount, count > 0 else { return }
    let start = max(0, columnIndex)
    let end = count >= columnCount ? columnCount : min(columnCount, max(0, columnIndex &+ count))
    guard start < end else { return }
    for column in start..<end {
      release(column, lineIndex)
      cells[lineIndex * columnCount + column] = Cell(glyph: 0x20, style: style, width: 1)
    }
  }

  /// Gives part of a line another style, keeping what is written there.
  package mutating func restyle(
    lineIndex: Int, from columnIndex: Int, count: Int, _ change: (Style) -> Style
  ) {
    guard lineIndex >= 0, lineIndex < lineCount, count > 0 else { return }
    var column = max(0, columnIndex)
    let end = count >= columnCount ? columnCount : min(columnCount, max(0, columnIndex &+ count))
    while column < end {
      cells[lineIndex * columnCount + column].style = change(cells[lineIndex * columnCount + column].style)
      column += 1
    }
  }

  /// Writes UTF-8 text, as much as fits.
  ///
  /// - Parameters:
  ///   - limit: how many cells it may take; the screen's edge is always one.
  /// - Returns: the cells taken.
  @discardableResult
  package mutating func write(
    _ text: Span<UInt8>, in range: Range<Int>, columnIndex: Int, lineIndex: Int, limit: Int = .max,
    style: Style = .plain
  ) -> Int {
    guard lineIndex >= 0, lineIndex < lineCount, columnIndex >= 0, columnIndex < columnCount else { return 0 }
    let end = columnIndex + min(max(0, limit), columnCount - columnIndex)
    var column = columnIndex
    let plain = ScalarDecoder.firstNotPrintable(text, in: range)
    // The last ASCII character may carry the mark that follows.
    let simple = plain == range.upperBound ? plain : max(range.lowerBound, plain - 1)
    var position = range.lowerBound
    while position < simple && column < end {
      put(UInt64(text[position]), width: 1, column, lineIndex, style)
      column += 1
      position += 1
    }
    if position == simple && simple < range.upperBound {
      column = writeClusters(
        text, in: simple..<range.upperBound, from: columnIndex, column, lineIndex, end: end, style)
    }
    return column - columnIndex
  }

  @discardableResult
  package mutating func write(
    _ text: String, columnIndex: Int, lineIndex: Int, limit: Int = .max, style: Style = .plain
  ) -> Int {
    let bytes = Array(text.utf8)
    return write(
      bytes.span, in: 0..<bytes.count, columnIndex: columnIndex, lineIndex: lineIndex, limit: limit, style: style)
  }

  private mutating func writeClusters(
    _ text: Span<UInt8>, in range: Range<Int>, from firstColumn: Int, _ startColumn: Int, _ lineIndex: Int, end: Int,
    _ style: Style
  ) -> Int {
    var column = startColumn
    // Each cell needs few bytes; a text of megabytes is not turned into a String to show some cells of it.
    var most = range.lowerBound + min(range.count, (end - startColumn + 1) * ScreenBuffer.longestGlyph)
    while most < range.upperBound && most > range.lowerBound && text[most] & 0xC0 == 0x80 { most -= 1 }
    let string = unsafe text.extracting(range.lowerBound..<most).withUnsafeBufferPointer {
      unsafe String(decoding: $0, as: UTF8.self)
    }
    var bytes: [UInt8] = []
    for character in string {
      bytes.removeAll(keepingCapacity: true)
      for scalar in character.unicodeScalars {
        // What has no picture and would drive the terminal is never let in.
        let value = scalar.value < 0x20 || (scalar.value >= 0x7F && scalar.value < 0xA0) ? 0xFFFD : scalar.value
        if bytes.count + 4 > ScreenBuffer.longestGlyph { break }
        ScalarDecoder.append(value, to: &bytes)
      }
      let width = DisplayWidth.cells(bytes)
      if width == 0 {
        if column > firstColumn { addMark(bytes, column - 1, lineIndex) }
        continue
      }
      if width > end - column || width > 255 { return column }
      put(packed(bytes), width: width, column, lineIndex, style)
      column += width
    }
    return column
  }

  /// Adds what has no width of its own to the glyph before it.
  private mutating func addMark(_ bytes: [UInt8], _ columnIndex: Int, _ lineIndex: Int) {
    var index = lineIndex * columnCount + columnIndex
    while cells[index].width == 0 && index % columnCount > 0 { index -= 1 }
    var glyph: [UInt8] = []
    appendGlyph(of: cells[index], to: &glyph)
    guard glyph.count + bytes.count <= ScreenBuffer.longestGlyph,
      DisplayWidth.cells(glyph + bytes) == Int(cells[index].width)
    else { return }
    cells[index].glyph = packed(glyph + bytes)
  }

  private mutating func packed(_ bytes: [UInt8]) -> UInt64 {
    if bytes.count > 8 || (bytes.count == 8 && bytes[7] == 0xFF) {
      longGlyphs.append(bytes)
      return Cell.indexMark | UInt64(longGlyphs.count - 1)
    }
    var glyph: UInt64 = 0
    for (index, byte) in bytes.enumerated() { glyph |= UInt64(byte) << UInt64(index * 8) }
    return glyph
  }

  private mutating func put(_ glyph: UInt64, width: Int, _ columnIndex: Int, _ lineIndex: Int, _ style: Style) {
    let start = lineIndex * columnCount + columnIndex
    for offset in 0..<width { release(columnIndex + offset, lineIndex) }
    cells[start] = Cell(glyph: glyph, style: style, width: UInt8(width))
    for offset in 1..<max(1, width) { cells[start + offset] = Cell(glyph: 0, style: style, width: 0) }
  }

  /// Before a place is written: a wide glyph that stands there, wholly or in part, becomes blanks.
  private mutating func release(_ columnIndex: Int, _ lineIndex: Int) {
    let index = lineIndex * columnCount + columnIndex
    if cells[index].width == 1 { return }
    var lead = index
    while cells[lead].width == 0 && lead > lineIndex * columnCount { lead -= 1 }
    for offset in 0..<max(1, Int(cells[lead].width)) {
      cells[lead + offset] = Cell(glyph: 0x20, style: cells[lead].style, width: 1)
    }
  }

  // MARK: For the encoder

  /// Inserts blanks as a terminal does (ICH): what stands behind them moves to the right, and out at the edge.
  mutating func insert(_ insertion: ScreenInsertion) {
    // Half a wide glyph looks otherwise on every terminal: what is equal to nothing that is drawn.
    let unknown = Cell(glyph: 0, style: .plain, width: 1)
    for line in insertion.lines.clamped(to: 0..<lineCount) {
      let base = line * columnCount
      var lead = base + insertion.columnIndex
      while cells[lead].width == 0 && lead > base { lead -= 1 }
      if lead < base + insertion.columnIndex {
        for index in lead..<min(lead + Int(cells[lead].width), base + columnCount) { cells[index] = unknown }
      }
      for column in (insertion.columnIndex..<columnCount).reversed() {
        let from = column - insertion.count
        cells[base + column] = from >= insertion.columnIndex ? cells[base + from] : .blank
      }
      let last = base + columnCount - 1
      if cells[last].width > 1 { cells[last] = unknown }
    }
  }

  /// Moves lines as a terminal does in a scroll region: up by `distance`, or down if it is negative; the lines that
  /// come free are blank.
  mutating func scroll(_ lines: Range<Int>, by distance: Int) {
    let source = cells
    for line in lines {
      let from = line + distance
      for column in 0..<columnCount {
        cells[line * columnCount + column] =
          lines.contains(from) ? source[from * columnCount + column] : .blank
      }
    }
  }
}

extension ScreenBuffer: Equatable {
  /// Whether two screens look the same, their cursors included.
  package static func == (left: ScreenBuffer, right: ScreenBuffer) -> Bool {
    left.columnCount == right.columnCount && left.lineCount == right.lineCount
      && left.cursor?.columnIndex == right.cursor?.columnIndex && left.cursor?.lineIndex == right.cursor?.lineIndex
      && left.cells.indices.allSatisfy { left.isSame($0, as: right, $0) }
  }
}
