// Stage one for JSON by the reader that suits the processor: the kernel, which does many blocks at once with wide vectors, or its twin in
// Swift, `StructuralState`, which does one after the other. Their answers lie in the same memory and are the same. From them the events are made: the few positions
// that the walk over the brackets stops at.

import ScanningKernels

/// Makes the masks of blocks, some at a time.
@unsafe struct JSONStageOne {
  /// Words of working memory: the masks, the events as quarter words, and what is needed to have the rows aligned.
  static let wordCount = JSON_WORDS &+ (JSON_EVENTS &+ 3) / 4 &+ 2 &* wordsPerLine
  private static let wordsPerLine = 8
  private let memory: UnsafeMutablePointer<UInt64>
  private let events: UnsafeMutablePointer<UInt16>
  private let usesKernel: Bool
  private var state = StructuralState()
  /// Where the walk has something to do in the blocks that were read last.
  private(set) var eventCount = 0
  /// How many of the blocks that were read last come before the first that is suspect.
  private(set) var soundBlocks = 0

  /// A fresh one stands before a value.
  ///
  /// - Parameters:
  ///   - memory: `wordCount` words.
  ///   - usesKernel: nil for what is faster here.
  init(_ memory: UnsafeMutablePointer<UInt64>, usesKernel: Bool?) {
    // Word 1 of each row, where the first block is, begins a cache line: vectors then lie in one, not across two.
    let line = unsafe UnsafeMutableRawPointer(memory).alignedUp(toMultipleOf: JSONStageOne.wordsPerLine &* 8)
    let memory = unsafe line.assumingMemoryBound(to: UInt64.self) + (JSONStageOne.wordsPerLine &- 1)
    unsafe self.memory = memory
    unsafe events = UnsafeMutableRawPointer(memory + JSON_WORDS).bindMemory(to: UInt16.self, capacity: JSON_EVENTS)
    unsafe self.usesKernel = usesKernel ?? Kernels.areFast
    unsafe json_begin(memory)
  }

  /// Makes the masks and events of the blocks that follow.
  ///
  /// - Parameters:
  ///   - bytes: 64 bytes a block, with at least eight more that can be read.
  ///   - blocks: 1 to `JSONLimits.blocksAtOnce`.
  ///   - keys: which keys are events.
  @inline(__always)
  mutating func read(_ bytes: UnsafePointer<UInt8>, blocks: Int, keys: JSONKeyFilter) {
    if unsafe usesKernel {
      unsafe json_masks(bytes, blocks, memory)
    } else {
      unsafe readByTwin(bytes, blocks: blocks)
    }
    unsafe eventCount = json_events(blocks, keys.lengths.baseAddress, keys.count, memory, events, &soundBlocks)
  }

  private mutating func readByTwin(_ bytes: UnsafePointer<UInt8>, blocks: Int) {
    // The planes' rows are the kernel's own, and free here.
    let words = unsafe memory + JSON_PLANES &* JSON_STRIDE
    if BitPlanes.needsPreparation { unsafe BitPlanes.prepare(bytes, wordCount: blocks &* 8, into: words) }
    for block in 0..<blocks {
      unsafe write(state.read(bytes + block &* 64, words: words + block &* 8), block: block)
    }
  }

  /// The position of an event, counted from the first of the blocks that were read last.
  @inline(__always)
  func event(_ number: Int) -> Int { unsafe Int(events[number]) }

  /// The bit of a row at a position: 0 or 1.
  @inline(__always)
  func bit(_ row: Int, at position: Int) -> UInt64 {
    unsafe (memory[row &* JSON_STRIDE &+ 1 &+ position &>> 6] &>> UInt64(truncatingIfNeeded: position)) & 1
  }

  /// The masks of a block, by its index among those that were read last.
  func masks(of block: Int) -> StructuralMasks {
    let words = unsafe memory + (block &+ 1)
    return unsafe StructuralMasks(
      opens: words[JSON_OPENS &* JSON_STRIDE], closes: words[JSON_CLOSES &* JSON_STRIDE],
      braces: words[JSON_BRACES &* JSON_STRIDE], openingQuotes: words[JSON_OPENING_QUOTES &* JSON_STRIDE],
      keyEnds: words[JSON_KEY_ENDS &* JSON_STRIDE], keys: words[JSON_KEYS &* JSON_STRIDE],
      plainValues: words[JSON_PLAIN_VALUES &* JSON_STRIDE],
      opensAfterValue: words[JSON_OPENS_AFTER_VALUE &* JSON_STRIDE],
      escapedKeyEnds: words[JSON_ESCAPED_KEY_ENDS &* JSON_STRIDE], isSuspect: words[JSON_SUSPECT &* JSON_STRIDE] != 0)
  }

  private func write(_ masks: StructuralMasks, block: Int) {
    let words = unsafe memory + (block &+ 1)
    unsafe words[JSON_OPENS &* JSON_STRIDE] = masks.opens
    unsafe words[JSON_CLOSES &* JSON_STRIDE] = masks.closes
    unsafe words[JSON_BRACES &* JSON_STRIDE] = masks.braces
    unsafe words[JSON_OPENING_QUOTES &* JSON_STRIDE] = masks.openingQuotes
    unsafe words[JSON_KEY_ENDS &* JSON_STRIDE] = masks.keyEnds
    unsafe words[JSON_KEYS &* JSON_STRIDE] = masks.keys
    unsafe words[JSON_PLAIN_VALUES &* JSON_STRIDE] = masks.plainValues
    unsafe words[JSON_OPENS_AFTER_VALUE &* JSON_STRIDE] = masks.opensAfterValue
    unsafe words[JSON_ESCAPED_KEY_ENDS &* JSON_STRIDE] = masks.escapedKeyEnds
    unsafe words[JSON_SUSPECT &* JSON_STRIDE] = masks.isSuspect ? 1 : 0
  }
}

/// Which keys the walk has to see.
@unsafe struct JSONKeyFilter {
  /// Bytes of the names.
  var lengths: UnsafeBufferPointer<UInt8>
  /// How many names; -1 where every key is to be seen.
  var count: Int
}
