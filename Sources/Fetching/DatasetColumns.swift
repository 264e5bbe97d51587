// The names of a dataset's columns: of CSV from the headers, of JSON from its first records.

package import Reading

/// The columns of a dataset as far as they are known.
package struct DatasetColumns: Sendable {
  private var headerNames: [[UInt8]] = []
  private var collector: JSONColumnCollector
  private var hasJSON = false

  /// - Parameter flattens: whether nested objects become columns of their own.
  package init(flattens: Bool) {
    collector = JSONColumnCollector(flattens: flattens)
  }

  /// All names in order of appearance.
  package var names: [[UInt8]] {
    guard hasJSON else { return headerNames }
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
    switch input.content {
    case .empty: return
    case .csv(_, let header):
      var known = Set(headerNames)
      for name in header.distinctNames where known.insert(name).inserted { headerNames.append(name) }
    case .json:
      hasJSON = true
      guard sampled < ReadingLimits.sampleRecords else { return }
      let wanted = ReadingLimits.sampleRecords - sampled
      let records = try input.sample(records: wanted, bytes: ReadingLimits.sampleSize, waits: waits)
      sampled += records.count
      input.buffer.withWindow { window in
        for record in records { collector.add(window.extracting(record.range)) }
      }
    }
  }

  /// Adds the names that another pass over the same dataset has found.
  mutating func add(_ other: DatasetColumns) {
    hasJSON = hasJSON || other.hasJSON
    collector.add(names: other.collector.names)
  }

  /// Adds the names in one more record of JSON.
  ///
  /// - Returns: the names that were not known.
  package mutating func add(record: Span<UInt8>) -> [[UInt8]] {
    let before = collector.found.count
    collector.add(record)
    guard collector.found.count != before else { return [] }
    return (before..<collector.found.count).filter { collector.isColumn($0) }.map { collector.found[$0] }
  }
}
