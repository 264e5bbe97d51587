// Sets of code points as ranges in order, their cases, and the sequences of byte ranges that encode them in UTF-8.

/// A set of code points, as ranges that are in order and do not touch.
struct PatternScalars: Sendable, Equatable {
  private(set) var ranges: [ClosedRange<UInt32>] = []

  init(_ ranges: [ClosedRange<UInt32>] = []) {
    self.ranges = PatternScalars.ordered(ranges)
  }

  static let highest: UInt32 = 0x10FFFF

  private static func ordered(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound <= last.upperBound &+ 1 {
        result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }

  /// All code points that are not in it.
  var inverted: PatternScalars {
    var result = PatternScalars()
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { result.ranges.append(next...(range.lowerBound - 1)) }
      next = range.upperBound + 1
    }
    if next <= PatternScalars.highest { result.ranges.append(next...PatternScalars.highest) }
    return result
  }

  func contains(_ scalar: UInt32) -> Bool {
    var range = 0..<ranges.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if ranges[middle].contains(scalar) { return true }
      range = scalar < ranges[middle].lowerBound ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
    }
    return false
  }

  // MARK: Case

  /// With the other cases of all letters in it.
  var withAllCases: PatternScalars {
    var added: [ClosedRange<UInt32>] = []
    for upper in UInt32(0x41)...0x5A {
      let lower = upper | 0x20
      if contains(upper) { added.append(lower...lower) }
      if contains(lower) { added.append(upper...upper) }
    }
    // The only letters beyond ASCII that are cases of ASCII letters: the long s and the Kelvin sign.
    for (ascii, other) in [(UInt32(0x73), UInt32(0x17F)), (0x6B, 0x212A)] {
      if contains(ascii) || contains(ascii & 0x5F) { added.append(other...other) }
      if contains(other) { added += [ascii...ascii, (ascii & 0x5F)...(ascii & 0x5F)] }
    }
    if let last = ranges.last, last.upperBound >= 0x80 {
      for members in PatternScalars.cases where members.contains(where: contains) {
        added += members.map { $0...$0 }
      }
    }
    return added.isEmpty ? self : PatternScalars(ranges + added)
  }

  /// The blocks that hold all letters with case beyond ASCII, in Unicode 16.
  private static let blocksWithCase: [ClosedRange<UInt32>] = [
    0x80...0x58F, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1C80...0x1CBF, 0x1D00...0x1FFF, 0x2100...0x24FF, 0x2C00...0x2DFF,
    0xA640...0xA7FF, 0xAB30...0xABBF, 0xFF21...0xFF5A, 0x10400...0x105FF, 0x10C80...0x10CFF, 0x10D50...0x10D8F,
    0x118A0...0x118DF, 0x16E40...0x16EDF, 0x1E900...0x1E95F,
  ]

  /// Letters beyond ASCII that differ in case only, two or more together. Made when the first pattern asks for it, in a few
  /// thousandths of a second.
  private static let cases: [[UInt32]] = {
    var groups: [UInt32: [UInt32]] = [:]
    for block in blocksWithCase {
      for value in block {
        guard let scalar = Unicode.Scalar(value) else { continue }
        let folded = single(single(scalar, \.uppercaseMapping), \.lowercaseMapping)
        if folded.value >= 0x80 { groups[folded.value, default: []].append(value) }
      }
    }
    return groups.values.filter { $0.count > 1 }
  }()

  /// The scalar in another case, where that is a single one.
  private static func single(
    _ scalar: Unicode.Scalar, _ mapping: KeyPath<Unicode.Scalar.Properties, String>
  ) -> Unicode.Scalar {
    let mapped = scalar.properties[keyPath: mapping].unicodeScalars
    guard let first = mapped.first, mapped.count == 1 else { return scalar }
    return first
  }

  // MARK: UTF-8

  /// The encodings: sequences of one to four byte ranges. A sequence stands for all combinations.
  ///
  /// Source: Russ Cox's method as in RE2's compile.cc, and the utf8-ranges crate: split where the length changes, then where a
  /// continuation byte would not run from 80 to BF.
  var sequences: [[ClosedRange<UInt8>]] {
    var result: [[ClosedRange<UInt8>]] = []
    var pending: [ClosedRange<UInt32>] = []
    for range in ranges {
      pending.append(range)
      while let piece = pending.popLast() {
        if let cut = PatternScalars.cut(piece) {
          // The upper part first, as the last one pushed comes next.
          if cut.next <= piece.upperBound { pending.append(cut.next...piece.upperBound) }
          if cut.last >= piece.lowerBound { pending.append(piece.lowerBound...cut.last) }
          continue
        }
        let low = PatternScalars.encoded(piece.lowerBound)
        let high = PatternScalars.encoded(piece.upperBound)
        result.append(zip(low, high).map { $0...$1 })
      }
    }
    return result
  }

  /// Where a range must be cut so that each part is one sequence: after `last`, and what lies before `next` is left out.
  private static func cut(_ range: ClosedRange<UInt32>) -> (last: UInt32, next: UInt32)? {
    // Surrogates have no encoding.
    if range.lowerBound <= 0xDFFF && range.upperBound >= 0xD800 { return (0xD7FF, 0xE000) }
    for last in [UInt32(0x7F), 0x7FF, 0xFFFF] where range.lowerBound <= last && last < range.upperBound {
      return (last, last + 1)
    }
    guard range.upperBound >= 0x80 else { return nil }
    for shift in [UInt32(6), 12, 18] {
      let mask = UInt32(1) << shift - 1
      guard range.lowerBound & ~mask != range.upperBound & ~mask else { continue }
      if range.lowerBound & mask != 0 {
        let last = range.lowerBound | mask
        return (last, last + 1)
      }
      if range.upperBound & mask != mask {
        let next = range.upperBound & ~mask
        return (next - 1, next)
      }
    }
    return nil
  }

  /// The UTF-8 of a code point that is no surrogate.
  static func encoded(_ scalar: UInt32) -> [UInt8] {
    func continuation(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3F) }
    func lead(_ mark: UInt32, _ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: mark | scalar >> shift) }
    if scalar < 0x80 { return [lead(0, 0)] }
    if scalar < 0x800 { return [lead(0xC0, 6), continuation(0)] }
    if scalar < 0x10000 { return [lead(0xE0, 12), continuation(6), continuation(0)] }
    return [lead(0xF0, 18), continuation(12), continuation(6), continuation(0)]
  }
}

// MARK: - Classes with a name

extension PatternScalars {
  static let digits = PatternScalars([0x30...0x39])
  static let word = PatternScalars([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  /// Of `\s`, as RE2 has it: without the vertical tab, which `[[:space:]]` has.
  static let blanks = PatternScalars([0x09...0x0A, 0x0C...0x0D, 0x20...0x20])

  /// The class that stands as `[:name:]` within brackets.
  static func named(_ name: String) -> PatternScalars? {
    switch name {
    case "alnum": PatternScalars([0x30...0x39, 0x41...0x5A, 0x61...0x7A])
    case "alpha": PatternScalars([0x41...0x5A, 0x61...0x7A])
    case "ascii": PatternScalars([0x00...0x7F])
    case "blank": PatternScalars([0x09...0x09, 0x20...0x20])
    case "cntrl": PatternScalars([0x00...0x1F, 0x7F...0x7F])
    case "digit": digits
    case "graph": PatternScalars([0x21...0x7E])
    case "lower": PatternScalars([0x61...0x7A])
    case "print": PatternScalars([0x20...0x7E])
    case "punct": PatternScalars([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E])
    case "space": PatternScalars([0x09...0x0D, 0x20...0x20])
    case "upper": PatternScalars([0x41...0x5A])
    case "word": word
    case "xdigit": PatternScalars([0x30...0x39, 0x41...0x46, 0x61...0x66])
    default: nil
    }
  }

  static let classNames = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
  ]
}
