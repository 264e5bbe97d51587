// Delimiters and names: what a file's first record says about the rest.

import Reading
import Testing

@Suite struct CSVHeaderTests {
  @Test(arguments: [
    ("a,b\n", ","), ("a;b;c,d\n", ";"), ("a\tb,c\td\n", "\t"), ("a|b\n", "|"), ("a,b;c\n", ","), ("city\nx;y\n", ","),
    ("", ","),
    ("\n\r\na;b\n", ";"), ("\"a,b,c\";d\n", ";"), ("\"a\"\"b,c,d\";\"e\nf\";g\n", ";"), ("it\"s;a,b\";c\n", ";"),
  ]) func delimiterIsTheOneThatStandsMostOften(header: String, expected: String) {
    let bytes = Array(header.utf8)
    #expect(Dialect.detect(header: bytes.span, isFinal: true)?.delimiter == expected.utf8.first)
  }

  @Test func aDelimiterIsNotGuessedFromHalfAHeader() {
    let bytes = Array("a,b;c".utf8)
    #expect(Dialect.detect(header: bytes.span, isFinal: false) == nil)
  }

  @Test func namesAreDecodedAndMadeDistinct() {
    let header = CSVHeader(["qty", "", "qty", "qty_2", "c2", "qty", ""].map { Array($0.utf8) })
    #expect(texts(header.names) == ["qty", "c2", "qty", "qty_2", "c2", "qty", "c7"])
    #expect(texts(header.distinctNames) == ["qty", "c2_2", "qty_3", "qty_2", "c2", "qty_4", "c7"])
    #expect(header.index(of: Array("qty".utf8)) == 0)
    #expect(header.index(of: Array("qty_2".utf8)) == 3)
    #expect(header.index(of: Array("qty_4".utf8)) == 5)
    #expect(header.index(of: Array("c2".utf8)) == 4)
    #expect(header.index(of: Array("c7".utf8)) == 6)
    #expect(header.index(of: Array("qty_5".utf8)) == nil)
  }

  @Test func anExtraCellHasANameOfItsOwn() {
    let header = CSVHeader(["c4", "b", "c5", "c5_2"].map { Array($0.utf8) })
    #expect(String(decoding: header.name(ofExtraColumn: 3), as: UTF8.self) == "c4_2")
    #expect(String(decoding: header.name(ofExtraColumn: 4), as: UTF8.self) == "c5_3")
    #expect(String(decoding: header.name(ofExtraColumn: 5), as: UTF8.self) == "c6")
  }

  @Test func readsTheFirstRecord() {
    let bytes = Array("\r\n\"a\"\"b\",\"x\ny\",\"t\"ail\r\n\r\n1,2,3\n".utf8)
    guard case .header(let header, let consumed) = CSVHeader.read(bytes.span, isFinal: false, dialect: .comma) else {
      Issue.record("no header")
      return
    }
    #expect(texts(header.names) == ["a\"b", "x\ny", "tail"])
    #expect(consumed == bytes.count - 6)
    for count in 0..<20 {
      let part = Array(bytes[..<count])
      #expect(CSVHeader.read(part.span, isFinal: false, dialect: .comma) == .needsMoreBytes)
    }
  }

  @Test func withoutAHeaderRowNothingIsConsumed() {
    let bytes = Array("1,2,3\n".utf8)
    let dialect = Dialect(delimiter: UInt8(ascii: ","), hasHeaderRow: false)
    guard case .header(let header, consumed: 0) = CSVHeader.read(bytes.span, isFinal: false, dialect: dialect) else {
      Issue.record("no header")
      return
    }
    #expect(texts(header.names) == ["c1", "c2", "c3"])
    #expect(texts(header.distinctNames) == ["c1", "c2", "c3"])
  }

  @Test func noRecordsAndDamage() {
    let blank = Array("\n\r\n".utf8)
    #expect(CSVHeader.read(blank.span, isFinal: true, dialect: .comma) == .noRecords)
    #expect(CSVHeader.read(blank.span, isFinal: false, dialect: .comma) == .needsMoreBytes)
    let open = Array("\na,\"b\n".utf8)
    #expect(
      CSVHeader.read(open.span, isFinal: true, dialect: .comma)
        == .damage(Damage(offset: 3, reason: "quote is not closed", recordStart: 1)))
  }

  private func texts(_ names: [[UInt8]]) -> [String] { names.map { String(decoding: $0, as: UTF8.self) } }
}
