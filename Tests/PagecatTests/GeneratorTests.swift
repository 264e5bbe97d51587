// The generator is deterministic: what stands under Fixtures is what it makes today, and its formats hold the same records.
//
// Runs the built pagecat-bench, as the benchmark is run.

import Foundation
import Testing

@Suite struct GeneratorTests {
  @Test(arguments: ["csv", "jsonl", "json"])
  func fixtureIsWhatTheDefaultSeedMakes(format: String) throws {
    let made = try bench("generate", "--format", format, "--records", "300", "--output", "-")
    #expect(made.status == 0)
    let fixture = try Data(contentsOf: packageFolder.appending(path: "Fixtures/activities.\(format)"))
    #expect(made.output == fixture, "Fixtures/activities.\(format) is not what the generator makes")
  }

  @Test func formatsHoldTheSameRecords() throws {
    let size = ["--records", "2000", "--seed", "7", "--output", "-"]
    let lines = try bench(["generate", "--format", "jsonl"] + size).output.split(separator: UInt8(ascii: "\n"))
    let array = try bench(["generate", "--format", "json"] + size).output
    #expect(lines.count == 2000)
    #expect(array == Data("[\n".utf8) + Data(lines.joined(separator: Data(",\n".utf8))) + Data("\n]\n".utf8))

    let rows = Self.rows(try bench(["generate", "--format", "csv"] + size).output)
    #expect(rows.count == 2001)
    for (row, line) in zip(rows.dropFirst(), lines) {
      let record = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
      let cells = Dictionary(uniqueKeysWithValues: zip(rows[0], row))
      #expect(cells["id"] == (record["id"] as? NSNumber)?.stringValue)
      #expect(cells["name"] == record["name"] as? String)
      #expect(cells["startDate"] == record["startDate"] as? String)
      #expect(cells["note"] == record["note"] as? String ?? "")
      #expect(cells["gear.name"] == (record["gear"] as? [String: Any])?["name"] as? String ?? "")
      let tags = try JSONSerialization.jsonObject(with: Data((cells["tags"] ?? "").utf8)) as? [String]
      #expect(tags == record["tags"] as? [String])
    }
  }

  @Test func emptyArrayIsJSON() throws {
    let made = try bench("generate", "--format", "json", "--records", "0", "--output", "-")
    #expect(made.output == Data("[\n]\n".utf8))
  }

  @Test(arguments: [
    [], ["measure"], ["generate"], ["generate", "--format", "xml", "--records", "1", "--output", "-"],
    ["generate", "--format", "csv", "--records", "-1", "--output", "-"], ["generate", "--format"],
    ["run", "--runs", "0"], ["run", "--only", "no such work"], ["run", "--fast"],
    ["reading", "--runs", "0"], ["reading", "--fast"], ["pagers", "--keys", "0"], ["pagers", "--format", "xml"],
    ["pagers", "--only", "more"], ["pagers", "--fast"],
  ])
  func argumentErrorIsExit2(arguments: [String]) throws {
    let ended = try bench(arguments)
    #expect(ended.status == 2)
    #expect(ended.output.isEmpty)
  }

  /// The rows of RFC 4180 text, read the obvious way.
  private static func rows(_ text: Data) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""):
        isQuoted.toggle()
        // A quote that opens again is the second of a doubled one; only an opening one finds the cell empty.
        if isQuoted && !cell.isEmpty { cell.append(byte) }
      case UInt8(ascii: ",") where !isQuoted, UInt8(ascii: "\n") where !isQuoted:
        row.append(String(decoding: cell, as: UTF8.self))
        cell.removeAll()
        if byte == UInt8(ascii: "\n") {
          rows.append(row)
          row.removeAll()
        }
      default:
        cell.append(byte)
      }
    }
    return rows
  }
}

private var packageFolder: URL {
  URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

func bench(_ arguments: String...) throws -> (output: Data, status: Int32) {
  try bench(arguments)
}

/// Runs the pagecat-bench that was built beside the test program, whatever the build folder is called.
func bench(_ arguments: [String]) throws -> (output: Data, status: Int32) {
  let testProgram = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  let process = Process()
  process.executableURL = testProgram.deletingLastPathComponent().appending(path: "pagecat-bench")
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  try process.run()
  let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (output, process.terminationStatus)
}
