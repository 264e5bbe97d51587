// From the names that a question needs to a scanner of one input that finds just these fields.

/// The fields wanted of each record of one input.
package struct FieldSelection: Sendable {
  /// How many fields a record has in a batch: as many as names were given.
  package let count: Int
  private let input: DatasetInput
  private let uniqueNames: [FieldName]
  /// CSV: the columns of `uniqueNames`, -1 where this input has no such column.
  private let columnIndexes: [Int]
  /// Where each wanted field stands among those that the scanner finds; empty where they are the same.
  private let expansion: [Int]

  /// - Parameter names: the fields in the order in which they are wanted; the same may be wanted several times.
  package init(_ names: [FieldName], of input: DatasetInput) {
    self.input = input
    count = names.count
    var unique: [FieldName] = []
    var columns: [Int] = []
    var places: [Int] = []
    for name in names {
      if case .csv(_, let header) = input.content {
        let column = header.index(of: name.text) ?? -1
        // Two names of one column share what is found; columns that are not there have a place each.
        if let known = column >= 0 ? columns.firstIndex(of: column) : unique.firstIndex(of: name) {
          places.append(known)
          continue
        }
        columns.append(column)
      } else if let known = unique.firstIndex(of: name) {
        places.append(known)
        continue
      }
      places.append(unique.count)
      unique.append(name)
    }
    uniqueNames = unique
    columnIndexes = columns
    expansion = places == Array(0..<names.count) ? [] : places
  }

  /// An empty batch for the scanner's fields.
  package func makeBatch() -> RecordBatch { RecordBatch(fieldsPerRecord: uniqueNames.count) }

  /// A scanner that stands where the input's buffer does; nil where the input has no records.
  package func makeScanner() -> (any RecordScanner)? {
    switch input.content {
    case .empty: nil
    case .csv(let dialect, _): CSVScanner(dialect: dialect, columnIndexes: columnIndexes)
    case .json(let layout): makeScanner(JSONScanner(fields: uniqueNames, layout: layout))
    }
  }

  /// A JSON scanner that begins in the middle.
  package func makeScanner(resumingAt position: JSONResumption) -> (any RecordScanner)? {
    guard case .json(let layout) = input.content else { return makeScanner() }
    return makeScanner(JSONScanner(fields: uniqueNames, layout: layout, resumingAt: position))
  }

  /// A scanner of a window that is one record, found sound already.
  package func makeScannerOfLoneRecord() -> (any RecordScanner)? {
    // On its own, a record of JSON is like an element of an array, only not as deep.
    var scanner = makeScanner(resumingAt: .elementStart)
    if var json = scanner as? JSONScanner {
      json.isLoneRecord = true
      scanner = json
    }
    return scanner
  }

  private func makeScanner(_ scanner: JSONScanner) -> JSONScanner {
    var scanner = scanner
    if input.skipsDamage { scanner.skip = JSONDamageSkip() }
    return scanner
  }

  /// Puts the fields of a batch, as the scanner found them, into the order in which they are wanted.
  ///
  /// - Parameter fields: replaced; left alone where `batch.fields` is in that order already, in which case the result is
  ///   false.
  package func arrange(_ batch: borrowing RecordBatch, into fields: inout [Field]) -> Bool {
    if expansion.isEmpty { return false }
    fields.removeAll(keepingCapacity: true)
    let found = uniqueNames.count
    for record in 0..<batch.records.count {
      for place in expansion { fields.append(batch.fields[record * found + place]) }
    }
    return true
  }
}
