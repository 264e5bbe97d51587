// `pagecat-bench run`: finds the programs, makes the data where it is absent, and compares.

import Glibc

struct RunCommand {
  private var setting = BenchSetting()
  private var duckdb: String?
  private var runCount = 5
  private var only: String?
  private var includesSlowPeers = false

  init(_ arguments: inout Arguments) throws(BenchError) {
    while let option = arguments.next() {
      if try setting.take(option, &arguments) { continue }
      switch option {
      case "--duckdb": duckdb = try arguments.value(of: option)
      case "--runs": runCount = try arguments.number(of: option, in: 1...1000)
      case "--only": only = try arguments.value(of: option)
      case "--slow-peers": includesSlowPeers = true
      default: throw .usage("unknown option \(option)")
      }
    }
  }

  func run() throws(BenchError) {
    let files = setting.files
    let works = Work.all(on: files)
    let chosen = works.filter { work in only.map { work.name.contains($0) } ?? true }
    guard !chosen.isEmpty else {
      throw .usage("no work named \(only ?? ""); there are:\n  " + works.map(\.name).joined(separator: "\n  "))
    }
    let comparison = Comparison(programs: try locatePrograms(), runCount: runCount)
    try files.makeAbsent(in: setting.directory)
    print(Comparison.heading)
    var isGood = true
    for work in chosen where try !comparison.run(work) { isGood = false }
    if !isGood { throw BenchError(message: "pagecat failed at some work", exitStatus: 1) }
  }

  // MARK: - Programs

  private func locatePrograms() throws(BenchError) -> [Program: String] {
    var located: [Program: String] = [.pagecat: try setting.locatePagecat()]
    located[.duckdb] = duckdb
    let peers: [Program] = includesSlowPeers ? [.duckdb, .mlr, .jq] : [.duckdb]
    for peer in peers where located[peer] == nil {
      located[peer] = ProgramFile.onPath(peer.rawValue)
      if located[peer] == nil { report("\(peer.rawValue) is not on the PATH and is left out") }
    }
    if let duckdb = located[.duckdb], isScript(duckdb) {
      report("\(duckdb) is a script that starts DuckDB, which counts against it; name the program itself with --duckdb")
    }
    return located
  }

  private func isScript(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var start: [UInt8] = [0, 0]
    return unsafe read(descriptor, &start, 2) == 2 && start == [UInt8(ascii: "#"), UInt8(ascii: "!")]
  }
}
