// The short way to a date's key against the long one.

import Testing
import TestSupport

@testable import Fetching

struct InstantTests {
  @Test(arguments: [
    "2024-02-29T23:59:59Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2000-02-29T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:60Z", "2024-06-30T23:59:61Z", "2024-06-31T00:00:00Z", "2024-13-01T00:00:00Z",
    "2024-00-01T00:00:00Z",
    "2024-01-00T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:00",
    "2024-01-01 00:00:00",
    "2024-01-01T00:00:00z", "2024-01-01T00:00:0:Z", "2024-01-01T00:00+01:00", "2024-01-01T00:00:00.",
    "2024/01/01T00:00:00Z",
    "2024-01-0xT00:00:00Z", "2024-01-x1T00:00:00Z", "x024-01-01T00:00:00Z", "2024-01-01t00:00:00Z",
    "1969-12-31T23:59:59Z",
  ])
  func plainBitsAreThePrefixOrNothing(_ text: String) {
    check(Array(text.utf8))
  }

  @Test func plainBitsAreThePrefixOrNothingForAnyBytes() {
    var random = SeededGenerator(seed: 11)
    var plainCount = 0
    for _ in 0..<20_000 {
      func two(_ bound: Int) -> String {
        let number = random.below(bound)
        return number < 10 ? "0\(number)" : "\(number)"
      }
      var text = "\(two(100))\(two(100))-\(two(14))-\(two(33))T\(two(25))-\(two(61))-\(two(62))".utf8.map { $0 }
      text[13] = UInt8(ascii: ":")
      text[16] = UInt8(ascii: ":")
      if !random.oneIn(3) { text.append(UInt8(ascii: "Z")) }
      if random.oneIn(4) { text[random.below(text.count)] = UInt8(random.below(256)) }
      if check(text) { plainCount += 1 }
    }
    #expect(plainCount > 10_000)
  }

  /// - Returns: whether the text has the common form.
  @discardableResult
  private func check(_ text: [UInt8]) -> Bool {
    let plain = Instant.plainBits(text.span)
    guard plain != 0 else {
      // What is of the common form must not be left to the long way.
      if text.count == 20, text[10] == UInt8(ascii: "T"), text[19] == UInt8(ascii: "Z") {
        #expect(Instant.prefix(text.span) == nil, "\(String(decoding: text, as: UTF8.self))")
      }
      return false
    }
    #expect(
      Instant.prefix(text.span) == KeyPrefix(bits: plain, isExact: true), "\(String(decoding: text, as: UTF8.self))")
    return true
  }
}
