// Decoding of fields, and stepping through JSON objects and arrays.

import Reading
import TestSupport
import Testing

private func text(_ source: [UInt8], _ kind: FieldKind) -> [UInt8] {
  var out: [UInt8] = []
  FieldText.append(Field(0..<source.count, kind), in: source.span, to: &out)
  return out
}

private func text(_ source: String, _ kind: FieldKind) -> String {
  String(decoding: text(Array(source.utf8), kind), as: UTF8.self)
}

private func equals(_ source: [UInt8], _ kind: FieldKind, _ other: [UInt8]) -> Bool {
  FieldText.equals(Field(0..<source.count, kind), in: source.span, other.span)
}

@Suite struct FieldTextTests {
  @Test(arguments: [
    (#"a""b""#, #"a"b"#), (#"a"b"#, "ab"), (#"a"b"c"#, #"ab"c"#), (#"""""#, #"""#), (#"""#, ""), (#""""#, #"""#),
    (#"a""b"c""d"#, #"a"bc""d"#), (#"open"#, "open"), ("", ""),
  ]) func undoesQuotes(source: String, expected: String) {
    #expect(text(source, .quotedEscaped) == expected)
    #expect(equals(Array(source.utf8), .quotedEscaped, Array(expected.utf8)))
    #expect(!equals(Array(source.utf8), .quotedEscaped, Array((expected + "x").utf8)))
  }

  @Test(arguments: [
    (#"a\n\t\r\b\f\/\\\""#, "a\n\t\r\u{8}\u{C}/\\\""), (#"\u00e9\u20AC\ud83d\ude00!"#, "é€😀!"), (#"\u0041"#, "A"),
    (#"\x"#, #"\x"#), (#"\"#, #"\"#), (#"\u12"#, #"\u12"#), (#"\u12G4"#, #"\u12G4"#),
  ]) func undoesEscapes(source: String, expected: String) {
    #expect(text(source, .stringEscaped) == expected)
    #expect(equals(Array(source.utf8), .stringEscaped, Array(expected.utf8)))
    #expect(!equals(Array(source.utf8), .stringEscaped, Array((expected + "x").utf8)))
    #expect(!equals(Array(source.utf8), .stringEscaped, Array(expected.utf8.dropLast())))
  }

  @Test func keepsLoneSurrogatesApart() {
    #expect(text(Array(#"\ud83d"#.utf8), .stringEscaped) == [0xED, 0xA0, 0xBD])
    #expect(text(Array(#"\ud83d\u0041"#.utf8), .stringEscaped) == [0xED, 0xA0, 0xBD, 0x41])
    #expect(text(Array(#"\ude00\ud83d"#.utf8), .stringEscaped) == [0xED, 0xB8, 0x80, 0xED, 0xA0, 0xBD])
  }

  @Test func takesTheRestAsItStands() {
    #expect(text("1.10", .number) == "1.10")
    #expect(text("[1, 2]", .array) == "[1, 2]")
    #expect(text("null", .null).isEmpty)
    #expect(text(#"a\n"#, .string) == #"a\n"#)
    #expect(equals([], .missing, []))
    #expect(!equals([], .missing, [1]))
  }

  @Test func staysInBounds() {
    let bytes: [UInt8] = [1, 2, 3]
    var out: [UInt8] = []
    FieldText.append(Field(start: 2, count: 9, kind: .bare), in: bytes.span, to: &out)
    FieldText.append(Field(start: 9, count: 9, kind: .stringEscaped), in: bytes.span, to: &out)
    #expect(out == [3])
  }
}

/// Key, value and kind of each member.
private func members(_ json: String) -> [String] {
  let bytes = Array(json.utf8)
  let whole = JSONCursor.field(at: 0, bytes.span)
  var cursor = JSONCursor(inside: whole.range)
  var out: [String] = []
  while let member = cursor.next(bytes.span) {
    let key = String(decoding: bytes[member.key.range], as: UTF8.self)
    out.append("\(key)|\(String(decoding: bytes[member.value.range], as: UTF8.self))|\(member.value.kind)")
  }
  return out
}

@Suite struct JSONCursorTests {
  @Test func stepsThroughObjects() {
    #expect(
      members(#" { "a" : 1 , "b\"" :"x\\", "c":[1,{"]":2}], "d":{"}":"]"},"e":true,"f":false,"g":null,"h":-1.5e+3} "#)
        == [
          "a|1|number", #"b\"|x\\|stringEscaped"#, #"c|[1,{"]":2}]|array"#, #"d|{"}":"]"}|object"#, "e|true|true",
          "f|false|false", "g|null|null", "h|-1.5e+3|number",
        ])
    #expect(members("{}").isEmpty)
  }

  @Test func stepsThroughArrays() {
    #expect(members(#"[1, "two",[ ],{}]"#) == ["|1|number", "|two|string", "|[ ]|array", "|{}|object"])
    #expect(members("[ ]").isEmpty)
  }

  @Test func skipsDeepNesting() {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    #expect(members("[\(deep),7]").last == "|7|number")
  }

  @Test func endsOnUnsoundText() {
    var random = SeededGenerator(seed: 1)
    let alphabet = Array(#"{}[]",:\utfn0-1e "#.utf8)
    for _ in 0..<20_000 {
      let bytes = [random.pick([0x7B, 0x5B])] + (0..<random.below(12)).map { _ in random.pick(alphabet) }
      var cursor = JSONCursor(inside: 0..<(bytes.count + random.below(3)))
      var count = 0
      while let member = cursor.next(bytes.span) {
        count += 1
        #expect(member.value.range.upperBound <= bytes.count && count <= bytes.count)
      }
    }
  }
}
