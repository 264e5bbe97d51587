// `pagecat-bench run`: finds the programs, makes the data where it is absent, and compares.

import Glibc

struct RunCommand {
  private static let defaultRecordCount: UInt64 = 2_000_000

  private var programs: [Program: String] = [:]
  private var recordCount = Self.defaultRecordCount
  private var directory: String
  private var runCount = 5
  private var only: String?
  private var includesSlowPeers = false

  init(_ arguments: inout Arguments) throws(BenchError) {
    directory = (environmentValue("TMPDIR") ?? "/tmp") + "/pagecat-data"
    while let option = arguments.next() {
      switch option {
      case "--pagecat": programs[.pagecat] = try arguments.value(of: option)
      case "--duckdb": programs[.duckdb] = try arguments.value(of: option)
      case "--records": recordCount = try arguments.number(of: option)
      case "--directory": directory = try arguments.value(of: option)
      case "--runs":
        let number = try arguments.number(of: option)
        guard 1...1000 ~= number else { throw .usage("--runs \(number): from 1 to 1000") }
        runCount = Int(number)
      case "--only": only = try arguments.value(of: option)
      case "--slow-peers": includesSlowPeers = true
      default: throw .usage("unknown option \(option)")
      }
    }
  }

  func run() throws(BenchError) {
    let files = dataFiles()
    let works = Work.all(on: files)
    let chosen = works.filter { work in only.map { work.name.contains($0) } ?? true }
    guard !chosen.isEmpty else {
      throw .usage("no work named \(only ?? ""); there are:\n  " + works.map(\.name).joined(separator: "\n  "))
    }
    let comparison = Comparison(programs: try locatePrograms(), runCount: runCount)
    try makeAbsent(files)
    print(Comparison.heading)
    var isGood = true
    for work in chosen where try !comparison.run(work) { isGood = false }
    if !isGood { throw BenchError(message: "pagecat failed at some work", exitStatus: 1) }
  }

  // MARK: - Programs

  private func locatePrograms() throws(BenchError) -> [Program: String] {
    var located = programs
    if located[.pagecat] == nil {
      located[.pagecat] = besideThisProgram("pagecat") ?? onPath("pagecat")
    }
    guard located[.pagecat] != nil else {
      throw .usage("no pagecat beside this program or on the PATH; name it with --pagecat")
    }
    let peers: [Program] = includesSlowPeers ? [.duckdb, .mlr, .jq] : [.duckdb]
    for peer in peers where located[peer] == nil {
      located[peer] = onPath(peer.rawValue)
      if located[peer] == nil { report("\(peer.rawValue) is not on the PATH and is left out") }
    }
    if let duckdb = located[.duckdb], isScript(duckdb) {
      report("\(duckdb) is a script that starts DuckDB, which counts against it; name the program itself with --duckdb")
    }
    return located
  }

  private func besideThisProgram(_ name: String) -> String? {
    guard let own = unsafe realpath("/proc/self/exe", nil) else { return nil }
    defer { unsafe free(own) }
    let path = unsafe String(cString: own)
    guard let slash = path.lastIndex(of: "/") else { return nil }
    return executable(path[...slash] + name)
  }

  private func onPath(_ name: String) -> String? {
    for folder in (environmentValue("PATH") ?? "").split(separator: ":") {
      if let path = executable(folder + "/" + name) { return path }
    }
    return nil
  }

  private func executable(_ path: Substring) -> String? {
    let path = String(path)
    return unsafe access(path, X_OK) == 0 ? path : nil
  }

  private func isScript(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var start: [UInt8] = [0, 0]
    return unsafe read(descriptor, &start, 2) == 2 && start == [UInt8(ascii: "#"), UInt8(ascii: "!")]
  }

  // MARK: - Data

  /// Other numbers of records have other names, so that a file is never taken for one of another size.
  private func dataFiles() -> DataFiles {
    let stem = directory + "/activities" + (recordCount == Self.defaultRecordCount ? "" : "-\(recordCount)")
    return DataFiles(
      csv: stem + ".csv", jsonl: stem + ".jsonl", json: stem + ".json", recordCount: recordCount)
  }

  private func makeAbsent(_ files: DataFiles) throws(BenchError) {
    if unsafe mkdir(directory, 0o755) != 0, errno != EEXIST { throw .system(directory) }
    let wanted: [(format: GeneratedFormat, path: String)] = [
      (.csv, files.csv), (.jsonl, files.jsonl), (.json, files.json),
    ]
    for file in wanted where unsafe access(file.path, F_OK) != 0 {
      report("making \(file.path)")
      try generate(format: file.format, recordCount: recordCount, seed: Generator.defaultSeed, to: file.path)
    }
  }
}

private func environmentValue(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}
