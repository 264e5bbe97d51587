// The rules of CSV input over every format of output: one small text a rule, and what each format makes of it.

import TestSupport
import Testing

struct CSVRulesTests {
  struct Rule: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The input, on standard input.
    let text: String
    let options: [String]
    /// What is printed in each format.
    let printed: [String: String]
    let note: String

    init(_ name: String, _ text: String, options: [String] = [], note: String = "", printed: [String: String]) {
      testDescription = name
      self.text = text
      self.options = options
      self.note = note
      self.printed = printed
    }
  }

  static let formats = ["csv", "tsv", "json", "jsonl", "markdown", "record", "table"]

  static let rules: [Rule] = [
    Rule(
      "LF, CR LF and a lone CR end a record, in any mix, and blank lines are none; inside quotes they are text",
      "\n\r\na,b\r1,x\r\n2,\"y\rz\"\n\n\r\r\n3,\"\r\n\"\r4,w",
      printed: [
        "csv": "a,b\n1,x\n2,\"y\rz\"\n3,\"\r\n\"\n4,w\n", "tsv": "a\tb\n1\tx\n2\t\"y\rz\"\n3\t\"\r\n\"\n4\tw\n",
        "json":
          "[\n{\"a\":1,\"b\":\"x\"},\n{\"a\":2,\"b\":\"y\\rz\"},\n{\"a\":3,\"b\":\"\\r\\n\"},\n{\"a\":4,\"b\":\"w\"}\n]\n",
        "jsonl":
          "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\\rz\"}\n{\"a\":3,\"b\":\"\\r\\n\"}\n{\"a\":4,\"b\":\"w\"}\n",
        "markdown": "| a | b |\n| --- | --- |\n| 1 | x |\n| 2 | y<br>z |\n| 3 | <br> |\n| 4 | w |\n",
        "table": "a  b\n1  x\n2  y␍z\n3  ␍␊\n4  w\n",
      ]),
    Rule(
      "a quote opens a field only as its first byte, two of them are one, and text after a closing quote is kept",
      "a\"b,\"c\",\"d\"\"e\",\"f\"g, \"h\",5\"\n\"x\ny\",\"\",\"\"\"\",\"q\" ,z,\"a,b\"\n",
      printed: [
        "csv": "\"a\"\"b\",c,\"d\"\"e\",fg,\" \"\"h\"\"\",\"5\"\"\"\n\"x\ny\",\"\",\"\"\"\",q ,z,\"a,b\"\n",
        "tsv": "\"a\"\"b\"\tc\t\"d\"\"e\"\tfg\t\" \"\"h\"\"\"\t\"5\"\"\"\n\"x\ny\"\t\"\"\t\"\"\"\"\tq \tz\ta,b\n",
        "json":
          "[\n{\"a\\\"b\":\"x\\ny\",\"c\":\"\",\"d\\\"e\":\"\\\"\",\"fg\":\"q \",\" \\\"h\\\"\":\"z\",\"5\\\"\":\"a,b\"}\n]\n",
        "jsonl":
          "{\"a\\\"b\":\"x\\ny\",\"c\":\"\",\"d\\\"e\":\"\\\"\",\"fg\":\"q \",\" \\\"h\\\"\":\"z\",\"5\\\"\":\"a,b\"}\n",
        "markdown":
          "| a\"b | c | d\"e | fg |  \"h\" | 5\" |\n| --- | --- | --- | --- | --- | --- |\n| x<br>y |  | \" | q  | z | a,b |\n",
        "record": "── record 1 ──\na\"b   x\n      y\nc\nd\"e   \"\nfg    q \n \"h\"  z\n5\"    a,b\n",
        "table": "a\"b  c  d\"e  fg   \"h\"  5\"\nx␊y     \"    q   z     a,b\n",
      ]),
    Rule(
      "in a file of one column a quoted empty cell is a record, and a blank line is none",
      "a\n\n\"\"\n\"\"\n\nx\n",
      printed: [
        "csv": "a\n\"\"\n\"\"\nx\n", "tsv": "a\n\"\"\n\"\"\nx\n",
        "json": "[\n{\"a\":\"\"},\n{\"a\":\"\"},\n{\"a\":\"x\"}\n]\n",
        "jsonl": "{\"a\":\"\"}\n{\"a\":\"\"}\n{\"a\":\"x\"}\n", "markdown": "| a |\n| --- |\n|  |\n|  |\n| x |\n",
        "record": "── record 1 ──\na\n── record 2 ──\na\n── record 3 ──\na  x\n", "table": "a\n\n\nx\n",
      ]),
    Rule(
      "equal names stay in csv and tsv and differ elsewhere, a real name before a made one; empty ones are made by position",
      "qty,,qty,qty_2,c2,\n1,x,2,3,4,5\n",
      printed: [
        "csv": "qty,c2,qty,qty_2,c2,c6\n1,x,2,3,4,5\n", "tsv": "qty\tc2\tqty\tqty_2\tc2\tc6\n1\tx\t2\t3\t4\t5\n",
        "json": "[\n{\"qty\":1,\"c2_2\":\"x\",\"qty_3\":2,\"qty_2\":3,\"c2\":4,\"c6\":5}\n]\n",
        "jsonl": "{\"qty\":1,\"c2_2\":\"x\",\"qty_3\":2,\"qty_2\":3,\"c2\":4,\"c6\":5}\n",
        "markdown":
          "| qty | c2_2 | qty_3 | qty_2 | c2 | c6 |\n| --- | --- | --- | --- | --- | --- |\n| 1 | x | 2 | 3 | 4 | 5 |\n",
        "record": "── record 1 ──\nqty    1\nc2_2   x\nqty_3  2\nqty_2  3\nc2     4\nc6     5\n",
        "table": "qty  c2_2  qty_3  qty_2  c2  c6\n  1  x         2      3   4   5\n",
      ]),
    Rule(
      "missing cells are filled in csv and tsv and left out in JSON, extra ones get names by position; one note for both",
      "a,b,c\n\n1\n2,x,y,z,w\n3,,\"\"\n4,u\n",
      note:
        "pagecat: standard input: 2 records have fewer fields than the header, 1 record has more fields than the header, the first in line 3\n",
      printed: [
        "csv": "a,b,c\n1,,\n2,x,y,z,w\n3,,\"\"\n4,u,\n", "tsv": "a\tb\tc\n1\t\t\n2\tx\ty\tz\tw\n3\t\t\"\"\n4\tu\t\n",
        "json":
          "[\n{\"a\":1},\n{\"a\":2,\"b\":\"x\",\"c\":\"y\",\"c4\":\"z\",\"c5\":\"w\"},\n{\"a\":3,\"b\":null,\"c\":\"\"},\n{\"a\":4,\"b\":\"u\"}\n]\n",
        "jsonl":
          "{\"a\":1}\n{\"a\":2,\"b\":\"x\",\"c\":\"y\",\"c4\":\"z\",\"c5\":\"w\"}\n{\"a\":3,\"b\":null,\"c\":\"\"}\n{\"a\":4,\"b\":\"u\"}\n",
        "table": "a  b  c  c4  c5\n1\n2  x  y  z   w\n3\n4  u\n",
      ]),
    Rule(
      "with columns hidden the extra cells are printed, and named by their position in the record",
      "a,b,c5\n1,x,y\n2,z\n4,u,v,seven,\"8\"\n", options: ["--hide", "b,c5"],
      note:
        "pagecat: standard input: 1 record has fewer fields than the header, 1 record has more fields than the header, the first in line 3\n",
      printed: [
        "csv": "a\n1\n2\n4,seven,8\n", "tsv": "a\n1\n2\n4\tseven\t8\n",
        "json": "[\n{\"a\":1},\n{\"a\":2},\n{\"a\":4,\"c4\":\"seven\",\"c5_2\":\"8\"}\n]\n",
        "jsonl": "{\"a\":1}\n{\"a\":2}\n{\"a\":4,\"c4\":\"seven\",\"c5_2\":\"8\"}\n",
        "markdown": "| a |\n| --- |\n| 1 |\n| 2 |\n| 4 | seven | 8 |\n",
        "record":
          "── record 1 ──\na  1\n── record 2 ──\na  2\n── record 3 ──\na  4\nc4  seven\nc5_2  8\n",
        "table": "a  c4     c5_2\n1\n2\n4  seven     8\n",
      ]),
    Rule(
      "with columns named the extra cells are left out, and counted all the same",
      "a,b\n1,x,y\n2,z\n", options: ["--columns", "b,a"],
      note: "pagecat: standard input: 1 record has more fields than the header, the first in line 2\n",
      printed: [
        "csv": "b,a\nx,1\nz,2\n", "tsv": "b\ta\nx\t1\nz\t2\n",
        "json": "[\n{\"b\":\"x\",\"a\":1},\n{\"b\":\"z\",\"a\":2}\n]\n",
        "jsonl": "{\"b\":\"x\",\"a\":1}\n{\"b\":\"z\",\"a\":2}\n",
        "markdown": "| b | a |\n| --- | --- |\n| x | 1 |\n| z | 2 |\n",
        "record": "── record 1 ──\nb  x\na  1\n── record 2 ──\nb  z\na  2\n", "table": "b  a\nx  1\nz  2\n",
      ]),
    Rule(
      "without a header row all names are made, and the first record is one like the others",
      "x,1\ny,2,3\nz\n", options: ["--no-header-row"],
      note:
        "pagecat: standard input: 1 record has fewer fields than the first record, 1 record has more fields than the first record, the first in line 2\n",
      printed: [
        "csv": "c1,c2\nx,1\ny,2,3\nz,\n", "tsv": "c1\tc2\nx\t1\ny\t2\t3\nz\t\n",
        "json": "[\n{\"c1\":\"x\",\"c2\":1},\n{\"c1\":\"y\",\"c2\":2,\"c3\":3},\n{\"c1\":\"z\"}\n]\n",
        "jsonl": "{\"c1\":\"x\",\"c2\":1}\n{\"c1\":\"y\",\"c2\":2,\"c3\":3}\n{\"c1\":\"z\"}\n",
        "record": "── record 1 ──\nc1  x\nc2  1\n── record 2 ──\nc1  y\nc2  2\nc3  3\n── record 3 ──\nc1  z\n",
        "table": "c1  c2  c3\nx    1\ny    2   3\nz\n",
      ]),
    Rule(
      "the delimiter is the one that stands most often outside quotes in the header",
      "\"a,b,c,d\";e|f;g\n1,5;x|y;3\n",
      printed: [
        "csv": "\"a,b,c,d\",e|f,g\n\"1,5\",x|y,3\n", "tsv": "a,b,c,d\te|f\tg\n1,5\tx|y\t3\n",
        "json": "[\n{\"a,b,c,d\":\"1,5\",\"e|f\":\"x|y\",\"g\":3}\n]\n",
        "jsonl": "{\"a,b,c,d\":\"1,5\",\"e|f\":\"x|y\",\"g\":3}\n",
        "markdown": "| a,b,c,d | e\\|f | g |\n| --- | --- | --- |\n| 1,5 | x\\|y | 3 |\n",
        "record": "── record 1 ──\na,b,c,d  1,5\ne|f      x|y\ng        3\n",
        "table": "a,b,c,d  e|f  g\n1,5      x|y  3\n",
      ]),
    Rule(
      "of two delimiters that stand as often the comma comes before the semicolon", "a;b,c\n1;2,3\n",
      printed: [
        "csv": "a;b,c\n1;2,3\n", "jsonl": "{\"a;b\":\"1;2\",\"c\":3}\n", "table": "a;b  c\n1;2  3\n",
        "tsv": "a;b\tc\n1;2\t3\n",
        "record": "── record 1 ──\na;b  1;2\nc    3\n", "markdown": "| a;b | c |\n| --- | --- |\n| 1;2 | 3 |\n",
      ]),
    Rule(
      "the semicolon before the tab", "a;b\tc\n1;2\t3\n",
      printed: [
        "csv": "a,b\tc\n1,2\t3\n", "jsonl": "{\"a\":1,\"b\\tc\":\"2\\t3\"}\n", "tsv": "a\t\"b\tc\"\n1\t\"2\t3\"\n",
      ]),
    Rule(
      "the tab before the bar", "a|b\tc\n1|2\t3\n",
      printed: ["csv": "a|b,c\n1|2,3\n", "jsonl": "{\"a|b\":\"1|2\",\"c\":3}\n", "tsv": "a|b\tc\n1|2\t3\n"]),
    Rule(
      "the delimiter that is asked for counts, whatever stands in the header", "a,b:c\n1,2:3\n",
      options: ["--delimiter", ":"],
      printed: [
        "csv": "\"a,b\",c\n\"1,2\",3\n", "tsv": "a,b\tc\n1,2\t3\n", "json": "[\n{\"a,b\":\"1,2\",\"c\":3}\n]\n",
        "jsonl": "{\"a,b\":\"1,2\",\"c\":3}\n", "markdown": "| a,b | c |\n| --- | --- |\n| 1,2 | 3 |\n",
        "record": "── record 1 ──\na,b  1,2\nc    3\n", "table": "a,b  c\n1,2  3\n",
      ]),
    Rule(
      "tsv is csv with tabs, quotes included", "a\tb,c\n\"1\t2\"\t\"x\"\"y\"\n", options: ["--from", "tsv"],
      printed: [
        "csv": "a,\"b,c\"\n1\t2,\"x\"\"y\"\n", "tsv": "a\tb,c\n\"1\t2\"\t\"x\"\"y\"\n",
        "jsonl": "{\"a\":\"1\\t2\",\"b,c\":\"x\\\"y\"}\n", "table": "a    b,c\n1␉2  x\"y\n",
      ]),
    Rule(
      "no value is changed",
      "a,b\n1.10,007\n1e400,-0\n12345678901234567890,2024-05-01T10:00:00+05:30\n +1 ,.5\nTRUE,true\n",
      options: ["--quiet"],
      printed: [
        "csv": "a,b\n1.10,007\n1e400,-0\n12345678901234567890,2024-05-01T10:00:00+05:30\n +1 ,.5\nTRUE,true\n",
        "tsv": "a\tb\n1.10\t007\n1e400\t-0\n12345678901234567890\t2024-05-01T10:00:00+05:30\n +1 \t.5\nTRUE\ttrue\n",
        "jsonl":
          "{\"a\":1.10,\"b\":\"007\"}\n{\"a\":1e400,\"b\":-0}\n{\"a\":12345678901234567890,\"b\":\"2024-05-01T10:00:00+05:30\"}\n{\"a\":\" +1 \",\"b\":\".5\"}\n{\"a\":\"TRUE\",\"b\":true}\n",
        "markdown":
          "| a | b |\n| --- | --- |\n| 1.10 | 007 |\n| 1e400 | -0 |\n| 12345678901234567890 | 2024-05-01T10:00:00+05:30 |\n|  +1  | .5 |\n| TRUE | true |\n",
      ]),
  ]

  @Test(arguments: rules, formats)
  func `what each format makes of it`(_ rule: Rule, _ format: String) throws {
    guard let printed = rule.printed[format] else { return }
    let result = try ProcessRunner.pagecat().run(
      ["--to", format] + rule.options, input: .bytes(Array(rule.text.utf8)))
    #expect(result.output == printed, "--to \(format)")
    #expect(result.errors == rule.note)
    #expect(result.status == 0)
  }

  /// Counted in every way to read: page after page, in order, counted, by several threads.
  @Test func `the first ragged record is named, of several files and of a file that several threads read`() throws {
    let folder = try TemporaryFolder()
    let sound = try folder.write("a,b\n1,2\n", to: "sound.csv")
    let first = try folder.write("a,b\n1,2\n\n3\n4\n", to: "first.csv")
    let second = try folder.write("a,b\n1,2,3\n", to: "second.csv")
    var lines = (0..<400_000).map { "\($0),b" }
    for index in [70_001, 70_002, 200_000, 399_990] { lines[index] = "0" }
    for index in [150_000, 399_999] { lines[index] += ",c" }
    let large = try folder.write("a,b\n" + lines.joined(separator: "\n"), to: "large.csv")
    for options in [["--count"], ["-s", "a", "-n", "1"], ["-s", "a:desc", "-t", "csv"], ["-t", "csv"]] {
      let several = try ProcessRunner.pagecat().run([sound, first, second] + options)
      #expect(
        several.errors
          == "pagecat: \(first): 2 records have fewer fields than the header, 1 record has more fields than the header, the first in line 4\n",
        "\(options)")
      let threads = try ProcessRunner.pagecat().run([large] + options)
      #expect(
        threads.errors
          == "pagecat: \(large): 4 records have fewer fields than the header, 2 records have more fields than the header, the first in line 70003\n",
        "\(options)")
      #expect(several.status == 0 && threads.status == 0)
    }
  }

  @Test(arguments: rules)
  func `the same byte by byte`(_ rule: Rule) throws {
    let result = try ProcessRunner.pagecat().run(
      ["--to", "jsonl"] + rule.options, input: .pieces(Array(rule.text.utf8), size: 1))
    #expect(result.output == rule.printed["jsonl"])
    #expect(result.errors == rule.note)
  }
}
