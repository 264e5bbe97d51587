// The short way of comparing numbers against the exact one.

import TestSupport
import Testing

@testable import Fetching

struct PredicateNumberTests {
  @Test func shortDecimalsAgreeWithTheExactOrder() {
    var generator = SeededGenerator(seed: 5)
    func number() -> [UInt8] {
      var text = generator.oneIn(3) ? "-" : ""
      if generator.oneIn(12) { text = "+" }
      for _ in 0..<(generator.oneIn(4) ? generator.below(18) : 1) {
        text += String(generator.below(generator.oneIn(2) ? 10 : 2))
      }
      if generator.oneIn(2) { text += "." }
      for _ in 0..<generator.below(generator.oneIn(4) ? 9 : 3) { text += String(generator.below(2)) }
      if generator.oneIn(20) { text += generator.pick(["e1", "x", " ", "."]) }
      return Array(text.utf8)
    }
    var compared = 0
    for _ in 0..<20_000 {
      let (left, right) = (number(), number())
      guard let first = ShortDecimal(left.span) else { continue }
      let exact = DecimalText.prefix(left.span)
      #expect(exact != nil, "\(String(decoding: left, as: UTF8.self))")
      guard let exact, let second = ShortDecimal(right.span), let other = DecimalText.prefix(right.span),
        let order = first.order(second)
      else { continue }
      compared += 1
      #expect(exact.isExact && other.isExact)
      #expect(order == exact.order(other))
    }
    #expect(compared > 5000)
  }

  @Test(arguments: ["", "-", "1.", ".5", "+5", "1e3", "1234567890123456", "0.1234567890123456", "5 ", "1.2.3"])
  func otherTextIsNoShortDecimal(_ text: String) {
    #expect(ShortDecimal(Array(text.utf8).span) == nil)
  }
}
