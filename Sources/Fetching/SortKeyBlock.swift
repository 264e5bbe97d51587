// The first eight bytes of the keys of many records at once: the same as `SortKeyEncoder.prefix` gives one by one, and
// counted the same. Only a single key of the common kinds is made faster here; all else goes through `prefix`.
//
// The trick: a first loop treats every value as one of the commonest form (see `PlainForm`) and writes down, without a
// branch, which were not; a second loop goes through those alone, where one form follows another more evenly.

import Reading

/// Records of a batch that are looked at together, with their keys' first eight bytes.
struct SortKeyBlock: Sendable {
  /// Few enough that all lists of a block stay in a core's first-level cache, enough that the loops get going.
  static let capacity = 1024
  /// Bytes that are read from the beginning of a value, whatever its length.
  static let reach = 20
  /// Values that tell what the others will be, where a key takes several kinds.
  static let sampleCount = 16

  /// How many records are in the block.
  fileprivate(set) var count = 0
  /// The records, as indices of the batch.
  fileprivate var records: [UInt32] = []
  fileprivate(set) var prefixes: [KeyPrefix] = []
  /// Those that the first loop could not do, as indices of the block, from bit 1 on; bit 0 is set where the value begins
  /// as it should.
  fileprivate var others: [UInt32] = []
  fileprivate var strip = PlainDates.Strip()

  /// The record of the batch that a row of the block is.
  @inline(__always)
  func record(_ index: Int) -> Int { Int(records[index]) }

  /// Begins a block with all records of a range, which are at most `capacity`.
  mutating func take(_ range: Range<Int>) {
    removeAll()
    for index in range { append(index) }
  }

  /// Begins a block without records.
  mutating func removeAll() {
    count = 0
    guard records.isEmpty else { return }
    records = Array(repeating: 0, count: Self.capacity)
    prefixes = Array(repeating: KeyPrefix(bits: 0, isExact: true), count: Self.capacity)
    others = Array(repeating: 0, count: Self.capacity)
  }

  /// Adds a record if it is wanted.
  @inline(__always)
  mutating func append(_ record: Int, isWanted: Bool = true) {
    records[count] = UInt32(truncatingIfNeeded: record)
    count &+= isWanted ? 1 : 0
  }
}

extension SortKeyBlock {
  /// Whether dates have a blank before the time, by the first that has a time.
  fileprivate func hasBlankDates(_ bytes: Span<UInt8>, _ fields: Span<Field>, _ layout: SortKeyLayout) -> Bool {
    for index in 0..<min(count, Self.sampleCount) {
      let field = fields[layout.position(record(index))]
      if field.count > 10 { return bytes[Int(field.start) &+ 10] == UInt8(ascii: " ") }
    }
    return false
  }
}

/// Where the keys' fields of a batch's records stand.
struct SortKeyLayout: Sendable {
  /// Fields of a record.
  var fieldsPerRecord: Int
  /// The first key's among them.
  var firstKey: Int

  @inline(__always)
  func position(_ record: Int) -> Int { record &* fieldsPerRecord &+ firstKey }
}

extension SortKeyEncoder {
  /// Makes the prefixes of a block's records. Counts the kinds met, so it is called once a block.
  ///
  /// - Parameters:
  ///   - bytes: what the fields' positions count in.
  ///   - fields: the fields of the batch, with all keys of all records.
  mutating func fill(
    _ block: inout SortKeyBlock, _ bytes: Span<UInt8>, _ fields: Span<Field>, _ layout: SortKeyLayout
  ) {
    guard isSingle, bytes.count >= SortKeyBlock.reach else {
      fillSingly(&block, 0..<block.count, bytes, fields, layout)
      return
    }
    var first = 0
    var form = firstCoding.form
    let takesAll = form != .auto
    if !takesAll {
      // What the first few are, most of the others will be.
      let before = firstTally
      first = min(block.count, SortKeyBlock.sampleCount)
      fillSingly(&block, 0..<first, bytes, fields, layout)
      form = Self.usualForm(from: before, to: firstTally)
    }
    let rows = first..<block.count
    switch form {
    case .date:
      let form = PlainDates(hasBlank: block.hasBlankDates(bytes, fields, layout))
      if usesKernel ?? Kernels.areFast {
        fillByKernel(&block, rows, form, bytes, fields, layout)
      } else {
        fill(&block, rows, form, bytes, fields, layout)
      }
    case .number: fill(&block, rows, PlainNumbers(readsStrings: takesAll), bytes, fields, layout)
    case .auto, .text:
      fill(&block, rows, PlainTexts(foldsCase: firstCoding.foldsCase, takesAll: takesAll), bytes, fields, layout)
    case .other: fillSingly(&block, rows, bytes, fields, layout)
    }
  }

  /// What most values were that were counted in between.
  private static func usualForm(from before: KindTally, to after: KindTally) -> Coding.Form {
    let dates = after[.date] &- before[.date]
    let numbers = after[.number] &- before[.number]
    let texts = after[.text] &- before[.text]
    return texts > max(dates, numbers) ? .text : numbers > dates ? .number : .date
  }

  /// The obvious way.
  private mutating func fillSingly(
    _ block: inout SortKeyBlock, _ rows: Range<Int>, _ bytes: Span<UInt8>, _ fields: Span<Field>,
    _ layout: SortKeyLayout
  ) {
    for index in rows {
      block.prefixes[index] = prefix(bytes, fields, at: layout.position(block.record(index)))
    }
  }

  /// The fast way, for a single key.
  private mutating func fill(
    _ block: inout SortKeyBlock, _ rows: Range<Int>, _ form: some PlainForm, _ bytes: Span<UInt8>,
    _ fields: Span<Field>, _ layout: SortKeyLayout
  ) {
    let treated = Self.treatAsPlain(
      block.records, &block.prefixes, &block.others, rows, form, bytes, fields, layout, firstCoding)
    guard let otherCount = treated else {
      fillSingly(&block, rows, bytes, fields, layout)
      return
    }
    finish(&block, rows, form.kind, otherCount, bytes, fields, layout)
  }

  /// The same for dates, many at a time.
  private mutating func fillByKernel(
    _ block: inout SortKeyBlock, _ rows: Range<Int>, _ form: PlainDates, _ bytes: Span<UInt8>, _ fields: Span<Field>,
    _ layout: SortKeyLayout
  ) {
    let lastStart = bytes.count &- SortKeyBlock.reach
    let reversal = firstCoding.isReversed ? KeyBytes.belowRank : 0
    var strip = PlainDates.Strip()
    swap(&strip, &block.strip)
    strip.prepare()
    var otherCount = 0
    var first = rows.lowerBound
    while first < rows.upperBound {
      let count = min(PlainDates.Strip.capacity, rows.upperBound &- first)
      for index in 0..<count {
        let field = fields[layout.position(block.record(first &+ index))]
        strip.starts[index] = UInt32(truncatingIfNeeded: min(Int(field.start), lastStart))
      }
      form.fill(&strip, count: count, bytes)
      Self.note(
        strip, block.records, &block.prefixes, &block.others, first..<(first &+ count), fields, layout, lastStart,
        reversal, &otherCount)
      first &+= count
    }
    swap(&strip, &block.strip)
    finish(&block, rows, .date, otherCount, bytes, fields, layout)
  }

  /// The second loop.
  private mutating func finish(
    _ block: inout SortKeyBlock, _ rows: Range<Int>, _ kind: ValueKind, _ otherCount: Int, _ bytes: Span<UInt8>,
    _ fields: Span<Field>, _ layout: SortKeyLayout
  ) {
    firstTally.count(kind, times: rows.count &- otherCount)
    let reversal = firstCoding.isReversed ? KeyBytes.belowRank : 0
    let isDate = kind == .date
    for next in 0..<otherCount {
      let index = Int(block.others[next] >> 1)
      let isBegun = block.others[next] & 1 != 0
      let position = layout.position(block.record(index))
      if isDate && isBegun {
        let clockBits = block.prefixes[index].bits ^ reversal
        let text = bytes.extracting(fields[position].range)
        if let prefix = Instant.prefix(text, afterClock: clockBits) {
          firstTally.count(.date)
          block.prefixes[index] = KeyPrefix(bits: prefix.bits ^ reversal, isExact: prefix.isExact)
          continue
        }
      }
      block.prefixes[index] = prefix(bytes, fields, at: position)
    }
  }

  /// The first loop: makes the prefixes of values of a form, and lists the others.
  ///
  /// The prefixes of the others that at least begin so are those of what they begin with.
  ///
  /// - Returns: how many others there are; nil where the block has no room for the rows, which is never.
  @inline(__always)
  private static func treatAsPlain(
    _ records: [UInt32], _ prefixes: inout [KeyPrefix], _ others: inout [UInt32], _ rows: Range<Int>,
    _ form: some PlainForm, _ bytes: Span<UInt8>, _ fields: Span<Field>, _ layout: SortKeyLayout, _ coding: Coding
  ) -> Int? {
    let records = records.span
    var prefixes = prefixes.mutableSpan
    var others = others.mutableSpan
    let lastStart = bytes.count &- SortKeyBlock.reach
    let reversal = coding.isReversed ? KeyBytes.belowRank : 0
    let readsStrings = form.readsStrings
    // All lists have room for as many, so that no index below has to be looked at.
    guard rows.lowerBound >= 0, rows.upperBound <= min(records.count, prefixes.count, others.count) else { return nil }
    var otherCount = 0
    var index = rows.lowerBound
    while index < rows.upperBound {
      let field = fields[layout.position(Int(unsafe records[unchecked: index]))]
      // A value that ends with the window is read from elsewhere, and not believed.
      let key = form.key(bytes, at: min(Int(field.start), lastStart), count: Int(field.count))
      note(key, of: field, index, readsStrings: readsStrings, lastStart, reversal, &prefixes, &others, &otherCount)
      index &+= 1
    }
    return otherCount
  }

  /// Writes down the prefixes of a strip.
  @inline(__always)
  private static func note(
    _ strip: PlainDates.Strip, _ records: [UInt32], _ prefixes: inout [KeyPrefix], _ others: inout [UInt32],
    _ rows: Range<Int>, _ fields: Span<Field>, _ layout: SortKeyLayout, _ lastStart: Int, _ reversal: UInt64,
    _ otherCount: inout Int
  ) {
    let records = records.span
    var prefixes = prefixes.mutableSpan
    var others = others.mutableSpan
    guard rows.lowerBound >= 0, rows.upperBound <= min(records.count, prefixes.count, others.count) else { return }
    var index = rows.lowerBound
    while index < rows.upperBound {
      let field = fields[layout.position(Int(unsafe records[unchecked: index]))]
      let key = strip.key(index &- rows.lowerBound, count: Int(field.count))
      note(key, of: field, index, readsStrings: true, lastStart, reversal, &prefixes, &others, &otherCount)
      index &+= 1
    }
  }

  /// Writes down the prefix of a value, and that it is one of the others if it is.
  @inline(__always)
  private static func note(
    _ key: PlainKey, of field: Field, _ index: Int, readsStrings: Bool, _ lastStart: Int, _ reversal: UInt64,
    _ prefixes: inout MutableSpan<KeyPrefix>, _ others: inout MutableSpan<UInt32>, _ otherCount: inout Int
  ) {
    let isText = readsStrings ? field.kind.isPlainText : field.kind.isPlainCell
    let wrong = key.wrong | signFlag(lastStart &- Int(field.start)) | (isText ? 0 : 1)
    // What is not filled stays zero. A shift by all 64 bits takes two.
    let filled = ~((UInt64.max >> 1) &>> (key.byteCount &* 8 &- 1))
    let isExact = key.isExact
    unsafe prefixes[unchecked: index] = KeyPrefix(bits: key.bits ^ reversal & filled, isExact: isExact)
    // `wrong` is written down rather than used to clear the prefix: the compiler would skip the arithmetic by a branch.
    let other = UInt32(truncatingIfNeeded: index) &<< 1 | UInt32(truncatingIfNeeded: zeroFlag(wrong))
    unsafe others[unchecked: otherCount] = other
    otherCount &+= Int(truncatingIfNeeded: 1 ^ zeroFlag(wrong | key.unfinished))
  }
}
