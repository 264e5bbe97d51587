// Any bytes as JSON: the block scanner against the byte-wise checker, in windows of any size, with and without leaving
// damage out; the layout; and what reads sound records, against plain readings of the same.

@testable import Reading

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = unsafe FuzzInput(start, count)
  let step = input.parameter()
  let times = input.parameter()
  let choice = input.parameter()
  let text = repeated(input.rest(), times)

  let layout = checkLayout(text, step: step, choice: choice)
  checkScanners(text, layout, step: step, choice: choice)
  checkRecords(text, layout, choice: choice)
  walkUnsound(text)
  return 0
}

private func checkLayout(_ text: [UInt8], step: Int, choice: Int) -> JSONLayout {
  let path: [String]? = choice & 3 == 1 ? ["a"] : nil
  let prefersLines = choice & 3 == 2
  let whole = JSONLayoutDetector.detect(text.span, isFinal: true, prefersLines: prefersLines, recordsPath: path)
  check(whole != .needsMoreBytes, "no layout for a whole input")
  let begin = text.span.extracting(0..<min(text.count, step))
  let early = JSONLayoutDetector.detect(begin, isFinal: false, prefersLines: prefersLines, recordsPath: path)
  if early != .needsMoreBytes { check(early == whole, "by the first \(step) bytes \(early), in the end \(whole)") }
  guard case .found(let layout, _) = whole else { return .values }
  return layout
}

private func checkScanners(_ text: [UInt8], _ layout: JSONLayout, step: Int, choice: Int) {
  let names = [["a"], [], ["a.b", "id", "value"], ["x", "a[0]", "a[-1].b", "b", "a.b.c", "", "id", "\"", "é"]]
  let fields = names[choice >> 2 & 3].map { FieldName($0) }
  let end = choice & 0x20 == 0 ? Int.max : text.count / 2
  for skips in [false, true] {
    for isResumed in [false, true] where !isResumed || choice & 0x40 != 0 {
      func run(blocks: Bool, kernel: Bool = false, step: Int, recordLimit: Int) -> (ScanOutcome, JSONScannerPosition) {
        var scanner = JSONScanner(fields: fields, layout: layout)
        if isResumed {
          scanner = JSONScanner(
            fields: fields, layout: layout, resumingAt: choice & 0x80 == 0 ? .elementStart : .valueStart)
        }
        scanner.usesBlocks = blocks
        scanner.usesKernel = kernel
        if skips { scanner.skip = JSONDamageSkip() }
        let outcome = scan(
          &scanner, text, step: step, fieldCount: fields.count, recordLimit: recordLimit, limit: end)
        return (outcome, scanner.position)
      }
      let limit = choice & 0x10 == 0 ? 8192 : 16
      let expected = run(blocks: false, step: .max / 2, recordLimit: 8192)
      for kernel in [false, true] {
        let whole = run(blocks: true, kernel: kernel, step: .max / 2, recordLimit: limit)
        check(whole == expected, "the readers differ (skips: \(skips), kernel: \(kernel)): \(expected) and \(whole)")
        let cut = run(blocks: true, kernel: kernel, step: step + 1, recordLimit: limit)
        check(cut == expected, "windows of \(step + 1) make a difference (skips: \(skips)): \(expected) and \(cut)")
      }
    }
  }
}

private func checkRecords(_ text: [UInt8], _ layout: JSONLayout, choice: Int) {
  var scanner = JSONScanner(fields: [], layout: layout)
  let outcome = scan(&scanner, text, step: .max / 2, fieldCount: 0)
  let records = outcome.records.prefix(40).map { Array(text[$0.range]) }
  var flat = JSONColumnCollector(flattens: true)
  var plain = JSONColumnCollector(flattens: false)
  for record in records {
    flat.add(record.span)
    plain.add(record.span)
  }
  for names in [flat.names, plain.names] {
    check(Set(names).count == names.count, "a column stands twice")
  }
  // Keys with dots and brackets may be paths; as quoted names they are found by scanner and reader alike.
  let names = plain.names.prefix(12).map { FieldName($0, isQuoted: true) }
  var reader = JSONFieldReader(columns: names, flattens: false)
  var flatReader = JSONFieldReader(
    columns: flat.names.prefix(40).map { FieldName($0) }, flattens: true, showsObjects: choice & 0x20 != 0)
  var pathReader = JSONFieldReader(
    columns: ["a.b", "a[0].b", "a[-1]", "a", "a.b.c.d", "a..b", "a.b"].map { FieldName($0) }, flattens: choice & 1 == 0)
  var finder = JSONScanner(fields: names, layout: .lines)
  var fields: [Field] = []
  for record in records {
    checkCompact(record)
    checkCursor(record)
    // Again and again with the same readers, as they are used.
    flatReader.read(record.span, into: &fields)
    checkFields(fields, record)
    pathReader.read(record.span, into: &fields)
    checkFields(fields, record)
    reader.read(record.span, into: &fields)
    checkFields(fields, record)
    if record.first != UInt8(ascii: "{") { continue }
    let found = scan(&finder, record, step: .max / 2, fieldCount: names.count)
    check(found.records.count == 1, "a record that is not one by itself")
    for (name, (field, other)) in zip(names, zip(fields, found.fields)) {
      check(
        field.kind == other.field.kind && (field.kind == .missing || field == other.field),
        "'\(name.description)' is \(field) for the reader and \(other) for the scanner")
    }
  }
}

private func checkFields(_ fields: [Field], _ record: [UInt8]) {
  for field in fields where field.kind != .missing {
    check(field.range.upperBound <= record.count, "a field beyond its record")
    let range = field.range
    switch field.kind {
    case .string, .stringEscaped:
      check(
        range.lowerBound > 0 && range.upperBound < record.count && record[range.lowerBound - 1] == 0x22
          && record[range.upperBound] == 0x22, "a string without its quotes")
      let hasEscapes = record[range].contains(0x5C)
      check(hasEscapes == (field.kind == .stringEscaped), "a string that is taken for the other kind")
      var text: [UInt8] = []
      FieldText.append(field, in: record.span, to: &text)
      check(FieldText.equals(field, in: record.span, text.span), "a text that does not equal itself")
      text.append(0x61)
      check(!FieldText.equals(field, in: record.span, text.span), "a text that equals a longer one")
    default:
      var checker = JSONChecker()
      check(isWholeValue(&checker, Array(record[range])), "a field that is no value")
    }
  }
}

private func isWholeValue(_ checker: inout JSONChecker, _ text: [UInt8]) -> Bool {
  checker.reset()
  var position = 0
  let outcome = unsafe text.withUnsafeBufferPointer { buffer in
    guard let bytes = buffer.baseAddress else { return JSONChecker.Outcome.pause }
    return unsafe checker.run(bytes, count: buffer.count, position: &position, closing: 0, isFinal: true)
  }
  return outcome == .done && position == text.count
}

private func checkCompact(_ record: [UInt8]) {
  var compact: [UInt8] = []
  JSONText.appendCompact(record.span, to: &compact)
  var expected: [UInt8] = []
  var isInside = false
  var isEscaped = false
  for byte in record {
    if isInside || ![0x20, 0x09, 0x0A, 0x0D].contains(byte) { expected.append(byte) }
    if isEscaped {
      isEscaped = false
    } else if byte == 0x5C {
      isEscaped = true
    } else if byte == 0x22 {
      isInside.toggle()
    }
  }
  check(compact == expected, "compact text differs")
  var checker = JSONChecker()
  check(isWholeValue(&checker, compact), "compact text is not sound")
}

/// Walks through all levels of a sound record, with and without the places of its brackets.
private func checkCursor(_ record: [UInt8]) {
  let root = JSONCursor.field(at: 0, record.span)
  guard root.kind == .object || root.kind == .array else { return }
  check(root.range == 0..<record.count, "a record ends elsewhere")
  let nesting = JSONNesting(inside: root.range, record.span)
  var open = [root.range]
  var budget = 400
  while let range = open.popLast(), budget > 0 {
    var cursor = JSONCursor(inside: range)
    var fast = JSONCursor(inside: range)
    while let member = cursor.next(record.span) {
      budget -= 1
      check(fast.next(record.span, nesting) == member, "the places of brackets make a difference")
      checkFields([member.value], record)
      check(member.value.range.upperBound <= range.upperBound, "a member ends beyond its object")
      if member.value.kind == .object || member.value.kind == .array { open.append(member.value.range) }
    }
    check(fast.next(record.span, nesting) == nil, "the places of brackets make a difference at the end")
  }
}

/// On unsound text a cursor ends, and reads nothing that is not there.
private func walkUnsound(_ text: [UInt8]) {
  var cursor = JSONCursor(inside: 0..<(text.count + 3))
  var count = 0
  let nesting = JSONNesting(inside: 0..<text.count, text.span)
  while let member = cursor.next(text.span, nesting) {
    count += 1
    check(member.value.range.upperBound <= text.count && count <= text.count, "a cursor goes on and on")
  }
}
