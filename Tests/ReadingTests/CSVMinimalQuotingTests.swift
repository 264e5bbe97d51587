// What may be copied against writing the cells anew.

import Reading
import TestSupport
import Testing

private func written(_ record: [UInt8], delimiter: UInt8) -> (text: [UInt8], cellCount: Int) {
  let reader = CSVFieldReader(
    dialect: Dialect(delimiter: delimiter), columnIndexes: [], width: 0, includesExtras: true)
  var fields: [Field] = []
  reader.read(record.span, into: &fields)
  let cells = fields.map { field -> [UInt8] in
    var text: [UInt8] = []
    FieldText.append(field, in: record.span, to: &text)
    if text.isEmpty { return field.isNull ? [] : Array("\"\"".utf8) }
    let reasons: [UInt8] = [delimiter, 0x22, 0x0A, 0x0D]
    guard text.contains(where: { reasons.contains($0) }) else { return text }
    return [0x22] + text.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22]
  }
  return (Array(cells.joined(separator: [delimiter])), cells.count)
}

@Suite struct CSVMinimalQuotingTests {
  private func holds(_ text: String, width: Int = 1) -> Bool {
    CSVMinimalQuoting.holds(for: Array(text.utf8).span, delimiter: UInt8(ascii: ","), width: width)
  }

  @Test func quotesThatMustBe() {
    #expect(holds("a,b,c", width: 3))
    #expect(!holds("a,b,c", width: 4))
    #expect(holds("a,\"b,c\",\"say \"\"hi\"\"\",\"\",\"x\ny\",\"\"\"\"", width: 6))
    for text in ["\"a\"", "a,\"b\"", "5\" pipe", "a,\"b\"c", "\"a,b", "\"a,b\"c", "", "a,b\""] {
      #expect(!holds(text), "\(text)")
    }
  }

  /// It never says yes wrongly; and yes to what is written as it is wherever the record is sound.
  @Test func agreesWithWritingAnew() {
    var random = SeededGenerator(seed: 31)
    let pieces: [String] = ["a", "\"", ",", "\"\"", "\",\"", "\n", "longer text without a reason", ";", "é"]
    var yesCount = 0
    for _ in 0..<20_000 {
      var record = (0..<(1 + random.below(12))).map { _ in random.pick(pieces) }.joined()
      if random.oneIn(2) { record = String(decoding: written(Array(record.utf8), delimiter: 0x2C).text, as: UTF8.self) }
      let bytes = Array(record.utf8)
      // A record ends before its line end, and is not empty.
      let isSound = !CSVRecords.endsEarly(bytes) && !bytes.isEmpty
      guard isSound else { continue }
      let (text, cellCount) = written(bytes, delimiter: 0x2C)
      let width = random.below(4)
      let isHeld = CSVMinimalQuoting.holds(for: bytes.span, delimiter: 0x2C, width: width)
      #expect(isHeld == (text == bytes && cellCount >= width), "\(record)")
      yesCount += isHeld ? 1 : 0
    }
    #expect(yesCount > 1000)
  }
}

private enum CSVRecords {
  /// Whether a line end or an open quote makes of the bytes something else than one record.
  static func endsEarly(_ bytes: [UInt8]) -> Bool {
    var isInside = false
    var canOpen = true
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if isInside {
        if byte == 0x22 {
          if index + 1 < bytes.count, bytes[index + 1] == 0x22 { index += 1 } else { isInside = false }
        }
      } else if byte == 0x0A || byte == 0x0D {
        return true
      } else if byte == 0x22 && canOpen {
        isInside = true
      }
      canOpen = !isInside && byte == 0x2C
      index += 1
    }
    return isInside
  }
}
