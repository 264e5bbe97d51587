// How a person names a field: by its exact name or, where no field has that name, by a path into nested values.

/// One step of a path such as `gear.name`, `tags[0]` or `tags[-1]`.
package enum PathStep: Sendable, Equatable {
  /// The member of an object with this name (UTF-8).
  case member([UInt8])
  /// The element of an array, from 0; negative counts from the end, -1 being the last.
  case element(Int)
}

/// The name of a field, as given to a sort key, a column list or a filter.
package struct FieldName: Sendable, Equatable {
  /// The whole name as written (UTF-8). A field of exactly this name wins over the path, record by record.
  package let text: [UInt8]
  /// The name read as a path; empty where it has one step only, so that it is the same as `text`.
  package let path: [PathStep]

  /// - Parameters:
  ///   - text: the name, without backquotes or braces around it.
  ///   - isQuoted: whether it stood in backquotes or braces, which make it one name and no path.
  package init(_ text: [UInt8], isQuoted: Bool = false) {
    self.text = text
    path = isQuoted ? [] : FieldName.steps(of: text)
  }

  package init(_ text: String, isQuoted: Bool = false) {
    self.init(Array(text.utf8), isQuoted: isQuoted)
  }

  /// The name for messages.
  package var description: String { String(decoding: text, as: UTF8.self) }

  /// Splits `a.b[0]` into steps; empty where the text is one plain name or is no well-formed path.
  private static func steps(of text: [UInt8]) -> [PathStep] {
    var steps: [PathStep] = []
    var name: [UInt8] = []
    var index = 0
    var afterBracket = false
    func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: ".") {
        if !afterBracket {
          if name.isEmpty { return [] }
          steps.append(.member(name))
          name = []
        }
        afterBracket = false
        index += 1
        if index == text.count { return [] }
      } else if byte == UInt8(ascii: "[") {
        var end = index + 1
        if end < text.count && text[end] == UInt8(ascii: "-") { end += 1 }
        let digits = end
        while end < text.count && isDigit(text[end]) { end += 1 }
        guard end > digits, end < text.count, text[end] == UInt8(ascii: "]"),
          let element = Int(String(decoding: text[(index + 1)..<end], as: UTF8.self))
        else {
          if afterBracket { return [] }
          name.append(byte)
          index += 1
          continue
        }
        if !afterBracket {
          if name.isEmpty { return [] }
          steps.append(.member(name))
          name = []
        }
        steps.append(.element(element))
        afterBracket = true
        index = end + 1
      } else {
        if afterBracket { return [] }
        name.append(byte)
        index += 1
      }
    }
    if !name.isEmpty { steps.append(.member(name)) }
    return steps.count > 1 ? steps : []
  }
}
