// The benchmarks of the pager and of reading: that they get what they measure from the built pagecat and say so. What they measure is
// not looked at.

import Foundation
import TestSupport
import Testing

struct BenchTests {
  @Test func `every measure of pagecat has a row`() throws {
    let folder = try TemporaryFolder()
    let ended = try bench(
      "pagers", "--only", "pagecat", "--format", "csv", "--records", "300", "--directory", folder.path, "--keys", "5",
      "--runs", "1", "--lines", "24")
    #expect(ended.status == 0)
    let lines = String(decoding: ended.output, as: UTF8.self).split(separator: "\n")
    let rows = lines.dropFirst(2).map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    #expect(
      rows.map { $0[1] } == [
        "first full screen, ms", "CPU in 2 s without keys, ms", "bytes for a line scrolled", "key to frame, ms",
        "CPU for a key, ms", "peak memory while scrolling, MiB", "key to frame during a sort, ms",
        "key to frame during a search, ms", "key to frame during a count, ms",
      ])
    #expect(rows.allSatisfy { $0[0] == "csv" && $0[2] == "pagecat" })
    // Passes over so few records are over before a key comes.
    for row in rows.prefix(6) {
      let figures = row[3...5].compactMap(Double.init)
      #expect(!figures.isEmpty && figures.allSatisfy { $0 >= 0 }, "\(row)")
    }
    #expect(Double(rows[2][3]).map { 20...20_000 ~= $0 } == true, "a line scrolled is sent as \(rows[2])")
  }

  @Test func `every measure of reading has a row`() throws {
    let folder = try TemporaryFolder()
    let ended = try bench(
      "reading", "--format", "jsonl", "--records", "2000", "--directory", folder.path, "--runs", "1")
    #expect(ended.status == 0)
    let rows = String(decoding: ended.output, as: UTF8.self).split(separator: "\n").dropFirst(2)
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    #expect(
      rows.map { $0[1] } == [
        "parsed by a core, GB/s", "read and parsed by a core, GB/s", "speed from a pipe, of that from the file",
        "speed from a pipe that cat fills, of that from the file",
        "speed from a pipe that cat fills, of that from the file on one core",
        "speed of cat through a pipe to cat, of that from the file",
        "speed from gzip, of that of gzip alone",
      ])
    #expect(rows.allSatisfy { $0[0] == "jsonl" && Double($0[2]) != nil && Double($0[3]) != nil })
  }

  @Test func `a file is fed into a pipe as it is`() throws {
    var bytes: [UInt8] = []
    for index in 0..<300_000 { bytes.append(UInt8(truncatingIfNeeded: index &* 2_654_435_761 >> 8)) }
    let file = try TemporaryFile(bytes, ending: "")
    let ended = try bench("feed", file.path)
    #expect(ended.status == 0 && Array(ended.output) == bytes)
    #expect(try bench("feed", file.path + ".absent").status == 3)
  }
}
