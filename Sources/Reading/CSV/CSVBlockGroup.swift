// The masks of up to 64 blocks, made in one go before anything is read from them: the loop that makes them fits into the
// processor's registers, and the walk over the records after it hardly ever takes a branch that could not be foreseen.
// Record ends are written out as positions; delimiters stay bits, seen through a window of 64 positions
// that may begin at any byte, so that a record looks the same wherever in its block it begins.

import ScanningKernels

/// A run of blocks. All positions count from its first byte.
@unsafe
struct CSVBlockGroup {
  private let delimiters: UnsafeMutablePointer<UInt64>
  /// The delimiters that stand before each block.
  private let delimiterCounts: UnsafeMutablePointer<Int>
  private let endMasks: UnsafeMutablePointer<UInt64>
  private let ends: UnsafeMutablePointer<UInt16>
  /// Positions covered.
  private(set) var count = 0
  private(set) var endCount = 0
  private(set) var delimiterCount = 0
  /// Whether the group ends at a quote where a clean file has none; nothing from there on is in it.
  private(set) var endsAtStrayQuote = false
  /// Blocks of the next group at most.
  private var reach = CSVLimits.blocksAhead

  private static let positionCapacity = CSVLimits.blocksAhead &* BlockMask.width / 2 &+ 4
  /// Bytes of memory that a group needs.
  static let byteCount = (CSVLimits.blocksAhead &+ 1) &* 24 &+ positionCapacity &* 2

  /// - Parameter memory: `byteCount` bytes, aligned for integers.
  init(_ memory: UnsafeMutableRawPointer) {
    let blocks = CSVLimits.blocksAhead &+ 1
    unsafe delimiters = memory.bindMemory(to: UInt64.self, capacity: blocks)
    unsafe delimiterCounts = (memory + blocks &* 8).bindMemory(to: Int.self, capacity: blocks)
    unsafe endMasks = (memory + blocks &* 16).bindMemory(to: UInt64.self, capacity: blocks)
    unsafe ends = (memory + blocks &* 24).bindMemory(to: UInt16.self, capacity: CSVBlockGroup.positionCapacity)
  }

  /// Where the record with this number ends.
  @inline(__always)
  func end(_ number: Int) -> Int { unsafe Int(ends[number]) }

  /// The delimiters of the 64 positions from this one on.
  @inline(__always)
  func delimiters(from position: Int) -> UInt64 {
    let block = position &>> 6
    let shift = UInt64(truncatingIfNeeded: position & 63)
    return unsafe (delimiters[block] &>> shift) | ((delimiters[block &+ 1] &<< 1) &<< (63 &- shift))
  }

  /// How many delimiters stand before this position.
  @inline(__always)
  func delimiterCount(before position: Int) -> Int {
    let block = position &>> 6
    return unsafe delimiterCounts[block]
      &+ (delimiters[block] & BlockMask.below(position & 63)).nonzeroBitCount
  }

  /// Makes the group of the blocks that follow.
  ///
  /// - Parameters:
  ///   - state: what carries over from the group before; worth nothing after a stray quote.
  ///   - bytes: where the first block begins.
  ///   - available: bytes that may be read, at least 1.
  ///   - usesKernel: whether whole blocks are read by the kernel; the group is the same.
  @inline(__always)
  mutating func fill(
    _ state: inout CSVBlockState, _ bytes: UnsafeRawPointer, available: Int, delimiter: UInt8, usesKernel: Bool
  ) {
    var filled = 0
    var strayQuotes: UInt64 = 0
    let wholeBlocks = unsafe min(available / BlockMask.width, reach)
    if usesKernel && wholeBlocks > 0 {
      filled = unsafe csv_masks(
        bytes.assumingMemoryBound(to: UInt8.self), wholeBlocks, delimiter, &state.carried, delimiters, endMasks,
        &strayQuotes)
    } else {
      var running = state
      var masks = CSVBlockMasks(delimiters: 0, ends: 0)
      while filled < wholeBlocks {
        strayQuotes = unsafe running.next(bytes + filled &* BlockMask.width, delimiter: delimiter, into: &masks)
        if strayQuotes != 0 { masks.cut(to: BlockMask.below(BlockMask.lowest(strayQuotes))) }
        unsafe delimiters[filled] = masks.delimiters
        unsafe endMasks[filled] = masks.ends
        filled &+= 1
        if strayQuotes != 0 { break }
      }
      state = running
    }
    unsafe count = filled &* BlockMask.width
    let isTail = unsafe strayQuotes == 0 && filled < reach && count < available
    if isTail {
      var masks = CSVBlockMasks(delimiters: 0, ends: 0)
      strayQuotes = unsafe state.tail(
        bytes + count, count: available &- count, preceding: count, delimiter: delimiter, into: &masks)
      unsafe delimiters[filled] = masks.delimiters
      unsafe endMasks[filled] = masks.ends
      filled &+= 1
      unsafe count = available
    }
    // A window that begins in the last block looks one further.
    unsafe delimiters[filled] = 0
    if usesKernel {
      unsafe endCount = csv_positions(delimiters, endMasks, filled, delimiterCounts, ends, &delimiterCount)
    } else {
      var total = 0
      for block in 0..<filled {
        unsafe delimiterCounts[block] = total
        total &+= unsafe delimiters[block].nonzeroBitCount
      }
      var ended = 0
      for block in 0..<filled {
        unsafe CSVBlockGroup.write(endMasks[block], block &* BlockMask.width, to: ends, &ended)
      }
      unsafe delimiterCount = total
      unsafe endCount = ended
    }
    unsafe endsAtStrayQuote = strayQuotes != 0
    unsafe reach = strayQuotes != 0 ? CSVLimits.blocksAheadAfterStrayQuote : min(reach &* 2, CSVLimits.blocksAhead)
  }

  /// Writes out the positions of a mask. The first two are written whether there are any or not, which spares the
  /// branch.
  @inline(__always)
  private static func write(
    _ mask: UInt64, _ base: Int, to positions: UnsafeMutablePointer<UInt16>, _ count: inout Int
  ) {
    let top: UInt64 = 1 &<< 63
    unsafe positions[count] = UInt16(truncatingIfNeeded: base &+ BlockMask.lowest(mask | top))
    count &+= mask == 0 ? 0 : 1
    var rest = mask & (mask &- 1)
    unsafe positions[count] = UInt16(truncatingIfNeeded: base &+ BlockMask.lowest(rest | top))
    count &+= rest == 0 ? 0 : 1
    rest &= rest &- 1
    while rest != 0 {
      unsafe positions[count] = UInt16(truncatingIfNeeded: base &+ BlockMask.lowest(rest))
      count &+= 1
      rest &= rest &- 1
    }
  }
}
