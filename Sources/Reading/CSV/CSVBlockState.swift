// The parts of the block-wise reading that CSVScanner and CSVFieldReader share: what one block of 64 bytes holds,
// and the picking of wanted fields from the delimiters found.

/// What one block holds, outside quotes. In a run of line ends only the first ends a record, and the byte after the
/// last starts one.
struct CSVBlockMasks {
  var delimiters: UInt64
  var ends: UInt64
  var starts: UInt64

  /// Leaves only these positions.
  @inline(__always)
  mutating func cut(to positions: UInt64) {
    delimiters &= positions
    ends &= positions
    starts &= positions
  }
}

/// What carries over from one block to the next.
struct CSVBlockState {
  /// All ones when the next block begins inside quotes, else 0.
  private(set) var inside: UInt64 = 0
  /// 1 when a quote may open as the first byte of the next block, else 0.
  private var canOpen: UInt64 = 1
  /// 1 when the block before ended with a line end, or nothing came before; else 0.
  private var endsWithLineEnd: UInt64 = 1

  init() {}

  /// Makes the masks of the blocks that follow, at most `CSVLimits.blocksAhead`.
  ///
  /// - Parameters:
  ///   - masks: memory for them.
  ///   - bytes: where the first block begins.
  ///   - available: bytes that may be read.
  /// - Returns: how many blocks, and whether the last of them has a quote where a clean file has none. Its masks then
  ///   end before that quote, and this state is worth nothing.
  @inline(__always)
  mutating func fill(
    _ masks: UnsafeMutablePointer<CSVBlockMasks>, _ bytes: UnsafeRawPointer, available: Int, delimiter: UInt8
  ) -> (count: Int, endsAtStrayQuote: Bool) {
    let full = min(available / BlockMask.width, CSVLimits.blocksAhead)
    var state = self
    for index in 0..<full {
      let block = unsafe BlockMask(bytes + index &* BlockMask.width)
      let strayQuotes = unsafe state.next(
        quotes: block.positions(of: CSVByte.quote), delimiters: block.positions(of: delimiter),
        lineEnds: block.positions(of: CSVByte.lineFeed, or: CSVByte.carriageReturn), into: &masks[index])
      if strayQuotes != 0 {
        unsafe masks[index].cut(to: BlockMask.below(BlockMask.lowest(strayQuotes)))
        return (index &+ 1, true)
      }
    }
    self = state
    let rest = available &- full &* BlockMask.width
    if rest == 0 || full == CSVLimits.blocksAhead { return (full, false) }
    let strayQuotes = unsafe tail(
      bytes + full &* BlockMask.width, count: rest, delimiter: delimiter, into: &masks[full])
    return (full &+ 1, strayQuotes != 0)
  }

  /// Reads a last block, shorter than 64 bytes, which must not be read beyond.
  @inline(never)
  private mutating func tail(
    _ bytes: UnsafeRawPointer, count: Int, delimiter: UInt8, into masks: inout CSVBlockMasks
  ) -> UInt64 {
    let (quotes, delimiters, lineEnds) = unsafe CSVBlockState.masksOfTail(bytes, count: count, delimiter: delimiter)
    let strayQuotes = next(quotes: quotes, delimiters: delimiters, lineEnds: lineEnds, into: &masks)
    masks.cut(to: BlockMask.below(strayQuotes == 0 ? count : BlockMask.lowest(strayQuotes)))
    return strayQuotes
  }

  /// Reads the next block from memory, whole or, as the last one, shorter.
  ///
  /// - Returns: the quotes that stand where a clean file has none.
  @inline(__always)
  mutating func read(
    _ bytes: UnsafeRawPointer, available: Int, delimiter: UInt8, into masks: inout CSVBlockMasks
  ) -> UInt64 {
    if available < BlockMask.width { return unsafe tail(bytes, count: available, delimiter: delimiter, into: &masks) }
    let block = unsafe BlockMask(bytes)
    return next(
      quotes: block.positions(of: CSVByte.quote), delimiters: block.positions(of: delimiter),
      lineEnds: block.positions(of: CSVByte.lineFeed, or: CSVByte.carriageReturn), into: &masks)
  }

  /// Reads the next block.
  ///
  /// - Returns: the quotes that stand where a clean file has none. All positions after the first of those are worth
  ///   nothing.
  @inline(__always)
  mutating func next(
    quotes: UInt64, delimiters: UInt64, lineEnds: UInt64, into masks: inout CSVBlockMasks
  ) -> UInt64 {
    let insideMask = BlockMask.prefixXor(quotes) ^ inside
    inside = 0 &- (insideMask &>> 63)
    let delimiters = delimiters & ~insideMask
    let lineEnds = lineEnds & ~insideMask
    let opensAfter = delimiters | lineEnds | (quotes & ~insideMask)
    let strayQuotes = quotes & insideMask & ~((opensAfter &<< 1) | canOpen)
    canOpen = opensAfter &>> 63
    let runs = (lineEnds &<< 1) | endsWithLineEnd
    endsWithLineEnd = lineEnds &>> 63
    masks = CSVBlockMasks(delimiters: delimiters, ends: lineEnds & ~runs, starts: ~lineEnds & runs)
    return strayQuotes
  }

  /// The masks of a last block, shorter than 64 bytes, which must not be read beyond.
  @inline(never)
  private static func masksOfTail(
    _ bytes: UnsafeRawPointer, count: Int, delimiter: UInt8
  ) -> (quotes: UInt64, delimiters: UInt64, lineEnds: UInt64) {
    var quotes: UInt64 = 0
    var delimiters: UInt64 = 0
    var lineEnds: UInt64 = 0
    for index in 0..<count {
      let byte = unsafe bytes.load(fromByteOffset: index, as: UInt8.self)
      let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: index)
      if byte == CSVByte.quote { quotes |= bit }
      if byte == delimiter { delimiters |= bit }
      if CSVByte.isLineEnd(byte) { lineEnds |= bit }
    }
    return (quotes, delimiters, lineEnds)
  }
}

/// The wanted fields of one record, picked as delimiters come by. Once it has them, it looks at nothing more.
@unsafe
struct CSVFieldPick {
  private let bytes: UnsafeRawBufferPointer
  private let columns: UnsafeBufferPointer<Int>
  private let slots: UnsafeBufferPointer<Int>
  /// How many of `columns` are done.
  private var done = 0
  /// The column that is being read, and where its cell begins.
  private var column = 0
  private var fieldStart = 0

  /// - Parameters:
  ///   - columns: the wanted columns, ascending, none twice.
  ///   - slots: for each of them, its place in a row.
  @inline(__always)
  init(bytes: UnsafeRawBufferPointer, columns: UnsafeBufferPointer<Int>, slots: UnsafeBufferPointer<Int>) {
    unsafe self.bytes = bytes
    unsafe self.columns = columns
    unsafe self.slots = slots
  }

  /// A record begins.
  @inline(__always)
  mutating func begin(_ start: Int) {
    unsafe done = 0
    unsafe column = 0
    unsafe fieldStart = start
  }

  /// Takes the delimiters of the record that lie in this block.
  @inline(__always)
  mutating func take(_ delimiters: UInt64, base: Int, into row: UnsafeMutablePointer<Field>) {
    var rest = delimiters
    while unsafe done < columns.count {
      let wanted = unsafe columns[done]
      while unsafe column < wanted {
        if rest == 0 { return }
        unsafe column &+= 1
        unsafe fieldStart = base &+ BlockMask.lowest(rest) &+ 1
        rest &= rest &- 1
      }
      if rest == 0 { return }
      let end = base &+ BlockMask.lowest(rest)
      rest &= rest &- 1
      unsafe row[slots[done]] = CSVFieldPick.field(bytes, fieldStart, end)
      unsafe column &+= 1
      unsafe fieldStart = end &+ 1
      unsafe done &+= 1
    }
  }

  /// The record ends: its last cell, and the cells that it does not have.
  @inline(__always)
  mutating func finish(recordEnd: Int, into row: UnsafeMutablePointer<Field>) {
    while unsafe done < columns.count {
      unsafe row[slots[done]] =
        unsafe columns[done] == column ? CSVFieldPick.field(bytes, fieldStart, recordEnd) : .missing
      unsafe done &+= 1
    }
  }

  /// The cell that stands in these bytes.
  @inline(__always)
  static func field(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Field {
    guard start < end, let base = bytes.baseAddress,
      unsafe base.load(fromByteOffset: start, as: UInt8.self) == CSVByte.quote
    else {
      return Field(
        start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: end &- start), kind: .bare)
    }
    return unsafe quotedField(base, start &+ 1, end)
  }

  /// The quoted cell whose text begins at `start`, after its opening quote.
  @inline(never)
  private static func quotedField(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Field {
    var index = start
    while index &+ BlockMask.width <= end {
      let quotes = unsafe BlockMask(base + index).positions(of: CSVByte.quote)
      if quotes != 0 {
        index &+= BlockMask.lowest(quotes)
        break
      }
      index &+= BlockMask.width
    }
    while index < end, unsafe base.load(fromByteOffset: index, as: UInt8.self) != CSVByte.quote { index &+= 1 }
    let isPlain = index == end &- 1
    return Field(
      start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: (isPlain ? index : end) &- start),
      kind: isPlain ? .quoted : .quotedEscaped)
  }
}

/// Records on their way into a batch: gathered in memory that needs no check a record, handed over many at a time.
@unsafe
struct CSVStage {
  private let ranges: UnsafeMutablePointer<RecordRange>
  private let fields: UnsafeMutablePointer<Field>
  private let rowCapacity: Int
  private let slotCount: Int
  private var staged = 0
  /// Records that the batch still takes.
  private(set) var room: Int
  /// The row that is being filled.
  private(set) var row: UnsafeMutablePointer<Field>

  /// - Parameters:
  ///   - ranges: memory for `rowCapacity` records.
  ///   - fields: memory for their rows, all initialized.
  init(
    ranges: UnsafeMutablePointer<RecordRange>, fields: UnsafeMutablePointer<Field>, rowCapacity: Int, slotCount: Int,
    room: Int
  ) {
    unsafe self.ranges = ranges
    unsafe self.fields = fields
    unsafe self.rowCapacity = rowCapacity
    unsafe self.slotCount = slotCount
    unsafe self.room = room
    unsafe row = fields
  }

  /// The current row is complete.
  @inline(__always)
  mutating func commit(start: Int, end: Int, fieldCount: Int, batch: inout RecordBatch) {
    unsafe (ranges + staged).initialize(
      to: RecordRange(
        start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: end &- start),
        fieldCount: UInt32(truncatingIfNeeded: fieldCount)))
    unsafe staged &+= 1
    unsafe row += slotCount
    unsafe room &-= 1
    if unsafe staged == rowCapacity { unsafe flush(into: &batch) }
  }

  /// Hands everything over to the batch.
  @inline(never)
  mutating func flush(into batch: inout RecordBatch) {
    unsafe batch.records.append(contentsOf: UnsafeBufferPointer(start: ranges, count: staged))
    unsafe batch.fields.append(contentsOf: UnsafeBufferPointer(start: fields, count: staged &* slotCount))
    unsafe staged = 0
    unsafe row = fields
  }
}
