// Encodes the values of a sort key that asks for a kind: what is of that kind as that kind, everything else as null.

import Reading

/// Converts values to the kind that a sort key asks for.
struct SortConversion: Sendable {
  private let kind: SortKind
  private let foldsCase: Bool
  private let format: StrptimeFormat?
  private var decoded: [UInt8] = []
  private var folded: [UInt8] = []

  init(_ kind: SortKind, foldsCase: Bool) {
    self.kind = kind
    self.foldsCase = foldsCase
    format = if case .dateFormat(let codes) = kind { StrptimeFormat(codes) } else { nil }
  }

  /// Appends the encoding of a field that is not null.
  ///
  /// - Returns: the kind it was encoded as: the one asked for, or null.
  mutating func append(_ field: Field, _ bytes: Span<UInt8>, to out: inout [UInt8]) -> ValueKind {
    decoded.removeAll(keepingCapacity: true)
    switch kind {
    case .auto, .text, .natural, .locale:
      if field.kind == .array || field.kind == .object {
        appendCompact(bytes.extracting(field.range))
      } else {
        FieldText.append(field, in: bytes, to: &decoded)
      }
      if foldsCase {
        var text: [UInt8] = []
        swap(&text, &folded)
        text.removeAll(keepingCapacity: true)
        CaseFolding.append(decoded.span, to: &text)
        folded = decoded
        decoded = text
      }
      switch kind {
      case .natural: appendNatural(to: &out)
      case .locale:
        var transformed: [UInt8] = []
        Collation.append(decoded.span, to: &transformed)
        KeyBytes.appendText(transformed.span, to: &out)
      default: KeyBytes.appendText(decoded.span, to: &out)
      }
      return .text
    default: break
    }
    switch field.kind {
    case .true, .false, .array, .object: break
    default:
      FieldText.append(field, in: bytes, to: &decoded)
      if let converted = convert(to: &out) { return converted }
    }
    out.append(KeyBytes.null)
    return .null
  }

  /// Appends the encoding of the decoded text as a number or a date; nil, and nothing, where it is none.
  private func convert(to out: inout [UInt8]) -> ValueKind? {
    if let instant = format?.read(decoded.span) { return append(instant, to: &out) }
    return switch kind {
    case .number: DecimalText.append(decoded.span, to: &out) ? .number : nil
    case .date: Instant.append(decoded.span, to: &out) ? .date : nil
    case .epoch: Instant.appendEpoch(decoded.span, to: &out) ? .date : nil
    case .dmy, .mdy: append(Instant(decoded.span, dayFirst: kind == .dmy), to: &out)
    default: nil
    }
  }

  private func append(_ instant: Instant?, to out: inout [UInt8]) -> ValueKind? {
    guard let instant else { return nil }
    instant.append(from: decoded.span, to: &out)
    return .date
  }

  /// Text with each run of digits as one sign that stands where digits stand: `0`, the number of digits, the digits,
  /// without zeros before them.
  private func appendNatural(to out: inout [UInt8]) {
    let text = decoded.span
    out.append(KeyBytes.textRank)
    var index = 0
    while index < text.count {
      let byte = text[index]
      guard byte &- 0x30 <= 9 else {
        out.append(byte)
        if byte == 0 { out.append(0xFF) }
        index &+= 1
        continue
      }
      while index < text.count && text[index] == 0x30 { index &+= 1 }
      let start = index
      while index < text.count && text[index] &- 0x30 <= 9 { index &+= 1 }
      out.append(0x30)
      // One byte for the number of digits, or 255 and eight more.
      let count = index &- start
      out.append(UInt8(min(count, 255)))
      if count >= 255 { KeyBytes.append(UInt64(count), to: &out) }
      out.append(copying: text.extracting(start..<index))
    }
    out.append(0)
    out.append(0)
  }

  /// Nested values as csv prints them: without white space outside strings.
  private mutating func appendCompact(_ json: Span<UInt8>) {
    var inString = false
    var index = 0
    while index < json.count {
      let byte = json[index]
      index &+= 1
      if inString {
        if byte == UInt8(ascii: "\\") && index < json.count {
          decoded.append(byte)
          decoded.append(json[index])
          index &+= 1
          continue
        }
        if byte == UInt8(ascii: "\"") { inString = false }
      } else if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
        continue
      } else if byte == UInt8(ascii: "\"") {
        inString = true
      }
      decoded.append(byte)
    }
  }
}
