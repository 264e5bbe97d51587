// Dates in their commonest form, without a single branch that depends on the data: one by one in Swift, and many at a time by the kernel,
// with the same outcome.

import Reading
import ScanningKernels

/// `YYYY-MM-DDThh:mm:ss` with `Z` or without, or with a blank instead of each `T`. February 29 is none of them.
///
/// What begins as one may go on with a fraction or an offset; its bits are then those of the part before.
struct PlainDates: PlainForm {
  /// `00T00:00`, with a blank instead of the `T`, and `:00Z`, as `CivilDate.separators`.
  private static let middle: UInt64 = 0x3030_3A30_3054_3030
  private static let middleWithBlank: UInt64 = 0x3030_3A30_3020_3030
  private static let end: UInt64 = 0x5A30_303A
  /// Days beyond 28 of each month, two bits a month, those of January from bit 2 on.
  private static let daysBeyond28: UInt64 = 0x3BB_EECC
  /// Added to pairs of digits, months above 12, hours above 23, minutes above 59 and seconds above 60 reach the top bit.
  private static let monthLimit: UInt64 = 0x73 << 40
  private static let timeLimits: UInt64 = 0x68 << 24 | 0x44 << 48
  private static let secondLimit: UInt64 = 0x43 << 8
  private static let one: UInt64 = 1

  private let middle: UInt64

  init(hasBlank: Bool) { middle = hasBlank ? Self.middleWithBlank : Self.middle }

  @inline(__always) var kind: ValueKind { .date }
  @inline(__always) var readsStrings: Bool { true }

  @inline(__always)
  func key(_ bytes: Span<UInt8>, at start: Int, count: Int) -> PlainKey {
    let date = KeyBytes.knownWord(bytes, start) ^ CivilDate.separators
    let time = KeyBytes.knownWord(bytes, start &+ 8) ^ middle
    let end = KeyBytes.knownWord(bytes, start &+ 12) >> 32 ^ Self.end
    let last = end & 0xFF_FFFF
    // Each byte becomes the number of two digits that begins there, at most 99.
    @inline(__always) func pairs(_ digits: UInt64) -> UInt64 { digits &* 10 &+ digits >> 8 }
    @inline(__always) func pair(_ pairs: UInt64, _ place: UInt64) -> Int {
      Int(truncatingIfNeeded: pairs &>> (place &* 8) & 0xFF)
    }
    let (datePairs, timePairs, lastPairs) = (pairs(date), pairs(time), pairs(last))
    let year = pair(datePairs, 0) &* 100 &+ pair(datePairs, 2)
    let month = pair(datePairs, 5)
    let day = pair(timePairs, 0)
    let hour = pair(timePairs, 3)
    let minute = pair(timePairs, 6)
    let second = pair(lastPairs, 1)
    // The top bit of a byte is set where it is no digit, or else by a pair that is too large or, less one, was zero.
    let daysBeyond28 = Self.daysBeyond28 &>> (UInt64(truncatingIfNeeded: month) &* 2) & 3
    let shape =
      (date &+ CivilDate.digitLimits | date) | (time &+ ClockTime.digitLimits | time) | (last &+ 0x76_767F | last)
    let ranges =
      (datePairs &+ Self.monthLimit) | (datePairs &- Self.one << 40) | (timePairs &+ Self.timeLimits)
      | (timePairs &- Self.one) | (lastPairs &+ Self.secondLimit) | ((timePairs & 0xFF) &+ 0x63 &- daysBeyond28)
    let days = CivilDate.daysSince1970(year: year, month: month, day: day)
    let restCount = UInt64(truncatingIfNeeded: count &- 19)
    return PlainKey(
      bits: Instant.bits(seconds: days &* 86_400 &+ hour &* 3600 &+ minute &* 60 &+ second),
      wrong: (shape | ranges) & 0x8080_8080_8080_8080 | signFlag(count &- 19),
      unfinished: restCount >> 1 | restCount &* (end >> 24))
  }

  // MARK: By the kernel

  /// Treats the values of a strip as dates, all at once.
  ///
  /// - Parameter count: how many there are, at most `Strip.capacity`.
  @inline(__always)
  func fill(_ strip: inout Strip, count: Int, _ bytes: Span<UInt8>) {
    let middle = middle
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe date_keys(
        bytes.baseAddress, strip.starts, min(count, Strip.capacity), middle, Self.base, &strip.bits, &strip.wrong,
        &strip.lastBytes)
    }
  }

  /// `Instant.bits` of the day that the kernel counts seconds from.
  private static let base = Instant.bits(seconds: CivilDate.daysSince1970(year: -400, month: 3, day: 0) &* 86_400)

  /// Dates on their way through the kernel: so few that they stay in the first-level cache beside a block.
  struct Strip: Sendable {
    static let capacity = 256
    /// Where the values begin; there are `SortKeyBlock.reach` bytes from each.
    var starts: [UInt32] = []
    fileprivate var bits: [UInt64] = []
    fileprivate var wrong: [UInt64] = []
    fileprivate var lastBytes: [UInt64] = []

    /// Makes sure that there is memory.
    mutating func prepare() {
      guard starts.isEmpty else { return }
      starts = Array(repeating: 0, count: Self.capacity)
      bits = Array(repeating: 0, count: Self.capacity)
      wrong = Array(repeating: 0, count: Self.capacity)
      lastBytes = Array(repeating: 0, count: Self.capacity)
    }

    /// What came of a value.
    ///
    /// - Parameter count: bytes of the value.
    @inline(__always)
    func key(_ index: Int, count: Int) -> PlainKey {
      let restCount = UInt64(truncatingIfNeeded: count &- 19)
      return PlainKey(
        bits: bits[index], wrong: wrong[index] | signFlag(count &- 19),
        unfinished: restCount >> 1 | restCount &* lastBytes[index])
    }
  }
}
