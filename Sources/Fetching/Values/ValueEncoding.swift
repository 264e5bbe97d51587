// Encodes values of every kind as `KeyBytes` describes, nested ones included. Nesting is walked with a stack of its own.
//
// Arrays are their elements' encodings and a zero byte, which no encoding begins with. Objects are their sorted names, a
// zero byte, and the values in the order of the names; of equal names the last counts. Within them null has rank 7.

package import Reading

/// Appends the encoding of values as an `:auto` key compares them.
package enum ValueEncoding {
  /// Appends the encoding of a field.
  ///
  /// - Parameters:
  ///   - foldsCase: whether text counts as if written in lower case.
  /// - Returns: the kind it was encoded as.
  @discardableResult
  package static func append(
    _ field: Field, _ bytes: Span<UInt8>, foldsCase: Bool = false, to out: inout [UInt8]
  ) -> ValueKind {
    switch field.kind {
    case .array, .object:
      appendNested(field, bytes, foldsCase: foldsCase, to: &out)
      return field.kind == .array ? .array : .object
    default:
      return appendScalar(field, bytes, foldsCase: foldsCase, to: &out)
    }
  }

  private static func appendScalar(
    _ field: Field, _ bytes: Span<UInt8>, foldsCase: Bool, to out: inout [UInt8]
  ) -> ValueKind {
    switch field.kind {
    case .true:
      out.append(KeyBytes.trueByte)
      return .boolean
    case .false:
      out.append(KeyBytes.falseByte)
      return .boolean
    case .number, .quoted, .string:
      return appendText(bytes.extracting(field.range), field.kind, foldsCase, to: &out)
    case .bare where field.count > 0:
      return appendText(bytes.extracting(field.range), field.kind, foldsCase, to: &out)
    case .quotedEscaped, .stringEscaped:
      var text: [UInt8] = []
      FieldText.append(field, in: bytes, to: &text)
      return appendText(text.span, field.kind, foldsCase, to: &out)
    default:
      out.append(KeyBytes.null)
      return .null
    }
  }

  /// Appends decoded text as the number, date or text that it is.
  private static func appendText(
    _ text: Span<UInt8>, _ kind: FieldKind, _ foldsCase: Bool, to out: inout [UInt8]
  ) -> ValueKind {
    let isString = kind == .string || kind == .stringEscaped
    if kind != .number && CellShape.mayBeDate(text) && Instant.append(text, to: &out) { return .date }
    if !isString && CellShape.mayBeNumberOrDate(text) && DecimalText.append(text, to: &out) { return .number }
    if foldsCase {
      var folded: [UInt8] = []
      CaseFolding.append(text, to: &folded)
      KeyBytes.appendText(folded.span, to: &out)
    } else {
      KeyBytes.appendText(text, to: &out)
    }
    return .text
  }

  /// An array or object that is being encoded.
  private enum Frame {
    case array(JSONCursor)
    /// How many of its values are still to come; they stand at the end of `pending`, the next one last.
    case object(remaining: Int)
  }

  private static func appendNested(
    _ field: Field, _ bytes: Span<UInt8>, foldsCase: Bool, to out: inout [UInt8]
  ) {
    let nesting = JSONNesting(inside: field.range, bytes)
    var pending: [Field] = []
    var stack = [open(field, bytes, nesting, &pending, to: &out)]
    while let top = stack.popLast() {
      let value: Field
      switch top {
      case .array(var cursor):
        guard let member = cursor.next(bytes, nesting) else {
          out.append(0)
          continue
        }
        stack.append(.array(cursor))
        value = member.value
      case .object(let remaining):
        guard remaining > 0, let next = pending.popLast() else { continue }
        stack.append(.object(remaining: remaining &- 1))
        value = next
      }
      if value.kind == .array || value.kind == .object {
        stack.append(open(value, bytes, nesting, &pending, to: &out))
      } else {
        _ = appendScalar(value, bytes, foldsCase: foldsCase, to: &out)
      }
    }
  }

  /// Appends what an array or object begins with.
  private static func open(
    _ field: Field, _ bytes: Span<UInt8>, _ nesting: JSONNesting?, _ pending: inout [Field], to out: inout [UInt8]
  ) -> Frame {
    var cursor = JSONCursor(inside: field.range)
    guard field.kind == .object else {
      out.append(KeyBytes.arrayRank)
      return .array(cursor)
    }
    out.append(KeyBytes.objectRank)
    var members: [(name: [UInt8], order: Int, value: Field)] = []
    while let member = cursor.next(bytes, nesting) {
      var name: [UInt8] = []
      FieldText.append(member.key, in: bytes, to: &name)
      members.append((name, members.count, member.value))
    }
    // From the last name to the first, as the values are taken from the end; of equal names the one that came last is
    // first here.
    members.sort { left, right in
      let order = KeyBytes.compare(left.name.span, right.name.span)
      return order == 0 ? left.order > right.order : order > 0
    }
    var kept: [(name: [UInt8], order: Int, value: Field)] = []
    for member in members where kept.last.map({ $0.name != member.name }) ?? true { kept.append(member) }
    for member in kept.reversed() { KeyBytes.appendText(member.name.span, to: &out) }
    out.append(0)
    pending.append(contentsOf: kept.lazy.map(\.value))
    return .object(remaining: kept.count)
  }
}
