// The JSON scanner by tables of cases, and its readers against each other on made and mutated text.

import Foundation
import Reading
import Testing

struct SplitMix64 {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }
}

/// Random JSON text with all there is to get wrong.
struct JSONMaker {
  var random: SplitMix64
  var text: [UInt8] = []

  mutating func add(_ string: String) { text.append(contentsOf: string.utf8) }

  mutating func white() {
    switch random.below(12) {
    case 0: add(" ")
    case 1: add("\n  ")
    case 2: add(String(repeating: " ", count: random.below(80)))
    case 3: add("\t\r\n")
    default: break
    }
  }

  mutating func string() {
    add("\"")
    for _ in 0..<random.below(random.pick([3, 3, 12, 90])) {
      add(
        random.pick([
          "a", "b", "e", " ", "{", "}", "[", ",", ":", "é", "日本", "\\\"", "\\\\", "\\n", "\\u0061", "\\ud83d\\ude00",
          "\\ud800", "\u{7F}", "]",
        ]))
    }
    if random.below(40) == 0 { text.append(0xFF) }
    add("\"")
  }

  mutating func key() {
    if random.below(8) == 0 {
      string()
    } else {
      add(
        random.pick([
          "\"a\"", "\"gear\"", "\"id\"", "\"name\"", "\"gear.id\"", "\"\"", "\"\\u0061\"", "\"value\"", "\"x\\\"a\"",
        ]))
    }
  }

  mutating func value(_ depth: Int) {
    switch random.below(depth > 4 ? 6 : 10) {
    case 0: add(random.pick(["true", "false", "null"]))
    case 1, 2:
      add(random.pick(["0", "-0", "1", "12345", "-9", "1.50", "0.0", "1e5", "1E+05", "-2.5e-3", "9007199254740993"]))
    case 3, 4, 5: string()
    case 6, 7: object(depth)
    default:
      add("[")
      white()
      let count = random.below(4)
      for index in 0..<count {
        value(depth + 1)
        white()
        if index + 1 < count {
          add(",")
          white()
        }
      }
      add("]")
    }
  }

  mutating func object(_ depth: Int) {
    add("{")
    white()
    let count = random.below(6)
    for index in 0..<count {
      key()
      white()
      add(":")
      white()
      value(depth + 1)
      white()
      if index + 1 < count {
        add(",")
        white()
      }
    }
    add("}")
  }

  mutating func input() {
    let isArray = random.below(3) > 0
    white()
    if isArray { add("[") }
    let count = random.below(12)
    for index in 0..<count {
      white()
      if random.below(8) == 0 { value(0) } else { object(0) }
      white()
      if isArray {
        if index + 1 < count { add(",") }
      } else {
        add(random.pick(["\n", "\n", "\n", " ", "\u{1E}"]))
      }
    }
    if isArray { add("]") }
    white()
  }
}

struct JSONScannerTests {
  static let fields = [
    FieldName("a"), FieldName("gear.id"), FieldName("id"), FieldName("value"), FieldName("gear[-1].name"),
    FieldName(""),
  ]

  @Test(arguments: [
    ("", []),
    (" \n", []),
    ("[]", []),
    ("42", ["42"]),
    ("1 2", ["1", "2"]),
    ("[1, \"x\", null]", ["1", "\"x\"", "null"]),
    ("{\"a\":1}\n{\"a\":2}", ["{\"a\":1}", "{\"a\":2}"]),
    ("{\"a\":1}{\"a\":2}", ["{\"a\":1}", "{\"a\":2}"]),
    ("\u{1E}{\"a\":1}\n\u{1E}{\"a\":2}\n", ["{\"a\":1}", "{\"a\":2}"]),
    ("[{\"a\":1}] [[2]] 3", ["{\"a\":1}", "[2]", "3"]),
    ("[{\"a\":[]},{}]", ["{\"a\":[]}", "{}"]),
  ])
  func soundInput(_ input: String, _ records: [String]) {
    for step in jsonSteps {
      for reader in JSONReader.allCases {
        let scan = scanJSON(Array(input.utf8), step: step, reader: reader)
        #expect(scan.damage == nil)
        #expect(scan.records == records)
      }
    }
  }

  @Test(arguments: [
    ("[1,]", 3), ("[1 2]", 3), ("[,1]", 1), ("{\"a\":1,}", 7), ("{\"a\" 1}", 5), ("{\"a\":}", 5), ("{a:1}", 1),
    ("[\"abc", 1), ("[{\"a\":\"b", 6), ("[1", 2), ("[", 1), ("{\"a\":1", 6), ("[01]", 1), ("[1.]", 1), ("[+1]", 1),
    ("[\"\\x\"]", 2), ("[\"\\u12G4\"]", 2), ("[\"a\tb\"]", 3), ("[NaN]", 1), ("[nul]", 1), ("{\"a\":1}]", 7),
    ("[}", 1), ("{\"a\":1]", 6), ("{} x", 3), ("[{}{}]", 3), ("{},{}", 2), ("{\"a\":1:2}", 6), ("[\"a\":1]", 4),
    ("{\"a\":1,\"b\"}", 10), ("{\"a\":1,2}", 7), ("[{\"a\":1},]", 9), ("{} \u{FEFF}{}", 3), ("['a']", 1),
    ("[1\u{1E}]", 2), ("[{\"a\":tru", 9), ("-", 1),
  ])
  func damagedInput(_ input: String, _ offset: Int) {
    for step in jsonSteps {
      for reader in JSONReader.allCases {
        let scan = scanJSON(Array(input.utf8), step: step, reader: reader)
        #expect(scan.damage == offset, "\(input) by \(step), reader \(reader): \(scan)")
      }
    }
  }

  @Test func linesUnwrapOnlyArraysOfObjects() {
    let input = Array("[1,2]\n[]\n\n[{\"a\":1},\n 5]\n{\"items\":[{\"b\":2}]}\n7\n".utf8)
    for step in jsonSteps {
      let scan = scanJSON(input, layout: .lines, step: step)
      #expect(scan.damage == nil)
      #expect(scan.records == ["[1,2]", "[]", "{\"a\":1}", "5", "{\"items\":[{\"b\":2}]}", "7"])
    }
  }

  @Test(arguments: [
    ("{\"a\":1,\"gear.id\":2,\"gear\":{\"id\":3}}", ["number 1", "number 2"]),
    ("{\"a\":1,\"gear\":{\"id\":3},\"a\":\"x\"}", ["string x", "number 3"]),
    ("{\"\\u0061\":[1,2] , \"gear\" : {\"x\":{\"id\":9},\"\\u0069d\": {} }}", ["array [1,2]", "object {}"]),
    ("{\"b\":{\"a\":1},\"gear\":[{\"id\":3}]}", ["missing ", "missing "]),
    ("{\"x\\\"a\":1,\"y\":\"a\"}", ["missing ", "missing "]),
    ("{\"a\":\"\\\"\",\"gear\":{\"id\":null}}", ["stringEscaped \\\"", "null null"]),
  ])
  func wantedFields(_ record: String, _ fields: [String]) {
    let names = [FieldName("a"), FieldName("gear.id")]
    for padding in 0..<70 {
      let input = Array(("[{\"p\":\"" + String(repeating: "x", count: padding) + "\"}," + record + "]").utf8)
      for reader in JSONReader.allCases {
        let scan = scanJSON(input, fields: names, reader: reader)
        #expect(scan.fields.last == fields, "\(record), padding \(padding), reader \(reader)")
      }
    }
  }

  @Test func deepNesting() {
    for (depth, isSound) in [(60, true), (61, true), (9_999, true), (10_000, true), (10_001, false), (100_000, false)] {
      let input = Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
      let scan = scanJSON(input, layout: .lines)
      #expect((scan.damage == nil) == isSound, "\(depth)")
    }
  }

  @Test func bothReadersAgree() {
    var random = SplitMix64(state: 42)
    for round in 0..<240 {
      var maker = JSONMaker(random: SplitMix64(state: random.next()))
      maker.input()
      var text = maker.text
      if round % 3 > 0, !text.isEmpty {
        for _ in 0...random.below(2) {
          let at = random.below(text.count)
          switch random.below(4) {
          case 0: text.remove(at: at)
          case 1: text.insert(random.pick(Array("{}[]:,\"\\ 019.-+eEtfn\u{1}\n".utf8)), at: at)
          case 2: text[at] = random.pick(Array("{}[]:,\"\\ 019.-+eEtfnu\u{1}\n".utf8))
          default: text[at] = UInt8(truncatingIfNeeded: random.next())
          }
          if text.isEmpty { break }
        }
      }
      let layout: JSONLayout = random.below(2) == 0 ? .values : .lines
      let expected = scanJSON(text, fields: Self.fields, layout: layout, reader: .byteWise)
      if round % 3 == 0 { #expect(expected.damage == nil, "\(String(decoding: text, as: UTF8.self))") }
      for step in [random.pick([1, 2, 3, 7]), random.pick([64, 65, 200, 4096]), .max] {
        for reader in JSONReader.allCases {
          let scan = scanJSON(
            text, fields: Self.fields, layout: layout, step: step, reader: reader,
            recordLimit: random.pick([16, 8192]))
          #expect(scan == expected, "round \(round), step \(step): \(String(decoding: text, as: UTF8.self))")
          if scan != expected { return }
        }
      }
    }
  }

  @Test func conformanceSuite() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = root.path + "/../shared/suites/JSONTestSuite"
    guard FileManager.default.fileExists(atPath: folder) else {
      print("JSONTestSuite is not there (../shared/suites); nothing checked")
      return
    }
    let fine: Set = [
      "n_structure_double_array.json", "n_structure_object_with_trailing_garbage.json", "n_structure_no_data.json",
      "n_structure_UTF8_BOM_no_data.json", "n_single_space.json",
    ]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".json") {
      var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
      if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      for layout in [JSONLayout.values, .lines] {
        for reader in JSONReader.allCases {
          let scan = scanJSON(bytes, layout: layout, reader: reader)
          if name.hasPrefix("y_") || fine.contains(name) {
            #expect(scan.damage == nil, "\(name) \(scan.reason ?? "")")
          } else if name.hasPrefix("n_") {
            #expect(scan.damage != nil, "\(name)")
          }
        }
      }
    }
  }
}
