// The scanner of JSON records: a table of contents over the two readers, the block scanner for what is plain and the
// byte-wise checker for the rest. It keeps where it stands between records; a record itself is always read in one go.

/// Finds records and their wanted fields in windows of JSON text.
package struct JSONScanner: RecordScanner {
  private let layout: JSONLayout
  /// Whether the window is one record on its own, taken from where it stood and found sound there.
  package var isLoneRecord = false
  /// Where the scanner stands between records.
  package internal(set) var position: JSONScannerPosition
  /// How damaged records are left out; nil: they end the scan.
  var skip: JSONDamageSkip?
  /// Whether blocks are read at all; without them the checker reads everything, with the same result.
  package var usesBlocks: Bool
  /// Whether blocks are read by the kernel; nil: if it is faster here. The result is the same.
  package var usesKernel: Bool? {
    get { blocks.usesKernel }
    set { blocks.usesKernel = newValue }
  }
  /// Brackets around a record that is an element: the depth of a record counts from the beginning of the document.
  private let enclosingDepth: Int
  private let fieldCount: Int
  private var blocks: JSONBlockScanner
  private var checker = JSONChecker()
  /// The checker of what stands around the wrapped array; it keeps its state from window to window.
  private var wrapper = JSONChecker()
  /// How many records the checker reads before the block scanner is tried again.
  private var detour = 0
  private var nextDetour = 1

  /// - Parameters:
  ///   - fields: the wanted fields.
  ///   - layout: how the records lie, from `JSONLayoutDetector`.
  package init(fields: [FieldName], layout: JSONLayout) {
    self.layout = layout
    position = layout.kind == .wrapped ? .wrapperStart : .betweenValues
    // All that wraps the array is objects, one for each name of its path.
    enclosingDepth = layout.path.count &+ 1
    // The block scanner does not count so far.
    usesBlocks = enclosingDepth &+ JSONLimits.blockDepth <= JSONLimits.maximumDepth
    fieldCount = fields.count
    blocks = JSONBlockScanner(JSONWantedFields(fields))
  }

  /// A scanner that begins in the middle of the input, in an assumed position.
  ///
  /// What it finds holds if the scan of the range before ended at the same byte with a `position` that is
  /// `.beforeElement` for `.elementStart`, `.afterElement` for `.elementEnd`, `.betweenValues` for `.valueStart`.
  package init(fields: [FieldName], layout: JSONLayout, resumingAt start: JSONResumption) {
    self.init(fields: fields, layout: layout)
    switch start {
    case .elementStart: position = .beforeElement
    case .elementEnd: position = .afterElement
    case .valueStart: position = .betweenValues
    }
    if layout.kind == .wrapped { wrapper.assumeArray(inObjects: layout.path.count) }
  }

  package mutating func scan(
    _ window: Span<UInt8>, from: Int, limit: Int, isFinal: Bool, into batch: inout RecordBatch
  ) -> ScanResult {
    skip == nil
      ? scanSound(window, from: from, limit: limit, isFinal: isFinal, into: &batch)
      : scanSkipping(window, from: from, limit: limit, isFinal: isFinal, into: &batch)
  }

  /// Scans up to the first damage.
  mutating func scanSound(
    _ window: Span<UInt8>, from: Int, limit: Int, isFinal: Bool, into batch: inout RecordBatch
  ) -> ScanResult {
    unsafe window.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress else { return end(of: 0, isFinal: isFinal) }
      return unsafe scan(
        bytes, count: buffer.count, from: max(0, min(from, buffer.count)), limit: limit, isFinal: isFinal,
        into: &batch)
    }
  }

  private mutating func scan(
    _ bytes: UnsafePointer<UInt8>, count: Int, from: Int, limit: Int, isFinal: Bool, into batch: inout RecordBatch
  ) -> ScanResult {
    var at = from
    while true {
      if position == .betweenValues || position == .ended {
        at = unsafe JSONBytes.skipBetweenValues(bytes, from: at, count: count)
      } else if position != .wrapperStart {
        at = unsafe JSONBytes.skipWhite(bytes, from: at, count: count)
      }
      if at >= count { return end(of: count, isFinal: isFinal) }
      let byte = unsafe bytes[at]
      switch position {
      case .wrapperStart:
        if let result = unsafe openWrapper(bytes, count: count, at: &at, isFinal: isFinal) { return result }
        continue
      case .wrapperEnd:
        if let result = unsafe closeWrapper(bytes, count: count, at: &at, isFinal: isFinal) { return result }
        continue
      case .ended:
        return damage(
          at, "more after the object that wraps the records; --from jsonl reads each value as a record")
      case .betweenValues:
        if byte == UInt8(ascii: "[") {
          if at >= limit { return ScanResult(consumed: at, stop: .limitReached) }
          switch unsafe unwraps(bytes, count: count, at: at, isFinal: isFinal) {
          case true?:
            position = .arrayStart
            at &+= 1
            continue
          case nil: return ScanResult(consumed: at, stop: .windowEnd)
          case false?: break
          }
        }
      case .arrayStart:
        if byte == UInt8(ascii: "]") {
          closeArray()
          at &+= 1
          continue
        }
      case .afterElement:
        if byte == UInt8(ascii: "]") {
          closeArray()
        } else if byte == UInt8(ascii: ",") {
          position = .beforeElement
        } else {
          return damage(at, "expected ',' or ']' after an element")
        }
        at &+= 1
        continue
      case .beforeElement: break
      }

      // A record begins here.
      if position == .arrayStart { position = .beforeElement }
      if at >= limit { return ScanResult(consumed: at, stop: .limitReached) }
      if batch.records.count >= batch.recordLimit { return ScanResult(consumed: at, stop: .batchFull) }
      if usesBlocks && detour == 0 && byte | 0x20 == 0x7B && (byte == 0x7B || position == .beforeElement) {
        let start = at
        let result = unsafe readBlocks(bytes, count: count, at: &at, limit: limit, isFinal: isFinal, into: &batch)
        if let result { return result }
        // Where records were read, what stands before the next one comes first.
        if at > start { continue }
      }
      if let result = unsafe readRecord(bytes, count: count, at: &at, isFinal: isFinal, into: &batch) { return result }
    }
  }

  /// Reads records by blocks.
  ///
  /// - Returns: the result where the scan ends there, else nil; if `at` has not moved, the record is the checker's.
  @inline(__always)
  private mutating func readBlocks(
    _ bytes: UnsafePointer<UInt8>, count: Int, at: inout Int, limit: Int, isFinal: Bool, into batch: inout RecordBatch
  ) -> ScanResult? {
    let start = at
    let isInArray = position == .beforeElement
    let window = unsafe JSONBlockWindow(bytes: bytes, count: count, limit: limit, isInArray: isInArray)
    let stop = unsafe blocks.scan(window, from: &at, into: &batch)
    switch stop {
    case .batchFull: return ScanResult(consumed: at, stop: .batchFull)
    case .limitReached: return ScanResult(consumed: at, stop: .limitReached)
    case .windowEnd, .windowEndsInside, .detour:
      if at > start && isInArray { position = .afterElement }
      if stop == .windowEndsInside && !isFinal { return ScanResult(consumed: at, stop: .windowEnd) }
      if stop == .windowEnd { return nil }
      if at > start &+ 1024 { nextDetour = 1 }
      detour = nextDetour
      nextDetour = min(nextDetour &* 2, JSONLimits.longestDetour)
      return nil
    }
  }

  /// Reads one record byte by byte.
  private mutating func readRecord(
    _ bytes: UnsafePointer<UInt8>, count: Int, at: inout Int, isFinal: Bool, into batch: inout RecordBatch
  ) -> ScanResult? {
    let start = at
    checker.reset(enclosed: position == .beforeElement && !isLoneRecord ? enclosingDepth : 0)
    switch unsafe checker.run(bytes, count: count, position: &at, closing: 0, isFinal: isFinal) {
    case .pause: return ScanResult(consumed: start, stop: .windowEnd)
    case .damage(let offset, let reason):
      return ScanResult(
        consumed: start, stop: .damage(Damage(offset: offset, reason: reason, recordStart: start)))
    case .done: break
    }
    if detour > 0 { detour &-= 1 }
    batch.records.append(RecordRange(start: JSONBytes.word(start), count: JSONBytes.word(at &- start)))
    if fieldCount > 0 { unsafe blocks.find(bytes, record: start..<at, into: &batch) }
    if position == .beforeElement { position = .afterElement }
    return nil
  }

  /// Whether the array at `at` is read as its elements; nil where more bytes are needed to tell.
  private func unwraps(_ bytes: UnsafePointer<UInt8>, count: Int, at: Int, isFinal: Bool) -> Bool? {
    if layout.kind == .values { return true }
    let first = unsafe JSONBytes.skipWhite(bytes, from: at &+ 1, count: count)
    if first < count { return unsafe bytes[first] == UInt8(ascii: "{") }
    return isFinal ? false : nil
  }

  private mutating func closeArray() {
    if layout.kind == .wrapped {
      wrapper.closeArray()
      position = .wrapperEnd
    } else {
      position = .betweenValues
    }
  }

  /// Reads up to the array of records in its wrapper.
  private mutating func openWrapper(
    _ bytes: UnsafePointer<UInt8>, count: Int, at: inout Int, isFinal: Bool
  ) -> ScanResult? {
    let start = at
    guard layout.arrayOffset < count || isFinal else { return ScanResult(consumed: at, stop: .windowEnd) }
    wrapper.reset()
    at = unsafe JSONBytes.skipBetweenValues(bytes, from: at, count: count)
    switch unsafe wrapper.run(
      bytes, count: count, position: &at, until: layout.arrayOffset, closing: -1, isFinal: isFinal)
    {
    case .damage(let offset, let reason):
      return ScanResult(
        consumed: start, stop: .damage(Damage(offset: offset, reason: reason, recordStart: start)))
    case .done, .pause: break
    }
    guard at == layout.arrayOffset, at < count, unsafe bytes[at] == UInt8(ascii: "["),
      unsafe wrapper.run(
        bytes, count: at &+ 1, position: &at, until: at &+ 1, closing: -1, isFinal: false) == .pause
    else { return damage(at, "the array of records is not where it was") }
    position = .arrayStart
    return nil
  }

  /// Reads what stands after the array of records, to the end of the wrapper.
  private mutating func closeWrapper(
    _ bytes: UnsafePointer<UInt8>, count: Int, at: inout Int, isFinal: Bool
  ) -> ScanResult? {
    if wrapper.depth == 0 {
      position = .ended
      return nil
    }
    let start = at
    switch unsafe wrapper.run(bytes, count: count, position: &at, closing: 0, isFinal: isFinal) {
    case .done:
      position = .ended
      return nil
    case .pause: return ScanResult(consumed: at, stop: .windowEnd)
    case .damage(let offset, let reason):
      return ScanResult(
        consumed: start, stop: .damage(Damage(offset: offset, reason: reason, recordStart: offset)))
    }
  }

  private func damage(_ offset: Int, _ reason: String) -> ScanResult {
    ScanResult(consumed: offset, stop: .damage(Damage(offset: offset, reason: reason, recordStart: offset)))
  }

  /// The end of the window was reached between records.
  private func end(of count: Int, isFinal: Bool) -> ScanResult {
    if isFinal {
      switch position {
      case .betweenValues, .ended: break
      case .arrayStart, .afterElement, .beforeElement: return damage(count, "the input ends inside an array")
      case .wrapperEnd, .wrapperStart: return damage(count, "the input ends inside an object")
      }
    }
    return ScanResult(consumed: count, stop: .windowEnd)
  }
}
