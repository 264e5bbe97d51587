// The fast reader of JSON records: stage one's masks, some blocks at a time, and `JSONBlockWalk` over the few positions in them that
// matter. It reads records that are objects or arrays; at anything else, and at whatever may be damage, it
// stops in front of the record concerned, and the caller goes on with `JSONChecker`.

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
  /// For each key its bytes; empty where every key is compared.
  private let keyLengths: [UInt8]
  /// The end of a window, filled up with blanks.
  private var tail = [UInt8](repeating: 0x20, count: 192)
  /// Working memory of stage one.
  private var scratch: [UInt64]
  /// Whether the kernel is used for stage one; nil: if it is faster here.
  var usesKernel: Bool?

  init(_ wanted: JSONWantedFields) {
    self.wanted = wanted
    slots = Array(repeating: .missing, count: max(1, wanted.keys.count))
    let keys = wanted.keys
    let areFiltered =
      keys.count <= JSONLimits.filteredNames && keys.allSatisfy { $0.count <= JSONLimits.filteredLength }
    keyLengths = areFiltered ? keys.map { UInt8($0.count) } : []
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
    let stop: JSONBlockStop? = unsafe slots.withUnsafeMutableBufferPointer { slots in
      guard let slots = slots.baseAddress else { return .detour }
      return unsafe wanted.text.withUnsafeBufferPointer { text in
        unsafe wanted.keys.withUnsafeBufferPointer { keys in
          unsafe keyLengths.withUnsafeBufferPointer { lengths in
            unsafe scratch.withUnsafeMutableBufferPointer { scratch in
              unsafe tail.withUnsafeMutableBufferPointer { tail in
                guard let tail = tail.baseAddress, let scratch = scratch.baseAddress else { return .detour }
                let names = unsafe JSONKeyNames(text: text, keys: keys)
                let filter = unsafe JSONKeyFilter(
                  lengths: lengths, count: lengths.count == keys.count ? keys.count : -1)
                for index in 0..<keys.count { unsafe slots[index] = .missing }
                var stage = unsafe JSONStageOne(scratch, usesKernel: usesKernel)
                var at = start
                // The main blocks leave 72 bytes, so that escapes and literals can be read beyond a block's end.
                let mainEnd = unsafe window.count &- 72
                while at <= mainEnd {
                  let blocks = min(JSONLimits.blocksAtOnce, (mainEnd &- at) &>> 6 &+ 1)
                  unsafe stage.read(window.bytes + at, blocks: blocks, keys: filter)
                  if let stop = unsafe walk.take(
                    stage, blocks: blocks, window, at: at, names: names, slots: slots, wanted: wanted, into: &batch)
                  {
                    return stop
                  }
                  at &+= blocks &<< 6
                }
                let rest = unsafe window.count &- at
                if rest > 0 {
                  unsafe tail.update(from: window.bytes + at, count: rest)
                  unsafe (tail + rest).update(repeating: 0x20, count: 192 &- rest)
                  let blocks = (rest &+ 63) &>> 6
                  unsafe stage.read(tail, blocks: blocks, keys: filter)
                  return unsafe walk.take(
                    stage, blocks: blocks, window, at: at, names: names, slots: slots, wanted: wanted, into: &batch)
                }
                return nil
              }
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
