// What was measured of a pager, and the table of it.

/// Samples of one measure.
struct Samples {
  private var values: [Double] = []

  var isEmpty: Bool { values.isEmpty }
  var count: Int { values.count }

  mutating func add(_ value: Double) { values.append(value) }

  /// The value that a share of all do not exceed (nearest rank); 0 without any.
  func quantile(_ share: Double) -> Double {
    let sorted = values.sorted()
    let rank = Int((share * Double(sorted.count)).rounded(.up))
    return sorted.isEmpty ? 0 : sorted[min(max(1, rank), sorted.count) - 1]
  }

  var median: Double { quantile(0.5) }
  var maximum: Double { quantile(1) }
}

/// A row of the table.
struct PagerMeasure {
  /// What pagecat has set itself.
  enum Goal {
    case median(Double)
    case percentile99(Double)
    case maximum(Double)
  }

  let name: String
  let samples: Samples
  let fractionDigits: Int
  let goal: Goal?

  init(_ name: String, _ samples: Samples, fractionDigits: Int = 2, goal: Goal? = nil) {
    self.name = name
    self.samples = samples
    self.fractionDigits = fractionDigits
    self.goal = goal
  }

  /// - Parameter hasGoal: whether the goals are this program's.
  func row(file: String, program: String, hasGoal: Bool) -> String {
    let columns = [file, name, program] + numbers + [hasGoal && !samples.isEmpty ? goal.map(text(of:)) ?? "" : ""]
    return "| " + columns.joined(separator: " | ") + " |"
  }

  /// One sample is a figure, and no distribution.
  private var numbers: [String] {
    if samples.isEmpty { return ["none", "", ""] }
    if samples.count == 1 { return ["", "", decimal(samples.maximum)] }
    let percentile = samples.count >= 100 ? decimal(samples.quantile(0.99)) : ""
    return [decimal(samples.median), percentile, decimal(samples.maximum)]
  }

  private func text(of goal: Goal) -> String {
    let (value, limit, name) =
      switch goal {
      case .median(let limit): (samples.median, limit, "median")
      case .percentile99(let limit): (samples.quantile(0.99), limit, "99 %")
      case .maximum(let limit): (samples.maximum, limit, "maximum")
      }
    return "\(name) ≤ \(pagecat_bench.decimal(limit, fractionDigits: 0)): \(value <= limit ? "met" : "missed")"
  }

  private func decimal(_ value: Double) -> String {
    pagecat_bench.decimal(value, fractionDigits: fractionDigits)
  }

  static let heading = """
    | file | measure | program | median | 99 % | maximum | goal |
    |---|---|---|---:|---:|---:|---|
    """
}
