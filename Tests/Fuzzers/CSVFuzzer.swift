// Any bytes as CSV: the block scanner against its byte-wise twin, in windows of any size; the header, the dialect, and the
// reader of single records against the scanner.

@testable import Reading

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = unsafe FuzzInput(start, count)
  let step = input.parameter()
  let times = input.parameter()
  let choice = input.parameter()
  let limit = input.parameter()
  let text = repeated(input.rest(), times)
  let dialect = Dialect(delimiter: [0x2C, 0x09, 0x3B, 0x20][choice & 3], hasHeaderRow: choice & 4 == 0)

  checkScanners(text, dialect, step: step, choice: choice, limit: limit)
  checkFieldReaders(text, dialect, choice: choice)
  checkBeginning(text, dialect, step: step)
  return 0
}

private func checkScanners(_ text: [UInt8], _ dialect: Dialect, step: Int, choice: Int, limit: Int) {
  let columns = [[0], [], [2, 0, 5], [1, -1, 0, 3, 40], Array(0..<20)][(choice >> 3) % 5]
  let end = limit & 3 == 0 ? limit * 8 : Int.max
  let recordLimit = limit & 4 == 0 ? 8192 : 16
  var twin = ByteWiseCSVScanner(dialect: dialect, columnIndexes: columns)
  let expected = scan(&twin, text, step: .max / 2, fieldCount: columns.count, limit: end)
  var scanner = CSVScanner(dialect: dialect, columnIndexes: columns)
  for usesKernel in [false, true] {
    scanner.usesKernel = usesKernel
    let whole = scan(
      &scanner, text, step: .max / 2, fieldCount: columns.count, recordLimit: recordLimit, limit: end)
    check(whole == expected, "the scanners differ on \(dialect), kernel \(usesKernel): \(expected) and \(whole)")
    let cut = scan(
      &scanner, text, step: step + 1, fieldCount: columns.count, recordLimit: recordLimit, limit: end)
    check(cut == expected, "windows of \(step + 1) make a difference: \(expected) and \(cut)")
  }
}

private func checkFieldReaders(_ text: [UInt8], _ dialect: Dialect, choice: Int) {
  let width = 1 + choice >> 5
  let order = [[2, 0, 0, -1], [0], [1, 3, 2]][choice % 3].filter { $0 < width }
  var scanner = ByteWiseCSVScanner(dialect: dialect, columnIndexes: [])
  let outcome = scan(&scanner, text, step: .max / 2, fieldCount: 0)
  let whole = CSVFieldReader(
    dialect: dialect, columnIndexes: Array(0..<width), width: width, includesExtras: true)
  let some = CSVFieldReader(dialect: dialect, columnIndexes: order, width: width, includesExtras: false)
  var fields: [Field] = []
  for place in outcome.records.prefix(40) {
    let record = Array(text[place.range])
    var cells: [Field] = []
    let end = CSVRecordReader.read(record.span, from: 0, delimiter: dialect.delimiter, isFinal: true) { _, field in
      cells.append(field)
    }
    check(end == .complete(end: record.count, fieldCount: cells.count), "a record is not read to its end")
    check(cells.count == Int(place.mark), "a record with another number of cells")
    while cells.count < width { cells.append(.missing) }
    whole.read(record.span, into: &fields)
    check(fields == cells, "the reader differs: \(cells) and \(fields)")
    some.read(record.span, into: &fields)
    check(fields == order.map { $0 < 0 ? .missing : cells[$0] }, "some columns: \(cells) and \(fields)")
    for cell in cells { checkText(cell, record) }
  }
}

/// A field's text equals itself and nothing else.
private func checkText(_ field: Field, _ record: [UInt8]) {
  var decoded: [UInt8] = []
  FieldText.append(field, in: record.span, to: &decoded)
  check(FieldText.equals(field, in: record.span, decoded.span), "a text that does not equal itself")
  decoded.append(0x61)
  check(!FieldText.equals(field, in: record.span, decoded.span), "a text that equals a longer one")
}

private func checkBeginning(_ text: [UInt8], _ dialect: Dialect, step: Int) {
  let begin = text.span.extracting(0..<min(text.count, step))
  let detected = Dialect.detect(header: text.span, isFinal: true)
  check(detected != nil, "no dialect for a whole input")
  if let early = Dialect.detect(header: begin, isFinal: false) {
    check(early == detected, "another dialect by the first \(step) bytes")
  }
  let whole = CSVHeader.read(text.span, isFinal: true, dialect: dialect)
  switch CSVHeader.read(begin, isFinal: false, dialect: dialect) {
  case .needsMoreBytes: break
  case .header(let early, let consumed):
    guard case .header(let header, let wholeConsumed) = whole else {
      return check(false, "a header that is none in the end")
    }
    check(early == header && consumed <= wholeConsumed, "another header by the first \(step) bytes")
  case .noRecords, .damage: check(false, "more is known of a beginning than can be")
  }
  guard case .header(let header, _) = whole else { return }
  check(header.names.count == header.width && header.distinctNames.count == header.width, "names are missing")
  check(Set(header.distinctNames).count == header.width, "a name stands twice: \(header.distinctNames)")
  for (index, name) in header.distinctNames.enumerated() {
    check(header.index(of: name) == index, "column \(index) is not found by its name")
  }
  check(!header.distinctNames.contains(header.name(ofExtraColumn: header.width)), "an extra cell with a column's name")
}
