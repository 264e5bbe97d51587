// What command lines are read as, and what is said about those that cannot be read.

import Reading
import Testing

@testable import pagecat

/// The arguments of a line that is written as in a shell.
func arguments(_ line: String) throws -> [[UInt8]] {
  try Options.split(Array(line.utf8))
}

struct OptionsTests {
  /// A line and what it is read as: `option=value` for each option, then the files.
  static let readable: [(line: String, options: String, files: String)] = [
    ("", "", ""),
    ("a.json", "", "a.json"),
    ("a.json b.csv", "", "a.json b.csv"),
    ("-", "", "-"),
    ("- a -", "", "- a -"),
    ("''", "", "''"),
    ("--limit 5", "limit=5", ""),
    ("--limit=5", "limit=5", ""),
    ("-n 5", "limit=5", ""),
    ("-n5", "limit=5", ""),
    ("-n=5", "limit==5", ""),
    ("-n -5", "limit=-5", ""),
    ("--limit -5", "limit=-5", ""),
    ("a --limit 5 b", "limit=5", "a b"),
    ("--limit 5 a --all b --quiet", "limit=5 all quiet", "a b"),
    ("-s a -s b --sort c", "sort=a sort=b sort=c", ""),
    ("-sa,b:desc", "sort=a,b:desc", ""),
    ("--sort=a=b", "sort=a=b", ""),
    ("--filter=a==b", "filter=a==b", ""),
    ("--filter 'a == \"b c\"'", "filter='a == \"b c\"'", ""),
    ("--filter -a", "filter=-a", ""),
    ("--filter --a", "filter=--a", ""),
    ("--filter=--sort", "filter=--sort", ""),
    ("--filter -- x", "filter=--", "x"),
    ("--sort -name", "sort=-name", ""),
    ("--sort=-n 5", "sort=-n", "5"),
    ("-s-n 5", "sort=-n", "5"),
    ("-- --limit 5", "", "--limit 5"),
    ("a -- -n b", "", "a -n b"),
    ("-- --", "", "--"),
    ("-- -", "", "-"),
    ("--all -- --help", "all", "--help"),
    ("--strings", "strings", ""),
    ("--strings a,b", "strings", "a,b"),
    ("--strings=a,b", "strings=a,b", ""),
    ("--strings=a=b", "strings=a=b", ""),
    ("-p2 -n 3 --offset=4", "page=2 limit=3 offset=4", ""),
    ("-tcsv", "to=csv", ""),
    ("-t csv", "to=csv", ""),
    ("-c gear.*,id", "columns=gear.*,id", ""),
    ("--hide=a --hide b", "hide=a hide=b", ""),
    ("--no-header-row --no-heading", "noHeaderRow noHeading", ""),
    ("--wide --cut 3 --crlf --no-flatten", "wide cut=3 crlf noFlatten", ""),
    ("--color always --all-columns --count", "color=always allColumns count", ""),
    ("--no-pager --margin 7 --delimiter ';'", "noPager margin=7 delimiter=;", ""),
    ("-f 'é ≤ 𝄞'", "filter='é ≤ 𝄞'", ""),
    ("--limit 5 --version --bogus", "limit=5 version", ""),
    ("--help", "help", ""),
    ("-h", "help", ""),
    ("-hn", "help", ""),
    ("-h --bogus", "help", ""),
    ("a --help b", "help", "a"),
  ]

  @Test(arguments: readable)
  func `a command line is read`(_ line: String, _ options: String, _ files: String) throws {
    let read = try Options(arguments: arguments(line))
    var words = read.given.map { given in
      Array("\(given.option)".utf8) + (given.value.map { Array("=".utf8) + $0 } ?? [])
    }
    if let request = read.request { words.append(Array("\(request)".utf8)) }
    #expect(try words == arguments(options))
    #expect(try read.files == arguments(files))
  }

  /// A line and what is said about it.
  static let unreadable: [(line: String, message: String)] = [
    ("--bogus", "unknown option '--bogus'; see 'pagecat --help'"),
    ("--bogus=5", "unknown option '--bogus'; see 'pagecat --help'"),
    ("---", "unknown option '---'; see 'pagecat --help'"),
    ("--=5", "unknown option '--'; see 'pagecat --help'"),
    ("---limit 5", "unknown option '---limit'; did you mean '--limit'?"),
    ("--sortt a", "unknown option '--sortt'; did you mean '--sort'?"),
    ("--srot a", "unknown option '--srot'; did you mean '--sort'?"),
    ("--SORT a", "unknown option '--SORT'; did you mean '--sort'?"),
    ("--sort_ a", "unknown option '--sort_'; did you mean '--sort'?"),
    ("--lim 5", "unknown option '--lim'; did you mean '--limit'?"),
    ("--limi=5", "unknown option '--limi'; did you mean '--limit'?"),
    ("--of 5", "unknown option '--of'; did you mean '--offset'?"),
    ("--co", "unknown option '--co'; did you mean '--columns', '--color' or '--count'?"),
    ("--c", "unknown option '--c'; see 'pagecat --help'"),
    ("--col a", "unknown option '--col'; did you mean '--columns' or '--color'?"),
    ("--no", "unknown option '--no'; did you mean '--no-header-row', '--no-heading' or '--no-flatten'?"),
    ("--no-flat", "unknown option '--no-flat'; did you mean '--no-flatten'?"),
    ("--noheading", "unknown option '--noheading'; did you mean '--no-heading'?"),
    ("--no_pager", "unknown option '--no_pager'; did you mean '--no-pager'?"),
    ("--select a", "unknown option '--select'; did you mean '--columns'?"),
    ("--format csv", "unknown option '--format'; did you mean '--to'?"),
    ("--skip 5", "unknown option '--skip'; did you mean '--offset'?"),
    ("-x", "unknown option '-x'; see 'pagecat --help'"),
    ("-é", "unknown option '-é'; see 'pagecat --help'"),
    ("-xyz", "unknown option '-x' in '-xyz'; see 'pagecat --help'"),
    ("-limit 5", "unknown option '-l' in '-limit'; did you mean '--limit'?"),
    ("-limit=5", "unknown option '-l' in '-limit=5'; did you mean '--limit'?"),
    ("-5", "unknown option '-5'; see 'pagecat --help'"),
    ("-25", "unknown option '-2' in '-25'; did you mean '-n 25'?"),
    ("--limit", "option '--limit' needs a value: --limit N"),
    ("-n", "option '-n' needs a value: -n N"),
    ("a -t", "option '-t' needs a value: -t table|csv|tsv|json|jsonl|markdown|record"),
    ("--limit --page 2", "option '--limit' needs a value: --limit N; found '--page' instead"),
    ("-n --page=2", "option '-n' needs a value: -n N; found '--page=2' instead"),
    ("--sort -n 5", "option '--sort' needs a value: --sort KEY[:MODIFIER]...[,KEY...]; found '-n' instead"),
    ("--filter --help", "option '--filter' needs a value: --filter EXPR; found '--help' instead"),
    ("--sort=", "option '--sort' needs a value that is not empty"),
    ("--sort ''", "option '--sort' needs a value that is not empty"),
    ("-s ''", "option '-s' needs a value that is not empty"),
    ("--strings=", "option '--strings' needs a value that is not empty"),
    ("--all=", "option '--all' takes no value, got ''"),
    ("--all=no", "option '--all' takes no value, got 'no'"),
    ("--help=all", "option '--help' takes no value, got 'all'"),
    ("--bogus --help", "unknown option '--bogus'; see 'pagecat --help'"),
  ]

  @Test(arguments: unreadable)
  func `what is wrong with a command line is said`(_ line: String, _ message: String) throws {
    #expect(throws: UsageError(message)) { try Options(arguments: arguments(line)) }
  }

  @Test func `two hyphens alone are no error`() throws {
    #expect(try Options(arguments: arguments("--")) == Options())
  }

  @Test(arguments: OptionTable.all.filter { !$0.isAvailable }.map(\.name))
  func `an option of a later version is unknown`(_ name: String) {
    #expect(throws: UsageError.self) { try Options(arguments: [Array("--\(name)".utf8)]) }
    #expect(!HelpText.help().contains("--\(name)"))
  }

  @Test func `names of files are kept as bytes`() throws {
    let name: [UInt8] = [0x63, 0xE9, 0xFF, 0x80]
    #expect(try Options(arguments: [name, Array("--".utf8), name]).files == [name, name])
  }

  @Test func `values are kept as bytes`() throws {
    let attached = Array("--filter=".utf8) + [0xFF, 0xC3]
    #expect(try Options(arguments: [attached]).given.first?.value == [0xFF, 0xC3])
    #expect(try Options(arguments: [Array("-s".utf8) + [0xFF]]).given.first?.value == [0xFF])
  }

  @Test func `no argument traps`() {
    // Every short argument of the bytes that mean something, and some that are not text.
    let alphabet: [UInt8] = Array("-=nhs5".utf8) + [0x00, 0x80, 0xC3, 0xFF]
    var arguments: [[UInt8]] = [[]]
    for _ in 0..<4 {
      arguments = [[]] + arguments.flatMap { argument in alphabet.map { argument + [$0] } }
      for argument in arguments {
        if let options = try? Options(arguments: [argument, argument]) { _ = try? Invocation(options) }
      }
    }
  }

  static let words: [(text: String, words: [String])] = [
    ("", []),
    ("  \t\n ", []),
    ("a", ["a"]),
    (" a  b\tc\nd ", ["a", "b", "c", "d"]),
    ("'a b' c", ["a b", "c"]),
    ("\"a b\" c", ["a b", "c"]),
    ("a'b c'd", ["ab cd"]),
    ("'' \"\"", ["", ""]),
    ("a\\ b", ["a b"]),
    ("'a\\b'", ["a\\b"]),
    ("\"a\\\"b\\\\c\\$d\\`e\\f\"", ["a\"b\\c$d`e\\f"]),
    ("\"it's\" 'say \"x\"'", ["it's", "say \"x\""]),
    ("\\'", ["'"]),
    ("$HOME *", ["$HOME", "*"]),
    ("é'ü ö'", ["éü ö"]),
  ]

  @Test(arguments: words)
  func `text is split as a shell does`(_ text: String, _ words: [String]) throws {
    #expect(try Options.split(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } == words)
  }

  static let unsplittable: [(text: String, message: String)] = [
    ("a 'b", "a quote is not closed: '"),
    ("\"a", "a quote is not closed: \""),
    ("\"a\\\"", "a quote is not closed: \""),
    ("a\\", "a backslash stands at its end"),
  ]

  @Test(arguments: unsplittable)
  func `what cannot be split is said`(_ text: String, _ message: String) {
    #expect(throws: UsageError(message)) { try Options.split(Array(text.utf8)) }
  }
}

struct OptionTableTests {
  @Test func `the table has every option once`() {
    #expect(OptionTable.all.count == Option.allCases.count)
    #expect(Set(OptionTable.all.map(\.option)).count == Option.allCases.count)
    #expect(Set(OptionTable.all.map(\.name)).count == Option.allCases.count)
    let letters = OptionTable.all.compactMap(\.letter)
    #expect(Set(letters).count == letters.count)
  }

  @Test func `no name that others have is one of ours`() {
    let names = Set(OptionTable.all.map(\.name))
    for definition in OptionTable.all {
      for name in definition.alsoKnownAs { #expect(!names.contains(name)) }
    }
  }

  @Test func `only filters and sort keys add up`() {
    #expect(OptionTable.all.filter(\.isRepeatable).map(\.option) == [.filter, .sort])
  }

  @Test func `help has every option of this version, in 80 columns`() {
    let help = HelpText.help()
    for definition in OptionTable.available { #expect(help.contains(HelpText.names(definition))) }
    for line in help.split(separator: "\n") {
      #expect(line.count <= HelpText.width, "\(line)")
      #expect(line.last != " ", "\(line)")
    }
    #expect(help.contains("pagecat activities.json --sort startDate:desc --limit 20\n"))
  }

  static let near: [(given: String, expected: [String])] = [
    ("", []),
    ("json", ["json"]),
    ("jsno", ["json"]),
    ("jso", ["json"]),
    ("jsonn", ["json", "jsonl"]),
    ("xml", []),
    ("CSV", ["csv"]),
    ("cs", ["csv"]),
    ("ts", ["tsv"]),
    ("sv", ["csv", "tsv"]),
    (String(repeating: "json", count: 1000), []),
  ]

  @Test(arguments: near)
  func `the nearest names are found`(_ given: String, _ expected: [String]) {
    let names = InputFormat.allCases.map(\.rawValue)
    #expect(OptionsNearMiss.nearest(to: Array(given.utf8), among: names) == expected)
  }
}
