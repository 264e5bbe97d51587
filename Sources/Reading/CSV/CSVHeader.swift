// The names of a CSV file's columns: as they were read, and one distinct name for each.

/// What came of reading a header.
package enum CSVHeaderResult: Sendable, Equatable {
  /// The first record is longer than the window.
  case needsMoreBytes
  /// The header, and how many bytes of the window are done with.
  case header(CSVHeader, consumed: Int)
  /// The input has no record.
  case noRecords
  /// The first record is damaged.
  case damage(Damage)
}

/// The names of the columns.
package struct CSVHeader: Sendable, Equatable {
  /// The names as they were read, decoded; duplicates stand more than once, an empty name is `c1`, `c2`, … by position.
  package let names: [[UInt8]]
  /// A different name for each column: the first of equal names keeps it, the others get `qty_2`, `qty_3`, ….
  package let distinctNames: [[UInt8]]
  /// Names as read, without the made ones, and the distinct ones: each with its column.
  private let indexByName: [[UInt8]: Int]
  private let indexByDistinctName: [[UInt8]: Int]

  /// - Parameter cells: the decoded cells of the first record; empty ones get names by position.
  package init(_ cells: [[UInt8]]) {
    var indexByName: [[UInt8]: Int] = [:]
    for (index, cell) in cells.enumerated() where !cell.isEmpty && indexByName[cell] == nil {
      indexByName[cell] = index
    }
    var taken = Set(indexByName.keys)
    var nextSuffix: [[UInt8]: Int] = [:]
    var names: [[UInt8]] = []
    var distinctNames: [[UInt8]] = []
    var indexByDistinctName: [[UInt8]: Int] = [:]
    for (index, cell) in cells.enumerated() {
      let name = cell.isEmpty ? CSVHeader.name(byPosition: index) : cell
      names.append(name)
      var distinctName = name
      if cell.isEmpty || indexByName[cell] != index {
        // A made name gives way to every real one.
        distinctName = CSVHeader.distinct(name, taken: taken, nextSuffix: &nextSuffix)
        taken.insert(distinctName)
      }
      distinctNames.append(distinctName)
      indexByDistinctName[distinctName] = index
    }
    self.names = names
    self.distinctNames = distinctNames
    self.indexByName = indexByName
    self.indexByDistinctName = indexByDistinctName
  }

  /// The number of columns.
  package var width: Int { names.count }

  /// The name of a cell beyond the header's width, different from every column's.
  ///
  /// - Parameter index: its place in the record, from 0 for the first cell of all.
  package func name(ofExtraColumn index: Int) -> [UInt8] {
    let name = CSVHeader.name(byPosition: index)
    var suffix = 2
    var distinctName = name
    while indexByDistinctName[distinctName] != nil {
      distinctName = name + Array("_\(suffix)".utf8)
      suffix += 1
    }
    return distinctName
  }

  /// The first column that was read with exactly this name, else the column with this distinct name.
  package func index(of name: [UInt8]) -> Int? {
    indexByName[name] ?? indexByDistinctName[name]
  }

  /// Reads the header of a file.
  ///
  /// Without a header row nothing is consumed, and the names are `c1`, `c2`, … by the first record's width.
  ///
  /// - Parameters:
  ///   - window: the first bytes of the file, after any byte order mark.
  ///   - isFinal: whether the file ends with them.
  /// - Complexity: linear in the first record.
  package static func read(_ window: Span<UInt8>, isFinal: Bool, dialect: Dialect) -> CSVHeaderResult {
    let start = CSVByte.endOfLineEnds(window, from: 0)
    if start == window.count { return isFinal ? .noRecords : .needsMoreBytes }
    var fields: [Field] = []
    let end = CSVRecordReader.read(window, from: start, delimiter: dialect.delimiter, isFinal: isFinal) { _, field in
      fields.append(field)
    }
    switch end {
    case .incomplete:
      return .needsMoreBytes
    case .unclosedQuote(let offset):
      return .damage(Damage(offset: offset, reason: CSVRecordReader.unclosedQuoteReason, recordStart: start))
    case .complete(let end, _):
      if !dialect.hasHeaderRow {
        return .header(CSVHeader(Array(repeating: [], count: fields.count)), consumed: 0)
      }
      var cells: [[UInt8]] = []
      for field in fields {
        var cell: [UInt8] = []
        FieldText.append(field, in: window, to: &cell)
        cells.append(cell)
      }
      return .header(CSVHeader(cells), consumed: CSVByte.endOfLineEnds(window, from: end))
    }
  }

  /// `c1` for the first column, and so on.
  private static func name(byPosition index: Int) -> [UInt8] { Array("c\(index + 1)".utf8) }

  /// The name itself where it is free, else the name with the lowest free number behind it.
  private static func distinct(
    _ name: [UInt8], taken: Set<[UInt8]>, nextSuffix: inout [[UInt8]: Int]
  ) -> [UInt8] {
    if !taken.contains(name) { return name }
    var suffix = nextSuffix[name] ?? 2
    while true {
      let candidate = name + Array("_\(suffix)".utf8)
      suffix += 1
      if taken.contains(candidate) { continue }
      nextSuffix[name] = suffix
      return candidate
    }
  }
}
