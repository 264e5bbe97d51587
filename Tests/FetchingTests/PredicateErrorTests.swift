// What is said about expressions that are no filter, word for word.

import Fetching
import TestSupport
import Testing

struct PredicateErrorTests {
  struct Row: CustomTestStringConvertible {
    let expression: String
    let message: String

    init(_ expression: String, _ message: String) {
      self.expression = expression
      self.message = message
    }

    var testDescription: String { expression }
  }

  @Test(arguments: rows)
  func messageIs(_ row: Row) {
    #expect(message(row.expression) == row.message)
  }

  @Test func parenthesesHaveALimit() {
    let deep = String(repeating: "(", count: 1001) + "a == 1" + String(repeating: ")", count: 1001)
    #expect(message(deep).hasPrefix("more than 1000 parentheses within one another\n  …((((("))
    #expect(message(String(deep.dropFirst().dropLast())) == "")
    let functions = String(repeating: "lower(", count: 1001) + "a" + String(repeating: ")", count: 1001) + " == 'a'"
    #expect(message(functions).hasPrefix("more than 1000 functions within one another\n"))
  }

  @Test func everyPrefixOfAnExpressionIsRefusedOrTaken() {
    let source =
      #"not (a.b[0] contains[c] "x\u00e9\n" or `b c` in [1, -2.5e3, 'y']) and d >= now - 30d && length(e) != 1"#
    for count in 0...source.utf8.count {
      let piece = String(decoding: source.utf8.prefix(count), as: UTF8.self)
      let text = message(piece)
      #expect(text.isEmpty || text.split(separator: "\n", omittingEmptySubsequences: false).count == 3)
    }
  }

  @Test func anyBytesAreRefusedOrTaken() {
    var generator = SeededGenerator(seed: 4)
    let pieces = [
      "a", " ", "and", "or", "not", "(", ")", "[", "]", "==", "<", "5", "-", "\"", "'", "`", "{", "}", "in", "is",
      "null",
      "between", "now", "30d", "contains", "[c]", "any(", "é", "\u{1B}", "\r\n", "\\", "/", "=~", ",", ".", "&",
      "exists(",
    ]
    for _ in 0..<3000 {
      let source = (0..<generator.below(12)).map { _ in generator.pick(pieces) }.joined()
      #expect(!message(source).contains("\u{1B}"))
    }
  }

  /// A near miss quotes the expression, line breaks and escapes included (found by fuzzing).
  @Test(arguments: [
    "a\n> 5d", "a > 5d\n", "is null a\n\u{1B}b", "\"a\n\" in tags", "a\nb == 1", "a-\u{202E}b",
  ])
  func nearMissesAreHarmless(source: String) {
    let text = message(source)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 3)
    #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}") && !text.contains("\u{9B}"))
  }

  private func message(_ source: String) -> String {
    do throws(PredicateError) {
      _ = try Predicate(parsing: source, now: predicateNow)
      return ""
    } catch {
      #expect(error.range.lowerBound <= source.utf8.count)
      return error.message
    }
  }

  static let rows: [Row] = [
    Row(
      #""#,
      #"""
      the filter is empty, expected a comparison such as `distance > 40000`
      \#u{20}\#u{20}
        ^
      """#),
    Row(
      #"   "#,
      #"""
      the filter is empty, expected a comparison such as `distance > 40000`
      \#u{20}\#u{20}\#u{20}\#u{20}\#u{20}
           ^
      """#),
    Row(
      #"distance"#,
      #"""
      expected a comparison such as `==` after `distance`, found the end; did you mean distance == true?
        distance
                ^
      """#),
    Row(
      #"private and distance > 5"#,
      #"""
      expected a comparison such as `==` after `private`, found `and`; did you mean private == true?
        private and distance > 5
                ^
      """#),
    Row(
      #"distance > "#,
      #"""
      expected a value after `>`, found the end
        distance >\#u{20}
                   ^
      """#),
    Row(
      #"> 5"#,
      #"""
      expected a comparison, found `>`
        > 5
        ^
      """#),
    Row(
      #"distance => 5"#,
      #"""
      unknown operator `=>`; did you mean >=?
        distance => 5
                 ^
      """#),
    Row(
      #"distance =< 5"#,
      #"""
      unknown operator `=<`; did you mean <=?
        distance =< 5
                 ^
      """#),
    Row(
      #"distance <> 5"#,
      #"""
      unknown operator `<>`; did you mean !=?
        distance <> 5
                 ^
      """#),
    Row(
      #"distance === 5"#,
      #"""
      unknown operator `===`; did you mean ==?
        distance === 5
                 ^
      """#),
    Row(
      #"distance >> 5"#,
      #"""
      unknown operator `>>`; did you mean >?
        distance >> 5
                 ^
      """#),
    Row(
      #"a == 1 & b == 2"#,
      #"""
      unknown operator `&`; did you mean &&?
        a == 1 & b == 2
               ^
      """#),
    Row(
      #"a == 1 | b == 2"#,
      #"""
      unknown operator `|`; did you mean ||?
        a == 1 | b == 2
               ^
      """#),
    Row(
      #"a ~ "x""#,
      #"""
      unknown operator `~`; did you mean =~?
        a ~ "x"
          ^
      """#),
    Row(
      #"distance > 5 km"#,
      #"""
      expected `and`, `or` or the end, found `km`
        distance > 5 km
                     ^
      """#),
    Row(
      #"distance > 5km"#,
      #"""
      `5km` is neither a number nor a duration (s, m, h, d, w)
        distance > 5km
                    ^
      """#),
    Row(
      #"distance > 5 6"#,
      #"""
      expected `and`, `or` or the end, found `6`
        distance > 5 6
                     ^
      """#),
    Row(
      #"1 < x < 5"#,
      #"""
      expected `and`, `or` or the end, found `<`; did you mean two comparisons with `and`?
        1 < x < 5
              ^
      """#),
    Row(
      #"a == 1 b == 2"#,
      #"""
      expected `and`, `or` or the end, found `b`
        a == 1 b == 2
               ^
      """#),
    Row(
      #"a == 1 adn b == 2"#,
      #"""
      expected `and`, `or` or the end, found `adn`; did you mean and?
        a == 1 adn b == 2
               ^
      """#),
    Row(
      #"a == 1 and"#,
      #"""
      expected a comparison, found the end
        a == 1 and
                  ^
      """#),
    Row(
      #"a == 1 or or b == 2"#,
      #"""
      expected a comparison, found `or`
        a == 1 or or b == 2
                  ^
      """#),
    Row(
      #"a == 1 and and b == 2"#,
      #"""
      expected a comparison, found `and`
        a == 1 and and b == 2
                   ^
      """#),
    Row(
      #"not"#,
      #"""
      expected a comparison, found the end
        not
           ^
      """#),
    Row(
      #"(a == 1"#,
      #"""
      this parenthesis is never closed
        (a == 1
        ^
      """#),
    Row(
      #"((a == 1) and b == 2"#,
      #"""
      this parenthesis is never closed
        ((a == 1) and b == 2
        ^
      """#),
    Row(
      #"a == 1)"#,
      #"""
      this parenthesis closes nothing
        a == 1)
              ^
      """#),
    Row(
      #"()"#,
      #"""
      expected a comparison, found `)`
        ()
         ^
      """#),
    Row(
      #"name == "abc"#,
      #"""
      this quote is never closed
        name == "abc
                ^
      """#),
    Row(
      #"name == 'abc"#,
      #"""
      this quote is never closed
        name == 'abc
                ^
      """#),
    Row(
      #"name == "a\qb""#,
      #"""
      unknown escape in text; did you mean \\?
        name == "a\qb"
                  ^
      """#),
    Row(
      #"name == "a\u12""#,
      #"""
      expected four hexadecimal digits after `\u`
        name == "a\u12"
                  ^
      """#),
    Row(
      #"name == "\ud800""#,
      #"""
      a lone surrogate is no character
        name == "\ud800"
                 ^
      """#),
    Row(
      #"name == “Trek”"#,
      #"""
      a curly quote opens no text; did you mean "?
        name == “Trek”
                ^
      """#),
    Row(
      #"`Start Time == 1"#,
      #"""
      this backquote is never closed
        `Start Time == 1
        ^
      """#),
    Row(
      #"{Start Time == 1"#,
      #"""
      this brace is never closed
        {Start Time == 1
        ^
      """#),
    Row(
      #"Start Time == 1"#,
      #"""
      expected a comparison such as `==` after `Start`, found `Time`; did you mean `Start Time` in backquotes?
        Start Time == 1
              ^
      """#),
    Row(
      #"start-date > 5"#,
      #"""
      expected a comparison such as `==` after `start`, found `-`; did you mean `start-date` in backquotes?
        start-date > 5
             ^
      """#),
    Row(
      #"type in "Run""#,
      #"""
      expected `[` after `in`, as in `type in ["Run", "Hike"]`, found `"Run"`
        type in "Run"
                ^
      """#),
    Row(
      #"type in ("Run", "Hike")"#,
      #"""
      expected `[` after `in`, as in `type in ["Run", "Hike"]`, found `(`
        type in ("Run", "Hike")
                ^
      """#),
    Row(
      #"type in ["Run", "Hike""#,
      #"""
      this bracket is never closed
        type in ["Run", "Hike"
                ^
      """#),
    Row(
      #"type in ["Run" "Hike"]"#,
      #"""
      expected `,` or `]`, found `"Hike"`
        type in ["Run" "Hike"]
                       ^
      """#),
    Row(
      #"type in []"#,
      #"""
      expected a value, found `]`
        type in []
                 ^
      """#),
    Row(
      #""race" in tags"#,
      #"""
      expected `[` after `in`; did you mean tags contains "race"?
        "race" in tags
                  ^
      """#),
    Row(
      #"name contians "x""#,
      #"""
      expected a comparison such as `==` after `name`, found `contians`; did you mean contains?
        name contians "x"
             ^
      """#),
    Row(
      #"name startswith "x""#,
      #"""
      expected a comparison such as `==` after `name`, found `startswith`; did you mean beginswith?
        name startswith "x"
             ^
      """#),
    Row(
      #"name contains"#,
      #"""
      expected a value after `contains`, found the end
        name contains
                     ^
      """#),
    Row(
      #"name contains[x] "y""#,
      #"""
      expected `c` (ignore case) between the brackets, found `x`
        name contains[x] "y"
                      ^
      """#),
    Row(
      #"name contains[c "y""#,
      #"""
      expected `]` after `[c`, found `"y"`
        name contains[c "y"
                        ^
      """#),
    Row(
      #"name contains and"#,
      #"""
      expected a value after `contains`, found `and`
        name contains and
                      ^
      """#),
    Row(
      #"name beginswith 5"#,
      #"""
      expected text in quotes after `beginswith`
        name beginswith 5
                        ^
      """#),
    Row(
      #"name like gear"#,
      #"""
      expected text in quotes after `like`
        name like gear
                  ^
      """#),
    Row(
      #"name ==[c] "x""#,
      #"""
      expected a value, found `[`; did you mean lower(…) ==?
        name ==[c] "x"
               ^
      """#),
    Row(
      #"name == and"#,
      #"""
      expected a value after `==`, found `and`
        name == and
                ^
      """#),
    Row(
      #"in == 5"#,
      #"""
      expected a comparison, found `in`; did you mean the name `in` in backquotes?
        in == 5
        ^
      """#),
    Row(
      #"x is 5"#,
      #"""
      expected `null` or `not null` after `is`, found `5`
        x is 5
             ^
      """#),
    Row(
      #"x is nul"#,
      #"""
      expected `null` or `not null` after `is`, found `nul`; did you mean null?
        x is nul
             ^
      """#),
    Row(
      #"x between 1"#,
      #"""
      expected `and` between the two bounds, found the end
        x between 1
                   ^
      """#),
    Row(
      #"x between 1 or 5"#,
      #"""
      expected `and` between the two bounds, found `or`
        x between 1 or 5
                    ^
      """#),
    Row(
      #"x between 1 and"#,
      #"""
      expected the upper bound, found the end
        x between 1 and
                       ^
      """#),
    Row(
      #"x = 1.2.3"#,
      #"""
      a number has one decimal point
        x = 1.2.3
               ^
      """#),
    Row(
      #"x = 5."#,
      #"""
      expected a digit after the decimal point
        x = 5.
              ^
      """#),
    Row(
      #"x > - 5"#,
      #"""
      expected a number right after `-`; did you mean -5?
        x > - 5
              ^
      """#),
    Row(
      #"x > now - 30"#,
      #"""
      expected a duration such as `30d` (s, m, h, d, w)
        x > now - 30
                  ^
      """#),
    Row(
      #"x > now - 30y"#,
      #"""
      `30y` is neither a number nor a duration (s, m, h, d, w)
        x > now - 30y
                    ^
      """#),
    Row(
      #"x > now - 1.5h"#,
      #"""
      a duration is a whole number and a unit
        x > now - 1.5h
                  ^
      """#),
    Row(
      #"x > 30d"#,
      #"""
      a duration stands after `now` or `today`; did you mean now - 30d?
        x > 30d
            ^
      """#),
    Row(
      #"x > now - 99999999999999999999d"#,
      #"""
      this duration is too long
        x > now - 99999999999999999999d
                  ^
      """#),
    Row(
      #"x + 1 > 5"#,
      #"""
      expected a comparison such as `==` after `x`, found `+`
        x + 1 > 5
          ^
      """#),
    Row(
      #"a. == 1"#,
      #"""
      expected a name after `.`
        a. == 1
          ^
      """#),
    Row(
      #"tags[x] == 1"#,
      #"""
      expected the number of an element after `[`, as in `tags[0]`
        tags[x] == 1
             ^
      """#),
    Row(
      #"tags[0 == 1"#,
      #"""
      expected `]`
        tags[0 == 1
              ^
      """#),
    Row(
      #"1 == 1"#,
      #"""
      expected a name on one side of `==`
        1 == 1
        ^
      """#),
    Row(
      #""a" contains "b""#,
      #"""
      expected a name before `contains`
        "a" contains "b"
        ^
      """#),
    Row(
      #"5 is null"#,
      #"""
      expected a name before `is`
        5 is null
        ^
      """#),
    Row(
      #"lenght(x) == 5"#,
      #"""
      unknown function `lenght`; did you mean length?
        lenght(x) == 5
        ^
      """#),
    Row(
      #"length() == 5"#,
      #"""
      expected a name, found `)`
        length() == 5
               ^
      """#),
    Row(
      #"length(x == 5"#,
      #"""
      expected `)`, found `==`
        length(x == 5
                 ^
      """#),
    Row(
      #"length("abc") == 3"#,
      #"""
      expected a name, found `"abc"`
        length("abc") == 3
               ^
      """#),
    Row(
      #"exists("a")"#,
      #"""
      expected a name, found `"a"`
        exists("a")
               ^
      """#),
    Row(
      #"exists(a == 1"#,
      #"""
      expected `)`, found `==`
        exists(a == 1
                 ^
      """#),
    Row(
      #"exists(a) == true"#,
      #"""
      expected `and`, `or` or the end, found `==`
        exists(a) == true
                  ^
      """#),
    Row(
      #"a == exists(b)"#,
      #"""
      `exists` is a condition of its own and has no value to compare
        a == exists(b)
             ^
      """#),
    Row(
      #"date(x) == 1"#,
      #"""
      expected `,` and a format such as "%d %b %Y", found `)`
        date(x) == 1
              ^
      """#),
    Row(
      #"date(x, y) == 1"#,
      #"""
      expected a format in quotes such as "%d %b %Y", found `y`
        date(x, y) == 1
                ^
      """#),
    Row(
      #"any(any(x)) == 1"#,
      #"""
      expected the name of an array in `any`
        any(any(x)) == 1
            ^
      """#),
    Row(
      #"any(x) == any(y)"#,
      #"""
      expected one `any` or `all` in a comparison
        any(x) == any(y)
                  ^
      """#),
    Row(
      #"a in [any(b)]"#,
      #"""
      expected `any` on the left side
        a in [any(b)]
              ^
      """#),
    Row(
      #"a contains any(b)"#,
      #"""
      expected `any` on the left side
        a contains any(b)
                   ^
      """#),
    Row(
      #"name =~"#,
      #"""
      expected a regular expression after `=~`, as in `=~ /^a.*z$/`, found the end
        name =~
               ^
      """#),
    Row(
      #"name =~ /x"#,
      #"""
      this `/` is never closed
        name =~ /x
                ^
      """#),
    Row(
      #"a == 1; b == 2"#,
      #"""
      unexpected character `;`
        a == 1; b == 2
              ^
      """#),
    Row(
      #"a == #"#,
      #"""
      unexpected character `#`
        a == #
             ^
      """#),
    Row(
      #"a == 1 }"#,
      #"""
      this brace closes nothing
        a == 1 }
               ^
      """#),
    Row(
      #"x > a, b > 2"#,
      #"""
      expected `and`, `or` or the end, found `,`; did you mean and?
        x > a, b > 2
             ^
      """#),
    Row(
      #"x == 1\#tand\#ty"#,
      #"""
      expected a comparison such as `==` after `y`, found the end; did you mean y == true?
        x == 1 and y
                    ^
      """#),
    Row(
      #"größe => 5"#,
      #"""
      unknown operator `=>`; did you mean >=?
        größe => 5
              ^
      """#),
    Row(
      #"name == "a"b" and distance > 40000"#,
      #"""
      this quote is never closed
        name == "a"b" and distance > 40000
                    ^
      """#),
    Row(
      #"distance > 40000 and type == "Ride" and gear.name contains "trail" and startDate >= now - 30d and averageSpeed ! 5 and somethingElse == 17 and yetAnother == 4"#,
      #"""
      expected a comparison such as `==` after `averageSpeed`, found `!`
        …tartDate >= now - 30d and averageSpeed ! 5 and somethingElse == 17 and yet…
                                                ^
      """#),
    Row(
      #"x == 1 \#u{1B}[31m y"#,
      #"""
      unexpected character `?`
        x == 1 ?[31m y
               ^
      """#),
    Row(
      #"😀é == 1 x"#,
      #"""
      expected `and`, `or` or the end, found `x`
        😀é == 1 x
                ^
      """#),
  ]
}
