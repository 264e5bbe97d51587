// Feeds a scanner as a real caller does, window after window, and lists what it found as plain values.

import Reading

/// What a scan of a whole input came to.
struct CSVOutcome: Equatable, CustomStringConvertible {
  struct Row: Equatable {
    var text: [UInt8]
    var fieldCount: UInt32
    var cells: [[UInt8]]
    var kinds: [FieldKind]
    /// Where the record and its cells stand in the whole input.
    var start: Int
    var cellStarts: [Int]
  }
  var rows: [Row] = []
  var damageOffset: Int?
  var damagedRecordStart: Int?
  var consumed = 0

  var description: String {
    let lines = rows.map { row in
      "\(row.start) \(row.fieldCount) \(row.kinds) \(row.cells.map { String(decoding: $0, as: UTF8.self) })"
    }
    return lines.joined(separator: "\n") + "\ndamage \(damageOffset ?? -1), consumed \(consumed)"
  }
}

/// Scans `input` in pieces.
///
/// - Parameters:
///   - step: bytes that come at a time.
///   - recordLimit: records a batch.
///   - limit: where to stop, from the beginning of the input.
///   - start: where to begin.
func feed(
  _ scanner: any RecordScanner, _ input: [UInt8], step: Int, columns: Int, recordLimit: Int = 8192,
  limit: Int = .max, start: Int = 0
) -> CSVOutcome {
  var scanner = scanner
  var outcome = CSVOutcome()
  var batch = RecordBatch(fieldsPerRecord: columns, recordLimit: recordLimit)
  var window: [UInt8] = []
  var windowOffset = start
  var read = start
  while true {
    let isFinal = read >= input.count
    batch.removeAll()
    let local = limit == .max ? Int.max : limit - windowOffset
    let result = scanner.scan(window.span, from: 0, limit: local, isFinal: isFinal, into: &batch)
    for (index, record) in batch.records.enumerated() {
      let fields = batch.fields[(index * columns)..<((index + 1) * columns)]
      outcome.rows.append(
        CSVOutcome.Row(
          text: Array(window[record.range]), fieldCount: record.fieldCount,
          cells: fields.map { Array(window[$0.range]) },
          kinds: fields.map(\.kind), start: windowOffset + Int(record.start),
          cellStarts: fields.map { $0.kind == .missing ? -1 : windowOffset + Int($0.start) }))
    }
    window.removeFirst(result.consumed)
    windowOffset += result.consumed
    outcome.consumed = windowOffset
    switch result.stop {
    case .damage(let damage):
      outcome.damageOffset = windowOffset - result.consumed + damage.offset
      outcome.damagedRecordStart = windowOffset - result.consumed + damage.recordStart
      return outcome
    case .limitReached:
      return outcome
    case .batchFull:
      continue
    case .windowEnd:
      if isFinal { return outcome }
      let end = min(input.count, read + step)
      window += input[read..<end]
      read = end
    }
  }
}

/// A generator of random numbers with a seed: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct CSVSeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
