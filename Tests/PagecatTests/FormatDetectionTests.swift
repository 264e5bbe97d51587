// Which format an input is read in: by its first bytes, then by its name, or as --from says.

import TestSupport
import Testing

struct FormatDetectionTests {
  /// Runs with a file of this name ending.
  private func run(_ text: String, ending: String, _ arguments: [String] = []) throws -> ProcessResult {
    let file = try TemporaryFile(text, ending: ending)
    var result = try ProcessRunner.pagecat().run([file.path] + arguments)
    result.standardError = Array(result.errors.replacing(file.path, with: "FILE").utf8)
    return result
  }

  /// Records as jsonl, which tell how the text was read.
  static let rows: [(text: String, endings: [String], printed: String)] = [
    // The first byte after a BOM and white space decides, whatever the name.
    (
      "{\"a\":1}", ["", ".json", ".jsonl", ".ndjson", ".geojson", ".dat", ".csv", ".tsv", ".tab", ".txt", ".CSV"],
      "{\"a\":1}\n"
    ),
    ("[{\"a\":1}]", ["", ".json", ".jsonl", ".dat", ".csv", ".tsv", ".tab", ".txt"], "{\"a\":1}\n"),
    ("\u{1E}{\"a\":1}\n", ["", ".json", ".jsonl", ".csv", ".txt"], "{\"a\":1}\n"),
    (" \r\n\t {\"a\":1}", ["", ".json", ".csv"], "{\"a\":1}\n"),
    ("\u{FEFF} {\"a\":1}", ["", ".json", ".csv"], "{\"a\":1}\n"),
    // Under a text's name it has to be JSON as far as 256 bytes go.
    ("[x],{y}\n1,2\n", [".csv", ".tab.csv", ".txt", ".CSV", ".csv.gz"], "{\"[x]\":1,\"{y}\":2}\n"),
    ("{x}\t[y]\n1\t2\n", [".tsv", ".tab"], "{\"{x}\":1,\"[y]\":2}\n"),
    ("[1],x\n2,3\n", [".csv"], "{\"[1]\":2,\"x\":3}\n"),
    // By the ending.
    ("1", [".json", ".jsonl", ".ndjson", ".geojson", ".JSON", ".json.gz"], "1\n"),
    (
      "a,b\tc\n1,2\t3\n", [".tsv", ".tab", ".TSV", ".tsv.gz", ".tab.zst", ".tsv.xz", ".tsv.bz2", ".tab.lz4"],
      "{\"a,b\":\"1,2\",\"c\":3}\n"
    ),
    ("a,b\tc,d\n1,2\t3,4\n", [".csv", ".txt", ".dat", "", ".json.csv"], "{\"a\":1,\"b\\tc\":\"2\\t3\",\"d\":4}\n"),
    // The name says where lines are meant, of which nothing is unwrapped.
    ("{\"rows\":[{\"a\":1}]}", [".jsonl", ".ndjson", ".NDJSON", ".jsonl.gz"], "{\"rows\":[{\"a\":1}]}\n"),
    ("{\"rows\":[{\"a\":1}]}", [".json", ".geojson", "", ".txt"], "{\"a\":1}\n"),
    ("[1,2]\n[3]\n", [".jsonl", ".ndjson"], "[1,2]\n[3]\n"), ("[1,2]\n[3]\n", [".json", ".geojson", ""], "1\n2\n3\n"),
    // A file of JSON under the name of JSON Lines, or the reverse, is read for what it is.
    ("[{\"a\":1},\n{\"a\":2}]", [".jsonl", ".ndjson"], "{\"a\":1}\n{\"a\":2}\n"),
    ("{\"a\":1}\n{\"a\":2}\n", [".json", ".geojson", ""], "{\"a\":1}\n{\"a\":2}\n"),
  ]

  @Test(arguments: rows)
  func `first bytes and names`(_ row: (text: String, endings: [String], printed: String)) throws {
    for ending in row.endings {
      let result = try run(row.text, ending: ending, ["--to", "jsonl", "--quiet"])
      #expect(result.output == row.printed, "\(ending)")
      #expect(result.status == 0, "\(ending) \(result.errors)")
    }
  }

  @Test func `a name of other text is believed where JSON breaks off within 256 bytes, not behind them`() throws {
    for (count, isJSON) in [(200, false), (245, false), (300, true)] {
      let text = "[\"" + String(repeating: "x", count: count) + "\" x],b\n1,2\n"
      let result = try run(text, ending: ".csv", ["--to", "jsonl"])
      #expect((result.status == 3) == isJSON, "\(count)")
    }
    // To the byte, counted from the first that is no white space.
    for (place, isJSON) in [(255, false), (256, true)] {
      for (before, ending) in [("", ".csv"), ("\u{FEFF}", ".tsv"), ("\r\n\n", ".tab"), ("\n", ".txt")] {
        let text = before + "[\"" + String(repeating: "x", count: place - 3) + "\"x],b\n1,2\n"
        let result = try run(text, ending: ending, ["--to", "jsonl"])
        #expect((result.status == 3) == isJSON, "\(place) \(ending)")
      }
    }
    // White space before does not count.
    let text = String(repeating: "\n", count: 1000) + "[x],y\n1,2\n"
    #expect(try run(text, ending: ".csv", ["--to", "jsonl"]).output == "{\"[x]\":1,\"y\":2}\n")
  }

  static let given: [(text: String, ending: String, from: String, output: String, status: Int32)] = [
    ("{\"a\":1}\n2\n", ".json", "csv", "{\"{\\\"a\\\":1}\":2}\n", 0),
    ("[1,2]\n[3]\n", ".json", "jsonl", "[1,2]\n[3]\n", 0),
    ("[1,2]\n[3]\n", ".jsonl", "json", "1\n2\n3\n", 0),
    ("a,b\tc\n1,2\t3\n", ".csv", "tsv", "{\"a,b\":\"1,2\",\"c\":3}\n", 0),
    ("a,b\tc,d\n1,2\t3,4\n", ".tsv", "csv", "{\"a\":1,\"b\\tc\":\"2\\t3\",\"d\":4}\n", 0),
    ("a,b\n1,2\n", ".csv", "json", "", 3),
  ]

  @Test(arguments: given)
  func `what is said counts`(
    _ row: (text: String, ending: String, from: String, output: String, status: Int32)
  ) throws {
    let result = try run(row.text, ending: row.ending, ["--to", "jsonl", "--from", row.from])
    #expect(result.output == row.output)
    #expect(result.status == row.status)
  }

  /// No byte, or white space alone: no records, and nothing wrong, in any format.
  @Test(
    arguments: ["", " ", "\n", " \t\r\n \n", "\u{FEFF}", "\u{FEFF}\n"], ["", "json", "jsonl", "csv", "tsv"])
  func `nothing has no records`(_ text: String, _ from: String) throws {
    let arguments = from.isEmpty ? [] : ["--from", from]
    for (format, printed) in [
      ("json", "[]\n"), ("jsonl", ""), ("csv", ""), ("tsv", ""), ("table", ""), ("markdown", ""), ("record", ""),
    ] {
      let result = try run(text, ending: "", arguments + ["--to", format])
      #expect(result.output == printed && result.errors.isEmpty && result.status == 0, "\(format)")
      let piped = try ProcessRunner.pagecat().run(arguments + ["--to", format], input: .bytes(Array(text.utf8)))
      #expect(piped.output == printed && piped.errors.isEmpty && piped.status == 0, "\(format)")
    }
    #expect(try run(text, ending: ".json", arguments + ["--count"]).output == "0\n")
    #expect(try run(text, ending: ".csv", arguments + ["--sort", "x", "--filter", "y > 1"]).status == 1)
  }
}
