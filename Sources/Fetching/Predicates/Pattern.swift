// A regular expression, made ready for search: its source is parsed (PatternParser.swift) to a tree (PatternTree.swift) and laid down
// as a nondeterministic automaton over UTF-8 bytes (PatternCompiler.swift). It does not search; `PatternMatcher` does, in time linear
// in the text. The syntax is what RE2 and ripgrep share; what needs backtracking is refused with a reason.
//
// Source: Russ Cox, "Regular Expression Matching: the Virtual Machine Approach" (2009) and "... in the Wild" (2010),
// https://swtch.com/~rsc/regexp/.

/// A regular expression.
package struct Pattern: Sendable {
  /// The automaton. Its nodes are entered at `entry`.
  let nodes: [PatternNode]
  let entry: Int32
  /// Of each byte its class: bytes of one class are the same to the pattern.
  let classes: [UInt8]
  /// A byte of each class.
  let representatives: [UInt8]
  /// What every match begins with, if that is always the same, and how to search for it.
  let prefix: [UInt8]
  let prefixSearch: SubstringSearch
  /// Whether the pattern is nothing but the text of `prefix`.
  let isLiteral: Bool

  /// The memory that a pattern may need.
  package static let memoryLimit = 10 << 20
  /// Groups within one another. Parsing and laying down call themselves that often.
  package static let depthLimit = 250

  /// Compiles a regular expression.
  ///
  /// - Parameters:
  ///   - source: its text; it need not be UTF-8, but bytes that are none are refused.
  ///   - ignoresCase: as with `(?i)` at its beginning.
  /// - Throws: `PatternError` with the first thing that is wrong, or where it needs more than `memoryLimit`.
  /// - Complexity: linear in the automaton, whose size is checked before it is built.
  package init(_ source: [UInt8], ignoresCase: Bool) throws(PatternError) {
    var parser = PatternParser(source, ignoresCase: ignoresCase)
    let tree = try parser.run()
    guard tree.cost(of: tree.root) <= Pattern.memoryLimit / PatternCompiler.bytesPerNode else {
      throw PatternError(offset: 0, reason: "this regular expression needs more than 10 MiB")
    }
    var compiler = PatternCompiler(tree)
    entry = compiler.layDown()
    nodes = compiler.nodes
    (classes, representatives) = compiler.byteClasses()
    let literal = tree.literalPrefix()
    prefix = literal.bytes
    prefixSearch = SubstringSearch(for: literal.bytes.span)
    isLiteral = literal.isWhole && !literal.bytes.isEmpty
  }
}

/// Text that is no regular expression.
package struct PatternError: Error, Equatable, Sendable {
  /// Where it is wrong, in bytes.
  package let offset: Int
  /// What is wrong: "this group is never closed".
  package let reason: String

  package init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}

/// A step of the automaton.
struct PatternNode: Sendable {
  enum Kind: UInt8, Sendable {
    /// Takes a byte from `low` to `high`.
    case bytes
    /// Goes two ways, `next` preferred.
    case split
    /// Goes on where the place is a certain one; `low` is the `PatternAssertion`.
    case assertion
    /// The end of a match.
    case match
  }

  var kind: Kind
  var low: UInt8 = 0
  var high: UInt8 = 0
  var next: Int32 = 0
  var other: Int32 = 0
}

/// A condition on a place between two bytes.
enum PatternAssertion: UInt8, Sendable {
  case textStart, textEnd, lineStart, lineEnd, wordBoundary, notWordBoundary

  /// Whether what stands before the place decides it.
  var looksBehindOnly: Bool { self == .textStart || self == .lineStart }

  func holds(after before: PatternSide, before after: PatternSide) -> Bool {
    switch self {
    case .textStart: before == .edge
    case .textEnd: after == .edge
    case .lineStart: before == .edge || before == .lineFeed
    case .lineEnd: after == .edge || after == .lineFeed
    case .wordBoundary: (before == .word) != (after == .word)
    // Not in the midst of a code point: no match begins or ends there.
    case .notWordBoundary: (before == .word) == (after == .word) && after != .continuation
    }
  }
}

/// What stands on one side of a place.
enum PatternSide: UInt8, Sendable {
  case edge, lineFeed, word, continuation, other

  init(_ byte: UInt8) {
    switch byte {
    case 0x0A: self = .lineFeed
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: self = .word
    case 0x80...0xBF: self = .continuation
    default: self = .other
    }
  }
}
