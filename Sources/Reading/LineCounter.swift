// Counts lines and columns for messages. LF, CR LF and a lone CR end a line, as they end a record in CSV.

/// Where a position is, in lines and columns, after the bytes that were fed.
package struct LineCounter: Sendable {
  package private(set) var lineNumber = 1
  /// Code points since the beginning of the line, plus one.
  package private(set) var column = 1
  private var afterCarriageReturn = false

  package init() {}

  /// Goes on over some bytes.
  ///
  /// - Complexity: linear.
  package mutating func feed(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      let byte = bytes[index]
      if byte >= 0x20 {
        // Continuation bytes of UTF-8 belong to the code point before them.
        if byte & 0xC0 != 0x80 { column &+= 1 }
        afterCarriageReturn = false
      } else if byte == 0x0A {
        if !afterCarriageReturn { lineNumber &+= 1 }
        column = 1
        afterCarriageReturn = false
      } else if byte == 0x0D {
        lineNumber &+= 1
        column = 1
        afterCarriageReturn = true
      } else {
        column &+= 1
        afterCarriageReturn = false
      }
    }
  }
}
