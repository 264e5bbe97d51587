// Lines and columns, by blocks and byte by byte.

import TestSupport
import Testing

@testable import Reading

@Suite struct LineCounterTests {
  @Test(arguments: [
    ("", 1, 1), ("a", 1, 2), ("a\n", 2, 1), ("a\r\nb", 2, 2), ("a\rb", 2, 2), ("\r\r\n\n", 4, 1), ("é\n漢字", 2, 3),
  ])
  func counts(_ text: String, _ lineNumber: Int, _ column: Int) {
    let bytes = Array(text.utf8)
    var counter = LineCounter()
    counter.feed(bytes.span)
    #expect(counter.lineNumber == lineNumber)
    #expect(counter.column == column)
  }

  @Test(arguments: 0..<20)
  func blocksCountAsBytesDo(_ seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let alphabet: [UInt8] = [0x0A, 0x0D, 0x61, 0xC3, 0xA9, 0x20]
    for _ in 0..<50 {
      let isSparse = random.oneIn(2)
      // Long ones have carriage returns behind long stretches without one.
      let isLong = random.oneIn(10)
      let bytes = (0..<random.below(isLong ? 50_000 : 700)).map { index in
        if isLong && index % 20_000 < 19_000 && !random.oneIn(1000) {
          return random.oneIn(3) ? 0x0A : UInt8(ascii: "x")
        }
        return isSparse && !random.oneIn(40) ? UInt8(ascii: "x") : random.pick(alphabet)
      }
      var kernel = LineCounter()
      var blocks = LineCounter()
      var slow = LineCounter()
      var position = 0
      while position < bytes.count {
        let end = min(bytes.count, position + 1 + random.below(isLong ? 40_000 : 300))
        kernel.feed(bytes.span.extracting(position..<end), usesKernel: true)
        blocks.feed(bytes.span.extracting(position..<end), usesKernel: false)
        slow.feedByteWise(bytes.span.extracting(position..<end))
        #expect(kernel == slow && blocks == slow)
        position = end
      }
    }
  }
}
