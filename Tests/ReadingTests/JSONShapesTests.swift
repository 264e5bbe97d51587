// Records whose shapes change: what readers learn from one record must not change what they find in the next.
//
// The twins: the same record with a blank before each colon, whose keys are never met as they are expected, and a walk by
// `JSONCursor`, which knows nothing of columns.

import Reading
import TestSupport
import Testing

/// The leaves of a record by the names that flattening gives them; of equal keys the last counts.
private struct Leaves {
  var found: [(name: [UInt8], level: Int, text: [UInt8])] = []

  init(_ record: [UInt8], flattens: Bool) {
    let whole = JSONCursor.field(at: 0, record.span)
    guard whole.kind == .object else {
      found.append((Array("value".utf8), 0, Array(record[whole.range])))
      return
    }
    add(whole, record, prefix: [], level: 0, flattens: flattens)
  }

  private mutating func add(_ object: Field, _ record: [UInt8], prefix: [UInt8], level: Int, flattens: Bool) {
    var members: [(name: [UInt8], value: Field)] = []
    var cursor = JSONCursor(inside: object.range)
    while let member = cursor.next(record.span) {
      var name: [UInt8] = []
      FieldText.append(member.key, in: record.span, to: &name)
      members.removeAll { $0.name == name }
      members.append((name, member.value))
    }
    for (name, value) in members {
      var inner = JSONCursor(inside: value.range)
      if flattens && value.kind == .object && inner.next(record.span) != nil {
        add(value, record, prefix: prefix + name + [0x2E], level: level + 1, flattens: flattens)
      } else {
        found.append((prefix + name, level, Array(record[value.range])))
      }
    }
  }

  /// The texts that a column may show; more than one where the same name is made in two ways of as many levels.
  func texts(of column: [UInt8]) -> [[UInt8]] {
    let named = found.filter { $0.name == column }
    let level = named.map(\.level).min()
    return named.filter { $0.level == level }.map(\.text)
  }
}

@Suite struct JSONShapesTests {
  /// The fields as text, and whether there may be others.
  private func read(_ reader: inout JSONFieldReader, _ record: [UInt8]) -> (fields: [String], mayHaveOthers: Bool) {
    var fields: [Field] = []
    let mayHaveOthers = reader.read(record.span, into: &fields)
    let texts = fields.map { field -> String in
      var text: [UInt8] = []
      let isNested = field.kind == .array || field.kind == .object
      if isNested { JSONText.appendCompact(record.span.extracting(field.range), to: &text) }
      if !isNested { text = Array(record[field.range]) }
      return "\(field.kind) \(String(decoding: text, as: UTF8.self))"
    }
    return (texts, mayHaveOthers)
  }

  @Test(arguments: 0..<12, [true, false])
  func whatWasLearnedChangesNothing(_ seed: Int, flattens: Bool) {
    var random = SeededGenerator(seed: UInt64(seed))
    let records = (0..<40).map { _ in ChangingRecord(&random) }
    var collector = JSONColumnCollector(flattens: flattens)
    var twin = JSONColumnCollector(flattens: flattens)
    for record in records.prefix(20) {
      collector.add(record.compact.span)
      twin.add(record.spaced.span)
    }
    #expect(collector.names == twin.names)
    let hidden = Set(collector.names.filter { _ in random.oneIn(6) })
    let names = collector.names.filter { !hidden.contains($0) }
    let nulls = collector.found.indices.filter { !collector.isColumn($0) }.map { collector.found[$0] }
    func makeReader() -> JSONFieldReader {
      JSONFieldReader(
        columns: names.map { FieldName($0) }, flattens: flattens, otherNames: Array(hidden), nullNames: nulls)
    }
    var reader = makeReader()
    var spacedReader = makeReader()
    for (index, record) in records.enumerated() {
      let found = read(&reader, record.compact)
      var fresh = makeReader()
      #expect(found.fields == read(&fresh, record.compact).fields)
      #expect(found.fields == read(&spacedReader, record.spaced).fields)
      let leaves = Leaves(record.compact, flattens: flattens)
      for (name, field) in zip(names, found.fields) {
        let texts = leaves.texts(of: name).map { String(decoding: $0, as: UTF8.self) }
        // Without flattening a name with a dot is a path too, and that is not looked at here.
        if texts.count > 1 || !flattens && name.contains(0x2E) { continue }
        let text = String(field.drop { $0 != " " }.dropFirst())
        #expect(text == texts.first ?? "", "\(String(decoding: name, as: UTF8.self))")
      }
      // A record that says nothing new need not be looked at again; that is so for those that said it.
      let known = collector.found.count
      let turned = collector.turned.count
      collector.add(record.compact.span)
      twin.add(record.spaced.span)
      #expect(collector.names == twin.names)
      let hasNews = collector.found.count != known || collector.turned.count != turned
      if hasNews { #expect(found.mayHaveOthers) }
      if flattens && index < 20 && record.compact.first == UInt8(ascii: "{") { #expect(!found.mayHaveOthers) }
    }
  }

  @Test(arguments: 0..<10)
  func whiteSpaceIsTakenOut(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<100 {
      let record = ChangingRecord(&random)
      for text in [record.compact, record.spaced] {
        var output: [UInt8] = [0x21]
        JSONText.appendCompact(text.span, to: &output)
        #expect(output == [0x21] + record.compact)
      }
    }
  }

  /// A single blank anywhere, at every place of blocks of 64 bytes.
  @Test(arguments: 60..<200)
  func aBlankAnywhereIsFound(_ count: Int) {
    let text = Array("[\"".utf8) + Array(repeating: 0x61, count: count - 8) + Array("\",1,2]".utf8)
    for place in text.indices {
      var spaced = text
      spaced.insert(0x20, at: place)
      var output: [UInt8] = []
      JSONText.appendCompact(spaced.span, to: &output)
      // Between the quotes it stays.
      #expect(output == (place > 1 && place < text.count - 5 ? spaced : text))
    }
  }

  @Test func aNameOfNullsAndObjectsTurnsIntoAColumn() {
    var collector = JSONColumnCollector(flattens: true)
    for record in ["{\"a\":1,\"g\":{\"x\":1}}", "{\"a\":1,\"g\":null}"] {
      let bytes = Array(record.utf8)
      collector.add(bytes.span)
    }
    #expect(collector.turned.isEmpty)
    let late = Array("{\"g\":5}".utf8)
    collector.add(late.span)
    #expect(collector.turned.map { String(decoding: collector.found[$0], as: UTF8.self) } == ["g"])
  }
}
