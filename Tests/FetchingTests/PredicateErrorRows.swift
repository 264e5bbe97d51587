// What is said about expressions that are no filter: the first half of the table of PredicateErrorTests.

extension PredicateErrorTests {
  static let firstRows: [Row] = [
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
  ]
}
