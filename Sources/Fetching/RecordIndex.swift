// Where reading can begin again: a place in the dataset every so many records, with the number of rows before it. It is
// built as reading goes, costs nothing until somebody goes back, and is bounded: a long file has its places farther apart.

package import Reading

/// A place between two records, from where on records can be read without what stands before.
package struct RecordPosition: Sendable, Equatable {
  /// Which input of the dataset.
  package var inputIndex: Int
  /// In bytes from the beginning of the input.
  package var offset: Int
  /// JSON: the scanner's state there; nil in CSV.
  package var resumption: JSONResumption?
  /// How many records of the input stand before.
  package var recordIndex: Int

  package init(inputIndex: Int, offset: Int, resumption: JSONResumption?, recordIndex: Int) {
    self.inputIndex = inputIndex
    self.offset = offset
    self.resumption = resumption
    self.recordIndex = recordIndex
  }

  /// A stream of the records from here on.
  func stream(of input: DatasetInput, _ selection: FieldSelection) -> RecordStream? {
    let scanner = resumption.map { selection.makeScanner(resumingAt: $0) } ?? selection.makeScanner()
    guard let scanner else { return nil }
    return RecordStream(
      buffer: input.buffer.restarted(at: offset, firstReadSize: ReadingLimits.firstChunkSizeOnTheWay),
      scanner: scanner, recordsBefore: recordIndex)
  }
}

/// Places with the number of matching rows before each, in order.
struct RecordIndex: Sendable {
  struct Entry: Sendable, Equatable {
    /// Matching rows of the dataset before the place.
    var rowIndex: Int
    var position: RecordPosition
  }

  /// The most places kept; twice as many are thinned out to it.
  static let entryLimit = 32_768

  private(set) var entries: [Entry] = []
  /// Of so many places offered, one is kept.
  private var stride = 1
  private var offered = 0

  /// Adds a place, which has to be after all that are there; any other is known already.
  mutating func add(_ position: RecordPosition, rowIndex: Int) {
    if let last = entries.last?.position,
      (position.inputIndex, position.offset) <= (last.inputIndex, last.offset)
    {
      return
    }
    offered += 1
    guard offered % stride == 0 else { return }
    entries.append(Entry(rowIndex: rowIndex, position: position))
    if entries.count >= 2 * Self.entryLimit {
      entries = entries.indices.filter { $0 % 2 == 1 }.map { entries[$0] }
      stride *= 2
    }
  }

  /// The last place with at most `rowIndex` rows before it.
  ///
  /// - Complexity: logarithmic.
  func entry(beforeRow rowIndex: Int) -> Entry? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].rowIndex <= rowIndex { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? entries[low - 1] : nil
  }
}
