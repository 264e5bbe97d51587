// What README.md shows is what the program does: commands after `$` print what stands below them, and the other commands of
// the chapters on use end well. The files that they name are made here.

import Foundation
import TerminalIO
import TestSupport
import Testing

struct ReadmeTests {
  /// An indented block of a chapter.
  struct Example: Sendable, CustomTestStringConvertible {
    let lines: [Substring]
    var testDescription: String { String(lines.first ?? "") }

    /// Whether it shows a screen of the pager, whose last line tells how many rows are loaded.
    var isOfPager: Bool {
      // By its status line: of a sort the number of rows is known at once.
      keys != nil || lines.last.map { $0.hasSuffix(" loaded") || $0.contains("  1 of ") } ?? false
    }

    /// What is typed before the screen is as it is shown: in a comment behind the command, a step after two blanks.
    var keys: [String]? {
      guard let first = lines.first, first.hasPrefix("$ pagecat"), let comment = first.range(of: "   # ") else {
        return nil
      }
      return first[comment.upperBound...].components(separatedBy: "  ")
    }

    /// The size of the terminal that is shown: its last line ends a cell before the edge; above a line that is typed,
    /// cells are cut at the edge.
    var size: String {
      let widths = lines.dropFirst().map { DisplayWidth.cells(Array($0.utf8)) }
      let isStatus = lines.last?.contains(" of ") ?? false || lines.last?.contains(" loaded") ?? false
      return "\(isStatus ? (widths.last ?? 0) + 1 : widths.max() ?? 0)x\(lines.count - 1)"
    }

    /// The commands after `$`, with what they print.
    var commands: [(command: String, output: String)] {
      var found: [(command: String, output: String)] = []
      for line in lines {
        if line.hasPrefix("$ ") {
          found.append((String(line.dropFirst(2)), ""))
        } else if !found.isEmpty {
          found[found.count - 1].output += line + "\n"
        }
      }
      return found
    }
  }

  static let root = GoldenCase.fixtures.deletingLastPathComponent().path

  static let examples: [Example] = {
    guard let text = try? String(contentsOfFile: root + "/README.md", encoding: .utf8) else { return [] }
    var examples: [Example] = []
    var block: [Substring] = []
    var chapter: Substring = ""
    let lines: [Substring] = text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines + [""] {
      if line.hasPrefix("    ") {
        block.append(line.dropFirst(4))
      } else {
        if !block.isEmpty && (chapter == "Use" || block[0].hasPrefix("$ ")) { examples.append(Example(lines: block)) }
        block = []
        if line.hasPrefix("## ") { chapter = line.dropFirst(3) }
      }
    }
    return examples
  }()

  static let shown = examples.filter { example in
    !example.commands.isEmpty && !example.isOfPager
  }

  static let run = examples.filter { example in
    example.commands.isEmpty
      && !example.lines.contains { $0.contains("curl ") || $0.contains("| less") || $0.contains("| jq") }
  }

  /// Played within the process, where every key waits for what the one before it has set going.
  @Test(arguments: examples.filter { $0.keys != nil })
  func `the pager shows what is shown after some keys`(_ example: Example) async throws {
    let (command, output) = try #require(example.commands.first)
    let words = command.components(separatedBy: "   # ")[0].split(separator: " ").dropFirst()
    let arguments = words.map { $0.hasPrefix("Fixtures/") ? String($0.dropFirst(9)) : String($0) }
    let player = try SessionPlayer(
      arguments, size: example.size, keys: (example.keys ?? []) + ["<C-c><C-c><C-c>"])
    let (screens, _) = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try player.play() }) }
    }
    let shown = screens.components(separatedBy: "──── ").map { screen in
      screen.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().joined()
    }
    #expect(shown.contains(output), "\(screens)")
  }

  @Test func `the pager shows what is shown of it`() throws {
    let example = try #require(Self.examples.first { $0.isOfPager && $0.keys == nil })
    let (command, output) = try #require(example.commands.first)
    let arguments = command.split(separator: " ").dropFirst().map { argument in
      argument.hasPrefix("Fixtures/") ? Self.root + "/" + argument : String(argument)
    }
    let errors = try TemporaryFile("")
    let session = try TerminalSession(
      [BuiltProducts.directory + "/pagecat"] + arguments, columnCount: 100, lineCount: 24, errors: errors.path
    ) { DisplayWidth.cells(Array($0.utf8)) }
    let last = try #require(output.split(separator: "\n").last)
    let text = try session.wait { $0.text(ofLine: $0.lineCount - 1) == last }
    #expect(text + "\n" == output)
    session.type("q")
    #expect(try session.waitForEnd() == 0)
  }

  /// Runs a script in a shell that finds the program that was built.
  private func shell(_ script: String, in folder: String) throws -> ProcessResult {
    var runner = ProcessRunner(program: "/bin/sh")
    runner.environment["PATH"] = BuiltProducts.directory + ":/usr/local/bin:/usr/bin:/bin"
    runner.workingDirectory = folder
    return try runner.run(["-e", "-c", script])
  }

  @Test func `there are examples`() {
    #expect(Self.shown.count >= 4 && Self.run.count >= 8)
  }

  @Test(arguments: shown)
  func `an example prints what is shown`(_ example: Example) throws {
    for (command, output) in example.commands {
      let result = try shell(command, in: Self.root)
      #expect(result.output + result.errors == output)
      #expect(result.status == 0)
    }
  }

  @Test(arguments: run)
  func `an example ends well`(_ example: Example) throws {
    let folder = try TemporaryFolder()
    let rides = (1...40).map {
      "\($0),Ride \($0),\($0 % 2 == 0 ? "Ride" : "Run"),2026-01-\(10 + $0 % 20),0\($0),2026-02-01,\($0)00\n"
    }
    try folder.write("id,name,type,startDate,zip,Start Time,distance\n" + rides.joined(), to: "rides.csv")
    let script = """
      cp "\(Self.root)/Fixtures/activities.json" activities.json
      printf '#!/bin/sh\\ncat > /dev/null\\n' > upload
      chmod +x upload

      """
    let result = try shell(script + example.lines.joined(separator: "\n"), in: folder.path)
    // A loop ends with the status of the command that ended it only where it says so.
    #expect(result.status == 0, "\(result.errors)")
  }
}
