// What patterns match: tables of (pattern, text, whether it is found) and of where the first match is.

import Fetching
import TestSupport
import Testing

func isFound(_ pattern: String, _ text: String, ignoresCase: Bool = false, tableLimit: Int = 1 << 20) throws -> Bool {
  try isFound(pattern, bytes: Array(text.utf8), ignoresCase: ignoresCase, tableLimit: tableLimit)
}

func isFound(
  _ pattern: String, bytes: [UInt8], ignoresCase: Bool = false, tableLimit: Int = 1 << 20
) throws -> Bool {
  let compiled = try Pattern(Array(pattern.utf8), ignoresCase: ignoresCase)
  var matcher = PatternMatcher(compiled, tableLimit: tableLimit)
  let first = matcher.matches(bytes.span, in: 0..<bytes.count)
  // A warm matcher, with other bytes around, says the same.
  let padded = Array("éx\n".utf8) + bytes + Array("y\n".utf8)
  let again = matcher.matches(padded.span, in: 4..<(4 + bytes.count))
  #expect(again == first, "warm: \(pattern) on \(bytes)")
  return first
}

private typealias Row = (pattern: String, found: [String], notFound: [String])

struct PatternTests {
  private func check(_ rows: [Row], ignoresCase: Bool = false) throws {
    for row in rows {
      for text in row.found {
        #expect(try isFound(row.pattern, text, ignoresCase: ignoresCase), "\(row.pattern) in \(text.debugDescription)")
      }
      for text in row.notFound {
        #expect(
          try !isFound(row.pattern, text, ignoresCase: ignoresCase), "\(row.pattern) not in \(text.debugDescription)")
      }
    }
  }

  @Test func literals() throws {
    try check([
      ("", ["", "a", "é"], []),
      ("a", ["a", "ba", "ab", "éa"], ["", "b", "A"]),
      ("abc", ["abc", "xxabcxx", "ababc", "aabc"], ["ab", "abd", "ABC", "ac bc"]),
      ("é", ["é", "café"], ["e", "e\u{301}", "É"]),
      ("日本", ["日本語", "x日本"], ["日x本", "本日"]),
      ("😀", ["a😀b"], ["😁", ""]),
      ("]", ["]"], ["["]),
      ("}", ["a}"], ["{"]),
      ("a b", ["a b"], ["ab"]),
      ("\"", ["say \"x\""], ["say x"]),
      ("aab", ["aaab", "aaaaab"], ["aba"]),
    ])
  }

  @Test func dots() throws {
    try check([
      (".", ["a", "é", "😀", " ", "\r", "\0"], ["", "\n"]),
      ("^.$", ["a", "é", "日", "😀"], ["ab", "éa", "\n", "e\u{301}"]),
      ("^..$", ["ab", "e\u{301}", "é😀"], ["é", "a\nb"]),
      ("a.c", ["abc", "aéc", "a.c"], ["ac", "a\nc"]),
      ("(?s)a.c", ["a\nc", "abc"], ["ac"]),
      ("(?s:a.)b.c", ["a\nbxc"], ["a\nb\nc"]),
      ("a.*z", ["az", "abcz", "xazx"], ["a\nz", "za"]),
      ("^.{3}$", ["日本語", "abc"], ["日本", "abcd"]),
    ])
  }

  @Test func choicesAndGroups() throws {
    try check([
      ("a|b", ["a", "b", "xb"], ["c", ""]),
      ("ab|cd|ef", ["ab", "xcdx", "ef"], ["ac", "bd", "ae"]),
      ("a|", ["a", "", "b"], []),
      ("|a", ["a", "", "b"], []),
      ("x(|a)y", ["xy", "xay"], ["xby"]),
      ("()", ["", "a"], []),
      ("x(?:a|b)y", ["xay", "xby"], ["xy", "xaby"]),
      ("(a(b(c)))d", ["abcd"], ["abc", "acd"]),
      ("^(Run|Hike|Ride)$", ["Run", "Hike", "Ride"], ["Runs", "run", "Run Hike"]),
      ("^(?:a|ab)(?:c|bcd)$", ["ac", "abc", "abcd", "abbcd"], ["abcdx", "a"]),
      ("(?P<year>\\d{4})-(?<month>\\d\\d)", ["2024-06"], ["24-06"]),
      ("gr(a|e)y", ["gray", "grey"], ["groy"]),
    ])
  }

  @Test func repetitions() throws {
    try check([
      ("^a*$", ["", "a", "aaaa"], ["b", "aab"]),
      ("^a+$", ["a", "aaaa"], ["", "aab"]),
      ("^a?$", ["", "a"], ["aa", "b"]),
      ("^a{3}$", ["aaa"], ["aa", "aaaa"]),
      ("^a{2,}$", ["aa", "aaaaa"], ["a", ""]),
      ("^a{2,4}$", ["aa", "aaa", "aaaa"], ["a", "aaaaa"]),
      ("^a{0}b$", ["b"], ["ab"]),
      ("^a{0,1}b$", ["b", "ab"], ["aab"]),
      ("^a{1}$", ["a"], ["aa", ""]),
      ("^(ab){2}$", ["abab"], ["ab", "ababab"]),
      ("^(ab)*c$", ["c", "abc", "ababc"], ["ac", "abac"]),
      ("^(?:a|b)+c$", ["ac", "babac"], ["c", "adc"]),
      ("^a*?$", ["", "aa"], ["b"]),
      ("^a+?b??c{1,2}?$", ["ac", "aabcc"], ["bc", "aabbcc"]),
      ("^(a*)*$", ["", "aaa"], ["b"]),
      ("^(a*)+b$", ["b", "aab"], ["aa"]),
      ("^(a|b*)*c$", ["c", "abbac"], ["abd"]),
      ("^(|a)+$", ["", "aa"], ["b"]),
      ("^(a?){3}$", ["", "a", "aaa"], ["aaaa"]),
      ("^(?:é|ü){2}$", ["éü", "üü"], ["é", "éa"]),
      ("^*a", ["a", "ba"], ["b"]),
      ("ab+c", ["abc", "abbbc"], ["ac"]),
      ("colou?r", ["color", "colour"], ["colouur"]),
      ("(?U)^a+$", ["aa"], ["ab"]),
    ])
  }

  @Test func anchors() throws {
    try check([
      ("^", ["", "a"], []),
      ("$", ["", "a", "a\n"], []),
      ("^$", [""], ["a", "\n"]),
      ("^a", ["a", "ab"], ["ba", "b\na"]),
      ("a$", ["a", "ba"], ["ab", "a\n", "a\nb"]),
      ("\\Aa\\z", ["a"], ["ab", "ba", "a\n"]),
      ("(?m)^a", ["a", "b\na"], ["ba"]),
      ("(?m)a$", ["a", "a\nb", "a\n"], ["ab"]),
      ("(?m)^$", ["", "a\n", "\na", "a\n\nb"], ["a", "a\nb"]),
      ("(?m)^b$", ["a\nb\nc", "b"], ["a\nbc", "ab\nc"]),
      ("(?m)\\Ab", ["b"], ["a\nb"]),
      ("a^b", [], ["ab", "a^b", "a\nb"]),
      ("a$b", [], ["ab", "a\nb"]),
      ("(^a|b)c", ["ac", "xbc"], ["xac"]),
      ("(a|b$)", ["ab", "xb", "ax"], ["bx"]),
      ("(?m)a\n^b", ["a\nb"], ["ab"]),
      ("(^|,)x(,|$)", ["x", "a,x", "x,a", "a,x,b"], ["ax", "xa", ""]),
      ("^^a$$", ["a"], ["aa"]),
      ("(?:^)+a", ["a"], ["ba"]),
      ("(?:$)*", ["", "a"], []),
      ("é$", ["aé"], ["éa"]),
    ])
  }

  @Test func wordBoundaries() throws {
    try check([
      ("\\bcat\\b", ["cat", "a cat.", "cat-dog", "(cat)"], ["cats", "concat", "cat_", "cat1"]),
      ("\\Bcat", ["concat"], ["cat", "a cat"]),
      ("cat\\B", ["cats"], ["cat", "cat s"]),
      ("\\b", ["a", " a", "é a"], ["", " ", "é", "--"]),
      ("\\B", ["", " ", "é", "ab", "--"], ["a"]),
      ("a\\b", ["a", "a b", "aé"], ["ab"]),
      ("\\ba", ["a", "éa", " a"], ["ba"]),
      ("^\\Bé\\B$", ["é"], []),
      ("\\b\\b\\ba\\b\\b", ["a"], ["ab"]),
      ("\\b^a", ["a"], [" a", "ba"]),
      ("a\\b$", ["a"], ["a ", "ab"]),
      ("a(?:\\b|b)c", ["abc"], ["ac"]),
      ("(?:\\b|x)*-", ["a-", "-"], ["a"]),
      ("x*\\b", ["x"], ["", " "]),
      // No place in the midst of a code point is one.
      ("[a-z]\\B\\B", ["ab"], ["aéb", "a"]),
    ])
    #expect(try !isFound("a\\B.\\Bb", "aéb"))
  }

  @Test func classes() throws {
    try check([
      ("^[abc]$", ["a", "b", "c"], ["d", "", "ab"]),
      ("^[^abc]$", ["d", "é", "\n", "😀"], ["a", ""]),
      ("^[a-c]$", ["a", "b", "c"], ["d", "A"]),
      ("^[a-cx-z]$", ["b", "y"], ["d", "-"]),
      ("^[]a]$", ["]", "a"], ["b"]),
      ("^[^]a]$", ["b"], ["]", "a"]),
      ("^[a-]$", ["a", "-"], ["b"]),
      ("^[-a]$", ["a", "-"], ["b"]),
      ("^[a\\-c]$", ["a", "-", "c"], ["b"]),
      ("^[\\]]$", ["]"], ["\\"]),
      ("^[\\\\]$", ["\\"], ["]"]),
      ("^[.*+?]$", [".", "*", "+", "?"], ["a"]),
      ("^[a^]$", ["a", "^"], ["b"]),
      ("^[[]$", ["["], ["]"]),
      ("^[\\d]$", ["0", "9"], ["a", "٣"]),
      ("^[\\D]$", ["a", "٣"], ["1"]),
      ("^[^\\D]$", ["1"], ["a"]),
      ("^[\\w.-]+$", ["a-b.c_1"], ["a b", "é"]),
      ("^[\\d-]+$", ["2024-06"], ["a"]),
      ("^[[:alpha:]]+$", ["aZ"], ["a1", "é"]),
      ("^[[:^alpha:]]+$", ["1é "], ["a"]),
      ("^[[:digit:][:upper:]_]+$", ["A1_"], ["a"]),
      ("^[^[:space:]]+$", ["ab"], ["a b", "\u{0B}"]),
      ("^[[:punct:]]$", ["!", "~", "[", "_"], ["a", " "]),
      ("^[[:xdigit:]]+$", ["09afAF"], ["g"]),
      ("^[[:alnum:]]$", ["a", "1"], ["_"]),
      ("^[[:word:]]$", ["_"], ["-"]),
      ("^[[:blank:]]$", [" ", "\t"], ["\n"]),
      ("^[[:cntrl:]]$", ["\u{1}", "\u{7F}"], ["a"]),
      ("^[[:print:]]$", ["a", " "], ["\t"]),
      ("^[[:graph:]]$", ["a"], [" "]),
      ("^[[:lower:]]$", ["a"], ["A"]),
      ("^[[:ascii:]]$", ["\u{0}", "~"], ["é"]),
      ("^[à-ü]$", ["à", "é", "ü"], ["ý", "a", "ß"]),
      ("^[α-ω]+$", ["αβγω"], ["a", "Α"]),
      ("^[一-鿿]+$", ["日本"], ["あ"]),
      ("^[\u{1F600}-\u{1F64F}]$", ["😀"], ["🚀"]),
      ("^[\\x{0}-\\x{10FFFF}]$", ["a", "é", "日", "😀", "\n"], ["", "ab"]),
      ("[^\\x00-\\x{10FFFF}]", [], ["", "a", "é"]),
      ("x[^\\x00-\\x{10FFFF}]|y", ["y"], ["x", "xa"]),
      ("^[\\x{7F}-\\x{800}]$", ["\u{7F}", "\u{80}", "\u{7FF}", "\u{800}"], ["~", "\u{801}"]),
      ("^[\\x{D7FF}-\\x{E000}]$", ["\u{D7FF}", "\u{E000}"], ["\u{D7FE}", "\u{E001}"]),
      ("^[\\x{FFF0}-\\x{10010}]$", ["\u{FFF0}", "\u{FFFF}", "\u{10000}", "\u{10010}"], ["\u{FFEF}", "\u{10011}"]),
      ("^[\\n\\t]$", ["\n", "\t"], ["n", "t"]),
      ("[é-é]", ["é"], ["è"]),
    ])
  }

  @Test func escapes() throws {
    try check([
      ("^\\d+$", ["0123456789"], ["٣", "a", ""]),
      ("^\\D$", ["a", "é", "٣"], ["5"]),
      ("^\\w+$", ["aZ_09"], ["é", "-"]),
      ("^\\W$", ["é", "-", " "], ["a", "_"]),
      ("^\\s+$", [" \t\n\r\u{0C}"], ["\u{0B}", "\u{A0}", "a"]),
      ("^\\S$", ["a", "é", "\u{A0}"], [" ", "\n"]),
      ("^\\.$", ["."], ["a"]),
      ("^\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\^\\$\\\\\\/$", ["*+?()[]{}|^$\\/"], [""]),
      ("^\\n\\t\\r\\f\\v\\a$", ["\n\t\r\u{0C}\u{0B}\u{07}"], ["ntrfva"]),
      ("^\\0$", ["\0"], ["0"]),
      ("^\\x41\\x7a$", ["Az"], ["az"]),
      ("^\\xe9$", ["é"], ["e9"]),
      ("^\\x{e9}\\x{1F600}$", ["é😀"], []),
      ("^\\u00e9\\u{1f600}$", ["é😀"], []),
      ("^\\-\\_\\#\\&\\~\\\"\\'\\,\\;\\:\\<\\>\\=\\@\\!\\%\\`\\ $", ["-_#&~\"',;:<>=@!%` "], []),
      ("\\d{4}-\\d{2}-\\d{2}", ["on 2024-06-01."], ["2024-6-1"]),
    ])
  }

  @Test func ignoringCase() throws {
    try check([
      ("(?i)abc", ["abc", "ABC", "xAbCx"], ["ab"]),
      ("a(?i)b", ["ab", "aB"], ["Ab"]),
      ("a(?i:b)c", ["abc", "aBc"], ["aBC", "Abc"]),
      ("(a(?i)b)c", ["aBc"], ["aBC"]),
      ("(?i)a(?-i)b", ["Ab", "ab"], ["aB"]),
      ("(?i:a|b)c", ["Ac", "Bc"], ["AC"]),
      ("(?is)a.b", ["A\nB"], ["ab"]),
      ("(?i-s)a.b", ["AxB"], ["A\nB"]),
    ])
    try check(
      [
        ("^[a-c]$", ["A", "b"], ["d"]),
        ("^[^a-c]$", ["d", "D"], ["A", "b"]),
        ("^é$", ["é", "É"], ["e"]),
        ("^ÉCOLE$", ["école"], ["ecole"]),
        ("^σ$", ["σ", "Σ", "ς"], ["s"]),
        ("^[α-ω]+$", ["ΑΒΓ", "ς"], ["ABC"]),
        ("^я$", ["Я"], []),
        ("^\u{10428}$", ["\u{10400}"], []),
        ("^k$", ["K", "k", "\u{212A}"], ["s"]),
        ("^s$", ["S", "\u{17F}"], ["ß"]),
        ("^\u{212A}$", ["k", "K"], []),
        ("^\u{17F}$", ["s", "S"], []),
        ("^[h-l]$", ["\u{212A}", "K"], []),
        ("^å$", ["Å", "\u{212B}"], ["a"]),
        ("^ß$", ["ß", "\u{1E9E}"], ["ss"]),
        ("^ǆ$", ["ǅ", "Ǆ"], []),
        ("^[[:upper:]]$", ["a", "A"], ["1"]),
        ("^[[:^upper:]]$", ["1"], ["a", "A"]),
        ("^\\w$", ["K"], ["\u{212A}", "\u{17F}"]),
        ("^\\W$", ["\u{212A}"], ["k", "K", "s"]),
        ("^[\\W]$", ["\u{212A}"], ["k", "K", "s"]),
        ("^\\x41$", ["a", "A"], []),
        ("trail", ["Trail run", "TRAIL"], ["trial"]),
        ("日", ["日"], []),
        ("1-2", ["1-2"], ["1=2"]),
      ], ignoresCase: true)
  }

  @Test func damagedTextMatchesNothingAndIsSkipped() throws {
    let rows: [(String, [UInt8], Bool)] = [
      (".", [0xFF], false), (".", [0x80], false), (".", [0xC3], false), (".", [0xE6, 0x97], false),
      (".", [0xFF, 0x61], true), ("^.", [0xFF, 0x61], false), ("a.b", [0x61, 0xFF, 0x62], false),
      ("a", [0xC3, 0x61], true), ("[^a]", [0xFF], false), ("\\W", [0xFF], false), ("é", [0xC3, 0xC3, 0xA9], true),
      // Too long an encoding, a surrogate, beyond the last code point.
      (".", [0xC0, 0x80], false), (".", [0xE0, 0x80, 0x80], false), (".", [0xED, 0xA0, 0x80], false),
      (".", [0xF4, 0x90, 0x80, 0x80], false), ("\\bx\\b", [0xFF, 0x78, 0xFE], true), ("", [0xFF], true),
      ("^$", [0xFF], false), ("a$", [0x61, 0xBF], false), ("日", [0xE6, 0x97, 0xE6, 0x97, 0xA5], true),
    ]
    for (pattern, bytes, expected) in rows {
      #expect(try isFound(pattern, bytes: bytes) == expected, "\(pattern) on \(bytes)")
    }
  }

  @Test func firstMatchIsLeftmostAndThenPreferred() throws {
    let rows: [(pattern: String, text: String, expected: Range<Int>?)] = [
      ("a", "bab", 1..<2), ("abcd|c", "abcd", 0..<4), ("a|ab", "ab", 0..<1), ("ab|a", "ab", 0..<2),
      ("a*", "aaa", 0..<3), ("a*?", "aaa", 0..<0), ("a+?", "aaa", 0..<1), ("a{2,3}", "aaaa", 0..<3),
      ("a{2,3}?", "aaaa", 0..<2), ("(?U)a+", "aaa", 0..<1), ("(?U)a+?", "aaa", 0..<3), ("b*", "abb", 0..<0),
      ("b+", "abbc", 1..<3), ("é", "aéb", 1..<3), (".", "éa", 0..<2), ("$", "ab", 2..<2), ("\\b", " ab", 1..<1),
      ("\\bb", "ab b", 3..<4), ("\".*\"", "x\"a\"b\"y", 1..<6), ("\".*?\"", "x\"a\"b\"y", 1..<4),
      ("x", "abc", nil), ("(?i)trail", "my TRAIL", 3..<8), ("\\d+", "ab123c45", 2..<5), ("", "ab", 0..<0),
      ("(|a)*", "aa", 0..<0), ("(a|)*", "aa", 0..<2), ("(?:aa|a)(?:b|ab)", "aab", 0..<3), ("c$", "cac", 2..<3),
      ("^a|b", "ba", 0..<1), ("lmn", "klmlmn", 3..<6),
    ]
    for row in rows {
      let text = Array(row.text.utf8)
      var matcher = PatternMatcher(try Pattern(Array(row.pattern.utf8), ignoresCase: false))
      let found = matcher.firstMatch(text.span, in: 0..<text.count)
      #expect(found == row.expected, "\(row.pattern) in \(row.text)")
      let moved = Array("é ".utf8) + text
      let expected = row.expected.map { ($0.lowerBound + 3)..<($0.upperBound + 3) }
      let foundMoved = matcher.firstMatch(moved.span, in: 3..<moved.count)
      #expect(foundMoved == expected, "\(row.pattern) in \(row.text), moved")
    }
  }

  @Test func furtherMatchesSeeWhatStandsBeforeThem() throws {
    let rows: [(pattern: String, text: String, expected: [Range<Int>])] = [
      ("a", "abaa", [0..<1, 2..<3, 3..<4]), ("^a", "aaa", [0..<1]), ("\\ba", "aa a", [0..<1, 3..<4]),
      ("aba", "ababa", [0..<3]), ("", "éa", [0..<0, 2..<2, 3..<3]), ("a*", "baac", [0..<0, 1..<3, 3..<3, 4..<4]),
      ("(?m)^.", "a\nb", [0..<1, 2..<3]), ("x$", "xx", [1..<2]), ("é+", "ééaé", [0..<4, 5..<7]),
    ]
    for row in rows {
      let text = Array("x\(row.text)x".utf8)
      var matcher = PatternMatcher(try Pattern(Array(row.pattern.utf8), ignoresCase: false))
      var found: [Range<Int>] = []
      var start = 1
      while let match = matcher.firstMatch(text.span, in: 1..<(text.count - 1), from: start) {
        found.append((match.lowerBound - 1)..<(match.upperBound - 1))
        start = match.isEmpty ? match.upperBound + 1 : match.upperBound
      }
      #expect(found == row.expected, "\(row.pattern) in \(row.text)")
    }
  }
}
