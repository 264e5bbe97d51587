// Stage one for JSON by the reader that suits the processor: the kernel, which does many blocks at once with wide vectors, or its twin in
// Swift, `StructuralState`, which does one after the other. Their answers lie in the same memory and are the same.

import ScanningKernels

/// Makes the masks of blocks, some at a time.
@unsafe struct JSONStageOne {
  /// Words of working memory.
  static let wordCount = JSON_WORDS
  /// Whether the processor is one for the kernel.
  private static let kernelIsFast = scanning_kernels_are_fast()

  private let memory: UnsafeMutablePointer<UInt64>
  private let usesKernel: Bool
  private var state = StructuralState()

  /// A fresh one stands before a value.
  ///
  /// - Parameters:
  ///   - memory: `wordCount` words.
  ///   - usesKernel: nil for what is faster here.
  init(_ memory: UnsafeMutablePointer<UInt64>, usesKernel: Bool?) {
    unsafe self.memory = memory
    unsafe self.usesKernel = usesKernel ?? JSONStageOne.kernelIsFast
    if unsafe self.usesKernel { unsafe json_begin(memory) }
  }

  /// Makes the masks of the blocks that follow.
  ///
  /// - Parameters:
  ///   - bytes: 64 bytes a block, with at least eight more that can be read.
  ///   - blocks: 1 to `JSONLimits.blocksAtOnce`.
  mutating func read(_ bytes: UnsafePointer<UInt8>, blocks: Int) {
    if unsafe usesKernel { return unsafe json_masks(bytes, blocks, memory) }
    // The rows after the answers are the kernel's own, and free here.
    let words = unsafe memory + JSON_STATE &* JSON_STRIDE
    if BitPlanes.needsPreparation { unsafe BitPlanes.prepare(bytes, wordCount: blocks &* 8, into: words) }
    for block in 0..<blocks {
      unsafe self[block] = state.read(bytes + block &* 64, words: words + block &* 8)
    }
  }

  /// The masks of a block, by its index among those that were read last.
  subscript(block: Int) -> StructuralMasks {
    @inline(__always)
    get {
      let words = unsafe memory + (block &+ 1)
      return unsafe StructuralMasks(
        opens: words[JSON_OPENS &* JSON_STRIDE], closes: words[JSON_CLOSES &* JSON_STRIDE],
        braces: words[JSON_BRACES &* JSON_STRIDE], leafStarts: words[JSON_LEAF_STARTS &* JSON_STRIDE],
        openingQuotes: words[JSON_OPENING_QUOTES &* JSON_STRIDE], keyEnds: words[JSON_KEY_ENDS &* JSON_STRIDE],
        keys: words[JSON_KEYS &* JSON_STRIDE], plainValues: words[JSON_PLAIN_VALUES &* JSON_STRIDE],
        opensAfterValue: words[JSON_OPENS_AFTER_VALUE &* JSON_STRIDE],
        escapedKeyEnds: words[JSON_ESCAPED_KEY_ENDS &* JSON_STRIDE], isSuspect: words[JSON_SUSPECT &* JSON_STRIDE] != 0)
    }
    @inline(__always)
    nonmutating set {
      let words = unsafe memory + (block &+ 1)
      unsafe words[JSON_OPENS &* JSON_STRIDE] = newValue.opens
      unsafe words[JSON_CLOSES &* JSON_STRIDE] = newValue.closes
      unsafe words[JSON_BRACES &* JSON_STRIDE] = newValue.braces
      unsafe words[JSON_LEAF_STARTS &* JSON_STRIDE] = newValue.leafStarts
      unsafe words[JSON_OPENING_QUOTES &* JSON_STRIDE] = newValue.openingQuotes
      unsafe words[JSON_KEY_ENDS &* JSON_STRIDE] = newValue.keyEnds
      unsafe words[JSON_KEYS &* JSON_STRIDE] = newValue.keys
      unsafe words[JSON_PLAIN_VALUES &* JSON_STRIDE] = newValue.plainValues
      unsafe words[JSON_OPENS_AFTER_VALUE &* JSON_STRIDE] = newValue.opensAfterValue
      unsafe words[JSON_ESCAPED_KEY_ENDS &* JSON_STRIDE] = newValue.escapedKeyEnds
      unsafe words[JSON_SUSPECT &* JSON_STRIDE] = newValue.isSuspect ? 1 : 0
    }
  }
}
