// Tells whether a record is already written as CSV output would write it, so that it can be copied as it is. It says no
// whenever it is not sure; what it says no to is read cell by cell.

/// The one question there is to a record that may be copied.
package enum CSVMinimalQuoting {
  /// Whether a record has at least `width` cells and quotes just where they must be: around cells that are empty text or
  /// hold a delimiter, a quote or a line end.
  ///
  /// - Complexity: linear; a record without quotes costs a look at its blocks.
  package static func holds(for record: Span<UInt8>, delimiter: UInt8, width: Int) -> Bool {
    unsafe record.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count > 0 else { return false }
      var walk = QuoteWalk(delimiter: delimiter)
      var cellCount = 1
      var base = 0
      while base < bytes.count {
        let count = min(BlockMask.width, bytes.count &- base)
        let block: BlockMask
        var shift: UInt64 = 0
        if count == BlockMask.width {
          block = unsafe BlockMask(start + base)
        } else if base > 0 {
          // The 64 bytes that end where the record ends.
          block = unsafe BlockMask(start + (bytes.count &- BlockMask.width))
          shift = UInt64(truncatingIfNeeded: BlockMask.width &- count)
        } else {
          var padded = SIMD64<UInt8>(repeating: 0)
          block = unsafe withUnsafeMutableBytes(of: &padded) { padded in
            unsafe padded.copyMemory(from: bytes)
            return unsafe BlockMask(padded.baseAddress ?? UnsafeMutableRawPointer(mutating: start))
          }
        }
        let quotes = block.positions(of: CSVByte.quote) &>> shift
        let delimiters = block.positions(of: delimiter) &>> shift
        if quotes == 0 && !walk.isInside {
          cellCount &+= delimiters.nonzeroBitCount
        } else {
          let lineEnds = block.positions(of: CSVByte.lineFeed, or: CSVByte.carriageReturn) &>> shift
          let inside = BlockMask.prefixXor(quotes) ^ (walk.isInside ? .max : 0)
          cellCount &+= (delimiters & ~inside).nonzeroBitCount
          if unsafe !walk.goOver(quotes, reasons: (delimiters | lineEnds) & inside, in: bytes, base: base) {
            return false
          }
        }
        base &+= BlockMask.width
      }
      return !walk.isInside && cellCount >= width
    }
  }

  /// Goes from quote to quote.
  private struct QuoteWalk {
    let delimiter: UInt8
    /// Whether the last quote opened.
    private(set) var isInside = false
    /// Where the cell that is open, or was last, has its first quote.
    private var opening = 0
    private var closing = -2
    /// Whether that cell holds something that needs quotes.
    private var isJustified = false

    init(delimiter: UInt8) { self.delimiter = delimiter }

    /// Takes the quotes of one block.
    ///
    /// - Parameter reasons: the delimiters and line ends inside quotes.
    /// - Returns: false for a quote that stands, or is, where it need not.
    @inline(__always)
    mutating func goOver(_ quotes: UInt64, reasons: UInt64, in bytes: UnsafeRawBufferPointer, base: Int) -> Bool {
      var rest = quotes
      var from = 0
      while rest != 0 {
        let bit = BlockMask.lowest(rest)
        rest &= rest &- 1
        let position = base &+ bit
        if isInside {
          if reasons & BlockMask.below(bit) & ~BlockMask.below(from) != 0 { isJustified = true }
          isInside = false
          closing = position
          let next = position &+ 1
          if unsafe next == bytes.count || bytes[next] == delimiter {
            if !isJustified && position != opening &+ 1 { return false }
          } else if unsafe bytes[next] != CSVByte.quote {
            return false
          }
        } else {
          if closing == position &- 1 {
            isJustified = true
          } else if unsafe position == 0 || bytes[position &- 1] == delimiter {
            opening = position
            isJustified = false
          } else {
            return false
          }
          isInside = true
          from = bit &+ 1
        }
      }
      if isInside && reasons & ~BlockMask.below(from) != 0 { isJustified = true }
      return true
    }
  }
}
