// What one block of 64 bytes of CSV holds: where fields and records end in it, once all that is inside quotes is left out.
// It knows whether it can be trusted: a quote where a clean file has none is reported, never guessed about.

import ScanningKernels

/// What one block holds, outside quotes. In a run of line ends only the first ends a record.
struct CSVBlockMasks {
  var delimiters: UInt64
  var ends: UInt64

  /// Leaves only these positions.
  @inline(__always)
  mutating func cut(to positions: UInt64) {
    delimiters &= positions
    ends &= positions
  }
}

/// What carries over from one block to the next.
struct CSVBlockState {
  /// In the words of the kernel, which goes on where this has stopped, and the other way round.
  var carried = csv_state(inside: 0, can_open: 1, ends_with_line_end: 1)

  init() {}

  /// Reads a last block, shorter than 64 bytes, without reading beyond it.
  ///
  /// - Parameters:
  ///   - bytes: where it begins.
  ///   - preceding: bytes before it that may be read.
  @inline(__always)
  mutating func tail(
    _ bytes: UnsafeRawPointer, count: Int, preceding: Int, delimiter: UInt8, into masks: inout CSVBlockMasks
  ) -> UInt64 {
    let missing = BlockMask.width &- count
    let block: BlockMask
    let shift: UInt64
    if preceding >= missing {
      // The 64 bytes that end where the block ends hold it too.
      block = unsafe BlockMask(bytes - missing)
      shift = UInt64(truncatingIfNeeded: missing)
    } else {
      var padded = SIMD64<UInt8>(repeating: 0)
      block = unsafe withUnsafeMutableBytes(of: &padded) { padded in
        unsafe padded.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count))
        guard let padded = padded.baseAddress else { return unsafe BlockMask(bytes) }
        return unsafe BlockMask(padded)
      }
      shift = 0
    }
    let valid = BlockMask.below(count)
    let strayQuotes = next(
      quotes: (block.positions(of: CSVByte.quote) &>> shift) & valid,
      delimiters: (block.positions(of: delimiter) &>> shift) & valid,
      lineEnds: (block.positions(of: CSVByte.lineFeed, or: CSVByte.carriageReturn) &>> shift) & valid, into: &masks)
    if strayQuotes != 0 { masks.cut(to: BlockMask.below(BlockMask.lowest(strayQuotes))) }
    return strayQuotes
  }

  /// Reads the next 64 bytes.
  ///
  /// - Returns: the quotes that stand where a clean file has none; no position from the first of them on is worth
  ///   anything.
  @inline(__always)
  mutating func next(_ bytes: UnsafeRawPointer, delimiter: UInt8, into masks: inout CSVBlockMasks) -> UInt64 {
    let block = unsafe BlockMask(bytes)
    return next(
      quotes: block.positions(of: CSVByte.quote), delimiters: block.positions(of: delimiter),
      lineEnds: block.positions(of: CSVByte.lineFeed, or: CSVByte.carriageReturn), into: &masks)
  }

  @inline(__always)
  private mutating func next(
    quotes: UInt64, delimiters: UInt64, lineEnds: UInt64, into masks: inout CSVBlockMasks
  ) -> UInt64 {
    let insideMask = BlockMask.prefixXor(quotes) ^ carried.inside
    carried.inside = 0 &- (insideMask &>> 63)
    let delimiters = delimiters & ~insideMask
    let lineEnds = lineEnds & ~insideMask
    let opensAfter = delimiters | lineEnds | (quotes & ~insideMask)
    let strayQuotes = quotes & insideMask & ~((opensAfter &<< 1) | carried.can_open)
    carried.can_open = opensAfter &>> 63
    let runs = (lineEnds &<< 1) | carried.ends_with_line_end
    carried.ends_with_line_end = lineEnds &>> 63
    masks = CSVBlockMasks(delimiters: delimiters, ends: lineEnds & ~runs)
    return strayQuotes
  }
}
