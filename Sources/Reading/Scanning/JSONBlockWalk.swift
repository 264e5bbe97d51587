// The walk over the brackets: what stage one's masks leave open. Brackets must pair, commas in objects must be followed by keys and
// commas in arrays by plain values; and the walk finds where records begin and end and which strings are wanted keys.
//
// It goes from event to event, which the kernel has written out as positions: nothing is done for a block as such, so that blocks with
// many brackets and blocks with none cost no branches that cannot be foreseen.

import ScanningKernels

/// Goes through the records of blocks that follow each other.
struct JSONBlockWalk {
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

  init(from: Int) { end = from }

  /// Goes through the events of some blocks.
  ///
  /// - Parameters:
  ///   - stage: what stage one says about them.
  ///   - blocks: how many they are.
  ///   - at: where they begin in the window.
  /// - Returns: why to stop, or nil to go on with the blocks that follow.
  @inline(never)
  mutating func take(
    _ stage: JSONStageOne, blocks: Int, _ window: JSONBlockWindow, at: Int, names: JSONKeyNames,
    slots: UnsafeMutablePointer<Field>, wanted: borrowing JSONWantedFields, into batch: inout RecordBatch
  ) -> JSONBlockStop? {
    var depth = depth
    var stack = stack
    defer {
      self.depth = depth
      self.stack = stack
    }
    for number in unsafe 0..<stage.eventCount {
      let event = unsafe stage.event(number)
      if unsafe stage.bit(JSON_CANDIDATES, at: event) != 0 {
        if depth == 1 && stack & 1 == 1 {
          if unsafe stage.bit(JSON_ESCAPED_KEY_ENDS, at: event) != 0 { recordHasEscapedKey = true }
          let slot = unsafe JSONBlockWalk.match(window, recordStart, closingQuote: at &+ event, names, slots)
          if slot >= 0 { openSlot = slot }
        }
        continue
      }
      let isObject = unsafe stage.bit(JSON_BRACES, at: event)
      let isOpening = unsafe stage.bit(JSON_OPENS, at: event) != 0
      if depth == 0 {
        // The end of the array of records, or damage: what comes now is not for this scanner.
        if !isOpening { return .windowEnd }
        if let stop = unsafe begin(stage, event, window, at: at, isObject: isObject, batch) { return stop }
        stack = isObject
        depth = 1
        continue
      }
      let wrong = stack & 1 == 0 ? JSON_WRONG_IN_ARRAY : JSON_WRONG_IN_OBJECT
      if unsafe stage.bit(wrong, at: event) != 0 { return .detour }
      if isOpening {
        if depth >= JSONLimits.blockDepth { return .detour }
        stack = (stack &<< 1) | isObject
        depth &+= 1
        continue
      }
      if stack & 1 != isObject { return .detour }
      stack = stack &>> 1
      depth &-= 1
      if depth == 0 {
        end = at &+ event &+ 1
        unsafe close(window, isObject: isObject == 1, names, slots, wanted, into: &batch)
        recordHasEscapedKey = false
      } else if depth == 1 && openSlot >= 0 {
        unsafe slots[openSlot].count = JSONBytes.word(at &+ event &+ 1) &- slots[openSlot].start
        openSlot = -1
      }
    }
    return unsafe stage.soundBlocks < blocks ? .detour : nil
  }

  /// A record begins.
  ///
  /// - Returns: why it is not read here, or nil.
  @inline(__always)
  private mutating func begin(
    _ stage: JSONStageOne, _ event: Int, _ window: JSONBlockWindow, at: Int, isObject: UInt64,
    _ batch: borrowing RecordBatch
  ) -> JSONBlockStop? {
    let position = at &+ event
    // Only white space and commas may stand before it; whether the commas are right is in the masks.
    var between = end
    while between < position {
      let byte = unsafe window.bytes[between]
      if byte > 0x20 && byte != UInt8(ascii: ",") { return .detour }
      between &+= 1
    }
    if unsafe window.isInArray {
      if unsafe stage.bit(JSON_OPENS_AFTER_VALUE, at: event) != 0 { return .detour }
    } else if unsafe isObject == 0 || stage.bit(JSON_PLAIN_VALUES, at: event) != 0 {
      return .detour
    }
    if unsafe position >= window.limit {
      end = position
      return .limitReached
    }
    if batch.records.count >= batch.recordLimit {
      end = position
      return .batchFull
    }
    recordStart = position
    return nil
  }

  /// Looks whether the string that ends at `closingQuote` is a wanted key, and if so, notes its value.
  ///
  /// - Returns: the slot of a value that is an array or object, whose end is still to be found; else -1.
  @inline(__always)
  private static func match(
    _ window: JSONBlockWindow, _ recordStart: Int, closingQuote: Int, _ names: JSONKeyNames,
    _ slots: UnsafeMutablePointer<Field>
  ) -> Int {
    let bytes = unsafe window.bytes
    let count = unsafe window.count
    guard let text = unsafe names.text.baseAddress else { return -1 }
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
      guard at < count, unsafe bytes[at] == UInt8(ascii: ":") else { return -1 }
      at = unsafe JSONBytes.skipWhite(bytes, from: at &+ 1, count: count)
      guard at < count else { return -1 }
      let first = unsafe bytes[at]
      if first == JSONBytes.quote {
        let (end, hasEscapes) = unsafe JSONBytes.stringEnd(bytes, from: at &+ 1, count: count)
        unsafe slots[index] = Field(
          start: JSONBytes.word(at &+ 1), count: JSONBytes.word(end &- at &- 1),
          kind: hasEscapes ? .stringEscaped : .string)
      } else if first | 0x20 == 0x7B {
        unsafe slots[index] = Field(start: JSONBytes.word(at), count: 0, kind: first == 0x7B ? .object : .array)
        return index
      } else {
        let end = unsafe JSONBytes.scalarEnd(bytes, from: at, count: count)
        unsafe slots[index] = Field(
          start: JSONBytes.word(at), count: JSONBytes.word(end &- at), kind: JSONBytes.scalarKind(first))
      }
      return -1
    }
    return -1
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
