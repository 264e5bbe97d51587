// What the fuzzers share: the parameters at the front of an input, windows over the rest, and a check that is there in
// release builds too. `Tests/Fuzzers/run` compiles it beside one fuzzer; it is no part of the package.

import Glibc

@testable import Reading

/// An input of the fuzzer: a few bytes that choose what is done, then the text it is done to.
struct FuzzInput {
  private(set) var bytes: [UInt8]
  private var index = 0

  init(_ start: UnsafePointer<UInt8>, _ count: Int) {
    bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }

  /// The next parameter; 0 where the input ends.
  mutating func parameter() -> Int {
    guard index < bytes.count else { return 0 }
    index += 1
    return Int(bytes[index - 1])
  }

  /// What is left.
  mutating func rest() -> [UInt8] {
    defer { index = bytes.count }
    return Array(bytes[index...])
  }

  /// What is left up to a zero byte, which is dropped.
  mutating func piece() -> [UInt8] {
    let end = bytes[index...].firstIndex(of: 0) ?? bytes.count
    defer { index = min(bytes.count, end + 1) }
    return Array(bytes[index..<end])
  }
}

/// Ends the process, for the fuzzer to keep its input, unless the condition holds.
func check(_ condition: Bool, _ message: @autoclosure () -> String, line: Int = #line) {
  if condition { return }
  let text = "line \(line): \(message())\n"
  _ = unsafe text.withCString { unsafe write(STDERR_FILENO, $0, strlen($0)) }
  abort()
}

/// A text several times over, so that short inputs reach what only long ones do.
func repeated(_ text: [UInt8], _ parameter: Int) -> [UInt8] {
  let times = [1, 1, 1, 1, 1, 2, 9, 60][parameter & 7]
  guard times > 1, text.count * times <= 12_000 else { return text }
  return Array((0..<times).map { _ in text }.joined())
}

/// What a scan of a whole input gave, with places in the whole input.
struct ScanOutcome: Equatable {
  struct Place: Equatable {
    var start: Int
    var count: Int
    /// Of a record its number of fields, of a field its kind.
    var mark: UInt32
  }
  var records: [Place] = []
  var fields: [Place] = []
  var damageOffset: Int?
  var damagedRecord: Int?
  var reason: String?
  var consumed = 0
  var leftOut = 0
  var firstLeftOut: Int?
}

/// Runs a scanner over windows that grow by `step` bytes and begin where it left off.
func scan(
  _ scanner: inout some RecordScanner, _ input: [UInt8], step: Int, fieldCount: Int, recordLimit: Int = 8192,
  limit: Int = .max, start: Int = 0
) -> ScanOutcome {
  var outcome = ScanOutcome()
  var batch = RecordBatch(fieldsPerRecord: fieldCount, recordLimit: recordLimit)
  // Not less, or a long record is read again from its beginning at every byte.
  let step = max(step, input.count / 80, 1)
  var start = min(start, input.count)
  var end = min(input.count, start + step)
  while true {
    batch.removeAll()
    let isFinal = end == input.count
    let result = scanner.scan(
      input.span.extracting(start..<end), from: 0, limit: limit == .max ? .max : max(0, limit - start),
      isFinal: isFinal, into: &batch)
    check(result.consumed >= 0 && result.consumed <= end - start, "consumed \(result.consumed) of \(end - start)")
    check(batch.fields.count == batch.records.count * fieldCount, "fields of some records are not there")
    for record in batch.records {
      check(record.range.upperBound <= end - start, "a record beyond the window")
      outcome.records.append(
        ScanOutcome.Place(start: start + Int(record.start), count: Int(record.count), mark: record.fieldCount))
    }
    for (index, field) in batch.fields.enumerated() {
      guard field.kind != .missing else {
        outcome.fields.append(ScanOutcome.Place(start: 0, count: 0, mark: UInt32(field.kind.rawValue)))
        continue
      }
      let record = batch.records[index / max(1, fieldCount)].range
      check(
        field.range.lowerBound >= record.lowerBound && field.range.upperBound <= record.upperBound,
        "a field outside of its record")
      outcome.fields.append(
        ScanOutcome.Place(start: start + Int(field.start), count: Int(field.count), mark: UInt32(field.kind.rawValue)))
    }
    let leftOut = scanner.takeLeftOut()
    outcome.leftOut += leftOut.count
    if outcome.firstLeftOut == nil, let first = leftOut.first { outcome.firstLeftOut = start + first.offset }
    if case .damage(let damage) = result.stop {
      outcome.damageOffset = start + damage.offset
      outcome.damagedRecord = start + damage.recordStart
      outcome.reason = damage.reason
    }
    start += result.consumed
    outcome.consumed = start
    switch result.stop {
    case .damage:
      // Everything ends there, so that it is of no account what else could have been let go of.
      outcome.consumed = outcome.damageOffset ?? start
      return outcome
    case .limitReached: return outcome
    case .batchFull:
      check(!batch.records.isEmpty, "a batch that is full and empty")
    case .windowEnd:
      if isFinal {
        check(start == end, "a final window is read to its end")
        return outcome
      }
      end = min(input.count, end + step)
    }
  }
}

/// Fields of a scan that gave one window's places, as fields again.
extension ScanOutcome.Place {
  var range: Range<Int> { start..<(start + count) }
  var field: Field { Field(range, FieldKind(rawValue: UInt8(mark)) ?? .missing) }
}
