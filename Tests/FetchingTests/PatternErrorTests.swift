// What is refused as a regular expression, where and with which words.

import Fetching
import Testing

struct PatternErrorTests {
  private func failure(_ pattern: [UInt8]) -> PatternError? {
    do throws(PatternError) {
      _ = try Pattern(pattern, ignoresCase: false)
      return nil
    } catch {
      return error
    }
  }

  private static let count =
    "expected a count such as `{3}`, `{3,}` or `{3,5}`; the character itself is `\\{`"
  private static let backReference = "back-references are not supported, as they cannot be searched in linear time"

  @Test(
    arguments: [
      ("a(b", 1, "this group is never closed"),
      ("(?:", 0, "this group is never closed"),
      ("(?i", 0, "this group is never closed"),
      ("a)", 1, "this parenthesis closes nothing; the character itself is `\\)`"),
      ("é)b", 2, "this parenthesis closes nothing; the character itself is `\\)`"),
      ("*a", 0, "nothing to repeat before `*`; the character itself is `\\*`"),
      ("a|+", 2, "nothing to repeat before `+`; the character itself is `\\+`"),
      ("(?)", 0, nil),
      ("(?i)*", 4, "nothing to repeat before `*`; the character itself is `\\*`"),
      ("(*)", 1, "nothing to repeat before `*`; the character itself is `\\*`"),
      ("{2}", 0, "nothing to repeat before `{`; the character itself is `\\{`"),
      ("a**", 2, "`*` repeats a repetition; put what is before it in `(?:…)` if that is meant"),
      ("a*+", 2, "`+` repeats a repetition; put what is before it in `(?:…)` if that is meant"),
      ("a{2}{3}", 4, "`{3}` repeats a repetition; put what is before it in `(?:…)` if that is meant"),
      ("a??*", 3, "`*` repeats a repetition; put what is before it in `(?:…)` if that is meant"),
      ("a{", 1, count), ("a{x}", 1, count), ("a{,3}", 1, count), ("a{2", 1, count), ("a{2,x}", 1, count),
      ("a{-1}", 1, count),
      ("a{3,2}", 1, "`{3,2}` has its counts in the wrong order"),
      ("[a", 0, "this bracket is never closed"),
      ("x[]", 1, "this bracket is never closed"),
      ("x[^]", 1, "this bracket is never closed"),
      ("[z-a]", 1, "the range `z-a` is in the wrong order"),
      ("[\\d-z]", 1, "a range begins with one character, not with `\\d`"),
      ("[a-\\d]", 3, "a range ends with one character"),
      ("[a-[:digit:]]", 3, "a range ends with one character"),
      ("[\\b]", 1, "`\\b` has no meaning within brackets"),
      ("[\\A]", 1, "`\\A` has no meaning within brackets"),
      ("[[:alhpa:]]", 1, "unknown class `[:alhpa:]`, did you mean `[:alpha:]`?"),
      ("[[:foo:]]", 1, "unknown class `[:foo:]`"),
      ("[[:alpha]]", 1, "expected a class such as `[:alpha:]`; the character itself is `\\[`"),
      ("ab\\", 2, "nothing follows this `\\`; the character itself is `\\\\`"),
      ("\\y", 0, "unknown escape `\\y`"), ("a\\q", 1, "unknown escape `\\q`"), ("[\\y]", 1, "unknown escape `\\y`"),
      ("\\é", 0, "unknown escape `\\é`"), ("\\Q.\\E", 0, "unknown escape `\\Q`"),
      ("\\Z", 0, "unknown escape `\\Z`; the end of the text is `\\z`"),
      ("\\8", 0, backReference), ("(a)\\1", 3, backReference), ("(?P=a)", 0, backReference),
      ("\\k<a>", 0, backReference),
      ("\\012", 0, "octal escapes are not supported, write `\\x` and two hexadecimal digits"),
      ("\\x4", 0, "expected 2 hexadecimal digits after `\\x`, or any number in braces"),
      ("\\x{}", 0, "expected 2 hexadecimal digits after `\\x`, or any number in braces"),
      ("\\x{41", 0, "expected 2 hexadecimal digits after `\\x`, or any number in braces"),
      ("\\u12", 0, "expected 4 hexadecimal digits after `\\u`, or any number in braces"),
      ("\\x{110000}", 0, "`\\x{110000}` is no character"),
      ("\\x{D800}", 0, "`\\x{D800}` is no character"),
      ("\\x{FFFFFFFFFFFFFFFFFFFF}", 0, "`\\x{FFFFFFFFFFFFFFFFFFFF}` is no character"),
      ("\\pL", 0, "Unicode classes such as `\\p{L}` are not supported"),
      ("[\\P{Greek}]", 1, "Unicode classes such as `\\p{L}` are not supported"),
      ("a(?=b)", 1, "look-ahead is not supported, as it cannot be searched in linear time"),
      ("(?!b)", 0, "look-ahead is not supported, as it cannot be searched in linear time"),
      ("(?<=a)b", 0, "look-behind is not supported, as it cannot be searched in linear time"),
      ("(?<!a)b", 0, "look-behind is not supported, as it cannot be searched in linear time"),
      ("(?>a)", 0, "atomic groups are not supported"),
      ("(?#a)", 0, "comments in regular expressions are not supported"),
      ("(?(1)a)", 0, "conditions in regular expressions are not supported"),
      ("(?x)a", 2, "unknown flag `x`, expected `i`, `m`, `s`, `U`, `:` or `)`"),
      ("(?i-y:a)", 4, "unknown flag `y`, expected `i`, `m`, `s`, `U`, `:` or `)`"),
      ("(?<>a)", 3, "expected the name of a group and `>`"),
      ("(?P<a b>c)", 4, "expected the name of a group and `>`"),
      ("(a{1000}){1000}", 9, "with `{1000}` this regular expression needs more than 10 MiB"),
      ("a{999999999}", 1, "with `{999999999}` this regular expression needs more than 10 MiB"),
      (
        "a{99999999999999999999999}", 1,
        "with `{99999999999999999999999}` this regular expression needs more than 10 MiB"
      ),
      ("((((a{100}){100}){100}){100}){100}", 17, "with `{100}` this regular expression needs more than 10 MiB"),
      ("(?:){999999999}", 4, "with `{999999999}` this regular expression needs more than 10 MiB"),
      ("(?:a{0}){999999999}", 8, "with `{999999999}` this regular expression needs more than 10 MiB"),
      (".{9999}.{9999}", 0, nil),
    ] as [(String, Int, String?)])
  func isRefused(pattern: String, offset: Int, reason: String?) {
    let found = failure(Array(pattern.utf8))
    if let reason {
      #expect(found == PatternError(offset: offset, reason: reason), "\(pattern): \(String(describing: found))")
    } else if pattern == "(?)" {
      #expect(found == nil)
    } else {
      #expect(found?.reason.contains("10 MiB") == true)
    }
  }

  @Test func bytesThatAreNoTextAreRefused() {
    #expect(failure([0x61, 0xFF])?.offset == 1)
    #expect(failure([0xC3, 0xA9, 0xC3])?.reason == "a regular expression must be UTF-8")
  }

  @Test func depthIsBounded() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "(a|", count: depth) + "b" + String(repeating: ")*", count: depth)).utf8)
    }
    #expect(failure(nested(250)) == nil)
    #expect(
      failure(nested(251))
        == PatternError(
          offset: 750, reason: "nested too deeply: more than 250 groups within one another"))
    #expect(
      failure(Array(String(repeating: "(", count: 1_000_000).utf8))?.reason.hasPrefix("nested too deeply") == true)
  }

  @Test func manyPatternsAtTheLimitAreAccepted() {
    for pattern in ["a{10000}", "(a{100}){100}", "[^a]{1000}", "\\w{1000}", "(?i)[à-ü]{500}"] {
      #expect(failure(Array(pattern.utf8)) == nil, "\(pattern)")
    }
  }
}
