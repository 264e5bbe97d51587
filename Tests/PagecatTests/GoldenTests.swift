// Whole runs of the built program: Fixtures/golden/<topic>/<case>/ holds `args` (one argument a line), `stdin` where
// there is any, and what must come: `stdout` and `stderr` (nothing, if there is no such file) and `status` (0, if
// there is no such file). Programs run in Fixtures/, so that arguments name the fixtures as people would.
//
// PAGECAT_RECORD=1 writes what came instead of comparing, and makes the tests fail all the same: what was recorded is
// to be read before it counts.

import Foundation
import TestSupport
import Testing

struct GoldenCase: Sendable, CustomTestStringConvertible {
  /// `<topic>/<case>`.
  let name: String

  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  var testDescription: String { name }

  var folder: URL { GoldenCase.fixtures.appending(path: "golden").appending(path: name) }

  static func all() -> [GoldenCase] {
    let root = fixtures.appending(path: "golden")
    return subfolders(root).flatMap { topic in
      subfolders(root.appending(path: topic)).map { GoldenCase(name: "\(topic)/\($0)") }
    }
  }

  private static func subfolders(_ folder: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }

  /// The bytes of a file of the case; nil if it has none of this name.
  func bytes(_ file: String) -> [UInt8]? {
    (try? Data(contentsOf: folder.appending(path: file))).map { Array($0) }
  }

  /// Replaces a file of the case; without bytes it is removed.
  func record(_ file: String, _ bytes: [UInt8]) throws {
    let url = folder.appending(path: file)
    if bytes.isEmpty {
      try? FileManager.default.removeItem(at: url)
    } else {
      try Data(bytes).write(to: url)
    }
  }
}

struct GoldenTests {
  static let isRecording = ProcessInfo.processInfo.environment["PAGECAT_RECORD"] == "1"

  @Test func `there are golden cases`() {
    #expect(GoldenCase.all().count >= 20)
  }

  @Test(arguments: GoldenCase.all())
  func `the program does what it did`(_ golden: GoldenCase) throws {
    let list = try #require(golden.bytes("args"), "no file of arguments")
    var arguments = list.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    // The last line ends with a line feed too.
    if arguments.last?.isEmpty == true { arguments.removeLast() }
    var runner = ProcessRunner.pagecat()
    runner.workingDirectory = GoldenCase.fixtures.path
    let result = try runner.run(bytes: arguments, input: golden.bytes("stdin").map { .bytes($0) } ?? .nothing)
    try #require(!result.isTimedOut)
    if GoldenTests.isRecording {
      try golden.record("stdout", result.standardOutput)
      try golden.record("stderr", result.standardError)
      try golden.record("status", result.status == 0 ? [] : Array("\(result.status)\n".utf8))
      Issue.record("recorded; read the difference, then run without PAGECAT_RECORD")
      return
    }
    let status = golden.bytes("status").map { String(decoding: $0, as: UTF8.self) } ?? "0\n"
    #expect("\(result.status)\n" == status)
    #expect(result.output == String(decoding: golden.bytes("stdout") ?? [], as: UTF8.self))
    #expect(result.errors == String(decoding: golden.bytes("stderr") ?? [], as: UTF8.self))
    // Text may look alike where bytes differ.
    #expect(result.standardOutput == golden.bytes("stdout") ?? [])
    #expect(result.standardError == golden.bytes("stderr") ?? [])
  }
}
