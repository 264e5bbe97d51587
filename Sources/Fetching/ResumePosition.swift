// The position that --resume keeps between runs: how far the rows were handed out, and enough of the dataset to see that
// it is still the same one, only longer. As text, one `name=value` a line, with a first and a last line that tell a file
// of another kind and one that was cut. The row after which to go on is a `FetchMark`; this is that mark with its checks.

package import Reading

/// Why a kept position cannot be gone on from.
package struct ResumeError: Error, Sendable, Equatable {
  /// For people, without the name of the file.
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }
}

/// A hash of some bytes: FNV-1a with 64 bits (Fowler, Noll, Vo; RFC 9923), which tells changes and no malice.
struct Digest: Sendable, Equatable {
  private static let name = "fnv1a64"

  /// How many bytes it was made of.
  let count: Int
  let value: UInt64

  init(_ bytes: [UInt8]) {
    count = bytes.count
    value = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  init?(_ text: Substring) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == Self.name, let count = Int(parts[1]), count >= 0,
      let value = UInt64(parts[2], radix: 16)
    else { return nil }
    self.count = count
    self.value = value
  }

  var text: String { "\(Self.name):\(count):\(String(value, radix: 16))" }
}

/// How far an earlier run came.
package struct ResumePosition: Sendable, Equatable {
  private static let firstLine = "pagecat position 1"
  private static let lastLine = "end"
  /// Bytes that are hashed at the beginning of each input, and before the position.
  static let hashedSize = 4096

  /// What was asked for, in words; only the same can be gone on with.
  package let descriptor: String
  /// Rows handed out so far, those left out by an offset not among them.
  package internal(set) var rowCount: Int
  package internal(set) var mark: FetchMark
  /// The line that the position is on; 0 with a sort.
  var lineNumber: Int
  /// With a sort, the kind of each key of the last row.
  var kinds: [String]
  /// The beginnings of the inputs.
  var heads: [Digest]
  /// What stands before the position.
  var before: Digest
  /// Where the columns come from, so that they need not be looked for again; earlier versions kept none.
  package var sample: ColumnSample?

  // MARK: As text

  package var text: String {
    let (position, place) = (mark.position, mark.place)
    let state =
      switch position.resumption {
      case nil: "record"
      case .elementStart: "before-element"
      case .elementEnd: "after-element"
      case .valueStart: "between-values"
      }
    var lines = [Self.firstLine, "descriptor=\(descriptor)", "rows=\(rowCount)"]
    lines.append("sizes=" + mark.sizes.map(String.init).joined(separator: " "))
    lines.append("heads=" + heads.map(\.text).joined(separator: " "))
    lines += ["input=\(position.inputIndex)", "offset=\(position.offset)", "record=\(position.recordIndex)"]
    lines += ["line=\(lineNumber)", "state=\(state)", "row=\(place.offset)", "before=\(before.text)"]
    lines.append("kinds=" + kinds.joined(separator: " "))
    if let (stamps, records) = sample?.texts { lines += ["stamps=" + stamps, "sample=" + records] }
    lines.append("key=" + mark.key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    return (lines + [Self.lastLine, ""]).joined(separator: "\n")
  }

  /// - Throws: `ResumeError` for a text that is no position.
  package init(_ text: String) throws(ResumeError) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, first.starts(with: "pagecat position ") else {
      throw ResumeError("it is no position of pagecat")
    }
    guard first == Self.firstLine else { throw ResumeError("it is from another version of pagecat") }
    guard lines.count >= 3, lines.removeLast().isEmpty, lines.removeLast() == Self.lastLine else {
      throw ResumeError("it is cut")
    }
    var named: [(name: Substring, value: Substring)] = []
    for line in lines.dropFirst() {
      guard let equals = line.firstIndex(of: "=") else { throw ResumeError("it is damaged") }
      named.append((line[..<equals], line[line.index(after: equals)...]))
    }
    // A dozen names, each looked for once.
    let values = NamedValues(named: named)
    func number(_ name: Substring) throws(ResumeError) -> Int {
      guard let text = values[name], let value = Int(text), value >= 0, value <= Self.largestNumber else {
        throw ResumeError("it is damaged: no '\(name)'")
      }
      return value
    }
    guard let descriptor = values["descriptor"], let before = values["before"].flatMap({ Digest($0) }) else {
      throw ResumeError("it is damaged")
    }
    let sizes = (values["sizes"] ?? "").split(separator: " ").compactMap { Int($0) }
    heads = (values["heads"] ?? "").split(separator: " ").compactMap { Digest($0) }
    let resumption: JSONResumption?
    switch values["state"] {
    case "record": resumption = nil
    case "before-element": resumption = .elementStart
    case "after-element": resumption = .elementEnd
    case "between-values": resumption = .valueStart
    default: throw ResumeError("it is damaged: no 'state'")
    }
    let position = RecordPosition(
      inputIndex: try number("input"), offset: try number("offset"), resumption: resumption,
      recordIndex: try number("record"))
    let place = RowPlace(inputIndex: position.inputIndex, offset: try number("row"))
    guard let key = Self.bytes(values["key"] ?? ""), sizes.count == heads.count,
      sizes.indices.contains(position.inputIndex), position.offset <= sizes[position.inputIndex],
      place.offset <= position.offset
    else { throw ResumeError("it is damaged") }
    self.descriptor = String(descriptor)
    self.before = before
    rowCount = try number("rows")
    lineNumber = try number("line")
    kinds = (values["kinds"] ?? "").split(separator: " ").map(String.init)
    if let records = values["sample"] {
      guard let sample = ColumnSample(stamps: values["stamps"] ?? "", records: records) else {
        throw ResumeError("it is damaged: no 'sample'")
      }
      self.sample = sample
    }
    mark = FetchMark(position: position, place: place, key: key, sizes: sizes)
  }

  /// More than any file has of anything, and little enough to be counted on from.
  private static let largestNumber = Int.max / 2

  private struct NamedValues {
    let named: [(name: Substring, value: Substring)]

    subscript(_ name: Substring) -> Substring? { named.last { $0.name == name }?.value }
  }

  private static func bytes(_ hexadecimal: Substring) -> [UInt8]? {
    let digits = Array(hexadecimal.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Character(Unicode.Scalar(digits[index])).hexDigitValue,
        let low = Character(Unicode.Scalar(digits[index + 1])).hexDigitValue
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }

  init(
    descriptor: String, rowCount: Int, mark: FetchMark, lineNumber: Int, kinds: [String], heads: [Digest],
    before: Digest, sample: ColumnSample?
  ) {
    self.sample = sample
    self.descriptor = descriptor
    self.rowCount = rowCount
    self.mark = mark
    self.lineNumber = lineNumber
    self.kinds = kinds
    self.heads = heads
    self.before = before
  }

  // MARK: Checks

  /// Checks that the dataset is the one that the position was made in, or that one with more at its end.
  ///
  /// - Throws: `ResumeError` where it is another, `ReadError` where it cannot be read.
  package func check(_ inputs: [DatasetInput], descriptor: String, isSorted: Bool) throws {
    guard descriptor == self.descriptor else {
      let words =
        self.descriptor.isEmpty ? "no filter, sort or offset" : SafeName.text(Array(self.descriptor.utf8), limit: 200)
      throw ResumeError("it was made with \(words)")
    }
    guard !isSorted || !mark.key.isEmpty else { throw ResumeError("it is damaged: no 'key'") }
    guard inputs.count == mark.sizes.count else {
      throw ResumeError("it was made with \(mark.sizes.count) files, not \(inputs.count)")
    }
    for (index, input) in inputs.enumerated() {
      let size = input.source.size ?? 0
      guard size >= mark.sizes[index] else { throw ResumeError("\(input.name) has become shorter since") }
      // Records in the middle of the order of the files can be shown by a sort only.
      if !isSorted && index < mark.position.inputIndex && size > mark.sizes[index] {
        throw ResumeError("\(input.name) has grown since, and was done")
      }
      let head = try input.source.bytes(in: 0..<min(heads[index].count, size))
      guard Digest(head) == heads[index] else { throw ResumeError("\(input.name) has changed at its beginning") }
    }
    let (input, end) = (inputs[mark.position.inputIndex], mark.position.offset)
    let bytes = try input.source.bytes(in: max(0, end - Self.hashedSize)..<end)
    guard Digest(bytes) == before else { throw ResumeError("\(input.name) has changed before the position") }
    // A last record without a line end, or a number at the very end, may have been gone on with.
    let next = try input.source.bytes(in: end..<(end + 1))
    if let last = bytes.last, let next = next.first, !Self.separates(last, next, input) {
      throw ResumeError("the last record of \(input.name) has changed")
    }
  }

  private static func separates(_ last: UInt8, _ next: UInt8, _ input: DatasetInput) -> Bool {
    if case .csv = input.content { return next == 0x0A || next == 0x0D }
    func isScalar(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return !(isScalar(last) && isScalar(next))
  }
}
