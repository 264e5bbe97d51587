// A text within a text: every place and length around the sizes of blocks, and texts made to make comparing costly.

import Fetching
import TestSupport
import Testing

/// A search together with what it is for.
private struct Search {
  private let part: [UInt8]
  private let search: SubstringSearch

  init(_ part: [UInt8], ignoresASCIICase: Bool = false) {
    let part = ignoresASCIICase ? lowered(part) : part
    self.part = part
    search = SubstringSearch(for: part.span, ignoresASCIICase: ignoresASCIICase)
  }

  func index(in text: [UInt8], from start: Int = 0) -> Int? {
    search.firstIndex(of: part.span, in: text.span, from: start)
  }
}

private func lowered(_ bytes: [UInt8]) -> [UInt8] {
  bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
}

struct PatternSubstringTests {
  private func plainIndex(_ part: [UInt8], _ text: [UInt8], from start: Int) -> Int? {
    guard start <= text.count, part.count <= text.count - start else { return nil }
    return (start...(text.count - part.count)).first { text[$0..<($0 + part.count)].elementsEqual(part) }
  }

  @Test func agreesWithThePlainSearch() {
    var generator = SeededGenerator(seed: 7)
    let letters = Array("abAB@`é\0".utf8)
    var foundCount = 0
    for _ in 0..<6000 {
      let few = Array(letters.prefix(1 + generator.below(letters.count)))
      let text = (0..<generator.below(200)).map { _ in generator.pick(few) }
      var part = (0..<generator.below(generator.oneIn(4) ? 80 : 5)).map { _ in generator.pick(few) }
      if !text.isEmpty, generator.oneIn(3) {
        let start = generator.below(text.count)
        part = Array(text[start..<(start + 1 + generator.below(text.count - start))])
      }
      let start = generator.oneIn(2) ? 0 : generator.below(text.count + 2)
      let expected = plainIndex(part, text, from: start)
      if expected != nil { foundCount += 1 }
      #expect(Search(part).index(in: text, from: start) == expected, "\(part) in \(text)")
      #expect(
        Search(part, ignoresASCIICase: true).index(in: text, from: start)
          == plainIndex(lowered(part), lowered(text), from: start), "\(part) in \(text), ignoring case")
    }
    #expect(foundCount > 1000 && foundCount < 5500)
  }

  @Test func everyPlaceAndLength() {
    for length in [0, 1, 2, 7, 8, 9, 15, 16, 63, 64, 65, 130] {
      let part = (0..<length).map { UInt8(1 + $0 % 250) }
      let search = Search(part)
      for place in Array(0...20) + [55, 56, 57, 63, 64, 65, 127, 128, 200] {
        for tail in [0, 1, 7, 8, 63, 64, 65] {
          let text = [UInt8](repeating: 0, count: place) + part + [UInt8](repeating: 0, count: tail)
          #expect(search.index(in: text) == (length == 0 ? 0 : place))
          #expect(length == 0 || search.index(in: text, from: place + 1) == nil)
        }
      }
    }
  }

  /// Every place fits at both ends and fails in the middle.
  @Test func costlyTextsTakeLinearTime() {
    let half = [UInt8](repeating: UInt8(ascii: "a"), count: 5000)
    for middle in [0, 2500, 5000] {
      var part = half + half
      part[middle + 10] = UInt8(ascii: "b")
      let search = Search(part)
      var text = [UInt8](repeating: UInt8(ascii: "a"), count: 400_000)
      #expect(search.index(in: text) == nil)
      text.append(contentsOf: part)
      #expect(search.index(in: text) == 400_000)
      #expect(Search(part, ignoresASCIICase: true).index(in: text) == 400_000)
    }
  }
}
