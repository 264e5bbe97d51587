// Which fields a filter asks for, and what it has to say after a run.

import Fetching
import Reading
import Testing

struct PredicateFieldsTests {
  private func predicate(_ source: String) throws -> Predicate { try Predicate(parsing: source, now: predicateNow) }

  @Test func fieldsAreDistinctAndInOrder() throws {
    let filter = try predicate(#"b > 1 and a.c[0] == "x" and `a.c[0]` < b and 5 < length(d) and b in [e, 1]"#)
    #expect(filter.fields.map(\.description) == ["b", "a.c[0]", "a.c[0]", "d", "e"])
    #expect(filter.fields[1].path == [.member(Array("a".utf8)), .member(Array("c".utf8)), .element(0)])
    #expect(filter.fields[2].path.isEmpty)
    #expect(filter.mayBeAbsent == [false, false, false, false, false])
  }

  @Test func fieldsAskedForNullMayBeAbsent() throws {
    let filter = try predicate(
      "exists(a) and b is not null and null != c and d == null and e > 1 and exists(e) and f in [null]")
    #expect(filter.fields.map(\.description) == ["a", "b", "c", "d", "e", "f"])
    #expect(filter.mayBeAbsent == [true, true, true, true, false, false])
    let both = try predicate("exists(a)").combined(with: predicate("a > 1 and exists(b)"))
    #expect(both.fields.map(\.description) == ["a", "b"])
    #expect(both.mayBeAbsent == [false, true])
  }

  private func notes(_ source: String, _ records: [String]) throws -> [String] {
    let filter = try predicate(source)
    var first = PredicateProgram(filter)
    var second = first
    for (index, record) in records.enumerated() {
      if index.isMultiple(of: 2) {
        _ = first.evaluate(filter, PredicateRecord(record))
      } else {
        _ = second.evaluate(filter, PredicateRecord(record))
      }
    }
    first.addCounts(of: second)
    return first.notes()
  }

  @Test func comparisonsThatNeverMetTheirKindAreNoted() throws {
    let text = #"{"distance":"5"}"#
    #expect(
      try notes("distance > 5", [text, text, text])
        == ["`distance > 5` was false in all 3 records because distance is text"])
    #expect(
      try notes("a == 1 or  5 < distance", [text])
        == ["`5 < distance` was false in the one record because distance is text"])
    #expect(
      try notes("distance > 5", [text, #"{"distance":true}"#, "{}", #"{"distance":[1]}"#])
        == ["`distance > 5` was false in all 4 records because distance is a boolean, text or an array"])
    #expect(try notes("distance > 5", [text, #"{"distance":4}"#]) == [])
    #expect(
      try notes(#"zip != "1""#, [#"{"zip":1}"#, #"{"zip":2}"#])
        == [#"`zip != "1"` was true in all 2 records because zip is a number"#])
    #expect(
      try notes("day between '2024-01-01' and '2024-12-31'", ["day=01.02.2024", "day=02.02.2024"])
        == ["`day between '2024-01-01' and '2024-12-31'` was false in all 2 records because day is text"])
    #expect(
      try notes("zip in ['1', '2']", [#"{"zip":1}"#, #"{"zip":null}"#])
        == ["`zip in ['1', '2']` was false in all 2 records because zip is a number or null"])
    #expect(try notes("zip in ['1', 2]", [#"{"zip":1}"#]) == [])
    #expect(
      try notes("length(a) == 1 and a < b", [#"{"a":1,"b":2}"#])
        == ["`length(a) == 1` was false in the one record because a is a number"])
    #expect(
      try notes("a < b", [#"{"a":1,"b":"x"}"#])
        == ["`a < b` was false in the one record because the two are of different kinds"])
    #expect(
      try notes("any(tags) == 'x'", ["tags=x"]) == [
        "`any(tags) == 'x'` was false in the one record because tags is text"
      ])
  }

  @Test func nothingIsNotedOfMissingFieldsAndQuestionsForNull() throws {
    #expect(try notes("distance > 5", ["{}", "{}"]) == [])
    #expect(try notes("distance is null or exists(distance)", ["{}", #"{"distance":1}"#]) == [])
    #expect(try notes("a == b", ["{}", "{}"]) == [])
  }
}
