// The arguments of --sort and --columns, and suggestions for names that are not there.

import Reading
import Testing

@testable import Fetching

private func key(
  _ name: String, _ order: SortOrder = .forward, _ kind: SortKind = .auto, nocase: Bool = false,
  nulls: NullOrder = .last, quoted: Bool = false
) -> SortDescriptor {
  var descriptor = SortDescriptor(FieldName(name, isQuoted: quoted), order: order)
  descriptor.kind = kind
  descriptor.ignoresCase = nocase
  descriptor.nulls = nulls
  return descriptor
}

@Suite struct SortGrammarTests {
  static let readings: [(String, [String]?, [SortDescriptor])] = [
    ("a", nil, [key("a")]),
    ("a:desc", nil, [key("a", .reverse)]),
    ("a:desc:number:nulls-first,b", nil, [key("a", .reverse, .number, nulls: .first), key("b")]),
    ("a:nocase:text:asc", nil, [key("a", .forward, .text, nocase: true)]),
    (" a : desc , b ", nil, [key("a", .reverse), key("b")]),
    ("Start Time:desc", nil, [key("Start Time", .reverse)]),
    ("{Start Time}:desc,`a:b,c`", nil, [key("Start Time", .reverse, quoted: true), key("a:b,c", quoted: true)]),
    ("{a.b}", nil, [key("a.b", quoted: true)]),
    ("gear.name,tags[-1]:desc", nil, [key("gear.name"), key("tags[-1]", .reverse)]),
    (
      "d:date(%b %d, %Y, %I:%M:%S %p):desc,e", nil,
      [key("d", .reverse, .dateFormat("%b %d, %Y, %I:%M:%S %p")), key("e")]
    ),
    ("d:date((%d))", nil, [key("d", .forward, .dateFormat("(%d)"))]),
    ("time:desc", ["time", "time:desc"], [key("time:desc")]),
    ("time:desc:desc", ["time", "time:desc"], [key("time:desc", .reverse)]),
    ("Last, First:desc,id", ["Last, First", "id", "Last"], [key("Last, First", .reverse), key("id")]),
    ("Last,First", ["Last, First", "Last", "First"], [key("Last"), key("First")]),
    ("Last:desc, First", ["Last", "First"], [key("Last", .reverse), key("First")]),
    ("{a}", ["{a}", "a"], [key("{a}")]),
    (" a", [" a", "a"], [key(" a")]),
    ("gone:desc", ["a"], [key("gone", .reverse)]),
  ]

  @Test(arguments: readings.indices) func reads(index: Int) throws {
    let (argument, columns, expected) = Self.readings[index]
    #expect(try SortGrammar.parse(argument, columns: columns) == expected)
  }

  @Test(arguments: [
    ("", SortError.emptyName), ("a,", .emptyName), (",a", .emptyName), (":desc", .emptyName), ("{}", .emptyName),
    ("{a", .unclosed("{")), ("`a", .unclosed("`")), ("{a}b", .unexpected("b")),
    ("a:descending", .unknownModifier("descending", nearest: "desc")),
    ("a:numbr", .unknownModifier("numbr", nearest: "number")), ("a:DESC", .unknownModifier("DESC", nearest: "desc")),
    ("a:natrual", .unknownModifier("natrual", nearest: "natural")), ("a:", .unknownModifier("", nearest: nil)),
    ("a:xyzzy", .unknownModifier("xyzzy", nearest: nil)),
    ("a:null-first", .unknownModifier("null-first", nearest: "nulls-first")),
    ("a:asc:desc", .conflict("asc", "desc")), ("a:text:number", .conflict("text", "number")),
    ("a:nocase:nocase", .conflict("nocase", "nocase")),
    ("a:nulls-last:nulls-first", .conflict("nulls-last", "nulls-first")),
    ("a:date()", .emptyFormat), ("a:date(%Y", .unknownModifier("date(%Y", nearest: "date")),
  ]) func refuses(argument: String, expected: SortError) {
    #expect(throws: expected) { try SortGrammar.parse(argument, columns: nil) }
    #expect(!expected.message.hasSuffix("."))
  }

  @Test func readsColumns() throws {
    #expect(
      try ColumnGrammar.parse("a, gear.*,{x,y},*,t:desc", columns: nil)
        == [
          .name(FieldName("a")), .group(Array("gear".utf8)), .name(FieldName("x,y", isQuoted: true)), .group([]),
          .name(FieldName("t:desc")),
        ])
    #expect(
      try ColumnGrammar.parse("Last, First,gear.*", columns: ["Last, First", "gear.*"])
        == [.name(FieldName("Last, First")), .name(FieldName("gear.*"))])
    #expect(throws: SortError.emptyName) { try ColumnGrammar.parse("a,,b", columns: nil) }
  }

  @Test func describesKeysAsTheyCanBeGiven() throws {
    for descriptor in [
      key("a"), key("a.b"), key("a.b", quoted: true),
      key("x y", .reverse, .natural, nocase: true, nulls: .first, quoted: true),
      key("a:b", .reverse, .dateFormat("%d, %H:%M"), quoted: true), key("a}b", quoted: true),
    ] {
      #expect(try SortGrammar.parse(descriptor.description, columns: nil) == [descriptor])
    }
  }

  /// Paths with other signs in them were quoted, and so no paths any more; a parenthesis left open in a format took in the
  /// modifiers after it (both found by fuzzing).
  @Test(arguments: [
    "start time.hour", "gear.*", "a b[0]:desc", "{a.b c}", "a}`b", "a.b}`c", "a:nocase:date((%d)",
    "a:date(%d))",
    "a.:desc", "{a`b}",
  ])
  func describesWhatWasRead(argument: String) throws {
    let read = try SortGrammar.parse(argument, columns: nil)
    #expect(try read.map { try SortGrammar.parse($0.description, columns: nil) } == read.map { [$0] })
  }

  @Test func findsNearestNames() {
    func nearest(_ name: String, _ names: [String]) -> [String] {
      NearestNames.find(Array(name.utf8), among: names.map { Array($0.utf8) }).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    let names = ["startDate", "distance", "Distance", "elapsedTime", "movingTime", "id", "name"]
    #expect(nearest("distanse", names) == ["distance", "Distance"])
    #expect(nearest("DISTANCE", names) == ["distance", "Distance"])
    #expect(nearest("start_date", names) == ["startDate"])
    #expect(nearest("naem", names) == ["name"])
    #expect(nearest("start", names) == ["startDate"])
    #expect(nearest("dsc", ["asc", "desc"]) == ["desc", "asc"])
    #expect(nearest("zzz", names).isEmpty)
    #expect(nearest("x", names).isEmpty)
    #expect(nearest("", names).isEmpty)
  }
}
