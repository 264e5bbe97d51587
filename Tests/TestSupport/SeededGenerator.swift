// Random numbers that are the same in every run.

/// SplitMix64 (Steele, Lea, Flood 2014, https://doi.org/10.1145/2714064.2660195).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to, not including, the bound.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// True with a probability of one in `n`.
  package mutating func oneIn(_ n: Int) -> Bool { below(n) == 0 }

  /// One of the elements.
  package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
