// The built program on a pseudo-terminal, as tests of the pager have it; and files that change under it.

import Glibc
import TerminalIO
import TestSupport

/// The pager on a terminal, with a file for what goes to standard error.
struct PagerSession {
  let session: TerminalSession
  let errors: TemporaryFile

  init(
    _ arguments: [String], columnCount: Int = 80, lineCount: Int = 12, hasPipe: Bool = false,
    environment: [String: String] = [:]
  ) throws {
    errors = try TemporaryFile("")
    session = try TerminalSession(
      [BuiltProducts.directory + "/pagecat"] + arguments, columnCount: columnCount, lineCount: lineCount,
      hasPipe: hasPipe, errors: errors.path, environment: environment
    ) { DisplayWidth.cells(Array($0.utf8)) }
  }

  /// Waits until the last line has a text.
  @discardableResult
  func wait(forStatus text: String) throws -> String {
    try session.wait { $0.isAlternate && $0.text(ofLine: $0.lineCount - 1).contains(text) }
  }

  /// Waits until the cursor is in a row, whether the number of rows is known or not.
  func wait(forRow number: Int) throws {
    try session.wait {
      let status = $0.text(ofLine: $0.lineCount - 1)
      return $0.isAlternate && (status.contains(" row \(number), ") || status.contains(" \(number) of "))
    }
  }

  /// Presses keys until a notice is there: files are looked at now and then, when a key is pressed.
  func look(for text: String) throws {
    let end = time(nil) + 30
    while !session.terminal.text.contains(text) && time(nil) < end {
      session.type("j")
      _ = try? session.wait(for: text, seconds: 1)
    }
    try session.wait(for: text, seconds: 1)
  }

  func quit() throws -> Int32 {
    session.type("q")
    return try session.waitForEnd()
  }

  var errorText: String { FileText.read(errors.path) }
  var isClean: Bool { session.terminal.unknown.isEmpty && session.terminal.strayControls.allSatisfy { $0 == 0x18 } }
}

enum FileText {
  static func read(_ path: String) -> String {
    guard let file = unsafe fopen(path, "r") else { return "" }
    defer { unsafe _ = fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, file)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  static func write(_ text: String, to path: String, mode: String) {
    guard let file = unsafe fopen(path, mode) else { return }
    unsafe fputs(text, file)
    unsafe _ = fclose(file)
  }
}
