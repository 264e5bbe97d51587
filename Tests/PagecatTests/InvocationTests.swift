// What options mean together, and what is said about values that mean nothing.

import Reading
import Testing

@testable import pagecat

private func invocation(_ line: String, in surroundings: Surroundings = Surroundings()) throws -> Invocation {
  try Invocation(Options(arguments: arguments(line)), in: surroundings)
}

struct InvocationTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let line: String
    let change: @Sendable (inout Invocation) -> Void
    var testDescription: String { line }

    init(_ line: String, _ change: @escaping @Sendable (inout Invocation) -> Void) {
      self.line = line
      self.change = change
    }
  }

  /// A line and how what it means differs from what no option at all means.
  static let rows: [Row] = [
    Row("") { _ in },
    Row("a b") { $0.files = [Array("a".utf8), Array("b".utf8)] },
    Row("-n 5") { $0.limit = 5 },
    Row("-n 5 -n 7") { $0.limit = 7 },
    Row("--limit 0") { $0.limit = 0 },
    Row("--limit 007") { $0.limit = 7 },
    Row("--limit 9223372036854775807") { $0.limit = Invocation.mostRows },
    Row("--offset 0") { $0.offset = 0 },
    Row("--offset 3 --offset 0") { $0.offset = 0 },
    Row("-p1") { $0.page = 1 },
    Row("--margin 0") { $0.margin = 0 },
    Row("-f a -f b --filter c") { $0.filters = [[0x61], [0x62], [0x63]] },
    Row("-s a,b -s c") { $0.sorts = [Array("a,b".utf8), [0x63]] },
    Row("-c a -c b") { $0.columns = [0x62] },
    Row("--hide a") { $0.hiddenColumns = [0x61] },
    Row("--from jsonl") { $0.inputFormat = .jsonl },
    Row("--from tsv") { $0.inputFormat = .tsv },
    Row("--delimiter ';'") { $0.delimiter = 0x3B },
    Row("--delimiter tab") { $0.delimiter = 0x09 },
    Row("--delimiter '\\t'") { $0.delimiter = 0x09 },
    Row("--delimiter '\t'") { $0.delimiter = 0x09 },
    Row("--delimiter '|'") { $0.delimiter = 0x7C },
    Row("--delimiter=,") { $0.delimiter = 0x2C },
    Row("--delimiter==") { $0.delimiter = 0x3D },
    Row("--no-header-row") { $0.hasHeaderRow = false },
    Row("-t csv") { $0.outputFormat = .csv },
    Row("-t csv --to markdown") { $0.outputFormat = .markdown },
    Row("--no-heading") { $0.printsHeading = false },
    Row("--wide") { $0.cellCut = .nowhere },
    Row("--cut 1") { $0.cellCut = .at(1) },
    Row("--wide --cut 9") { $0.cellCut = .at(9) },
    Row("--cut 9 --wide") { $0.cellCut = .nowhere },
    Row("--color never") { $0.color = .never },
    Row("--color always") {
      $0.color = .always
      $0.usesColor = true
    },
    Row("--color always --color auto") { _ in },
    Row("--crlf") { $0.endsLinesByCRLF = true },
    Row("--strings") { $0.stringCells = .all },
    Row("--strings=a,b") { $0.stringCells = .columns(Array("a,b".utf8)) },
    Row("--strings=a --strings") { $0.stringCells = .all },
    Row("--no-flatten") { $0.flattens = false },
    Row("--all-columns") { $0.unitesAllColumns = true },
    Row("--no-pager") { $0.usesPager = false },
    Row("--all") { $0.printsAll = true },
    Row("--count") { $0.counts = true },
    Row("--quiet --quiet") { $0.isQuiet = true },
  ]

  @Test(arguments: rows)
  func `options are taken over`(_ row: Row) throws {
    var expected = try invocation("")
    row.change(&expected)
    var found = try invocation(row.line)
    // Has a table of its own.
    found.extent = expected.extent
    #expect(found == expected)
  }

  static let wrong: [(line: String, message: String)] = [
    ("--limit -1", "invalid value '-1' for '--limit'; expected a whole number from 0 to 9223372036854775807"),
    ("--limit +1", "invalid value '+1' for '--limit'; expected a whole number from 0 to 9223372036854775807"),
    ("-n 1e3", "invalid value '1e3' for '-n'; expected a whole number from 0 to 9223372036854775807"),
    ("-n ' 1'", "invalid value ' 1' for '-n'; expected a whole number from 0 to 9223372036854775807"),
    ("-n １", "invalid value '１' for '-n'; expected a whole number from 0 to 9223372036854775807"),
    ("-n 1/", "invalid value '1/' for '-n'; expected a whole number from 0 to 9223372036854775807"),
    ("-n 1:", "invalid value '1:' for '-n'; expected a whole number from 0 to 9223372036854775807"),
    (
      "--offset 9223372036854775808",
      "invalid value '9223372036854775808' for '--offset'; expected a whole number from 0 to 9223372036854775807"
    ),
    (
      "--offset 18446744073709551616",
      "invalid value '18446744073709551616' for '--offset'; expected a whole number from 0 to 9223372036854775807"
    ),
    ("--page 0", "invalid value '0' for '--page'; expected a whole number from 1 to 9223372036854775807"),
    ("-p-3", "invalid value '-3' for '-p'; expected a whole number from 1 to 9223372036854775807"),
    ("--margin x", "invalid value 'x' for '--margin'; expected a whole number from 0 to 9223372036854775807"),
    ("--cut 0", "invalid value '0' for '--cut'; expected a whole number from 1 to 9223372036854775807"),
    ("--to yaml", "invalid value 'yaml' for '--to'; expected table, csv, tsv, json, jsonl, markdown or record"),
    (
      "--to CSV",
      "invalid value 'CSV' for '--to'; expected table, csv, tsv, json, jsonl, markdown or record; did you mean 'csv'?"
    ),
    ("--from table", "invalid value 'table' for '--from'; expected json, jsonl, csv or tsv"),
    ("--from jsom", "invalid value 'jsom' for '--from'; expected json, jsonl, csv or tsv; did you mean 'json'?"),
    ("--color on", "invalid value 'on' for '--color'; expected auto, always or never"),
    (
      "--delimiter é",
      "invalid value 'é' for '--delimiter'; expected one ASCII character that is no quote and ends no line, or 'tab'"
    ),
    (
      "--delimiter '\n'",
      "invalid value '␊' for '--delimiter'; expected one ASCII character that is no quote and ends no line, or 'tab'"
    ),
    // The later value is good, but the earlier is a mistake all the same.
    ("-n x -n 5", "invalid value 'x' for '-n'; expected a whole number from 0 to 9223372036854775807"),
  ]

  @Test(arguments: wrong)
  func `what is wrong with a value is said`(_ line: String, _ message: String) {
    #expect(throws: UsageError(message)) { try invocation(line) }
  }

  @Test func `without a file a terminal gets a hint`() throws {
    let surroundings = Surroundings(isInputTerminal: true)
    #expect(throws: UsageError.self) { try invocation("--limit 5", in: surroundings) }
    #expect(try invocation("-", in: surroundings).files == [Array("-".utf8)])
    #expect(try invocation("", in: Surroundings()).files == [Array("-".utf8)])
  }

  static let pages: [(line: String, size: Int, first: Int, margin: Int)] = [
    ("", 20, 0, 10),
    ("-n 500", 500, 0, 490),
    ("-n 10", 10, 0, 1),
    ("-n 5", 5, 0, 1),
    ("-n 0", 0, 0, 1),
    ("-n 0 -p 7", 0, 0, 1),
    ("-n 0 --all", 20, 0, 10),
    ("-n 0 --all -p 2", 20, 20, 10),
    ("-p 3", 20, 40, 10),
    ("-p 3 -n 7 --offset 2", 7, 16, 1),
    ("--offset 2", 20, 2, 10),
    ("--margin 0", 20, 0, 0),
    ("--margin 99 -n 5", 5, 0, 99),
    (
      "-p 9223372036854775807 -n 9223372036854775807 --offset 9223372036854775807", Invocation.mostRows,
      2 * Invocation.mostRows, Invocation.mostRows - 10
    ),
  ]

  @Test(arguments: pages)
  func `pages have a size and a beginning`(_ line: String, _ size: Int, _ first: Int, _ margin: Int) throws {
    let found = try invocation(line)
    #expect(found.pageSize == size)
    #expect(found.firstRowIndex == first)
    #expect(found.prefetchMargin == margin)
  }

  static let asking: [(line: String, asks: Bool)] = [
    ("", false), ("--sort a", false), ("--all", false), ("--margin 5", false), ("--limit 0", false),
    ("--limit 5", true), ("--page 1", true), ("--offset 0", true), ("--filter a", true), ("--all --filter a", true),
    ("--limit 0 --filter a", false), ("--limit 0 --page 2", false), ("--count --filter a", false),
    ("--count --limit 5", false),
  ]

  @Test(arguments: asking)
  func `some options ask for rows`(_ line: String, _ asks: Bool) throws {
    #expect(try invocation(line).asksForRows == asks)
  }

  @Test func `colour depends on the terminal and on NO_COLOR`() throws {
    var surroundings = Surroundings(isOutputTerminal: true)
    func uses(_ line: String) throws -> Bool { try invocation(line, in: surroundings).usesColor }
    #expect(try uses(""))
    #expect(try !uses("--color never"))
    surroundings.noColor = []
    #expect(try uses(""))
    surroundings.noColor = [0x31]
    #expect(try !uses(""))
    #expect(try uses("--color always"))
    surroundings.noColor = nil
    // The pages go to a pipe.
    #expect(try !uses("--each cat"))
    #expect(try uses("--each cat --color always"))
    surroundings.terminalName = Array("dumb".utf8)
    #expect(try !uses(""))
    surroundings = Surroundings()
    #expect(try !uses(""))
    #expect(try uses("--color always"))
  }

  @Test func `PAGECAT_OPTIONS comes first, and only on a terminal`() throws {
    var surroundings = Surroundings(isOutputTerminal: true)
    surroundings.terminalOptions = Array("--limit 5 --wide -f 'a b' -s x".utf8)
    let found = try invocation("a --limit 7 -f c", in: surroundings)
    #expect(found.limit == 7)
    #expect(found.cellCut == .nowhere)
    #expect(found.filters == [Array("a b".utf8), Array("c".utf8)])
    #expect(found.sorts == [Array("x".utf8)])
    surroundings.isOutputTerminal = false
    #expect(try invocation("a", in: surroundings).limit == nil)
  }

  static let wrongVariables: [(value: String, message: String)] = [
    ("--bogus", "PAGECAT_OPTIONS: unknown option '--bogus'; see 'pagecat --help'"),
    ("--limit x", "PAGECAT_OPTIONS: invalid value 'x' for '--limit'; expected a whole number from 0 to \(Int.max)"),
    ("a.json", "PAGECAT_OPTIONS: expected options only, found 'a.json'"),
    ("-f 'a", "PAGECAT_OPTIONS: a quote is not closed: '"),
    ("--help", "PAGECAT_OPTIONS: --help and --version cannot stand in it"),
  ]

  @Test(arguments: wrongVariables)
  func `an error in PAGECAT_OPTIONS says so`(_ value: String, _ message: String) {
    var surroundings = Surroundings(isOutputTerminal: true)
    surroundings.terminalOptions = Array(value.utf8)
    #expect(throws: UsageError(message)) { try invocation("a", in: surroundings) }
  }
}

struct PrintExtentTests {
  /// A line and what it prints to a terminal (or shows in the pager), to a dumb terminal, and to a pipe.
  static let rows: [(line: String, terminal: PrintExtent, dumb: PrintExtent, pipe: PrintExtent)] = [
    ("", .everything, .everything, .everything),
    ("-n 5", .everything, .page, .page),
    ("-n 0", .page, .page, .page),
    ("-p 2", .everything, .page, .page),
    ("-n 5 -p 2", .everything, .page, .page),
    ("--offset 5", .everything, .everything, .everything),
    ("--sort a -f b", .everything, .everything, .everything),
    ("--to table", .everything, .everything, .everything),
    ("--no-pager", .everything, .everything, .everything),
    ("--no-pager -n 5", .page, .page, .page),
    ("--no-pager -p 2", .page, .page, .page),
    ("--to csv", .everything, .everything, .everything),
    ("--to csv -n 5", .page, .page, .page),
    ("--to record", .everything, .everything, .everything),
    ("--count", .everything, .everything, .everything),
    ("--all", .everything, .everything, .everything),
    ("--all -n 5", .everything, .everything, .everything),
    ("--all -p 2", .everything, .everything, .everything),
    ("--all -n 5 --to json", .everything, .everything, .everything),
  ]

  @Test(arguments: rows)
  func `what is printed`(
    _ line: String, _ onTerminal: PrintExtent, _ onDumbTerminal: PrintExtent, _ inPipe: PrintExtent
  ) throws {
    var surroundings = Surroundings()
    #expect(try invocation(line, in: surroundings).extent == inPipe)
    surroundings.terminalName = Array("dumb".utf8)
    #expect(try invocation(line, in: surroundings).extent == inPipe)
    surroundings.isOutputTerminal = true
    #expect(try invocation(line, in: surroundings).extent == onDumbTerminal)
    surroundings.terminalName = Array("xterm".utf8)
    #expect(try invocation(line, in: surroundings).extent == onTerminal)
    surroundings.terminalName = nil
    #expect(try invocation(line, in: surroundings).extent == onTerminal)
  }
}
