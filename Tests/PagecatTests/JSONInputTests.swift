// How records are found in JSON: arrays, values one after another, wrappers, lines; and how deep they may be.

import TestSupport
import Testing

struct JSONInputTests {
  private func run(_ text: String, _ arguments: [String] = []) throws -> ProcessResult {
    try ProcessRunner.pagecat().run(["--to", "jsonl"] + arguments, input: .bytes(Array(text.utf8)))
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var text: String
    var arguments: [String] = []
    var output: String
    var errors = ""
    var status: Int32 = 0
    var testDescription: String { text.count > 200 ? String(text.prefix(60)) : text }

    init(_ text: String, _ output: String, errors: String = "", status: Int32 = 0) {
      self.init(text, [], output, errors: errors, status: status)
    }

    init(_ text: String, _ arguments: [String], _ output: String, errors: String = "", status: Int32 = 0) {
      self.text = text
      self.arguments = arguments
      self.output = output
      self.errors = errors.isEmpty ? "" : "pagecat: standard input: " + errors + "\n"
      self.status = status
    }
  }

  static let filler = String(repeating: "x", count: 1 << 20)

  /// An object of so many bytes whose array of records is at its beginning.
  private static func wrapper(size: Int) -> String {
    let (start, end) = ("{\"rows\":[{\"a\":1}],\"x\":\"", "\"}")
    return start + String(repeating: "x", count: size - start.utf8.count - end.utf8.count) + end
  }

  static let rows: [Row] = [
    Row("[{\"a\":1},{\"a\":2}]", "{\"a\":1}\n{\"a\":2}\n"),
    Row("[]", ""),
    // One after another, with any white space or RS between; arrays among them as their elements.
    Row(
      "{\"a\":1}{\"a\":2} \t\r\n{\"a\":3}\u{1E}{\"a\":4}\n\u{1E}\u{1E}[5,[6]]7 \"8\"",
      "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n[5,[6]]\n7\n\"8\"\n"),
    Row("[{\"a\":1}][2,[3]] 4 []\u{1E}[{\"a\":5}]", "{\"a\":1}\n2\n[3]\n4\n{\"a\":5}\n"),
    Row("\u{1E}{\"a\":1,\"rows\":[{\"a\":2}]}\n", "{\"a\":2}\n", errors: "records are the array 'rows'"),
    Row("{\"rows\":[{\"a\":2}]}\n\u{1E}\n", "{\"a\":2}\n", errors: "records are the array 'rows'"),
    // A wrapper: the first array that holds objects, at any depth of objects.
    Row(
      "{\"n\":2,\"rows\":[{\"a\":1},{\"a\":2}],\"more\":[{\"b\":1}]}", "{\"a\":1}\n{\"a\":2}\n",
      errors: "records are the array 'rows'"),
    Row(
      "{\"x\":{\"y\":{\"z\":[ {\"a\":1} ]}},\"rows\":[{\"a\":2}]}", "{\"a\":1}\n",
      errors: "records are the array 'x.y.z'"),
    Row(
      "{\"ids\":[1,2],\"in\":[[{\"b\":1}]],\"rows\":[{\"a\":1},7]}", "{\"a\":1}\n7\n",
      errors: "records are the array 'rows'"),
    Row(
      "{\"e\":[],\"x\":{\"f\":[ ]},\"rows\":[{\"a\":1}]}", "{\"a\":1}\n",
      errors: "records are the array 'rows'; passed over, being empty: 'e', 'x.f'"),
    // By its path, without a note.
    Row("{\"a\":{\"b\":[1,2]},\"rows\":[{\"c\":1}]}", ["--records", "a.b"], "1\n2\n"),
    Row("{\"a\":{\"b\":[]},\"rows\":[{\"c\":1}]}", ["--records", "a.b"], ""),
    Row("{\"rows\":[{\"c\":1}],\"d\":{\"a.b\":[2]}}", ["--records", "d.a.b"], "2\n"),
    // All names of the path count, in their order, from the outside.
    Row(
      "{\"b\":[1],\"a\":{\"x\":{\"b\":[2]},\"a\":{\"b\":[3]},\"b\":[4]},\"x\":{\"a\":{\"b\":[5]}}}",
      ["--records", "a.b"], "4\n"),
    Row("{\"rows\": [{\"c\": 1}]}", ["--records", "."], "{\"rows\":[{\"c\":1}]}\n"),
    // Without such an array, and where objects stand in arrays of arrays only, the object is the record.
    Row("{\"a\":[1,{\"b\":2}],\"c\":[[{}]],\"d\":[]}", "{\"a\":[1,{\"b\":2}],\"c\":[[{}]],\"d\":[]}\n"),
    Row("{}", "{}\n"),
    // A second value makes each a record, wrapped array or not.
    Row("{\"rows\":[{\"a\":1}]}\n{\"rows\":[{\"a\":2}]}", "{\"rows\":[{\"a\":1}]}\n{\"rows\":[{\"a\":2}]}\n"),
    Row("{\"rows\":[{\"a\":1}]} 2", "{\"rows\":[{\"a\":1}]}\n2\n"),
    Row(
      "{\"x\":\"\(filler.dropLast(100))\",\"rows\":[{\"a\":1}]}\n3", ["--columns", "rows"],
      "{\"rows\":[{\"a\":1}]}\n{}\n"),
    // A mebibyte is looked at, to the byte; one byte more is not.
    Row(
      Self.wrapper(size: 1 << 20) + " 3", ["--columns", "rows"], "{\"rows\":[{\"a\":1}]}\n{}\n"),
    Row(
      "\n \u{1E}" + Self.wrapper(size: 1 << 20) + "3", ["--columns", "rows"], "{\"rows\":[{\"a\":1}]}\n{}\n"),
    Row(
      Self.wrapper(size: (1 << 20) + 1) + " 3", "{\"a\":1}\n",
      errors:
        "records are the array 'rows'\npagecat: standard input: record 2 (line 1, column 1048579, byte 1048578): more after the object that wraps the records; --from jsonl reads each value as a record",
      status: 3),
    // A longer first object is a wrapper, and a second value an error that says what helps.
    Row(
      "{\"rows\":[{\"a\":1}],\"x\":\"\(filler)\"}\n{\"rows\":[]}", "{\"a\":1}\n",
      errors:
        "records are the array 'rows'\npagecat: standard input: record 2 (line 2, column 1, byte 1048602): more after the object that wraps the records; --from jsonl reads each value as a record",
      status: 3),
    // Also where the array begins behind that mebibyte, however little comes after it.
    Row(
      "{\"x\":\"\(filler)\",\"rows\":[{\"a\":1}]}\n3", "{\"a\":1}\n",
      errors:
        "records are the array 'rows'\npagecat: standard input: record 2 (line 2, column 1, byte 1048602): more after the object that wraps the records; --from jsonl reads each value as a record",
      status: 3),
    Row(
      "{\"x\":\"\(filler)\",\"rows\":[1]}\n3", ["--columns", "rows"], "{\"rows\":[1]}\n{}\n"),
    Row("{\"x\":\"\(filler)\",\"rows\":[{\"a\":1}]}", "{\"a\":1}\n", errors: "records are the array 'rows'"),
    Row(
      "{\"rows\":[{\"a\":1}],\"x\":\"\(filler)\"}\n3", ["--from", "jsonl", "--columns", "rows"],
      "{\"rows\":[{\"a\":1}]}\n{}\n"),
    // Elements that are no objects have one column.
    Row(
      "[1,\"x\",null,[2],{\"value\":true}]", ["--columns", "value"],
      "{\"value\":1}\n{\"value\":\"x\"}\n{\"value\":null}\n{\"value\":[2]}\n{\"value\":true}\n"),
    Row("[3,1,2]", ["--sort", "value"], "1\n2\n3\n"),
    // JSON Lines: nothing is unwrapped, blank lines are nothing, a value may go over lines.
    Row(
      "{\"rows\":[{\"a\":1}]}\n\n \r\n{\n \"b\": [\n1 ]\n}\n[1, 2]\n[]\n[{\"c\":1},{\"c\":2}]\n", ["--from", "jsonl"],
      "{\"rows\":[{\"a\":1}]}\n{\"b\":[1]}\n[1,2]\n[]\n{\"c\":1}\n{\"c\":2}\n"),
    // No value is changed, nor the order or number of keys.
    Row(
      "[{\"n\" : 1.10, \"a\": [ 1e400 ,-0, 1E+2 , 12345678901234567890 ] , \"n\":0.1e-7, \"s\":\"\\u0041\\/\\ud83d\\ude00 \"}]",
      "{\"n\":1.10,\"a\":[1e400,-0,1E+2,12345678901234567890],\"n\":0.1e-7,\"s\":\"\\u0041\\/\\ud83d\\ude00 \"}\n"),
    Row("{\"a\":\"\\ud800\",\"b\":\"\\udc00x\\ud83d\"}", "{\"a\":\"\\ud800\",\"b\":\"\\udc00x\\ud83d\"}\n"),
  ]

  @Test(arguments: rows)
  func `records`(_ row: Row) throws {
    let result = try run(row.text, row.arguments)
    #expect(result.output == row.output)
    #expect(result.errors == row.errors)
    #expect(result.status == row.status)
  }

  @Test func `elements that are no objects make a column, alone and among objects`() throws {
    for (text, csv) in [
      ("[3,\"x\",[1,2],true]", "value\n3\nx\n\"[1,2]\"\ntrue\n"),
      ("[[1],[]]", "value\n[1]\n[]\n"),
      ("[{\"a\":1},2,{\"b\":3}]", "a,value,b\n1,,\n,2,\n,,3\n"),
    ] {
      let result = try run(text, ["--to", "csv"])
      #expect(result.output == csv && result.errors.isEmpty && result.status == 0)
    }
  }

  @Test func `a first page costs a page, of an array without end and of a wrapper without end`() throws {
    for start in ["[", "{\\\"n\\\":1,\\\"rows\\\":["] {
      let script = "{ printf '%s' \"\(start)\"; yes '{\"a\":1},'; } | \"$0\" --to jsonl -n 3"
      let result = try ProcessRunner(program: "/bin/bash").run(["-c", script, BuiltProducts.directory + "/pagecat"])
      #expect(result.output == "{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n")
      #expect(result.status == 0)
    }
  }

  // MARK: Depth

  /// A document of so many arrays and objects within each other, as one record or as an element of what wraps records.
  private static func document(_ depth: Int, in wrapper: Wrapper, object: Bool) -> String {
    let (before, after, enclosing) = wrapper.parts
    let inner = depth - enclosing
    let open = object ? "{\"a\":" : "["
    let value =
      String(repeating: open, count: inner - 1) + (object ? "{}" : "[]")
      + String(repeating: object ? "}" : "]", count: inner - 1)
    return before + "{\"r\":0}," + value + after
  }

  enum Wrapper: CaseIterable {
    case array, rows, deepRows

    var parts: (before: String, after: String, enclosing: Int) {
      switch self {
      case .array: ("[", "]", 1)
      case .rows: ("{\"n\":0,\"rows\":[", "]}", 2)
      case .deepRows:
        (String(repeating: "{\"x\":", count: 9_970) + "[", "]" + String(repeating: "}", count: 9_970), 9_971)
      }
    }
  }

  /// Where the bracket stands with which so many are open.
  private static func bracket(_ depth: Int, in text: String) -> Int? {
    var open = 0
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): open -= 1
      default: break
      }
      if open == depth { return index }
    }
    return nil
  }

  @Test(arguments: Wrapper.allCases, [true, false])
  func `ten thousand levels of a document are read, one more is an error at its bracket`(
    _ wrapper: Wrapper, _ object: Bool
  ) throws {
    let sound = Self.document(10_000, in: wrapper, object: object)
    let deeper = Self.document(10_001, in: wrapper, object: object)
    let offset = try #require(Self.bracket(10_001, in: deeper))
    let file = try TemporaryFile(sound, ending: ".json")
    let tooDeep = try TemporaryFile(deeper, ending: ".json")
    for arguments in [["--count"], ["--to", "jsonl"], ["--sort", "r", "--to", "jsonl"]] {
      for isPipe in [false, true] {
        let good = try ProcessRunner.pagecat().run(
          arguments + (isPipe ? [] : [file.path]), input: isPipe ? .bytes(Array(sound.utf8)) : .nothing)
        #expect(good.status == 0, "\(good.errors.suffix(200))")
        let bad = try ProcessRunner.pagecat().run(
          arguments + (isPipe ? [] : [tooDeep.path]), input: isPipe ? .bytes(Array(deeper.utf8)) : .nothing)
        #expect(bad.status == 3)
        #expect(bad.errors.hasSuffix("nested more than 10000 deep\n"))
        #expect(bad.errors.contains("byte \(offset))"), "\(bad.errors.suffix(120))")
      }
    }
  }

  @Test func `a value on its own, and a line, may be ten thousand deep`() throws {
    for (depth, isSound) in [(10_000, true), (10_001, false)] {
      let value = String(repeating: "{\"a\":", count: depth - 1) + "{}" + String(repeating: "}", count: depth - 1)
      for text in [value, "{\"r\":1}\n" + value + "\n"] {
        #expect(try run(text).status == (isSound ? 0 : 3))
        #expect(try run(text, ["--from", "jsonl", "--count"]).status == (isSound ? 0 : 3))
        #expect(try run(text, ["--sort", "a"]).status == (isSound ? 0 : 3))
      }
    }
  }

  @Test func `a row ten thousand deep can be gone on from in order`() throws {
    let folder = try TemporaryFolder()
    let deep = String(repeating: "{\"a\":", count: 9_999) + "{}" + String(repeating: "}", count: 9_999)
    let file = try folder.write("{\"a\":1}\n\(deep)\n{\"b\":1}\n", to: "d.jsonl")
    var outputs: [String] = []
    for _ in 0..<3 {
      outputs.append(
        try ProcessRunner.pagecat().run([file, "-s", "a", "-n", "1", "--to", "jsonl", "--resume", folder.file("p")])
          .output)
    }
    #expect(outputs == ["{\"a\":1}\n", deep + "\n", "{\"b\":1}\n"])
  }
}
