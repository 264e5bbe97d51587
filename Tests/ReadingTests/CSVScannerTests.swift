// The fast scanner against its slow twin, and the twin against cases written by hand.

import Reading
import Testing

private let everyStep = [1, 2, 3, 7, 64, 4096, Int.max / 2]

@Suite struct CSVScannerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var input: String
    /// Cells of each record as their bytes stand in the file, with `q`, `e` or `b` for their kind before.
    var records: [[String]]
    var damageOffset: Int?
    var testDescription: String { input.debugDescription }
  }

  static let cases: [Case] = [
    Case(input: "", records: []),
    Case(input: "\n\r\n\r", records: []),
    Case(input: "a,b\n1,2\n", records: [["ba", "bb"], ["b1", "b2"]]),
    Case(input: "a,b\n1,2", records: [["ba", "bb"], ["b1", "b2"]]),
    Case(input: "a\rb\r\nc\nd\n\re", records: [["ba"], ["bb"], ["bc"], ["bd"], ["be"]]),
    Case(input: "\"\"\n  \n,\n", records: [["q"], ["b  "], ["b", "b"]]),
    Case(input: "\"a,b\",\"c\nd\"\n", records: [["qa,b", "qc\nd"]]),
    Case(input: "\"a\"\"b\",\"\"\"\"\n", records: [["ea\"\"b\"", "e\"\"\""]]),
    Case(
      input: "5\" pipe,10\n3\" x 4\" b,20\nx,\"y,z\"\n",
      records: [["b5\" pipe", "b10"], ["b3\" x 4\" b", "b20"], ["bx", "qy,z"]]),
    Case(
      input: "\"closed\" tail,1\n\"closed\" tail\"x,2\n",
      records: [["eclosed\" tail", "b1"], ["eclosed\" tail\"x", "b2"]]),
    Case(input: " \"a, b\",c\n", records: [["b \"a", "b b\"", "bc"]]),
    Case(input: "a,b\n2,\"never closed\n3,4\n", records: [["ba", "bb"]], damageOffset: 6),
    Case(input: "\"a\"b\"\n\",c", records: [["ea\"b\""]], damageOffset: 6),
    Case(input: "1,x,\n2,y", records: [["b1", "bx", "b"], ["b2", "by"]]),
  ]

  @Test(arguments: cases) func readsAsWrittenByHand(_ test: Case) {
    let input = Array(test.input.utf8)
    let width = max(1, test.records.map(\.count).max() ?? 1)
    for step in everyStep {
      for scanner in scanners(.comma, Array(0..<width)) {
        let outcome = feed(scanner, input, step: step, columns: width)
        #expect(outcome.damageOffset == test.damageOffset)
        let records = outcome.rows.map { row in
          zip(row.kinds, row.cells).filter { $0.0 != .missing }.map { kind, cell in
            let letter = kind == .bare ? "b" : kind == .quoted ? "q" : "e"
            return letter + String(decoding: cell, as: UTF8.self)
          }
        }
        #expect(records == test.records)
        #expect(outcome.rows.map { Int($0.fieldCount) } == test.records.map(\.count))
      }
    }
  }

  @Test(arguments: Array<UInt64>(0..<16)) func agreesWithItsTwinOnNastyText(seed: UInt64) {
    var random = CSVSeededGenerator(state: seed)
    let alphabets = [
      "\",\n\ra ;", "\",\nabcdefgh", "aaaaaaaa,,,\n\"", "\"\"\"\"\"\"a,\n", "abcdefghijklmnopqrst\n\r", "a,b,c,d,\n",
    ]
    for _ in 0..<400 {
      let alphabet = Array(alphabets.randomElement(using: &random)!.utf8)
      let count = Int.random(in: 0...[8, 40, 130, 400].randomElement(using: &random)!, using: &random)
      let input = (0..<count).map { _ in alphabet.randomElement(using: &random)! }
      let delimiter = UInt8(ascii: Bool.random(using: &random) ? "," : ";")
      var columns = Array((-1)...Int.random(in: 0...6, using: &random)).shuffled(using: &random)
      columns.removeLast(Int.random(in: 0...columns.count, using: &random))
      let step = everyStep.randomElement(using: &random)!
      let recordLimit = [1, 17, 8192].randomElement(using: &random)!
      let limit = Bool.random(using: &random) ? Int.max : Int.random(in: 0...(count + 2), using: &random)
      let pair = scanners(Dialect(delimiter: delimiter), columns)
      let fast = feed(pair[0], input, step: step, columns: columns.count, recordLimit: recordLimit, limit: limit)
      let slow = feed(pair[1], input, step: Int.max / 2, columns: columns.count, limit: limit)
      #expect(
        fast == slow,
        "\(String(decoding: input, as: UTF8.self).debugDescription) step \(step) limit \(limit) columns \(columns)")
      if fast != slow { return }
    }
  }

  @Test(arguments: Array<UInt64>(100..<108)) func twoRangesGiveTheRecordsOfOne(seed: UInt64) {
    var random = CSVSeededGenerator(state: seed)
    let alphabet = Array("\",\n\rabc".utf8)
    for _ in 0..<300 {
      let count = Int.random(in: 0...300, using: &random)
      let input = (0..<count).map { _ in alphabet.randomElement(using: &random)! }
      let limit = Int.random(in: 0...count, using: &random)
      let scanner = CSVScanner(dialect: .comma, columnIndexes: [1, 0])
      let whole = feed(scanner, input, step: 64, columns: 2)
      let first = feed(scanner, input, step: 7, columns: 2, limit: limit)
      #expect(first.rows.allSatisfy { $0.start < limit })
      if first.damageOffset != nil { continue }
      let second = feed(scanner, input, step: 100, columns: 2, start: first.consumed)
      #expect(first.rows + second.rows == whole.rows)
      #expect(second.damageOffset == whole.damageOffset)
      #expect(second.rows.first.map { $0.start == first.consumed } ?? true)
    }
  }

  @Test func anAssumedRecordStartFollowsALineEnd() {
    let input = Array("ab\r\n\ncd\ne\n".utf8)
    #expect(CSVScanner.assumedRecordStart(input.span, from: 0) == 5)
    #expect(CSVScanner.assumedRecordStart(input.span, from: 3) == 5)
    #expect(CSVScanner.assumedRecordStart(input.span, from: 4) == 5)
    #expect(CSVScanner.assumedRecordStart(input.span, from: 5) == 8)
    #expect(CSVScanner.assumedRecordStart(input.span, from: 8) == nil)
    #expect(CSVScanner.assumedRecordStart(input.span, from: 99) == nil)
  }

  private func scanners(_ dialect: Dialect, _ columns: [Int]) -> [any RecordScanner] {
    var kernel = CSVScanner(dialect: dialect, columnIndexes: columns)
    kernel.usesKernel = true
    var blocks = kernel
    blocks.usesKernel = false
    return [kernel, blocks, ByteWiseCSVScanner(dialect: dialect, columnIndexes: columns)]
  }
}
