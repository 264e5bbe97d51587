// Passes of the pager that get into each other's way, files that grow under it, files that it does not finish: played within
// the process. What is to be under way together is typed at once, so that no pass can be done before the next key.

import Foundation
import Glibc
import Reading
import TestSupport
import Testing

@testable import pagecat

struct ViewPassTests {
  private static func numbers(_ range: ClosedRange<Int>) -> String { range.map { "\($0),name \($0)\n" }.joined() }

  /// The screens of a session over a file of its own, by the keys that led to them; the first of them is `at first`.
  private func play(_ text: String, _ keys: [String]) async throws -> [String: String] {
    let player = try SessionPlayer(["<dir>/data.csv", "-i"], size: "60x8", keys: keys + ["q"])
    try player.folder.write(text, to: "data.csv")
    // The loop blocks its thread, which must be none that fetches run on.
    let (screens, oddities) = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try player.play() }) }
    }
    #expect(oddities == [])
    var shown: [String: String] = [:]
    for screen in screens.components(separatedBy: "──── ") {
      let parts = screen.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { shown[String(parts[0])] = String(parts[1]) }
    }
    return shown
  }

  /// Five rows fit the first page, 20,000 do not fit the first read.
  @Test(arguments: [5, 20_000])
  func `a line that the end of a growing file was read within goes on`(_ count: Int) async throws {
    let shown = try await play(
      "id,name\n" + Self.numbers(1...count),
      [
        "!append data.csv \(count + 1),par", "F", "!grown", "!append data.csv tial\\n\(count + 2),last\\n",
        "!grown ", "k",
      ])
    let screen = try #require(shown["!grown "])
    #expect(screen.contains("  partial\n") && screen.contains("\(count + 2)  last\n"), "\(shown)")
    #expect(!screen.contains("  par\n"))
  }

  @Test func `a line that was read up to the end of a file, which had grown since it was opened, goes on`() async throws
  {
    let shown = try await play(
      "id,name\n" + Self.numbers(1...20_000),
      ["!append data.csv 20001,par", "F", "!append data.csv tial\\n20002,last\\n", "!grown"])
    #expect(shown["F"]?.contains("20001  par\n") == true, "\(shown)")
    let screen = try #require(shown["!grown"])
    #expect(screen.contains("20001  partial\n") && screen.contains("20002  last\n"), "\(screen)")
  }

  @Test func `there is no more than all of a file that has grown`() async throws {
    let shown = try await play(
      "id,name\n" + Self.numbers(1...30),
      ["G", "F", "!append data.csv " + Self.numbers(31...90).replacing("\n", with: "\\n"), "!grown", "80G"])
    let screen = try #require(shown["80G"])
    #expect(screen.contains("80  name 80\n"))
    let percent = try #require(screen.firstMatch(of: /(\d+)%/).flatMap { Int($0.1) })
    #expect((1...99).contains(percent), "\(screen)")
  }

  @Test func `a file that is read again has the order and the filter that were asked for`() async throws {
    let shown = try await play(
      "id,name\n" + Self.numbers(1...60),
      ["!write data.csv id,name\\n1,a\\n2,b\\n3,c\\n", "Sr&id <lt> 3<Enter>", "j", "0Sr:columns name,id<Enter>", "k"])
    let screen = try #require(shown["j"])
    #expect(screen.contains("\n1     2  b\n2     1  a\n"), "\(shown)")
    #expect(screen.contains("sort id:desc  filter id < 3"))
    #expect(shown["k"]?.contains("\n1  b        2\n2  a        1\n") == true, "\(shown)")
  }

  @Test func `whoever has left begins no file`() throws {
    let folder = try TemporaryFolder()
    let input = try folder.write("id\n1\n", to: "data.csv")
    let invocation = try Invocation(
      Options(arguments: [Array(input.utf8)]), in: Surroundings(isInputTerminal: true, isOutputTerminal: true))
    let inputs = try Query(invocation).inputs
    let unfinished = UnfinishedFiles()
    func write() -> ViewOutcome {
      ViewFileWriter(path: folder.file("out.csv"), overwrites: true, monitor: ScanMonitor(), unfinished: unfinished)
        .write(invocation, hidden: "", inputs: inputs)
    }
    guard case .written(_, rowCount: 1) = write() else {
      Issue.record("not written")
      return
    }
    #expect(unsafe unlink(folder.file("out.csv")) == 0)
    // One that is begun before somebody leaves is removed, one after that is not begun.
    let descriptor = try #require(try unfinished.create(folder.file("begun")))
    defer { close(descriptor) }
    #expect(folder.names == ["begun", "data.csv"])
    unfinished.removeAll()
    #expect(folder.names == ["data.csv"])
    guard case .cancelled = write() else {
      Issue.record("written all the same")
      return
    }
    #expect(folder.names == ["data.csv"])
  }
}
