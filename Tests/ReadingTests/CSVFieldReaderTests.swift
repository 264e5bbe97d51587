// Cells of single records, held against what the slow scanner finds in the same record; and the masks of blocks.

import Reading
import Testing

@Suite struct CSVFieldReaderTests {
  @Test(arguments: Array<UInt64>(0..<8)) func agreesWithTheScanner(seed: UInt64) {
    var random = CSVSeededGenerator(state: seed)
    let alphabets = ["\",a ;x", "\",\nabcdefgh", "abc,", "\"\"\"\","]
    for _ in 0..<300 {
      let alphabet = Array(alphabets.randomElement(using: &random)!.utf8)
      let count = Int.random(in: 1...[8, 70, 300].randomElement(using: &random)!, using: &random)
      let input = (0..<count).map { _ in alphabet.randomElement(using: &random)! }
      let all = 40
      let whole = feed(
        ByteWiseCSVScanner(dialect: .comma, columnIndexes: Array(0..<all)), input, step: 4096, columns: all)
      let width = Int.random(in: 0...6, using: &random)
      var columns = Array(0..<width)
      if Bool.random(using: &random) {
        columns = (columns + (width > 1 ? [-1, 1, 1] : [-1, -1])).shuffled(using: &random)
      }
      let includesExtras = Bool.random(using: &random)
      let reader = CSVFieldReader(
        dialect: .comma, columnIndexes: columns, width: width, includesExtras: includesExtras)
      var fields: [Field] = [.missing]
      for row in whole.rows where row.fieldCount <= all {
        reader.read(row.text.span, into: &fields)
        var expected = columns.map { $0 < 0 ? Field.missing : cell(row, $0) }
        if includesExtras && width < row.fieldCount {
          expected += (width..<Int(row.fieldCount)).map { cell(row, $0) }
        }
        #expect(fields == expected, "\(String(decoding: row.text, as: UTF8.self).debugDescription) \(columns) \(width)")
      }
    }
  }

  @Test func bothFormsOfABlockMaskAgree() {
    var random = CSVSeededGenerator(state: 5)
    for _ in 0..<200 {
      let bytes = (0..<80).map { _ in UInt8.random(in: 0...3, using: &random) &* 85 }
      let offset = Int.random(in: 0...16, using: &random)
      unsafe bytes.withUnsafeBytes { bytes in
        let block = unsafe BlockMask(bytes.baseAddress! + offset)
        let portable = unsafe PortableBlockMask(bytes.baseAddress! + offset)
        var expected: UInt64 = 0
        var either: UInt64 = 0
        for index in 0..<64 {
          if unsafe bytes[offset + index] == 85 { expected |= 1 << index }
          if unsafe bytes[offset + index] == 85 || bytes[offset + index] == 255 { either |= 1 << index }
        }
        #expect(block.positions(of: 85) == expected)
        #expect(portable.positions(of: 85) == expected)
        #expect(block.positions(of: 255, or: 85) == either)
        #expect(portable.positions(of: 255, or: 85) == either)
        var isInside = false
        var inside: UInt64 = 0
        for index in 0..<64 {
          if expected & (1 << index) != 0 { isInside.toggle() }
          if isInside { inside |= 1 << index }
        }
        #expect(BlockMask.prefixXor(expected) == inside)
      }
    }
  }

  private func cell(_ row: CSVOutcome.Row, _ index: Int) -> Field {
    if row.kinds[index] == .missing { return .missing }
    let start = row.cellStarts[index] - row.start
    return Field(start..<(start + row.cells[index].count), row.kinds[index])
  }
}
