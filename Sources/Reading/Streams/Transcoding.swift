// The stage that makes UTF-8 of text in another encoding.

import Synchronization

/// Text in some encoding, as UTF-8.
package final class Transcoding: ByteStream {
  private struct State: ~Copyable {
    var tail: ByteTail
    let converter: CharacterConverter
    var encoded = [UInt8](repeating: 0, count: StreamLimits.encodedSize)
    /// The encoded bytes at hand.
    var used = 0
    var end = 0
    /// Text that was made and not yet handed over. No encoding makes more than this of the encoded bytes at a time.
    var text = [UInt8](repeating: 0, count: 2 * StreamLimits.encodedSize)
    var textStart = 0
    var textEnd = 0
    var isAtEnd = false
    var error: ReadError?
  }

  private let encoding: String
  private let state: Mutex<State>

  /// Whether the C library knows an encoding by this name.
  package static func isKnown(_ encoding: String) -> Bool { CharacterConverter(from: encoding) != nil }

  /// Whether a name means UTF-8, which is read as it is.
  static func isUTF8(_ encoding: String) -> Bool { ["utf-8", "utf8"].contains(encoding.lowercased()) }

  /// - Parameters:
  ///   - tail: the encoded bytes.
  ///   - encoding: their encoding.
  /// - Throws: `ReadError` where the C library does not know it.
  init(_ tail: ByteTail, from encoding: String) throws(ReadError) {
    guard let converter = CharacterConverter(from: encoding) else {
      throw ReadError(
        inputName: tail.source.name,
        problem: .unsupported("is text in \(SafeName.text(Array(encoding.utf8))), which iconv does not know here"))
    }
    self.encoding = encoding
    state = Mutex(State(tail: tail, converter: converter))
  }

  func read(into storage: inout [UInt8], at index: Int, count: Int) throws(ReadError) -> Int {
    // The storage cannot be lent to the lock's closure.
    var target: [UInt8] = []
    swap(&target, &storage)
    defer { swap(&target, &storage) }
    let result = state.withLock { state -> Result<Int, ReadError> in
      do throws(ReadError) {
        return .success(try Self.read(&state, encoding, into: &target, at: index, count: count))
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let got): return got
    case .failure(let error): throw error
    }
  }

  private static func read(
    _ state: inout State, _ encoding: String, into storage: inout [UInt8], at index: Int, count: Int
  ) throws(ReadError) -> Int {
    while state.textStart == state.textEnd {
      if let error = state.error { throw error }
      if state.isAtEnd { return 0 }
      do throws(ReadError) {
        try makeText(&state, encoding)
      } catch {
        // Kept until the text before it was handed over.
        state.error = error
      }
    }
    let got = min(count, state.textEnd - state.textStart)
    SystemCall.copyBytes(from: state.text.span, at: state.textStart, to: &storage, at: index, count: got)
    state.textStart += got
    return got
  }

  private static func makeText(_ state: inout State, _ encoding: String) throws(ReadError) {
    state.textStart = 0
    state.textEnd = 0
    let outcome =
      state.used == state.end
      ? .done
      : state.converter.convert(
        &state.encoded, end: state.end, used: &state.used, into: &state.text, made: &state.textEnd)
    switch outcome {
    case .outputFull: return
    case .done, .incomplete:
      if state.textEnd > 0 { return }
      // What begins a character stays in front of what comes next.
      SystemCall.moveBytes(in: &state.encoded, from: state.used, to: 0, count: state.end - state.used)
      state.end -= state.used
      state.used = 0
      let got = try state.tail.read(into: &state.encoded, at: state.end, count: state.encoded.count - state.end)
      state.end += got
      guard got == 0 else { return }
      if state.end > 0 {
        throw damage(state.tail, back: state.end, "the input ends inside a character of \(encoding)")
      }
      state.converter.finish(into: &state.text, made: &state.textEnd)
      state.isAtEnd = true
    case .invalid:
      throw damage(state.tail, back: state.end - state.used, "bytes that are no text in \(encoding)")
    }
  }

  /// Damage at a place of the encoded bytes; line and column are for the buffer to add.
  private static func damage(_ tail: ByteTail, back: Int, _ reason: String) -> ReadError {
    ReadError(
      inputName: tail.source.name, problem: .damage(reason),
      place: Place(lineNumber: 0, column: 0, offset: tail.offset - back))
  }
}
