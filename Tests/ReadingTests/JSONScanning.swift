// What the JSON tests share: running a scanner over an input that is cut into windows, as a reader of files would.

import Reading

/// The readers of records, fast path and twins; their answers are the same.
enum JSONReader: CaseIterable {
  case byteWise
  /// Blocks, with stage one in Swift.
  case blocks
  /// Blocks, with stage one by the kernel.
  case kernel
}

/// Everything a scan of a whole input gave.
struct JSONScan: Equatable {
  var records: [String] = []
  var fields: [[String]] = []
  var damage: Int?
  var reason: String?
  var position: JSONScannerPosition?
  var damagedRecord: Int?
}

/// Scans the input, handing over windows that grow by `step` bytes, and checks what must hold on the way.
func scanJSON(
  _ input: [UInt8], fields: [FieldName] = [], layout: JSONLayout = .values, step: Int = .max,
  reader: JSONReader = .kernel,
  recordLimit: Int = 8192
) -> JSONScan {
  var scanner = JSONScanner(fields: fields, layout: layout)
  scanner.usesBlocks = reader != .byteWise
  scanner.usesKernel = reader == .kernel
  var scan = JSONScan()
  var batch = RecordBatch(fieldsPerRecord: fields.count, recordLimit: recordLimit)
  var start = 0
  var end = min(input.count, step)
  while true {
    batch.removeAll()
    let window = input.span.extracting(start..<end)
    let result = scanner.scan(window, from: 0, limit: .max, isFinal: end == input.count, into: &batch)
    precondition(batch.fields.count == batch.records.count * fields.count)
    for (index, record) in batch.records.enumerated() {
      scan.records.append(
        String(decoding: input[(start + record.range.lowerBound)..<(start + record.range.upperBound)], as: UTF8.self))
      scan.fields.append(
        batch.fields[(index * fields.count)..<((index + 1) * fields.count)].map { field in
          let range = (start + field.range.lowerBound)..<(start + field.range.upperBound)
          return "\(field.kind) \(String(decoding: input[range], as: UTF8.self))"
        })
    }
    start += result.consumed
    switch result.stop {
    case .damage(let damage):
      scan.damage = start - result.consumed + damage.offset
      scan.damagedRecord = start - result.consumed + damage.recordStart
      scan.reason = damage.reason
      return scan
    case .windowEnd:
      if end == input.count {
        precondition(start == end, "a final window is read to its end")
        scan.position = scanner.position
        return scan
      }
      end = min(input.count, end + min(step, input.count))
    case .batchFull: break
    case .limitReached: preconditionFailure("no limit was given")
    }
  }
}

let jsonSteps = [1, 2, 3, 7, 64, 4096, Int.max]
