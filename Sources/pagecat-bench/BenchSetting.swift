// What both benchmarks begin with: where the programs are and where the data is, which is made where it is absent.

import Glibc

struct BenchSetting {
  private static let defaultRecordCount: UInt64 = 2_000_000

  var pagecat: String?
  var recordCount = Self.defaultRecordCount
  var directory = (environmentValue("TMPDIR") ?? "/tmp") + "/pagecat-data"

  /// Takes an option that all benchmarks have, with its value.
  ///
  /// - Returns: false where it is none of them.
  mutating func take(_ option: String, _ arguments: inout Arguments) throws(BenchError) -> Bool {
    switch option {
    case "--pagecat": pagecat = try arguments.value(of: option)
    case "--records": recordCount = try arguments.number(of: option)
    case "--directory": directory = try arguments.value(of: option)
    default: return false
    }
    return true
  }

  /// The path of pagecat: the one that was named, or else beside this program or on the PATH.
  func locatePagecat() throws(BenchError) -> String {
    guard let path = pagecat ?? ProgramFile.besideThisProgram("pagecat") ?? ProgramFile.onPath("pagecat") else {
      throw .usage("no pagecat beside this program or on the PATH; name it with --pagecat")
    }
    return path
  }

  /// Other numbers of records have other names, so that a file is never taken for one of another size.
  var files: DataFiles {
    let stem = directory + "/activities" + (recordCount == Self.defaultRecordCount ? "" : "-\(recordCount)")
    return DataFiles(
      csv: stem + ".csv", jsonl: stem + ".jsonl", json: stem + ".json", recordCount: recordCount)
  }
}

/// Finding the files of programs.
enum ProgramFile {
  static func besideThisProgram(_ name: String) -> String? {
    guard let own = unsafe realpath("/proc/self/exe", nil) else { return nil }
    defer { unsafe free(own) }
    let path = unsafe String(cString: own)
    guard let slash = path.lastIndex(of: "/") else { return nil }
    return executable(path[...slash] + name)
  }

  static func onPath(_ name: String) -> String? {
    for folder in (environmentValue("PATH") ?? "").split(separator: ":") {
      if let path = executable(folder + "/" + name) { return path }
    }
    return nil
  }

  private static func executable(_ path: Substring) -> String? {
    let path = String(path)
    return unsafe access(path, X_OK) == 0 ? path : nil
  }
}

extension DataFiles {
  func path(of format: GeneratedFormat) -> String {
    switch format {
    case .csv: csv
    case .jsonl: jsonl
    case .json: json
    }
  }

  func makeAbsent(in directory: String) throws(BenchError) {
    if unsafe mkdir(directory, 0o755) != 0, errno != EEXIST { throw .system(directory) }
    for format in [GeneratedFormat.csv, .jsonl, .json] where unsafe access(path(of: format), F_OK) != 0 {
      report("making \(path(of: format))")
      try generate(format: format, recordCount: recordCount, seed: Generator.defaultSeed, to: path(of: format))
    }
  }
}

func environmentValue(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}

/// Hands on what was printed.
func flushOutput() {
  fflush(nil)
}
