// Columns of JSON records: which there are, and which field is whose.

import Reading
import Testing

private func names(_ records: [String], flattens: Bool = true) -> [String] {
  var collector = JSONColumnCollector(flattens: flattens)
  for record in records {
    let bytes = Array(record.utf8)
    collector.add(bytes.span)
  }
  return collector.names.map { String(decoding: $0, as: UTF8.self) }
}

private func read(
  _ record: String, _ columns: [String], flattens: Bool = true, showsObjects: Bool = false
) -> [String] {
  var reader = JSONFieldReader(
    columns: columns.map { FieldName($0) }, flattens: flattens, showsObjects: showsObjects)
  let bytes = Array(record.utf8)
  var fields: [Field] = []
  var last: [String] = []
  // The second time everything is as expected by the tree; the answer must not change.
  for _ in 0..<2 {
    reader.read(bytes.span, into: &fields)
    let texts = fields.map { "\($0.kind) \(String(decoding: bytes[$0.range], as: UTF8.self))" }
    #expect(last.isEmpty || last == texts)
    last = texts
  }
  return last
}

struct JSONFieldReaderTests {
  @Test func columnsInOrderOfAppearance() {
    #expect(names(["{\"b\":1,\"a\":2}", "{\"a\":1,\"c\":[1]}"]) == ["b", "a", "c"])
    #expect(names(["{\"a\":{\"x\":1,\"y\":{\"z\":{}}}}", "{\"a\":1}"]) == ["a.x", "a.y.z", "a"])
    #expect(names(["{\"a\":{\"x\":1}}"], flattens: false) == ["a"])
    #expect(names(["{\"a.b\":1,\"a\":{\"b\":2}}"]) == ["a.b"])
    #expect(names(["{\"\\u0061\":1}", "{\"a\":2}", "3"]) == ["a", "value"])
    #expect(names(["{}", "{ }"]) == [])
  }

  @Test func flatteningStopsAtItsDepth() {
    func nested(_ depth: Int) -> String {
      String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    }
    let deep = names([nested(70)])
    #expect(deep == [Array(repeating: "a", count: 65).joined(separator: ".")])
    #expect(read(nested(70), deep)[0].hasPrefix("object {"))
    let shallow = names([nested(65)])
    #expect(read(nested(65), shallow) == ["number 1"])
  }

  @Test func fieldsOfFlattenedRecords() {
    let record = "{ \"id\" : 1, \"gear\" : {\"id\":\"b1\", \"more\":{\"x\":[1, 2]} }, \"e\":{ }, \"n\":null}"
    #expect(
      read(record, ["gear.id", "n", "id", "gear", "gear.more.x", "e", "nope", "gear.more", "id"])
        == [
          "string b1", "null null", "number 1", "missing ", "array [1, 2]", "object { }", "missing ", "missing ",
          "number 1",
        ])
    #expect(read(record, ["gear.more", "gear"], showsObjects: true)[0] == "object {\"x\":[1, 2]}")
    #expect(
      read(record, ["gear.more", "gear"], flattens: false)[1] == "object {\"id\":\"b1\", \"more\":{\"x\":[1, 2]} }")
    #expect(read("[1]", ["value", "a"]) == ["array [1]", "missing "])
  }

  @Test func exactNamesWinAndLastKeysCount() {
    #expect(read("{\"a.b\":1,\"a\":{\"b\":2}}", ["a.b"]) == ["number 1"])
    #expect(read("{\"a\":{\"b\":2},\"a.b\":1}", ["a.b"]) == ["number 1"])
    #expect(read("{\"a\":{\"b.c\":1,\"b\":{\"c\":2}}}", ["a.b.c"]) == ["number 1"])
    #expect(read("{\"a.b\":{\"c\":3}}", ["a.b.c"]) == ["number 3"])
    #expect(read("{\"a\":1,\"a\":2}", ["a"]) == ["number 2"])
    #expect(read("{\"a\":{\"b\":1},\"a\":{}}", ["a.b", "a"]) == ["missing ", "object {}"])
    #expect(read("{\"\\u0061\":{\"\\u0062\":1}}", ["a.b"]) == ["number 1"])
    #expect(
      read("{\"tags\":[1,[2,3]]}", ["tags[-1][0]", "tags[5]", "tags"], flattens: false)
        == ["number 2", "missing ", "array [1,[2,3]]"])
  }

  @Test func everyCollectedColumnIsFound() {
    let records = [
      "{\"a\":{\"b\":{\"c\":1},\"b.d\":2},\"a.b.e\":3,\"\":4,\"x.\":{\"y\":5},\".\":6}",
      "{\"a\":{\"\":7},\"q\":{\"r.s\":{\"t\":8}}}",
    ]
    for record in records {
      let columns = names([record])
      #expect(read(record, columns).allSatisfy { $0.hasPrefix("number") }, "\(columns)")
    }
  }

  @Test func compactText() {
    for (input, expected) in [
      ("{ \"a\" : [ 1 , \"x y\\\" z\" ] }", "{\"a\":[1,\"x y\\\" z\"]}"), ("{\"a\":1}", "{\"a\":1}"), ("1", "1"),
      ("[\n]", "[]"), ("\"a b\"", "\"a b\""),
    ] {
      var output: [UInt8] = [0x21]
      let bytes = Array(input.utf8)
      JSONText.appendCompact(bytes.span, to: &output)
      #expect(String(decoding: output, as: UTF8.self) == "!" + expected)
    }
  }
}
