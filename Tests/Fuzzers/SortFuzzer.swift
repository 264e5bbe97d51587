// Any text as the argument of --sort and --columns, and any bytes as values to sort: the first eight bytes of a key against
// the whole, keys of all kinds against each other, and numbers against the standard library's reading of them.

import Fetching
import Reading

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = unsafe FuzzInput(start, count)
  let choice = input.parameter()
  let argument = String(decoding: input.piece(), as: UTF8.self)
  let values = input.rest()

  let parsed = checkGrammar(argument)
  checkColumns(argument)
  var descriptors = Array(parsed.prefix(3))
  if descriptors.isEmpty || choice & 1 == 0 {
    var descriptor = SortDescriptor(FieldName("a"), order: choice & 2 == 0 ? .forward : .reverse)
    let kinds: [SortKind] = [
      .auto, .auto, .auto, .text, .number, .date, .natural, .epoch, .dmy, .mdy, .locale, .dateFormat(argument),
    ]
    descriptor.kind = kinds[(choice >> 4) % kinds.count]
    descriptor.ignoresCase = choice & 4 != 0
    descriptor.nulls = choice & 8 == 0 ? .first : .last
    descriptors.insert(descriptor, at: 0)
  }
  checkKeys(descriptors, values, isJSON: false)
  checkKeys(descriptors, values, isJSON: true)
  return 0
}

private func checkGrammar(_ argument: String) -> [SortDescriptor] {
  do throws(SortError) {
    let descriptors = try SortGrammar.parse(argument, columns: nil)
    for descriptor in descriptors {
      let text = descriptor.description
      let again = try? SortGrammar.parse(text, columns: nil)
      check(again == [descriptor], "'\(text)' is read as \(String(describing: again)), and was \(descriptor)")
    }
    return descriptors
  } catch {
    check(!error.message.isEmpty, "an error without words")
    return []
  }
}

private func checkColumns(_ argument: String) {
  // Names made of the argument itself, so that some of them are met.
  var columns = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  columns += argument.split(separator: ":").map(String.init)
  columns += [argument, String(argument.dropFirst()), " a", "a,b"]
  for columns in [nil, columns] {
    if let descriptors = try? SortGrammar.parse(argument, columns: columns) {
      check(!descriptors.isEmpty, "no key and no error")
    }
    do throws(SortError) {
      check(try !ColumnGrammar.parse(argument, columns: columns).isEmpty, "no column and no error")
    } catch {
      check(!error.message.isEmpty, "an error without words")
    }
  }
  for known in columns {
    // A name that is not empty and is the whole argument is that column.
    guard known == argument, let read = try? SortGrammar.parse(argument, columns: columns) else { continue }
    check(read.count == 1 && read[0].key.text == Array(argument.utf8), "a column that is not found by its name")
  }
}

/// The rows' fields, as many a row as there are keys: the cells or members of the values one after another.
private func fields(of values: [UInt8], count: Int, isJSON: Bool) -> [Field] {
  var batch = RecordBatch(fieldsPerRecord: isJSON ? 2 : 3, recordLimit: 16)
  if isJSON {
    var scanner = JSONScanner(fields: [FieldName("a"), FieldName("value")], layout: .lines)
    _ = scanner.scan(values.span, from: 0, limit: .max, isFinal: true, into: &batch)
  } else {
    var scanner = CSVScanner(dialect: .comma, columnIndexes: [0, 1, 2])
    _ = scanner.scan(values.span, from: 0, limit: .max, isFinal: true, into: &batch)
  }
  // Each field leads a row once.
  let found = batch.fields.prefix(24)
  return found.indices.flatMap { first in (0..<count).map { found[(first + $0) % found.count] } }
}

private struct Row {
  var prefix: KeyPrefix
  var key: [UInt8]
  var field: Field
}

private func checkKeys(_ descriptors: [SortDescriptor], _ values: [UInt8], isJSON: Bool) {
  let keyCount = descriptors.count
  let fields = fields(of: values, count: keyCount, isJSON: isJSON)
  var encoder = SortKeyEncoder(sortBy: descriptors)
  var opposite = SortKeyEncoder(
    sortBy: descriptors.map { descriptor in
      var turned = descriptor
      turned.order = descriptor.order == .forward ? .reverse : .forward
      return turned
    })
  var rows: [Row] = []
  var turned: [Row] = []
  for index in 0..<(fields.count / keyCount) {
    rows.append(row(&encoder, values, fields, index * keyCount))
    turned.append(row(&opposite, values, fields, index * keyCount))
  }
  for (index, row) in rows.enumerated() {
    for other in 0..<index {
      checkPair(row, rows[other], values)
      if keyCount == 1 { checkTurned(row, rows[other], turned[index], turned[other]) }
      if keyCount == 1, descriptors[0].kind == .number {
        checkNumbers(row, rows[other], values, isReversed: descriptors[0].order == .reverse)
      }
    }
  }
  check(encoder.tallies.count == keyCount && encoder.conversionFailures.count == keyCount, "tallies are missing")
}

private func row(_ encoder: inout SortKeyEncoder, _ values: [UInt8], _ fields: [Field], _ index: Int) -> Row {
  let prefix = encoder.prefix(values.span, fields.span, at: index)
  var key: [UInt8] = []
  encoder.append(values.span, fields.span, at: index, to: &key)
  check(KeyBytes.prefix(of: key.span) == prefix.bits, "a prefix that is not the beginning of its key \(key)")
  check(!prefix.isExact || key.count <= 8, "an exact prefix of a longer key \(key)")
  return Row(prefix: prefix, key: key, field: fields[index])
}

private func checkPair(_ a: Row, _ b: Row, _ values: [UInt8]) {
  let order = KeyBytes.compare(a.key, b.key)
  let common = min(a.key.count, b.key.count)
  if a.key.count != b.key.count {
    check(a.key[..<common] != b.key[..<common], "a key is the beginning of another: \(a.key) and \(b.key)")
  }
  if a.prefix.bits != b.prefix.bits {
    check((a.prefix.bits < b.prefix.bits) == (order < 0), "prefixes order otherwise: \(a.key) and \(b.key)")
  } else if a.prefix.isExact || b.prefix.isExact {
    check(order == 0, "equal prefixes, one exact, of different keys: \(a.key) and \(b.key)")
  }
}

private func checkTurned(_ a: Row, _ b: Row, _ turnedA: Row, _ turnedB: Row) {
  let order = KeyBytes.compare(a.key, b.key).signum()
  let turned = KeyBytes.compare(turnedA.key, turnedB.key).signum()
  guard let first = a.key.first, let second = b.key.first else { return }
  // Kinds keep their order in either direction.
  check(turned == (first >> 5 == second >> 5 ? -order : order), "\(a.key) and \(b.key), turned")
}

private func checkNumbers(_ a: Row, _ b: Row, _ values: [UInt8], isReversed: Bool) {
  guard let first = a.key.first, let second = b.key.first, first >> 5 == 2, second >> 5 == 2 else { return }
  guard let left = number(a.field, values), let right = number(b.field, values), left != right else { return }
  check(
    (KeyBytes.compare(a.key, b.key) < 0) == ((left < right) != isReversed), "numbers in disorder: \(left) and \(right)")
}

private func number(_ field: Field, _ values: [UInt8]) -> Double? {
  var text: [UInt8] = []
  FieldText.append(field, in: values.span, to: &text)
  return Double(String(decoding: text, as: UTF8.self))
}
