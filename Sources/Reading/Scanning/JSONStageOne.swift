// Stage one for JSON by the reader that suits the processor: the kernel, which does many blocks at once with wide vectors, or its twin in
// Swift, `StructuralState`, which does one after the other. Their answers lie in the same memory and are the same.

import ScanningKernels

/// Makes the masks of blocks, some at a time.
@unsafe struct JSONStageOne {
  /// Words of working memory.
  static let wordCount = JSON_WORDS
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
    unsafe self.usesKernel = usesKernel ?? Kernels.areFast
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
      unsafe write(state.read(bytes + block &* 64, words: words + block &* 8), block: block)
    }
  }

  /// What is known of a block, by its index among those that were read last.
  @inline(__always)
  subscript(block: Int) -> JSONBlockMasks { unsafe JSONBlockMasks(UnsafePointer(memory) + (block &+ 1)) }

  private func write(_ masks: StructuralMasks, block: Int) {
    let words = unsafe memory + (block &+ 1)
    unsafe words[JSON_OPENS &* JSON_STRIDE] = masks.opens
    unsafe words[JSON_CLOSES &* JSON_STRIDE] = masks.closes
    unsafe words[JSON_BRACES &* JSON_STRIDE] = masks.braces
    unsafe words[JSON_LEAF_STARTS &* JSON_STRIDE] = masks.leafStarts
    unsafe words[JSON_OPENING_QUOTES &* JSON_STRIDE] = masks.openingQuotes
    unsafe words[JSON_KEY_ENDS &* JSON_STRIDE] = masks.keyEnds
    unsafe words[JSON_KEYS &* JSON_STRIDE] = masks.keys
    unsafe words[JSON_PLAIN_VALUES &* JSON_STRIDE] = masks.plainValues
    unsafe words[JSON_OPENS_AFTER_VALUE &* JSON_STRIDE] = masks.opensAfterValue
    unsafe words[JSON_ESCAPED_KEY_ENDS &* JSON_STRIDE] = masks.escapedKeyEnds
    unsafe words[JSON_SUSPECT &* JSON_STRIDE] = masks.isSuspect ? 1 : 0
  }
}

/// The masks of one block where stage one has left them: each is read when it is asked for, as most blocks need few.
@unsafe struct JSONBlockMasks {
  private let words: UnsafePointer<UInt64>

  @inline(__always)
  fileprivate init(_ words: UnsafePointer<UInt64>) { unsafe self.words = words }

  @inline(__always)
  private func row(_ row: Int) -> UInt64 { unsafe words[row &* JSON_STRIDE] }

  // As in `StructuralMasks`.
  var opens: UInt64 { @inline(__always) get { unsafe row(JSON_OPENS) } }
  var closes: UInt64 { @inline(__always) get { unsafe row(JSON_CLOSES) } }
  var braces: UInt64 { @inline(__always) get { unsafe row(JSON_BRACES) } }
  var leafStarts: UInt64 { @inline(__always) get { unsafe row(JSON_LEAF_STARTS) } }
  var openingQuotes: UInt64 { @inline(__always) get { unsafe row(JSON_OPENING_QUOTES) } }
  var keyEnds: UInt64 { @inline(__always) get { unsafe row(JSON_KEY_ENDS) } }
  var escapedKeyEnds: UInt64 { @inline(__always) get { unsafe row(JSON_ESCAPED_KEY_ENDS) } }
  var keys: UInt64 { @inline(__always) get { unsafe row(JSON_KEYS) } }
  var plainValues: UInt64 { @inline(__always) get { unsafe row(JSON_PLAIN_VALUES) } }
  var opensAfterValue: UInt64 { @inline(__always) get { unsafe row(JSON_OPENS_AFTER_VALUE) } }
  var isSuspect: Bool { @inline(__always) get { unsafe row(JSON_SUSPECT) != 0 } }
}
