// Sessions of the pager, key by key, with the screen after each: Fixtures/golden-sessions/<name>/ holds `args` (one argument a
// line; a name of a fixture stands for a copy of it in the session's own folder, `<dir>` for that folder), `size` (columns x
// lines; 80x12 without it), `keys` and `screens`, what must come; other files are copied to the session's folder. A line of `keys` is typed at once, and the screen is
// taken down when all that it set going is drawn:
//
//     jj<PageDown>        keys; those without a character by name, `<lt>` for `<`
//     !resize 20x5        the terminal has another size
//     !styles             the screen again, with the runs that are not plain: b d i u r f<colour> g<background>
//     !wait TEXT          goes on when the text is on the screen, whatever is under way
//     !write FILE TEXT    writes a file of the session's folder (`\n` is a line feed)
//     !append FILE TEXT   adds to one
//     !grown              tells the session that its file has grown, which it would see for itself in time
//     !file FILE          takes down what a file of the folder holds
//     # …                 says what the lines below are for
//
// PAGECAT_RECORD=1 writes `screens` instead of comparing, and makes the tests fail all the same. Here it is the event loop
// with the engine behind it; that the built program does the same on a real terminal is for `ViewTests`.

import Fetching
import Foundation
import Paging
import Rendering
import TerminalIO
import TestSupport
import Testing

@testable import pagecat

struct SessionCase: Sendable, CustomTestStringConvertible {
  let name: String

  var testDescription: String { name }

  static var root: URL { GoldenCase.fixtures.appending(path: "golden-sessions") }

  static func all() -> [SessionCase] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted().map { SessionCase(name: $0) }
  }

  func lines(_ file: String) -> [String] {
    var lines = (text(file) ?? "").components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  func text(_ file: String) -> String? {
    try? String(contentsOf: SessionCase.root.appending(path: name).appending(path: file), encoding: .utf8)
  }

  /// The files that the session begins with.
  func files() -> [(name: String, text: String)] {
    let path = SessionCase.root.appending(path: name).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { !["args", "size", "keys", "screens"].contains($0) && !$0.hasPrefix(".") }
      .map { ($0, text($0) ?? "") }
  }

  func record(_ screens: String) throws {
    try screens.write(
      to: SessionCase.root.appending(path: name).appending(path: "screens"), atomically: false, encoding: .utf8)
  }
}

/// The bytes that keys send.
enum KeyNotation {
  private static let named: [String: String] = [
    "Enter": "\r", "Esc": "\u{1B}", "Tab": "\t", "S-Tab": "\u{1B}[Z", "BS": "\u{7F}", "Del": "\u{1B}[3~",
    "Up": "\u{1B}[A", "Down": "\u{1B}[B", "Right": "\u{1B}[C", "Left": "\u{1B}[D", "Home": "\u{1B}[H",
    "End": "\u{1B}[F", "PageUp": "\u{1B}[5~", "PageDown": "\u{1B}[6~", "F1": "\u{1B}OP", "lt": "<", "Space": " ",
    "C-Left": "\u{1B}[1;5D", "C-Right": "\u{1B}[1;5C",
  ]

  /// The steps of a line.
  static func steps(_ line: String, folder: String) throws -> [ScriptedTerminal.Step] {
    var steps: [ScriptedTerminal.Step] = []
    var bytes: [UInt8] = []
    var rest = line[...]
    while let first = rest.first {
      guard first == "<", let end = rest.firstIndex(of: ">") else {
        bytes += String(first).utf8
        rest.removeFirst()
        continue
      }
      let name = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
      if name == "dir" {
        bytes += folder.utf8
      } else {
        bytes += try self.bytes(name)
      }
      if name == "Esc" {
        // Alone, for long enough.
        steps += [.keys(bytes), .pause]
        bytes = []
      }
    }
    if !bytes.isEmpty { steps.append(.keys(bytes)) }
    return steps
  }

  private static func bytes(_ name: String) throws -> [UInt8] {
    if let text = named[name] { return Array(text.utf8) }
    if name.hasPrefix("C-"), let byte = name.utf8.last, name.utf8.count == 3 { return [byte & 0x1F] }
    if name.hasPrefix("A-"), let byte = name.utf8.last, name.utf8.count == 3 { return [0x1B, byte] }
    // The mouse: <Click 10,3>, <WheelDown 10,3>; places count from 1.
    let words = name.split(separator: " ")
    let place = words.last?.split(separator: ",").joined(separator: ";") ?? ""
    let buttons = ["Click": 0, "WheelUp": 64, "WheelDown": 65, "WheelLeft": 66, "WheelRight": 67]
    if words.count == 2, let button = buttons[String(words[0])] {
      return Array("\u{1B}[<\(button);\(place)M\u{1B}[<\(button);\(place)m".utf8)
    }
    if name.hasPrefix("Paste ") { return Array("\u{1B}[200~\(name.dropFirst(6))\u{1B}[201~".utf8) }
    throw ProcessError("no key <\(name)>", 0)
  }
}

/// The session that is played, once it is there.
private final class PlayedSession {
  weak var view: ViewSession?
}

/// A session that is played.
struct SessionPlayer {
  let folder: TemporaryFolder
  private let arguments: [String]
  private let size: String
  private let keys: [String]

  init(_ arguments: [String], size: String, keys: [String]) throws {
    self.arguments = arguments
    self.size = size
    self.keys = keys
    folder = try TemporaryFolder()
  }

  init(_ session: SessionCase) throws {
    try self.init(session.lines("args"), size: session.text("size") ?? "80x12", keys: session.lines("keys"))
    for file in session.files() { try folder.write(file.text, to: file.name) }
  }

  private func size(_ text: String) throws -> (columnCount: Int, lineCount: Int) {
    let numbers = text.split(separator: "x").compactMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    guard numbers.count == 2 else { throw ProcessError("no size: \(text)", 0) }
    return (numbers[0], numbers[1])
  }

  private func words() throws -> [[UInt8]] {
    try arguments.map { line in
      let fixture = GoldenCase.fixtures.appending(path: line)
      guard !line.contains("/"), let data = try? Data(contentsOf: fixture) else {
        return Array(line.replacingOccurrences(of: "<dir>", with: folder.path).utf8)
      }
      let copy = folder.file(line)
      try data.write(to: URL(filePath: copy))
      return Array(copy.utf8)
    }
  }

  private func steps(_ played: PlayedSession) throws -> [ScriptedTerminal.Step] {
    var steps: [ScriptedTerminal.Step] = [.idle, .show(title: "at first", hasStyles: false)]
    let folder = folder
    for line in keys where !line.hasPrefix("# ") && !line.isEmpty {
      guard line.hasPrefix("!") else {
        steps += try KeyNotation.steps(line, folder: folder.path)
        steps += [.idle, .show(title: line, hasStyles: false)]
        continue
      }
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      switch words[0] {
      case "!resize":
        let size = try size(words[1])
        steps += [.resize(columnCount: size.columnCount, lineCount: size.lineCount), .idle]
        steps.append(.show(title: line, hasStyles: false))
      case "!styles": steps.append(.show(title: line, hasStyles: true))
      case "!wait": steps += [.wait(String(line.dropFirst(6))), .show(title: line, hasStyles: false)]
      case "!write", "!append":
        let text = words[2].replacingOccurrences(of: "\\n", with: "\n")
        steps.append(.perform { try folder.write(text, to: words[1], appends: words[0] == "!append") })
      case "!grown": steps += [.perform { played.view?.goOn() }, .idle, .show(title: line, hasStyles: false)]
      case "!file": steps.append(.note { "──── \(line)\n" + (folder.text(words[1]) ?? "there is none\n") })
      default: throw ProcessError("no such step: \(line)", 0)
      }
    }
    return steps
  }

  /// - Returns: what was taken down, and what no terminal would make sense of.
  func play() throws -> (screens: String, oddities: [String]) {
    let surroundings = Surroundings(isInputTerminal: true, isOutputTerminal: true)
    let invocation = try Invocation(Options(arguments: words()), in: surroundings)
    let size = try size(self.size)
    let played = PlayedSession()
    let terminal = ScriptedTerminal(columnCount: size.columnCount, lineCount: size.lineCount, try steps(played))
    let query = try Query(invocation)
    let source = try ViewPageSource(opening: query, pageSize: invocation.pageSize)
    let pipe = try WakePipe()
    let pager = Pager(
      source: source, configuration: ViewLimits.configuration(invocation, query.inputs),
      onUpdateCount: { _ in pipe.wake() })
    let view = ViewSession(
      tty: terminal, pipe: pipe, signals: nil, invocation: invocation, query: query, source: source, pager: pager,
      colors: .indexed)
    terminal.isIdle = { [unowned view] in view.isIdle }
    played.view = view
    view.begin(row: invocation.firstRowIndex - (invocation.offset ?? 0))
    let ending = view.run()
    pager.cancel()
    terminal.noteOddities()
    switch ending {
    case .quit(let printsCommand): terminal.note("──── quit" + (printsCommand ? "\n" + view.commandLine : ""))
    case .signal(let number): terminal.note("──── signal \(number)")
    }
    // After the last key there is no screen.
    if terminal.stepsLeft != 2 { terminal.note("──── \(terminal.stepsLeft) steps were not come to") }
    for note in view.notes.damage + view.notes.others { terminal.note("──── note: \(note)") }
    if let error = view.shownError { terminal.note("──── error: \(ViewSession.describe(error))") }
    return (terminal.screens.replacingOccurrences(of: folder.path, with: "/tmp/pagecat-test.XXXXXX"), terminal.oddities)
  }
}

struct ViewGoldenTests {
  @Test func `there are sessions`() {
    #expect(SessionCase.all().count >= 15)
  }

  @Test(arguments: SessionCase.all())
  func `the pager shows what it did`(_ session: SessionCase) async throws {
    let player = try SessionPlayer(session)
    // The loop blocks its thread, which must be none that fetches run on.
    let (screens, oddities) = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try player.play() }) }
    }
    #expect(oddities == [])
    if GoldenTests.isRecording {
      try session.record(screens)
      Issue.record("recorded; read the difference, then run without PAGECAT_RECORD")
      return
    }
    let expected = session.text("screens") ?? ""
    if screens == expected { return }
    // The first screen that differs says more than all of them.
    let parts = screens.components(separatedBy: "──── ")
    let expectedParts = expected.components(separatedBy: "──── ")
    let index = zip(parts, expectedParts).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let place = index ?? min(parts.count, expectedParts.count)
    func part(_ parts: [String]) -> String { parts.indices.contains(place) ? parts[place] : "nothing" }
    Issue.record("at screen \(place), expected:\n\(part(expectedParts))\nbut it is:\n\(part(parts))")
  }
}
