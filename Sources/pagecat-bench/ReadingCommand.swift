// `pagecat-bench reading`: how fast input is read: parsed on one core, from a pipe beside from the file, and compressed beside the
// program that decompresses.
//
// The work is always the best 20 records by date, which looks at every byte and prints next to nothing. Medians of runs in turn.

import Glibc

struct ReadingCommand {
  private var setting = BenchSetting()
  private var runCount = 5
  private var formats: [GeneratedFormat] = [.csv, .jsonl, .json]

  init(_ arguments: inout Arguments) throws(BenchError) {
    while let option = arguments.next() {
      if try setting.take(option, &arguments) { continue }
      switch option {
      case "--runs": runCount = try arguments.number(of: option, in: 1...1000)
      case "--format":
        formats = [try arguments.format(of: option)]
      default: throw .usage("unknown option \(option)")
      }
    }
  }

  func run() throws(BenchError) {
    let pagecat = try setting.locatePagecat()
    let files = setting.files
    try files.makeAbsent(in: setting.directory)
    print(
      """
      | file | measure | median | best | goal |
      |---|---|---:|---:|---:|
      """)
    for format in formats {
      let path = files.path(of: format)
      try parsing(path, format, pagecat)
      try beside(path, format, pagecat)
    }
  }

  /// How many bytes a second of processor time are parsed, all on one core.
  private func parsing(_ path: String, _ format: GeneratedFormat, _ pagecat: String) throws(BenchError) {
    let byteCount = try size(path)
    let runs = try measurements(of: [onOneCore([pagecat, path] + ReadingCommand.newest)])[0]
    let goal = format == .csv ? "2" : "1.2"
    row(format, "parsed by a core, GB/s", runs.map { byteCount / $0.userSeconds / 1e9 }, goal: goal)
    row(format, "read and parsed by a core, GB/s", runs.map { byteCount / $0.cpuSeconds / 1e9 }, goal: "")
  }

  /// The speed from a pipe against that from the file, and from gzip against that of gzip alone.
  private func beside(_ path: String, _ format: GeneratedFormat, _ pagecat: String) throws(BenchError) {
    let compressed = path + ".gz"
    if unsafe access(compressed, F_OK) != 0 {
      report("making \(compressed)")
      let made = try measure(["/bin/sh", "-c", #"gzip -1 -c "$1" > "$1.new" && mv "$1.new" "$1.gz""#, "sh", path])
      guard made.outcome == .done else { throw BenchError(message: "gzip failed", exitStatus: 1) }
    }
    let newest = ReadingCommand.newest
    // All by way of a shell, which takes a moment of its own.
    func inShell(_ script: String, _ arguments: String...) -> [String] {
      ["/bin/sh", "-c", script, "sh"] + arguments + newest
    }
    let ofFile = #""$@""#
    let ofPipe = #"writer=$1; pagecat=$2; file=$3; shift 3; $writer "$file" | "$pagecat" - "$@""#
    let runs = try measurements(of: [
      inShell(ofFile, pagecat, path),
      inShell(ofPipe, "/proc/\(getpid())/exe feed", pagecat, path),
      inShell(ofPipe, "cat", pagecat, path),
      [pagecat, compressed] + newest,
      ["/bin/sh", "-c", #"gzip -dc "$1" | cat"#, "sh", compressed],
      onOneCore([pagecat, path] + newest),
      ["/bin/sh", "-c", #"cat "$1" | cat"#, "sh", path],
    ])
    let pairs = 0..<runCount
    func ratio(_ slower: Int, _ faster: Int) -> [Double] {
      pairs.map { runs[slower][$0].wallSeconds / runs[faster][$0].wallSeconds }
    }
    // A program that copies into the pipe takes its share of the cores, so that is told apart.
    row(format, "speed from a pipe, of that from the file", ratio(0, 1), goal: "0.8")
    row(format, "speed from a pipe that cat fills, of that from the file", ratio(0, 2), goal: "0.8")
    row(format, "speed from a pipe that cat fills, of that from the file on one core", ratio(5, 2), goal: "0.8")
    row(format, "speed of cat through a pipe to cat, of that from the file", ratio(0, 6), goal: "")
    row(format, "speed from gzip, of that of gzip alone", ratio(4, 3), goal: "0.9")
  }

  private static let newest = ["--sort", "startDate:desc", "--limit", "20"]

  /// The command kept on one of the cores that the shell may use.
  private func onOneCore(_ command: [String]) -> [String] {
    let script = #"core=$(taskset -cp $$ | sed "s/.*: \([0-9]*\).*/\1/"); exec taskset -c "$core" "$@""#
    return ["/bin/sh", "-c", script, "sh"] + command
  }

  /// All runs of each, in turn, after one that is not counted.
  private func measurements(of commands: [[String]]) throws(BenchError) -> [[Measurement]] {
    var runs: [[Measurement]] = Array(repeating: [], count: commands.count)
    for runIndex in 0...runCount {
      for (index, command) in commands.enumerated() {
        let measurement = try measure(command)
        guard measurement.outcome == .done else {
          throw BenchError(message: "failed: \(command.joined(separator: " "))", exitStatus: 1)
        }
        if runIndex > 0 { runs[index].append(measurement) }
      }
    }
    return runs
  }

  private func row(_ format: GeneratedFormat, _ measure: String, _ figures: [Double], goal: String) {
    let sorted = figures.sorted()
    guard let best = sorted.last else { return }
    let median = sorted[sorted.count / 2]
    print(
      """
      | \(format.rawValue) | \(measure) | \(decimal(median, fractionDigits: 2)) | \(decimal(best, fractionDigits: 2)) | \(goal) |
      """)
    // A table in a pipe should grow as it is made.
    flushOutput()
  }

  private func size(_ path: String) throws(BenchError) -> Double {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .system(path) }
    return Double(status.st_size)
  }
}
