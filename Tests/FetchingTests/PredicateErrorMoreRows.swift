// What is said about expressions that are no filter: the second half of the table of PredicateErrorTests.

extension PredicateErrorTests {
  static let furtherRows: [Row] = [
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
