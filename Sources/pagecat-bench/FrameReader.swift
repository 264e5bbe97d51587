// Tells where a frame ends in what a program sends.
//
// pagecat ends each with the mark of synchronized output. Of other programs a frame ends where they fall silent; its time
// is that of the last byte, so that the silence itself is not counted.

/// How it is told that a frame is complete.
enum FrameEnd {
  case mark
  case silence
}

/// What a program has sent for a key.
struct Frame {
  /// When its end was read.
  let time: Nanoseconds
  /// Of the frame alone.
  let byteCount: Int
}

struct FrameReader {
  private static let mark = Array("\u{1B}[?2026l".utf8)
  /// Long enough for a program that writes a frame in pieces, on busy cores too.
  private static let silence = Nanoseconds.milliseconds(30)

  let terminal: PseudoTerminal
  let frameEnd: FrameEnd
  let lineCount: Int
  private var bytes: [UInt8] = []

  init(_ terminal: PseudoTerminal, frameEnd: FrameEnd, lineCount: Int) {
    self.terminal = terminal
    self.frameEnd = frameEnd
    self.lineCount = lineCount
  }

  /// The first frame that answers a key: a frame that changes nothing but the status line tells of progress only.
  ///
  /// - Returns: nil where none comes until `end`.
  mutating func answer(until end: Nanoseconds) -> Frame? {
    bytes.removeAll(keepingCapacity: true)
    switch frameEnd {
    case .mark:
      var start = 0
      while let time = terminal.receive(into: &bytes, until: end) {
        while let next = FrameReader.end(of: FrameReader.mark, in: bytes, from: start) {
          if changesRows(bytes[start..<next]) { return Frame(time: time, byteCount: next - start) }
          start = next
        }
      }
      return nil
    case .silence:
      guard var time = terminal.receive(into: &bytes, until: end) else { return nil }
      while let next = terminal.receive(into: &bytes, until: min(end, .now + FrameReader.silence)) { time = next }
      return Frame(time: time, byteCount: bytes.count)
    }
  }

  /// Waits for a text and, where frames have a mark, for the end of its frame.
  ///
  /// - Returns: when it was read.
  mutating func appearance(of text: String, until end: Nanoseconds) -> Nanoseconds? {
    bytes.removeAll(keepingCapacity: true)
    let wanted = Array(text.utf8)
    var place: Int?
    while let time = terminal.receive(into: &bytes, until: end) {
      place = place ?? FrameReader.end(of: wanted, in: bytes, from: 0)
      guard let place else { continue }
      if frameEnd == .silence || FrameReader.end(of: FrameReader.mark, in: bytes, from: place) != nil { return time }
    }
    return nil
  }

  /// Takes all that is sent until then.
  ///
  /// - Returns: how many bytes.
  @discardableResult
  mutating func drain(until end: Nanoseconds) -> Int {
    bytes.removeAll(keepingCapacity: true)
    while terminal.receive(into: &bytes, until: end) != nil {}
    return bytes.count
  }

  /// Whether a frame of pagecat's moves the cursor to a line before the last.
  private func changesRows(_ frame: ArraySlice<UInt8>) -> Bool {
    var index = frame.startIndex
    while index + 2 < frame.endIndex {
      defer { index += 1 }
      guard frame[index] == 0x1B, frame[index + 1] == UInt8(ascii: "[") else { continue }
      var line = 0
      var next = index + 2
      while next < frame.endIndex, 0x30...0x39 ~= frame[next] {
        line = line &* 10 &+ Int(frame[next] & 0x0F)
        next += 1
      }
      guard next < frame.endIndex, frame[next] == UInt8(ascii: ";") else { continue }
      while next < frame.endIndex, 0x30...0x3B ~= frame[next] { next += 1 }
      if next < frame.endIndex, frame[next] == UInt8(ascii: "H"), line < lineCount { return true }
    }
    return false
  }

  private static func end(of wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + wanted.count <= bytes.count {
      if bytes[index] == wanted[0], bytes[index..<(index + wanted.count)].elementsEqual(wanted) {
        return index + wanted.count
      }
      index += 1
    }
    return nil
  }
}
