// The fast reader of JSON records: stage one's masks, some blocks at a time, walked bracket by bracket; no position is
// ever written out. It reads records that are objects or arrays; at anything else, and at whatever may be damage, it
// stops in front of the record concerned, and the caller goes on with `JSONChecker`.
//
// What the masks leave to the walk: that brackets pair, that commas in objects are followed by keys and commas in
// arrays by plain values, where records begin and end, and which strings may be wanted keys. Keys are picked out by
// the distance of their quotes, 64 positions at a time, so that only those of the right length are ever looked at.

/// Why the block scanner stopped.
enum JSONBlockStop: Equatable {
  /// What comes next may be damage or is not for this scanner.
  case detour
  /// The window ends between records, or a bracket closes there.
  case windowEnd
  /// The window ends inside a record.
  case windowEndsInside
  /// The batch is full; the next record begins at the end.
  case batchFull
  /// The next record begins at the end, which is at or after the limit.
  case limitReached
}

/// What the block scanner's caller hands it for one window.
@unsafe struct JSONBlockWindow {
  var bytes: UnsafePointer<UInt8>
  var count: Int
  /// No record is begun at or after this position.
  var limit: Int
  /// Whether records are elements of an array, so that commas stand between them.
  var isInArray: Bool
}

/// Reads records from blocks of 64 bytes.
struct JSONBlockScanner: Sendable {
  private let wanted: JSONWantedFields
  /// For each key the last value met under it in the present record.
  private var slots: [Field]
  /// The end of a window, filled up with blanks.
  private var tail = [UInt8](repeating: 0x20, count: 192)
  /// Working memory of stage one.
  private var scratch: [UInt64]
  /// Whether the kernel is used for stage one; nil: if it is faster here.
  var usesKernel: Bool?

  init(_ wanted: JSONWantedFields) {
    self.wanted = wanted
    slots = Array(repeating: .missing, count: max(1, wanted.keys.count))
    scratch = unsafe Array(repeating: 0, count: JSONStageOne.wordCount)
  }

  /// Reads the fields of a record that the checker found.
  mutating func find(_ bytes: UnsafePointer<UInt8>, record: Range<Int>, into batch: inout RecordBatch) {
    let wanted = wanted
    unsafe slots.withUnsafeMutableBufferPointer { slots in
      guard let slots = slots.baseAddress else { return }
      unsafe wanted.find(bytes, record: record, slots: slots, into: &batch.fields)
    }
  }

  /// Reads records from `from` on, where one begins.
  ///
  /// - Parameter from: replaced by the end of the last record read, or by the start of the next one.
  mutating func scan(_ window: JSONBlockWindow, from: inout Int, into batch: inout RecordBatch) -> JSONBlockStop {
    let wanted = wanted
    let start = from
    var walk = JSONBlockWalk(from: start)
    // The main blocks leave 72 bytes, so that escapes and literals can be read beyond a block's end.
    let mainEnd = unsafe window.count &- 72
    let stop: JSONBlockStop? = unsafe slots.withUnsafeMutableBufferPointer { slots in
      guard let slots = slots.baseAddress else { return .detour }
      return unsafe wanted.text.withUnsafeBufferPointer { text in
        unsafe wanted.keys.withUnsafeBufferPointer { keys in
          unsafe scratch.withUnsafeMutableBufferPointer { scratch in
            unsafe tail.withUnsafeMutableBufferPointer { tail in
              guard let tail = tail.baseAddress, let scratch = scratch.baseAddress else { return .detour }
              let names = unsafe JSONKeyNames(text: text, keys: keys)
              for index in 0..<keys.count { unsafe slots[index] = .missing }
              var stage = unsafe JSONStageOne(scratch, usesKernel: usesKernel)
              var at = start
              while at <= mainEnd {
                let blocks = min(JSONLimits.blocksAtOnce, (mainEnd &- at) &>> 6 &+ 1)
                unsafe stage.read(window.bytes + at, blocks: blocks)
                for block in 0..<blocks {
                  if let stop = unsafe walk.block(
                    window, stage[block], at: at, names: names, slots: slots, wanted: wanted, into: &batch)
                  {
                    return stop
                  }
                  at &+= 64
                }
              }
              let rest = unsafe window.count &- at
              if rest > 0 {
                unsafe tail.update(from: window.bytes + at, count: rest)
                unsafe (tail + rest).update(repeating: 0x20, count: 192 &- rest)
                let blocks = (rest &+ 63) &>> 6
                unsafe stage.read(tail, blocks: blocks)
                for block in 0..<blocks {
                  if let stop = unsafe walk.block(
                    window, stage[block], at: at &+ block &* 64, names: names, slots: slots, wanted: wanted,
                    into: &batch)
                  {
                    return stop
                  }
                }
              }
              return nil
            }
          }
        }
      }
    }
    from = walk.end
    if let stop { return stop }
    return walk.depth == 0 ? .windowEnd : .windowEndsInside
  }
}

/// The names of wanted keys, as pointers for the time of one call.
@unsafe struct JSONKeyNames {
  var text: UnsafeBufferPointer<UInt8>
  var keys: UnsafeBufferPointer<JSONWantedFields.Key>
}

/// The walk over the brackets of block after block.
private struct JSONBlockWalk {
  /// Open brackets, counted from between records.
  private(set) var depth = 0
  /// One bit an open bracket, the innermost lowest: 1 for an object.
  private var stack: UInt64 = 0
  private var recordStart = 0
  /// The end of the last complete record, or the start of the next one.
  private(set) var end: Int
  private var recordHasEscapedKey = false
  /// The slot whose value is an array or object that is not closed yet, or -1.
  private var openSlot = -1
  private var lastOpeningQuotes: UInt64 = 0

  init(from: Int) { end = from }

  /// Reads one block.
  ///
  /// - Parameters:
  ///   - masks: what stage one says about it.
  ///   - at: where it begins in the window.
  /// - Returns: why to stop, or nil to go on with the next block.
  @inline(__always)
  mutating func block(
    _ window: JSONBlockWindow, _ masks: JSONBlockMasks, at: Int, names: JSONKeyNames,
    slots: UnsafeMutablePointer<Field>, wanted: borrowing JSONWantedFields, into batch: inout RecordBatch
  ) -> JSONBlockStop? {
    if unsafe masks.isSuspect { return .detour }
    let opens = unsafe masks.opens
    let candidates = unsafe self.candidates(masks, names)
    // Bytes of this block after the last bracket, as far as the walk has come.
    var left: UInt64 = ~0
    // Of these, those that stand after the last complete record.
    var between: UInt64 = depth == 0 ? ~0 : 0
    var rest = unsafe opens | masks.closes | candidates
    while rest != 0 {
      let bit = rest & (0 &- rest)
      let position = at &+ rest.trailingZeroBitCount
      rest ^= bit
      if candidates & bit != 0 {
        if depth == 1 && stack & 1 == 1 {
          if unsafe masks.escapedKeyEnds & bit != 0 { recordHasEscapedKey = true }
          unsafe match(window, closingQuote: position, names, slots)
        }
        continue
      }
      let upTo = bit | (bit &- 1)
      if unsafe wrong(window, masks) & upTo & left != 0 { return .detour }
      left = ~upTo
      let isObject: UInt64 = unsafe masks.braces & bit == 0 ? 0 : 1
      if opens & bit != 0 {
        if depth == 0 {
          if unsafe masks.leafStarts & between & upTo != 0 { return .detour }
          if unsafe !window.isInArray, isObject == 0 { return .detour }
          if unsafe masks.opensAfterValue & bit != 0, unsafe window.isInArray { return .detour }
          if unsafe position >= window.limit {
            end = position
            return .limitReached
          }
          if batch.records.count >= batch.recordLimit {
            end = position
            return .batchFull
          }
          recordStart = position
          between = 0
        } else if unsafe masks.opensAfterValue & bit != 0 || depth >= JSONLimits.blockDepth {
          return .detour
        }
        stack = (stack &<< 1) | isObject
        depth &+= 1
      } else {
        // The end of the array of records, or damage: what comes now is not for this scanner.
        if depth == 0 { return .windowEnd }
        if stack & 1 != isObject { return .detour }
        stack = stack &>> 1
        depth &-= 1
        if depth == 1 {
          if openSlot >= 0 {
            unsafe slots[openSlot].count = JSONBytes.word(position &+ 1) &- slots[openSlot].start
            openSlot = -1
          }
        } else if depth == 0 {
          end = position &+ 1
          unsafe close(window, isObject: isObject == 1, names, slots, wanted, into: &batch)
          recordHasEscapedKey = false
          between = ~upTo
        }
      }
    }
    if unsafe wrong(window, masks) & left | masks.leafStarts & between != 0 { return .detour }
    return nil
  }

  /// What must not be where the walk stands.
  @inline(__always)
  private func wrong(_ window: JSONBlockWindow, _ masks: JSONBlockMasks) -> UInt64 {
    if depth != 0 { return unsafe stack & 1 == 1 ? masks.plainValues : masks.keys }
    return unsafe masks.keys | (window.isInArray ? 0 : masks.plainValues)
  }

  /// Closing quotes of strings that may be wanted keys, or that are not what they look like.
  @inline(__always)
  private mutating func candidates(_ masks: JSONBlockMasks, _ names: JSONKeyNames) -> UInt64 {
    let previous = lastOpeningQuotes
    let opening = unsafe masks.openingQuotes
    lastOpeningQuotes = opening
    let keys = unsafe names.keys
    if keys.count == 0 { return 0 }
    let found = unsafe masks.keyEnds
    if keys.count > JSONLimits.filteredNames { return found }
    var fitting = unsafe masks.escapedKeyEnds
    for index in 0..<keys.count {
      let distance = unsafe keys[index].count &+ 1
      // A name of 63 bytes or more reaches over more than one block; it is left to the comparison.
      if distance > 63 { return found }
      fitting |=
        (opening &<< UInt64(truncatingIfNeeded: distance))
        | (previous &>> UInt64(truncatingIfNeeded: 64 &- distance))
    }
    return found & fitting
  }

  /// Looks whether the string that ends at `closingQuote` is a wanted key, and if so, notes its value.
  @inline(never)
  private mutating func match(
    _ window: JSONBlockWindow, closingQuote: Int, _ names: JSONKeyNames, _ slots: UnsafeMutablePointer<Field>
  ) {
    let bytes = unsafe window.bytes
    let count = unsafe window.count
    guard let text = unsafe names.text.baseAddress else { return }
    let keys = unsafe names.keys
    for index in 0..<keys.count {
      let key = unsafe keys[index]
      let start = closingQuote &- key.count
      // The byte before the opening quote is looked at too: a backslash there makes it a part of a longer string.
      guard start &- 2 >= recordStart, unsafe bytes[start &- 1] == JSONBytes.quote,
        unsafe bytes[start &- 2] != JSONBytes.backslash,
        unsafe JSONBytes.equal(bytes, start, text + key.start, key.count)
      else { continue }
      var at = unsafe JSONBytes.skipWhite(bytes, from: closingQuote &+ 1, count: count)
      guard at < count, unsafe bytes[at] == UInt8(ascii: ":") else { return }
      at = unsafe JSONBytes.skipWhite(bytes, from: at &+ 1, count: count)
      guard at < count else { return }
      let first = unsafe bytes[at]
      if first == JSONBytes.quote {
        let (end, hasEscapes) = unsafe JSONBytes.stringEnd(bytes, from: at &+ 1, count: count)
        unsafe slots[index] = Field(
          start: JSONBytes.word(at &+ 1), count: JSONBytes.word(end &- at &- 1),
          kind: hasEscapes ? .stringEscaped : .string)
      } else if first | 0x20 == 0x7B {
        unsafe slots[index] = Field(start: JSONBytes.word(at), count: 0, kind: first == 0x7B ? .object : .array)
        openSlot = index
      } else {
        let end = unsafe JSONBytes.scalarEnd(bytes, from: at, count: count)
        unsafe slots[index] = Field(
          start: JSONBytes.word(at), count: JSONBytes.word(end &- at), kind: JSONBytes.scalarKind(first))
      }
      return
    }
  }

  /// Hands over a complete record.
  @inline(__always)
  private func close(
    _ window: JSONBlockWindow, isObject: Bool, _ names: JSONKeyNames, _ slots: UnsafeMutablePointer<Field>,
    _ wanted: borrowing JSONWantedFields, into batch: inout RecordBatch
  ) {
    batch.records.append(
      RecordRange(start: JSONBytes.word(recordStart), count: JSONBytes.word(end &- recordStart)))
    let keyCount = unsafe names.keys.count
    if keyCount == 0 { return }
    if recordHasEscapedKey || !isObject {
      unsafe wanted.find(window.bytes, record: recordStart..<end, slots: slots, into: &batch.fields)
    } else {
      unsafe wanted.finish(window.bytes, record: recordStart..<end, slots: slots, into: &batch.fields)
    }
    for index in 0..<keyCount { unsafe slots[index] = .missing }
  }
}
