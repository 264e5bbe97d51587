// Records for the tests of filters, and the plainest way to have a filter look at one.

import Fetching
import Reading

/// A record as the tests write it: JSON where it begins with `{`, else CSV cells as `name=cell;name=cell`.
struct PredicateRecord {
  let bytes: [UInt8]
  private let isJSON: Bool
  /// CSV: names and where their cells stand.
  private var cells: [(name: String, field: Field)] = []

  init(_ text: String) {
    bytes = Array(text.utf8)
    isJSON = text.hasPrefix("{")
    if isJSON { return }
    var start = 0
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let name = part.prefix { $0 != "=" }
      let cell = Array(part.utf8.dropFirst(name.utf8.count + 1))
      let from = start + name.utf8.count + 1
      start += part.utf8.count + 1
      var field = Field(from..<(from + cell.count), .bare)
      if cell.first == UInt8(ascii: "\"") {
        let inner = cell.dropFirst()
        if let quote = inner.firstIndex(of: UInt8(ascii: "\"")), quote == cell.count - 1 {
          field = Field((from + 1)..<(from + cell.count - 1), .quoted)
        } else {
          field = Field((from + 1)..<(from + cell.count), .quotedEscaped)
        }
      }
      cells.append((String(name), field))
    }
  }

  func field(_ name: FieldName) -> Field {
    guard isJSON else { return cells.first { Array($0.name.utf8) == name.text }?.field ?? .missing }
    let root = JSONCursor.field(at: 0, bytes.span)
    if let exact = member(name.text, of: root) { return exact }
    var place = root
    for step in name.path {
      var next: Field?
      switch step {
      case .member(let name): next = member(name, of: place)
      case .element(let index): next = element(index, of: place)
      }
      guard let next else { return .missing }
      place = next
    }
    return name.path.isEmpty ? .missing : place
  }

  private func member(_ name: [UInt8], of object: Field) -> Field? {
    guard object.kind == .object else { return nil }
    var cursor = JSONCursor(inside: object.range)
    var found: Field?
    while let member = cursor.next(bytes.span) {
      if FieldText.equals(member.key, in: bytes.span, name.span) { found = member.value }
    }
    return found
  }

  private func element(_ index: Int, of array: Field) -> Field? {
    guard array.kind == .array else { return nil }
    var cursor = JSONCursor(inside: array.range)
    var elements: [Field] = []
    while let member = cursor.next(bytes.span) { elements.append(member.value) }
    let place = index < 0 ? elements.count + index : index
    return elements.indices.contains(place) ? elements[place] : nil
  }
}

extension PredicateProgram {
  mutating func evaluate(_ predicate: Predicate, _ record: PredicateRecord) -> Bool {
    // Other fields before them, as in a batch.
    let fields = [Field(0..<1, .number), .missing] + predicate.fields.map { record.field($0) }
    return evaluate(record.bytes.span, fields.span, at: 2)
  }
}

/// 2024-06-15T12:00:00Z
let predicateNow = 1_718_452_800
