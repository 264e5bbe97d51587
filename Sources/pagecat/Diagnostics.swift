// What is said on standard error: notes, which --quiet silences, and errors, which nothing does. It never fails: who
// cannot even be told is not told. Texts end without a full stop; data quoted in them goes through `quoted(_:)`.

import Glibc

struct Diagnostics: Sendable {
  /// The longest piece of data that is quoted in a message, in code points.
  static let quotedLength = 60

  /// Whether notes are left out.
  var isQuiet: Bool
  /// Where to write; standard error but in tests.
  var descriptor: Int32 = 2

  init(isQuiet: Bool, descriptor: Int32 = 2) {
    self.isQuiet = isQuiet
    self.descriptor = descriptor
  }

  /// Says something worth knowing about a run that goes on.
  func note(_ message: String) {
    if !isQuiet { write(message) }
  }

  /// Says why the run failed.
  func error(_ message: String) {
    write(message)
  }

  /// The line (or lines) as written, with the program's name before it. One write for the whole, so that messages of
  /// several processes do not mix.
  static func line(_ message: String) -> [UInt8] {
    var text = "pagecat: ".unicodeScalars
    for scalar in message.unicodeScalars {
      // A message may have several lines (an expression and a caret); any other control character in it is a slip.
      text.append(scalar == "\n" ? scalar : harmless(scalar))
    }
    text.append("\n")
    return Array(String(text).utf8)
  }

  /// Data for a message, in quotation marks: cut, and without anything that could drive a terminal.
  static func quoted(_ bytes: some Sequence<UInt8>) -> String {
    "'\(harmless(bytes))'"
  }

  /// A file for a message, as given on the command line. It is not cut: the end of a path is what tells it apart.
  static func fileName(_ file: [UInt8]) -> String {
    if file.elementsEqual("-".utf8) { return "standard input" }
    var name = String.UnicodeScalarView()
    for scalar in String(decoding: file, as: UTF8.self).unicodeScalars { name.append(harmless(scalar)) }
    return String(name)
  }

  /// Data for a message, without quotation marks.
  static func harmless(_ bytes: some Sequence<UInt8>) -> String {
    // Only a beginning is decoded; the longest code point has four bytes.
    let beginning = Array(bytes.prefix(4 * (quotedLength + 1)))
    var text = String.UnicodeScalarView()
    for (index, scalar) in String(decoding: beginning, as: UTF8.self).unicodeScalars.enumerated() {
      if index == quotedLength {
        text.append("\u{2026}")
        break
      }
      text.append(harmless(scalar))
    }
    return String(text)
  }

  /// Whether nothing in a text could drive a terminal.
  static func isHarmless(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { harmless($0) == $0 } }

  /// The code point itself, or a visible stand-in for one that could drive a terminal or reorder what is read.
  private static func harmless(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    // The pictures of control characters stand in the order of the characters themselves.
    case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "\u{2421}"
    // C1, bidirectional marks, embeddings, overrides and isolates, line and paragraph separators, the BOM, tags.
    case 0x80...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xE0000...0xE007F:
      "\u{FFFD}"
    default: scalar
    }
  }

  private func write(_ message: String) {
    Signals.withoutBrokenPipe {
      _ = StandardStreams.writeAll(Diagnostics.line(message).span, to: descriptor)
    }
  }
}
