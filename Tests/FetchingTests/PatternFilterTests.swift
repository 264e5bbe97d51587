// Regular expressions and `contains` in filters: what they are asked of, and where an error is shown.

import Fetching
import Testing

struct PatternFilterTests {
  private static let rows: [(expression: String, record: String, isWanted: Bool)] = [
    (#"name =~ /^Ru/"#, #"{"name":"Run"}"#, true),
    (#"name =~ /^Ru/"#, #"{"name":"A Run"}"#, false),
    (#"name =~ "^Ru""#, #"{"name":"Run"}"#, true),
    (#"name matches "n$""#, #"{"name":"Run"}"#, true),
    (#"name matches /n$/"#, #"{"name":"Run"}"#, true),
    (#"name MATCHES 'n$'"#, #"name=Run"#, true),
    (#"name !~ /^Ru/"#, #"{"name":"Run"}"#, false),
    (#"name !~ /^Ru/"#, #"{"name":"Ride"}"#, true),
    (#"name not matches /^Ru/"#, #"{"name":"Ride"}"#, true),
    (#"not name =~ /^Ru/"#, #"{"name":"Ride"}"#, true),
    (#"name =~ /RUN/"#, #"{"name":"run"}"#, false),
    (#"name =~[c] /RUN/"#, #"{"name":"run"}"#, true),
    (#"name =~ [c] /É/"#, #"{"name":"é"}"#, true),
    (#"name !~[c] "RUN""#, #"{"name":"run"}"#, false),
    (#"name matches[c] "RUN""#, #"{"name":"run"}"#, true),
    (#"name matches[c] /RUN/"#, #"{"name":"run"}"#, true),
    (#"name =~ /(?i)RUN/"#, #"{"name":"run"}"#, true),
    (#"name =~ /a\/b/"#, #"{"name":"a/b"}"#, true),
    (#"name =~ /[\/]/"#, #"{"name":"a/b"}"#, true),
    (#"name =~ "a/b""#, #"{"name":"a/b"}"#, true),
    (#"name =~ /\d+ km/ and distance > 5"#, #"{"name":"42 km","distance":6}"#, true),
    (#"(name =~ /x/ or name =~ /y/) and not name =~ /z/"#, #"{"name":"ay"}"#, true),
    (#"name =~ "\\bcat\\b""#, #"{"name":"a cat"}"#, true),
    (#"name =~ /\bcat\b/"#, #"{"name":"cats"}"#, false),
    (#"name =~ //"#, #"{"name":""}"#, true),
    // JSON strings are decoded, in both directions.
    (#"name =~ /^é\n"$/"#, #"{"name":"\u00e9\n\""}"#, true),
    (#"name =~ "^\u00e9$""#, #"{"name":"é"}"#, true),
    (#"name =~ /\\/"#, #"{"name":"a\\b"}"#, true),
    (#"name =~ /u00e9/"#, #"{"name":"\u00e9"}"#, false),
    // The literal decides: text, and nothing but text.
    (#"a =~ /1/"#, #"{"a":1}"#, false),
    (#"a !~ /1/"#, #"{"a":1}"#, true),
    (#"a =~ /true/"#, #"{"a":true}"#, false),
    (#"a =~ /null/"#, #"{"a":null}"#, false),
    (#"a =~ /x/"#, #"{"a":["x"]}"#, false),
    (#"a =~ /x/"#, #"{"a":{"b":"x"}}"#, false),
    (#"a =~ /.*/"#, #"{"b":1}"#, false),
    (#"a !~ /.*/"#, #"{"b":1}"#, true),
    (#"a =~ /^2024-06/"#, #"{"a":"2024-06-01T00:00:00Z"}"#, true),
    (#"a =~ /^1/"#, #"a=12"#, true),
    (#"a =~ /^true$/"#, #"a=true"#, true),
    (#"a =~ /^2024/"#, #"a=2024-06-01"#, true),
    (#"a =~ /^$/"#, #"a="#, false),
    (#"a =~ /^$/"#, #"a="""#, true),
    (#"a =~ /^say "x"$/"#, #"a="say ""x""""#, true),
    (#"a =~ /^x$/"#, #"a="x""#, true),
    // Functions, arrays.
    (#"lower(a) =~ /run/"#, #"{"a":"RUN"}"#, true),
    (#"any(tags) =~ /^r/"#, #"{"tags":["a","race"]}"#, true),
    (#"all(tags) =~ /^r/"#, #"{"tags":["a","race"]}"#, false),
    (#"all(tags) =~ /^r/"#, #"{"tags":["run","race"]}"#, true),
    (#"any(tags) !~ /^r/"#, #"{"tags":["a","race"]}"#, false),
    (#"any(tags) =~ /^r\n$/"#, #"{"tags":["r\n"]}"#, true),
    (#"gear.name =~ /trail/"#, #"{"gear":{"name":"my trail shoe"}}"#, true),
    (#"tags[0] =~ /a/"#, #"{"tags":["a"]}"#, true),
    // contains
    (
      #"a contains "needle""#, #"{"a":"a long haystack, longer than one block of 64 bytes, that holds a needle here"}"#,
      true
    ),
    (
      #"a contains "needle""#, #"{"a":"a long haystack, longer than one block of 64 bytes, that holds a needl here"}"#,
      false
    ),
    (#"a contains[c] "NEEDLE""#, #"{"a":"a long haystack, longer than one block of 64 bytes: a nEEdle here"}"#, true),
    (#"a contains[c] "ÉCOLE""#, #"{"a":"l’école"}"#, true),
    (#"a contains[c] "k""#, "{\"a\":\"300 \u{212A}\"}", true),
    (#"a contains[c] "x""#, #"{"a":"é"}"#, false),
    (#"a contains[c] "strasse""#, "{\"a\":\"STRA\u{17F}SE\"}", true),
    (#"a contains[c] "stop""#, "{\"a\":\"🏃 Bus STOP\"}", true),
    (#"a contains[c] "stop""#, "{\"a\":\"🏃 Bus STO\"}", false),
    (#"a contains[c] "\u0130""#, "{\"a\":\"\u{130}\"}", true),
    (#"a contains[c] "i""#, "{\"a\":\"\u{130}\"}", true),
    (#"a contains """#, #"{"a":"é"}"#, true),
  ]

  @Test(arguments: rows.indices)
  func rowIsWanted(_ index: Int) throws {
    let row = PatternFilterTests.rows[index]
    let predicate = try Predicate(parsing: row.expression, now: predicateNow)
    var program = PredicateProgram(predicate)
    // Twice, the second time with the scratch in use.
    for _ in 0..<2 {
      let isWanted = program.evaluate(predicate, PredicateRecord(row.record))
      #expect(isWanted == row.isWanted, "\(row.expression) on \(row.record)")
    }
  }

  /// `contains[c]` leaves out folding where it cannot matter, by the first bytes of the letters for which it does.
  @Test func fewLettersFoldToASCII() {
    var folding: Set<UInt8> = []
    for value in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let bytes = Array(String(scalar).utf8)
      var folded: [UInt8] = []
      CaseFolding.append(bytes.span, to: &folded)
      if folded.contains(where: { $0 < 0x80 }) { folding.insert(bytes[0]) }
    }
    #expect(folding == [0xC4, 0xC5, 0xE2])
  }

  @Test func combinedFiltersKeepTheirPatterns() throws {
    let predicate = try Predicate(parsing: "a =~ /x/", now: predicateNow)
      .combined(with: Predicate(parsing: "b =~ /y/ or b =~ /z/", now: predicateNow))
    var program = PredicateProgram(predicate)
    for (record, expected) in [("a=x;b=y", true), ("a=x;b=z", true), ("a=x;b=x", false), ("a=y;b=y", false)] {
      let isWanted = program.evaluate(predicate, PredicateRecord(record))
      #expect(isWanted == expected, "\(record)")
    }
  }

  @Test func aNoteSaysThatNumbersAreNoText() throws {
    let predicate = try Predicate(parsing: "a =~ /1/", now: predicateNow)
    var program = PredicateProgram(predicate)
    _ = program.evaluate(predicate, PredicateRecord(#"{"a":1}"#))
    #expect(program.notes() == ["`a =~ /1/` was false in the one record because a is a number"])
  }

  @Test(arguments: [
    (
      #"name =~ /a(b/"#,
      """
      this group is never closed
        name =~ /a(b/
                  ^
      """
    ),
    (
      #"é =~ /é(é/ and x == 1"#,
      """
      this group is never closed
        é =~ /é(é/ and x == 1
               ^
      """
    ),
    (
      #"name matches[c] "\\u00e9\u00e9\"(x""#,
      #"""
      this group is never closed
        name matches[c] "\\u00e9\u00e9\"(x"
                                        ^
      """#
    ),
    (
      #"name !~ "\ud83d\ude00*+""#,
      #"""
      `+` repeats a repetition; put what is before it in `(?:…)` if that is meant
        name !~ "\ud83d\ude00*+"
                              ^
      """#
    ),
    (
      #"name =~ /ab\/(?=c)/"#,
      #"""
      look-ahead is not supported, as it cannot be searched in linear time
        name =~ /ab\/(?=c)/
                     ^
      """#
    ),
    (
      #"name =~ "x\\y""#,
      #"""
      unknown escape `\y`
        name =~ "x\\y"
                  ^
      """#
    ),
    (
      #"name =~ "\bcat""#,
      #"""
      this is a backspace within quotes; did you mean \\b or /…/?
        name =~ "\bcat"
                 ^
      """#
    ),
    (
      #"name =~ /x\/"#,
      #"""
      this `/` is never closed
        name =~ /x\/
                ^
      """#
    ),
    (
      #"name =~ /x/i"#,
      """
      no flags stand after a regular expression; did you mean =~[c]?
        name =~ /x/i
                   ^
      """
    ),
    (
      #"name =~ other"#,
      """
      expected a regular expression after `=~`, as in `=~ /^a.*z$/`, found `other`
        name =~ other
                ^
      """
    ),
    (
      #"name matches 5"#,
      """
      expected a regular expression after `matches`, as in `matches /^a.*z$/`, found `5`
        name matches 5
                     ^
      """
    ),
    (
      #""x" =~ /x/"#,
      """
      expected a name before `=~`
        "x" =~ /x/
        ^
      """
    ),
    (
      #"name =~[d] /x/"#,
      """
      expected `c` (ignore case) between the brackets, found `d`
        name =~[d] /x/
                ^
      """
    ),
    (
      #"name =~ /(a{1000}){1000}/"#,
      """
      with `{1000}` this regular expression needs more than 10 MiB
        name =~ /(a{1000}){1000}/
                          ^
      """
    ),
  ])
  func errorShowsThePlace(expression: String, message: String) {
    do throws(PredicateError) {
      _ = try Predicate(parsing: expression, now: predicateNow)
      Issue.record("\(expression) is accepted")
    } catch {
      #expect(error.message == message)
    }
  }
}
