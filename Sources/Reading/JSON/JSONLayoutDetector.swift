// Finds out how the records of a JSON input lie, from its first bytes. It reads nothing and decides only what the
// bytes settle: where they do not, it asks for more of them.

/// What the first bytes say about the layout.
package enum JSONLayoutDetection: Sendable, Equatable {
  /// A longer window is needed.
  case needsMoreBytes
  /// The layout, and a note for people where a choice was made.
  case found(JSONLayout, note: String?)
  /// The array asked for is not there, but some others are.
  case missing(arrays: [String])
  /// The array asked for was not found before this damage.
  case damage(Damage)
}

package enum JSONLayoutDetector {
  /// - Parameters:
  ///   - window: the input from its beginning, without a BOM.
  ///   - isFinal: whether it ends with this window.
  ///   - prefersLines: whether the name or the user says JSON Lines.
  ///   - recordsPath: the names that lead to the array of records, if the user gave them; empty: the object itself.
  /// - Complexity: linear in the window, or in `JSONLimits.wrapperLookahead` where that is enough.
  package static func detect(
    _ window: Span<UInt8>, isFinal: Bool, prefersLines: Bool, recordsPath: [String]? = nil
  ) -> JSONLayoutDetection {
    if prefersLines && recordsPath == nil { return .found(.lines, note: nil) }
    if let recordsPath, recordsPath.isEmpty { return .found(.values, note: nil) }
    return unsafe window.withUnsafeBufferPointer { buffer in
      guard let bytes = buffer.baseAddress else {
        return isFinal ? .found(.values, note: nil) : .needsMoreBytes
      }
      return unsafe detect(
        bytes, count: buffer.count, isFinal: isFinal, wantedPath: recordsPath.map { $0.map { Array($0.utf8) } })
    }
  }

  private static func detect(
    _ bytes: UnsafePointer<UInt8>, count: Int, isFinal: Bool, wantedPath: [[UInt8]]?
  ) -> JSONLayoutDetection {
    let start = unsafe JSONBytes.skipBetweenValues(bytes, from: 0, count: count)
    guard start < count else { return isFinal ? .found(.values, note: nil) : .needsMoreBytes }
    guard unsafe bytes[start] == UInt8(ascii: "{") else {
      return wantedPath == nil ? .found(.values, note: nil) : .missing(arrays: [])
    }
    // First no further than the bound, then, if that settles nothing, as far as there are bytes.
    for end in [min(count, start &+ JSONLimits.wrapperLookahead), count] {
      let isCut = end < count || !isFinal
      var checker = JSONChecker()
      var sound = start
      let outcome = unsafe checker.run(bytes, count: end, position: &sound, closing: 0, isFinal: !isCut)
      if outcome == .pause && end == count && count < start &+ JSONLimits.wrapperLookahead && wantedPath == nil {
        return .needsMoreBytes
      }
      let isFollowed = unsafe outcome == .done && JSONBytes.skipBetweenValues(bytes, from: sound, count: count) < count
      // Within the bound a second value says more than an array of records in the first. Beyond it the array does: how much of
      // the input is at hand by then must not matter.
      if outcome == .done && wantedPath == nil && end <= start &+ JSONLimits.wrapperLookahead {
        if isFollowed { return .found(.lines, note: nil) }
        if !isFinal { return .needsMoreBytes }
      }
      var search = JSONWrapperSearch(wantedPath)
      let found = unsafe search.run(bytes, from: start, end: sound)
      if case .damage = outcome, wantedPath == nil {
        // The scanner will come to it and say so.
        let window = unsafe UnsafeBufferPointer(start: bytes, count: count)
        return unsafe damaged(window.span, from: start, found: found, search, isFinal: isFinal)
      }
      if let found { return .found(found, note: search.note(found)) }
      switch outcome {
      case .done:
        if wantedPath != nil { return .missing(arrays: search.arrays) }
        if isFollowed { return .found(.lines, note: nil) }
        return isFinal ? .found(.values, note: nil) : .needsMoreBytes
      case .damage(let offset, let reason):
        return .damage(Damage(offset: offset, reason: reason, recordStart: start))
      case .pause:
        if end == count { return .needsMoreBytes }
      }
    }
    return .needsMoreBytes
  }

  /// The layout of an input whose first object is damaged.
  ///
  /// - Parameter found: the array of records, if it begins before the damage.
  private static func damaged(
    _ window: Span<UInt8>, from start: Int, found: JSONLayout?, _ search: JSONWrapperSearch, isFinal: Bool
  ) -> JSONLayoutDetection {
    let bound = start &+ JSONLimits.wrapperLookahead
    var layout = found
    // If the damage is not in this array, its first element is sound, and no object.
    if found == nil, let array = search.lastArray {
      let holdsObjects = JSONDamagedObject.holdsObjects(
        window, from: array.offset &+ 1, depth: array.path.count &+ 1, bound: bound, isFinal: isFinal)
      guard let holdsObjects else { return .needsMoreBytes }
      if holdsObjects { layout = .wrapped(path: array.path, arrayOffset: array.offset) }
    }
    // A damaged line is passed over line by line.
    guard let layout else { return .found(.lines, note: nil) }
    switch JSONDamagedObject.judge(window, from: start, bound: bound, isFinal: isFinal, isSure: found != nil) {
    case .needsMoreBytes: return .needsMoreBytes
    case .record: return .found(.lines, note: nil)
    case .wrapper: return .found(layout, note: search.note(layout))
    }
  }
}

/// Looks for the array of records in an object whose bytes were found sound up to some place.
private struct JSONWrapperSearch {
  /// The path of the array that is wanted, as it is written: a name with a dot in it is written like a path.
  private let wanted: [UInt8]?
  /// The names of the objects that are open, from the outside.
  private var path: [[UInt8]] = []
  /// Empty arrays that were passed over.
  private var passedOver: [[[UInt8]]] = []
  /// The paths of arrays that were not the one wanted; some.
  private(set) var arrays: [String] = []
  /// The array looked at last.
  private(set) var lastArray: (path: [[UInt8]], offset: Int)?

  init(_ wantedPath: [[UInt8]]?) { wanted = wantedPath.map(Self.written) }

  /// - Returns: the layout, or nil if there is no such array before `end`.
  mutating func run(_ bytes: UnsafePointer<UInt8>, from: Int, end: Int) -> JSONLayout? {
    var at = from &+ 1
    while true {
      while at < end, unsafe JSONBytes.isWhite(bytes[at]) || bytes[at] == UInt8(ascii: ",") { at &+= 1 }
      guard at < end else { return nil }
      if unsafe bytes[at] == UInt8(ascii: "}") {
        if path.isEmpty { return nil }
        path.removeLast()
        at &+= 1
        continue
      }
      guard unsafe bytes[at] == JSONBytes.quote else { return nil }
      let (close, _) = unsafe JSONBytes.stringEnd(bytes, from: at &+ 1, count: end)
      guard close < end else { return nil }
      var name: [UInt8] = []
      _ = unsafe JSONBytes.decode(bytes, (at &+ 1)..<close) { byte in
        name.append(byte)
        return true
      }
      at = close &+ 1
      while at < end, unsafe JSONBytes.isWhite(bytes[at]) || bytes[at] == UInt8(ascii: ":") { at &+= 1 }
      guard at < end else { return nil }
      path.append(name)
      if unsafe bytes[at] == UInt8(ascii: "{") {
        at &+= 1
        continue
      }
      if unsafe bytes[at] == UInt8(ascii: "[") {
        if unsafe isRecords(bytes, at: at, end: end) { return .wrapped(path: path, arrayOffset: at) }
        lastArray = (path, at)
      }
      path.removeLast()
      at = unsafe JSONBytes.value(bytes, from: at, count: end).end
    }
  }

  private mutating func isRecords(_ bytes: UnsafePointer<UInt8>, at: Int, end: Int) -> Bool {
    if let wanted {
      let found = Self.written(path)
      if found != wanted && arrays.count < 10 { arrays.append(String(decoding: found, as: UTF8.self)) }
      return found == wanted
    }
    let first = unsafe JSONBytes.skipWhite(bytes, from: at &+ 1, count: end)
    guard first < end else { return false }
    if unsafe bytes[first] == UInt8(ascii: "]") { passedOver.append(path) }
    return unsafe bytes[first] == UInt8(ascii: "{")
  }

  /// A path as people write it.
  private static func written(_ path: [[UInt8]]) -> [UInt8] { Array(path.joined(separator: [UInt8(ascii: ".")])) }

  /// A path for a message: names are data, and may be of any length.
  private static func shown(_ path: [[UInt8]]) -> String { SafeName.text(written(path), limit: 60) }

  /// What people are told of the choice; nothing where they made it.
  func note(_ layout: JSONLayout) -> String? {
    if wanted != nil { return nil }
    let taken = "records are the array '\(Self.shown(layout.path))'"
    if passedOver.isEmpty { return taken }
    let names = passedOver.prefix(5).map { "'\(Self.shown($0))'" }.joined(separator: ", ")
    return "\(taken); passed over, being empty: \(names)\(passedOver.count > 5 ? ", …" : "")"
  }
}
