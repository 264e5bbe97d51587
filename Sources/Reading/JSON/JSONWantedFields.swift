// The fields that a scan wants of each record: names to compare keys with, and the way from a found key to the field.
//
// The rule: a key of the record that is exactly the name wins; of equal keys the last. Else the name is a path: at
// each level the whole rest of it is tried as a key, then its first step.

/// The wanted fields of a scan, prepared for comparing.
struct JSONWantedFields: Sendable {
  /// One name that top-level keys are compared with.
  struct Key: Sendable {
    /// Where it stands in `text`.
    var start: Int
    var count: Int
  }

  /// One step of a path below the top level.
  struct Step: Sendable {
    /// The member's name in `text`; empty range and `element` set where the step is into an array.
    var name: Range<Int>
    var element: Int?
    /// The whole rest of the path from this step on, in `text`.
    var rest: Range<Int>
  }

  struct Wanted: Sendable {
    /// Index of the key that is the whole name.
    var exact: Int
    /// Index of the key that is the first step of the path, or -1.
    var head: Int
    /// The steps after the first.
    var steps: [Step]
    /// Whether the name stands for a record that is no object.
    var isWholeRecord: Bool
  }

  /// All names, one after another.
  private(set) var text: [UInt8] = []
  /// The distinct names that keys are compared with.
  private(set) var keys: [Key] = []
  private(set) var wanted: [Wanted] = []
  /// Whether there is one field, which is found by its name alone.
  private var isOnePlainField = false

  init(_ names: [FieldName]) {
    for name in names {
      let exact = key(for: name.text)
      var head = -1
      var steps: [Step] = []
      if case .member(let first)? = name.path.first {
        head = key(for: first)
        let whole = text.count
        text.append(contentsOf: name.text)
        steps = JSONWantedFields.steps(of: name, at: whole, after: first.count)
      }
      wanted.append(
        Wanted(exact: exact, head: head, steps: steps, isWholeRecord: name.text.elementsEqual("value".utf8)))
    }
    isOnePlainField = wanted.count == 1 && wanted[0].head < 0
  }

  private mutating func key(for name: [UInt8]) -> Int {
    for (index, key) in keys.enumerated()
    where key.count == name.count && text[key.start..<(key.start + key.count)].elementsEqual(name) {
      return index
    }
    keys.append(Key(start: text.count, count: name.count))
    text.append(contentsOf: name)
    return keys.count - 1
  }

  /// Finds the steps after the first in the text of the name, which stands at `base` of `text`.
  private static func steps(of name: FieldName, at base: Int, after first: Int) -> [Step] {
    var steps: [Step] = []
    var at = first
    let end = base + name.text.count
    for step in name.path.dropFirst() {
      if at < name.text.count, name.text[at] == UInt8(ascii: ".") { at += 1 }
      switch step {
      case .member(let member):
        steps.append(Step(name: (base + at)..<(base + at + member.count), element: nil, rest: (base + at)..<end))
        at += member.count
      case .element(let index):
        steps.append(Step(name: base..<base, element: index, rest: base..<base))
        while at < name.text.count, name.text[at] != UInt8(ascii: "]") { at += 1 }
        at += 1
      }
    }
    return steps
  }

  /// Appends the fields of one record, now that its keys have been met.
  ///
  /// - Parameters:
  ///   - bytes: the window.
  ///   - record: the record in it.
  ///   - slots: for each key the last value that stood under it.
  @inline(__always)
  func finish(
    _ bytes: UnsafePointer<UInt8>, record: Range<Int>, slots: UnsafeMutablePointer<Field>, into fields: inout [Field]
  ) {
    if isOnePlainField {
      unsafe fields.append(slots[0])
      return
    }
    for index in 0..<wanted.count {
      let exact = unsafe slots[wanted[index].exact]
      if exact.kind != .missing || wanted[index].head < 0 {
        fields.append(exact)
      } else {
        let head = unsafe slots[wanted[index].head]
        fields.append(head.kind == .missing ? .missing : unsafe resolve(bytes, head, wanted[index].steps))
      }
    }
  }

  /// Finds the fields of one sound record, whatever it is, key by key.
  func find(
    _ bytes: UnsafePointer<UInt8>, record: Range<Int>, slots: UnsafeMutablePointer<Field>, into fields: inout [Field]
  ) {
    if wanted.isEmpty { return }
    guard unsafe bytes[record.lowerBound] == UInt8(ascii: "{") else {
      let whole = unsafe JSONBytes.value(bytes, from: record.lowerBound, count: record.upperBound).field
      for field in wanted { fields.append(field.isWholeRecord ? whole : .missing) }
      return
    }
    for index in 0..<keys.count { unsafe slots[index] = .missing }
    unsafe text.withUnsafeBufferPointer { text in
      guard let names = text.baseAddress else { return }
      var walk = unsafe JSONMemberWalk(bytes, object: record)
      while unsafe walk.next() {
        for index in 0..<keys.count
        where unsafe walk.isKey(names + keys[index].start, keys[index].count) {
          unsafe slots[index] = walk.value
        }
      }
    }
    unsafe finish(bytes, record: record, slots: slots, into: &fields)
  }

  /// Follows a path from the value of its first step.
  private func resolve(_ bytes: UnsafePointer<UInt8>, _ head: Field, _ steps: [Step]) -> Field {
    var field = head
    for step in steps {
      if let element = step.element {
        guard field.kind == .array else { return .missing }
        field = unsafe JSONElementWalk.element(element, of: field.range, in: bytes)
      } else {
        guard field.kind == .object else { return .missing }
        var whole = Field.missing
        var member = Field.missing
        unsafe text.withUnsafeBufferPointer { text in
          guard let names = text.baseAddress else { return }
          var walk = unsafe JSONMemberWalk(bytes, object: field.range)
          while unsafe walk.next() {
            if unsafe walk.isKey(names + step.rest.lowerBound, step.rest.count) { whole = unsafe walk.value }
            if unsafe walk.isKey(names + step.name.lowerBound, step.name.count) { member = unsafe walk.value }
          }
        }
        if whole.kind != .missing { return whole }
        field = member
      }
      if field.kind == .missing { return field }
    }
    return field
  }
}

/// Goes through the members of a sound object.
@unsafe struct JSONMemberWalk {
  private let bytes: UnsafePointer<UInt8>
  private let end: Int
  private var position: Int
  /// The raw text of the present key, between its quotes.
  private(set) var key = 0..<0
  private(set) var keyHasEscapes = false
  /// The present value.
  private(set) var value = Field.missing

  /// - Parameter object: the object with its braces.
  @inline(__always)
  init(_ bytes: UnsafePointer<UInt8>, object: Range<Int>) {
    unsafe self.bytes = unsafe bytes
    unsafe end = object.upperBound &- 1
    unsafe position = object.lowerBound &+ 1
  }

  /// Moves to the next member; false after the last.
  @inline(__always)
  mutating func next() -> Bool {
    var at = unsafe position
    while unsafe at < end, unsafe bytes[at] != JSONBytes.quote { at &+= 1 }
    guard unsafe at < end else { return false }
    let (close, hasEscapes) = unsafe JSONBytes.stringEnd(bytes, from: at &+ 1, count: end)
    unsafe key = (at &+ 1)..<max(at &+ 1, close)
    unsafe keyHasEscapes = hasEscapes
    at = close &+ 1
    while unsafe at < end, unsafe JSONBytes.isWhite(bytes[at]) || bytes[at] == UInt8(ascii: ":") { at &+= 1 }
    let (field, after) = unsafe JSONBytes.value(bytes, from: at, count: end)
    unsafe value = field
    unsafe position = after
    return true
  }

  /// Whether the present key is `name`.
  @inline(__always)
  func isKey(_ name: UnsafePointer<UInt8>, _ length: Int) -> Bool {
    if unsafe keyHasEscapes { return unsafe JSONBytes.equalDecoded(bytes, key, name, length) }
    return unsafe key.count == length && JSONBytes.equal(bytes, key.lowerBound, name, length)
  }
}

/// Finds elements of a sound array.
enum JSONElementWalk {
  /// The element at `index`, from the end where that is negative.
  static func element(_ index: Int, of array: Range<Int>, in bytes: UnsafePointer<UInt8>) -> Field {
    var wanted = index
    if index < 0 {
      wanted = unsafe find(.max, of: array, in: bytes).count &+ index
      if wanted < 0 { return .missing }
    }
    return unsafe find(wanted, of: array, in: bytes).field
  }

  /// The element at `index`, or else how many there are.
  private static func find(
    _ index: Int, of array: Range<Int>, in bytes: UnsafePointer<UInt8>
  ) -> (field: Field, count: Int) {
    let end = array.upperBound &- 1
    var at = array.lowerBound &+ 1
    var count = 0
    while true {
      while at < end, unsafe JSONBytes.isWhite(bytes[at]) || bytes[at] == UInt8(ascii: ",") { at &+= 1 }
      guard at < end else { return (.missing, count) }
      let (field, after) = unsafe JSONBytes.value(bytes, from: at, count: end)
      if count == index { return (field, count) }
      count &+= 1
      at = after
    }
  }
}
