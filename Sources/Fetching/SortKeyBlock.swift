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
  /// Those that the first loop could not do, as indices of the block.
  fileprivate var others: [UInt32] = []

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
    case .date: fill(&block, rows, PlainDates(), bytes, fields, layout)
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
    let found = Self.treatAsPlain(
      block.records, &block.prefixes, &block.others, rows, form, bytes, fields, layout, firstCoding)
    firstTally.countMissing(times: found.missing)
    firstTally.count(.null, times: found.nulls)
    firstTally.count(form.kind, times: rows.count &- found.missing &- found.nulls &- found.others)
    let reversal = firstCoding.isReversed ? KeyBytes.belowRank : 0
    let isDate = form.kind == .date
    for next in 0..<found.others {
      let index = Int(block.others[next])
      let position = layout.position(block.record(index))
      let clockBits = block.prefixes[index].bits
      if isDate && clockBits != 0 {
        let text = bytes.extracting(fields[position].range)
        if let prefix = Instant.prefix(text, afterClock: clockBits ^ reversal) {
          firstTally.count(.date)
          block.prefixes[index] = KeyPrefix(bits: prefix.bits ^ reversal, isExact: prefix.isExact)
          continue
        }
      }
      block.prefixes[index] = prefix(bytes, fields, at: position)
    }
  }

  /// The first loop: makes the prefixes of null and of values of a form, and lists the others.
  ///
  /// Of the others, the bits are those of the part that has the form, or zero, which no key has that is not null.
  @inline(__always)
  private static func treatAsPlain(
    _ records: [UInt32], _ prefixes: inout [KeyPrefix], _ others: inout [UInt32], _ rows: Range<Int>,
    _ form: some PlainForm, _ bytes: Span<UInt8>, _ fields: Span<Field>, _ layout: SortKeyLayout, _ coding: Coding
  ) -> (others: Int, nulls: Int, missing: Int) {
    let records = records.span
    var prefixes = prefixes.mutableSpan
    var others = others.mutableSpan
    let lastStart = bytes.count &- SortKeyBlock.reach
    let nullBits = coding.nullsFirst ? 0 : UInt64(KeyBytes.null) << 56
    let reversal = coding.isReversed ? KeyBytes.belowRank : 0
    var otherCount = 0
    // Those that are null, missing ones among them, and from bit 32 on those that are missing.
    var nullCounts: UInt64 = 0
    var index = rows.lowerBound
    while index < rows.upperBound {
      let field = fields[layout.position(Int(records[index]))]
      let traits = FieldTraits(field.kind)
      let start = Int(field.start)
      let count = Int(field.count)
      // A value that ends with the window is read from elsewhere, and not believed.
      let key = form.key(bytes, at: min(start, lastStart), count: count, traits: traits)
      let wrong = key.wrong | signFlag(lastStart &- start)
      let isNull = traits.isNull(count: count)
      let isBegun = zeroFlag(wrong)
      // What is not filled stays zero. A shift by all 64 bits takes two.
      let filled = ~((UInt64.max >> 1) &>> (key.byteCount &* 8 &- 1))
      let bits = (key.bits ^ reversal & filled) & mask(isBegun)
      prefixes[index] = KeyPrefix(
        bits: bits & ~mask(isNull) | nullBits & mask(isNull), isExact: (isNull | (key.isExact ? 1 : 0)) != 0)
      others[otherCount] = UInt32(truncatingIfNeeded: index)
      otherCount &+= Int(truncatingIfNeeded: 1 ^ (isNull | zeroFlag(wrong | key.unfinished)))
      nullCounts &+= isNull | traits.isMissing << 32
      index &+= 1
    }
    let missing = Int(truncatingIfNeeded: nullCounts >> 32)
    return (otherCount, Int(truncatingIfNeeded: nullCounts & 0xFFFF_FFFF) &- missing, missing)
  }
}
