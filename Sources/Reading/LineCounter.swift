// Counts lines and columns for messages. LF, CR LF and a lone CR end a line, as they end a record in CSV.
//
// Streams are counted as they go by, so this runs over every byte of them: line ends are counted by blocks of 64, and
// code points only behind the last one.

import ScanningKernels

/// Where a position is, in lines and columns, after the bytes that were fed.
package struct LineCounter: Sendable, Equatable {
  package private(set) var lineNumber = 1
  /// Code points since the beginning of the line, plus one.
  package private(set) var column = 1
  private var afterCarriageReturn = false

  package init() {}

  /// Goes on over some bytes.
  ///
  /// - Complexity: linear.
  package mutating func feed(_ bytes: Span<UInt8>) { feed(bytes, usesKernel: Kernels.areFast) }

  /// - Parameter usesKernel: whether blocks are counted by the kernel; the result is the same.
  mutating func feed(_ bytes: Span<UInt8>, usesKernel: Bool) {
    let blocks = bytes.count / BlockMask.width
    let lastEnd = usesKernel ? feedByKernel(bytes, blocks: blocks) : feedBlocks(bytes, blocks: blocks)
    if lastEnd >= 0 { column = 1 }
    countColumns(bytes, from: lastEnd &+ 1, to: blocks &* BlockMask.width)
    feedByteWise(bytes, from: blocks &* BlockMask.width)
  }

  /// - Returns: where the last line end stands, or -1.
  private mutating func feedByKernel(_ bytes: Span<UInt8>, blocks: Int) -> Int {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard blocks > 0, let base = buffer.baseAddress else { return -1 }
      var afterReturn: UInt64 = afterCarriageReturn ? 1 : 0
      var lastEnd = -1
      lineNumber &+= unsafe count_line_ends(base, blocks, &afterReturn, &lastEnd)
      afterCarriageReturn = afterReturn != 0
      return lastEnd
    }
  }

  private mutating func feedBlocks(_ bytes: Span<UInt8>, blocks: Int) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      var lastEnd = -1
      guard let base = buffer.baseAddress else { return lastEnd }
      for block in 0..<blocks {
        let start = block &* BlockMask.width
        let mask = unsafe BlockMask(base + start)
        let returns = mask.positions(of: 0x0D)
        let feeds = mask.positions(of: 0x0A)
        if returns | feeds == 0 {
          afterCarriageReturn = false
          continue
        }
        // The line feed of a pair ends no second line.
        let pairs = (returns &<< 1) | (afterCarriageReturn ? 1 : 0)
        lineNumber &+= (returns | (feeds & ~pairs)).nonzeroBitCount
        lastEnd = start &+ (BlockMask.width &- 1 &- (returns | feeds).leadingZeroBitCount)
        afterCarriageReturn = returns &>> 63 != 0
      }
      return lastEnd
    }
  }

  /// Counts code points where no line ends.
  private mutating func countColumns(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    var index = start
    while index < end {
      // Continuation bytes of UTF-8 belong to the code point before them.
      if bytes[index] & 0xC0 != 0x80 { column &+= 1 }
      index &+= 1
    }
  }

  /// The obvious twin of `feed`.
  mutating func feedByteWise(_ bytes: Span<UInt8>, from start: Int = 0) {
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      if byte == 0x0A {
        if !afterCarriageReturn { lineNumber &+= 1 }
        column = 1
        afterCarriageReturn = false
      } else if byte == 0x0D {
        lineNumber &+= 1
        column = 1
        afterCarriageReturn = true
      } else {
        if byte & 0xC0 != 0x80 { column &+= 1 }
        afterCarriageReturn = false
      }
      index &+= 1
    }
  }
}
