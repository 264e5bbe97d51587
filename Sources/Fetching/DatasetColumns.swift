// The names of a dataset's columns: of CSV from the headers, of JSON from its first records.

package import Reading

/// The columns of a dataset as far as they are known.
package struct DatasetColumns: Sendable {
  private var headerNames: [[UInt8]] = []
  private var collector: JSONColumnCollector
  private var hasJSON = false
  private let flattens: Bool
  /// Inputs added so far.
  private var inputCount = 0
  /// The records of the sample that said something new; nil where they are too many to be kept.
  private var telling: [ColumnSample.Record]? = []
  private var tellingSize = 0

  /// - Parameter flattens: whether nested objects become columns of their own.
  package init(flattens: Bool) {
    self.flattens = flattens
    collector = JSONColumnCollector(flattens: flattens)
  }

  /// All names in order of appearance.
  package var names: [[UInt8]] {
    guard hasJSON else { return headerNames }
    if headerNames.isEmpty { return collector.names }
    var known = Set(headerNames)
    return headerNames + collector.names.filter { known.insert($0).inserted }
  }

  /// Adds what an input's header or first records say.
  ///
  /// - Parameter sampled: records that earlier inputs have given already; at most
  ///   `ReadingLimits.sampleRecords` are looked at in the whole dataset. Counted on.
  /// - Parameter waits: whether a stream is waited for once its first record is there.
  /// - Throws: `ReadError` where reading fails. Damage is left to the pass that meets it.
  package mutating func add(
    _ input: inout DatasetInput, sampled: inout Int, waits: Bool = true
  ) throws(ReadError) {
    defer { inputCount += 1 }
    switch input.content {
    case .empty: return
    case .csv(_, let header): add(header)
    case .json:
      hasJSON = true
      guard sampled < ReadingLimits.sampleRecords else { return }
      let wanted = ReadingLimits.sampleRecords - sampled
      let records = try input.sample(records: wanted, bytes: ReadingLimits.sampleSize, waits: waits)
      sampled += records.count
      let start = input.buffer.offset
      input.buffer.withWindow { window in
        for record in records {
          let before = collector.newsCount
          collector.add(window.extracting(record.range))
          if collector.newsCount != before { keep(start + Int(record.start), count: Int(record.count)) }
        }
      }
    }
  }

  private mutating func add(_ header: CSVHeader) {
    var known = Set(headerNames)
    for name in header.distinctNames where known.insert(name).inserted { headerNames.append(name) }
  }

  private mutating func keep(_ offset: Int, count: Int) {
    tellingSize += count
    let isTooMuch = tellingSize > ColumnSample.mostBytes || (telling?.count ?? 0) >= ColumnSample.mostRecords
    if isTooMuch { telling = nil }
    telling?.append(ColumnSample.Record(inputIndex: inputCount, offset: offset, count: count))
  }

  /// What the next run needs of the sample; nil where that is nothing, or cannot be kept.
  ///
  /// - Parameter inputs: all that were added, and nothing else.
  package func sample(of inputs: [DatasetInput]) -> ColumnSample? {
    let stamps = inputs.compactMap(\.source.stamp)
    guard hasJSON, let telling, stamps.count == inputs.count, inputCount == inputs.count else { return nil }
    return ColumnSample(
      flattens: flattens, skipsDamage: inputs.contains { $0.skipsDamage }, stamps: stamps, records: telling)
  }

  /// Adds what a sample of these inputs has said before.
  ///
  /// - Returns: whether it is all there; else nothing was added.
  package mutating func add(_ inputs: [DatasetInput], by sample: ColumnSample) -> Bool {
    var columns = self
    for input in inputs {
      switch input.content {
      case .empty: break
      case .csv(_, let header): columns.add(header)
      case .json: columns.hasJSON = true
      }
    }
    for record in sample.records {
      let end = record.offset + record.count
      guard inputs.indices.contains(record.inputIndex),
        let bytes = try? inputs[record.inputIndex].bytes(in: record.offset..<end), bytes.count == record.count,
        Self.isRecord(bytes, inputs[record.inputIndex])
      else { return false }
      columns.collector.add(bytes.span)
    }
    columns.inputCount += inputs.count
    columns.telling = sample.records
    self = columns
    return true
  }

  /// Whether bytes are a sound record and nothing else: whoever wrote the place of it may have been wrong.
  private static func isRecord(_ bytes: [UInt8], _ input: DatasetInput) -> Bool {
    guard case .json = input.content, var scanner = FieldSelection([], of: input).makeScanner(resumingAt: .elementStart)
    else { return false }
    // As an element of an array, whose end is the end of a number too.
    let element = bytes + [UInt8(ascii: "]")]
    var batch = RecordBatch(fieldsPerRecord: 0)
    _ = scanner.scan(element.span, from: 0, limit: .max, isFinal: false, into: &batch)
    return batch.records.count == 1 && batch.records[0].range == 0..<bytes.count
  }

  /// Adds the names that another pass over the same dataset has found.
  mutating func add(_ other: DatasetColumns) {
    hasJSON = hasJSON || other.hasJSON
    collector.add(names: other.collector.names)
  }

  /// Adds the names in one more record of JSON.
  ///
  /// - Returns: the names that were not known, or not as those of columns.
  package mutating func add(record: Span<UInt8>) -> [[UInt8]] {
    let before = collector.found.count
    let turnedBefore = collector.turned.count
    collector.add(record)
    guard collector.found.count != before || collector.turned.count != turnedBefore else { return [] }
    let turned = collector.turned[turnedBefore...].filter { $0 < before }
    return (turned + (before..<collector.found.count)).filter { collector.isColumn($0) }.map { collector.found[$0] }
  }

  /// Names that are no columns, because only null and objects stand under them.
  package var nullNames: [[UInt8]] {
    collector.found.indices.filter { !collector.isColumn($0) }.map { collector.found[$0] }
  }
}
