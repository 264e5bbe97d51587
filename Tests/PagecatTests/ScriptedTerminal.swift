// A terminal that plays a script to the pager's event loop within the process, and takes down screens. Nothing is timed: the
// next key comes when everything that the key before it has set going has arrived and is drawn.

import TerminalIO
import TestSupport

/// The terminal of a session that is played.
final class ScriptedTerminal: Terminal {
  enum Step {
    /// Bytes as a terminal sends them; all are there at once.
    case keys([UInt8])
    /// The time after which an Esc is the key and no beginning of a sequence.
    case pause
    case resize(columnCount: Int, lineCount: Int)
    /// Goes on when nothing is under way.
    case idle
    /// Goes on when a text is on the screen.
    case wait(String)
    /// Takes down the screen.
    case show(title: String, hasStyles: Bool)
    case perform(() throws -> Void)
    /// Takes down a text.
    case note(() -> String)
  }

  /// Seconds that a step may take; only a session that hangs takes so long. Other tests block the threads that fetches run
  /// on, so that a step may well have to wait for the longest of them.
  private static let patience = 400

  private(set) var screens = ""
  private(set) var terminal: VirtualTerminal
  /// Whether nothing is under way; to be set before the session runs.
  var isIdle: () -> Bool = { true }
  private var steps: ArraySlice<Step>
  private var inbox: [UInt8] = []
  private var hasSettled = false
  private var commandCount = 0
  private(set) var size: (columnCount: Int, lineCount: Int)
  /// What all screens together could not make sense of.
  private(set) var oddities: [String] = []

  init(columnCount: Int, lineCount: Int, _ steps: [Step]) {
    size = (columnCount, lineCount)
    terminal = ScriptedTerminal.blank(columnCount, lineCount)
    self.steps = steps[...]
  }

  private static func blank(_ columnCount: Int, _ lineCount: Int) -> VirtualTerminal {
    VirtualTerminal(columnCount: columnCount, lineCount: lineCount) { DisplayWidth.cells(Array($0.utf8)) }
  }

  // MARK: The terminal

  func enter() { write(TTY.entering) }
  func enterAgain() { enter() }
  func leave() { write(TTY.leaving) }

  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    terminal.receive(bytes)
    return true
  }

  func read(into bytes: inout [UInt8]) -> Bool {
    bytes += inbox
    inbox = []
    return true
  }

  func wait(_ pipe: WakePipe, _ signals: TerminalSignals?, milliseconds: Int?) -> TerminalWake {
    var wake = TerminalWake()
    while let step = steps.first {
      switch step {
      case .keys(let bytes):
        inbox = bytes
        wake.hasInput = true
      case .pause: break
      case .resize(let columnCount, let lineCount):
        noteOddities()
        size = (columnCount, lineCount)
        terminal = ScriptedTerminal.blank(columnCount, lineCount)
        terminal.receive(TTY.entering)
        commandCount = 0
        wake.signals = [.resize]
      case .idle:
        if isIdle() && hasSettled { break }
        // What has arrived may not be drawn yet, and drawing it may set more going.
        hasSettled = isIdle()
        wake.isWoken = hasSettled || waitForNews(pipe)
        wake.isHungUp = !wake.isWoken
        return wake
      case .wait(let text):
        if terminal.text.contains(text) { break }
        wake.isWoken = waitForNews(pipe)
        wake.isHungUp = !wake.isWoken
        return wake
      case .show(let title, let hasStyles): show(title, hasStyles)
      case .perform(let body):
        do { try body() } catch { screens += "failed: \(error)\n" }
      case .note(let text): screens += text()
      }
      hasSettled = false
      steps.removeFirst()
      switch step {
      case .keys, .resize, .pause: return wake
      default: continue
      }
    }
    wake.isHungUp = true
    return wake
  }

  private func waitForNews(_ pipe: WakePipe) -> Bool {
    if pipe.wait(milliseconds: ScriptedTerminal.patience * 1000) { return true }
    screens += "nothing has come for \(ScriptedTerminal.patience) s at step \(steps.first.map { "\($0)" } ?? "")\n"
    return false
  }

  /// How many steps were not come to.
  var stepsLeft: Int { steps.count }

  // MARK: Taking down

  /// Takes down what has no screen.
  func note(_ line: String) { screens += line + "\n" }

  func noteOddities() {
    oddities += terminal.unknown + terminal.strayControls.filter { $0 != 0x18 }.map { "control \($0)" }
  }

  private func show(_ title: String, _ hasStyles: Bool) {
    screens += "──── \(title)\n" + terminal.text + "\n"
    if terminal.isCursorVisible {
      screens += "──── cursor \(terminal.cursor.columnIndex),\(terminal.cursor.lineIndex)\n"
    }
    for command in terminal.commands.dropFirst(commandCount) { screens += "──── OSC \(command)\n" }
    commandCount = terminal.commands.count
    guard hasStyles else { return }
    for line in 0..<terminal.lineCount {
      let runs = terminal.styledRuns(ofLine: line)
      if !runs.isEmpty { screens += "──── style \(line): \(runs.joined(separator: " | "))\n" }
    }
  }
}
