// Random JSON records like those of real files: mostly the same keys in the same order, and now and then anything else.
// Nested objects, equal keys, escapes in keys, keys with dots, objects and null under one name, and no objects at all.

/// A random record, as it is usually written and with blanks, one of them before each colon.
package struct ChangingRecord: Sendable {
  package private(set) var compact: [UInt8] = []
  package private(set) var spaced: [UInt8] = []

  package init(_ random: inout SeededGenerator) {
    // Now and then no object at all.
    if random.oneIn(30) {
      append(random.pick(["1", "[{\"a\":1}]", "\"x\"", "null"]))
    } else {
      appendObject(&random, depth: 0)
    }
  }

  private mutating func append(_ text: String) {
    compact += Array(text.utf8)
    spaced += Array(text.utf8)
  }

  private mutating func appendWhite(_ random: inout SeededGenerator) {
    if random.oneIn(4) { spaced += Array(random.pick([" ", "\n", "\r\n\t", "   "]).utf8) }
  }

  private mutating func appendObject(_ random: inout SeededGenerator, depth: Int) {
    append("{")
    // Usually in the same order, so that there is something to expect.
    var keys = ["id", "name", "g", "a longer name", "t\u{E9}", "", "x"]
    if depth == 0 && random.oneIn(20) { keys += (0..<40).map { "k\($0)" } }
    keys.removeAll { _ in random.oneIn(5) }
    if random.oneIn(8) { keys.shuffle(using: &random) }
    if random.oneIn(8) { keys.append(random.pick(["id", "g", "g.id", "new\(random.below(40))"])) }
    if random.oneIn(10) {
      keys.insert(random.pick(["\\u0069d", "q\\\"", "q\\\":1,\\\"id", "b\\\\", "b\\n", "name\\t"]), at: 0)
    }
    for (index, key) in keys.enumerated() {
      if index > 0 { append(",") }
      appendWhite(&random)
      append("\"\(key)\"")
      spaced.append(0x20)
      append(":")
      appendWhite(&random)
      appendValue(&random, depth: depth, isGroup: key == "g")
    }
    append("}")
  }

  private mutating func appendValue(_ random: inout SeededGenerator, depth: Int, isGroup: Bool) {
    if depth < 3 && (isGroup ? !random.oneIn(3) : random.oneIn(12)) { return appendObject(&random, depth: depth + 1) }
    append(
      random.pick([
        "null", "null", "true", "false", "0", "-12.5e3", "12345678901234567890", "\"\"", "\"a, \\\"b\\\"\"",
        "\"plain text of some length\"", "\"\\\\\"", "[]", "{}", "[1,{\"id\":[\"]\"]},\"}\"]", "\"\u{1F600} é\"",
      ]))
  }
}
