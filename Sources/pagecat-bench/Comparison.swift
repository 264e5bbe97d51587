// Runs every work with every program in turn and prints the table.
//
// In turn (A B A B …) so that whatever else the machine does falls on all of them alike; one run before, not counted,
// warms the file cache. Medians, because the slow side of such timings has no bound.

import Glibc

struct Comparison {
  /// The path of each program that is there.
  let programs: [Program: String]
  let runCount: Int

  /// Measures and prints a row for each program that can do the work.
  ///
  /// - Returns: Whether pagecat did the work.
  func run(_ work: Work) throws(BenchError) -> Bool {
    var candidates: [Candidate] = []
    for entry in work.entries {
      guard let path = programs[entry.program] else { continue }
      candidates.append(Candidate(entry: entry, command: [path] + entry.arguments))
    }
    for runIndex in 0...runCount {
      for index in candidates.indices where candidates[index].failure == nil {
        let measurement = try measure(candidates[index].command)
        if let failure = measurement.outcome.failureText {
          candidates[index].failure = failure
          report("\(failure): \(candidates[index].command.joined(separator: " "))")
        } else if runIndex > 0 {
          candidates[index].measurements.append(measurement)
        }
      }
    }
    let own = candidates.first { $0.entry.program == .pagecat }
    for candidate in candidates {
      print(candidate.row(work: work.name, relativeTo: own))
    }
    // A table in a pipe should grow as the works are done.
    flushOutput()
    return own?.failure == nil
  }

  static let heading = """
    | work | program | wall, s | CPU, s | peak, MiB | pagecat is faster by |
    |---|---|---:|---:|---:|---:|
    """
}

/// One program at one work.
private struct Candidate {
  let entry: Work.Entry
  let command: [String]
  var measurements: [Measurement] = []
  var failure: String?

  func row(work: String, relativeTo own: Candidate?) -> String {
    if let failure { return "| \(work) | \(entry.label) | \(failure) | | | |" }
    let wallSeconds = median { $0.wallSeconds }
    var ratio = ""
    if let own, own.failure == nil, entry.program != .pagecat {
      ratio = decimal(wallSeconds / own.median { $0.wallSeconds }, fractionDigits: 1) + " ×"
    }
    return """
      | \(work) | \(entry.label) | \(decimal(wallSeconds, fractionDigits: 4)) | \
      \(decimal(median { $0.cpuSeconds }, fractionDigits: 4)) | \
      \(decimal(median { $0.peakMebibytes }, fractionDigits: 1)) | \(ratio) |
      """
  }

  func median(_ value: (Measurement) -> Double) -> Double {
    let values = measurements.map(value).sorted()
    let middle = values.count / 2
    return values.count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
  }
}

extension Measurement.Outcome {
  fileprivate var failureText: String? {
    switch self {
    case .done: nil
    case .failed(let exitStatus): "failed (exit \(exitStatus))"
    case .killed(let signal): "failed (signal \(signal))"
    }
  }
}

/// A number that is not negative, rounded to some decimals.
func decimal(_ value: Double, fractionDigits: Int) -> String {
  var scale = 1
  for _ in 0..<fractionDigits { scale *= 10 }
  guard let scaled = Int(exactly: (value * Double(scale)).rounded()) else { return "\(value)" }
  if fractionDigits == 0 { return "\(scaled)" }
  let fraction = String(scaled % scale)
  return "\(scaled / scale).\(String(repeating: "0", count: fractionDigits - fraction.count))\(fraction)"
}
