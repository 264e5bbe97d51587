// What is measured: each work as the command of every program that can do it.
//
// The peers get the form of the work that is fastest for them (DuckDB writes with COPY, not through its shell's printer)
// and read what they detect by default. DuckDB takes the JSON dates for text, because their forms are mixed, and orders
// them as text; "duckdb, dates" is the same work as pagecat's. Miller and jq always order them as text.

/// The programs that are compared.
enum Program: String {
  case pagecat, duckdb, mlr, jq
}

struct Work {
  struct Entry {
    let program: Program
    /// What the table says.
    let label: String
    /// Without the program.
    let arguments: [String]

    init(_ program: Program, _ arguments: [String], label: String? = nil) {
      self.program = program
      self.arguments = arguments
      self.label = label ?? program.rawValue
    }
  }

  let name: String
  let entries: [Entry]

  init(_ name: String, _ entries: [Entry]) {
    self.name = name
    self.entries = entries
  }
}

/// The files that hold the same records.
struct DataFiles {
  let csv: String
  let jsonl: String
  let json: String
  let recordCount: UInt64
}

extension Work {
  static func all(on files: DataFiles) -> [Work] {
    topRows(files) + firstPages(files) + wholeFiles(files) + deepPages(files)
  }

  private static func topRows(_ files: DataFiles) -> [Work] {
    let newest = ["--sort", "startDate:desc", "--limit", "20"]
    let jqTop = "sort_by(.startDate) | reverse | limit(20; .[])"
    let millerTop = ["sort", "-r", "startDate", "then", "head", "-n", "20"]
    return [
      Work(
        "top 20 of CSV",
        [
          Entry(.pagecat, [files.csv] + newest),
          query("SELECT * FROM read_csv('\(files.csv)') ORDER BY startDate DESC LIMIT 20"),
          Entry(.mlr, ["--icsv", "--ocsv"] + millerTop + [files.csv]),
        ]),
      Work(
        "top 20 of JSON Lines",
        [
          Entry(.pagecat, [files.jsonl] + newest),
          query("SELECT * FROM read_json('\(files.jsonl)') ORDER BY startDate DESC LIMIT 20"),
          query(
            "SELECT * FROM read_json('\(files.jsonl)') ORDER BY startDate::TIMESTAMPTZ DESC LIMIT 20",
            label: "duckdb, dates"),
          Entry(.mlr, ["--ijsonl", "--ojsonl"] + millerTop + [files.jsonl]),
          Entry(.jq, ["-c", "-s", jqTop, files.jsonl]),
        ]),
      Work(
        "top 20 of JSON",
        [
          Entry(.pagecat, [files.json] + newest),
          query("SELECT * FROM read_json('\(files.json)') ORDER BY startDate DESC LIMIT 20"),
          query(
            "SELECT * FROM read_json('\(files.json)') ORDER BY startDate::TIMESTAMPTZ DESC LIMIT 20",
            label: "duckdb, dates"),
          Entry(.mlr, ["--ijson", "--ojson"] + millerTop + [files.json]),
          Entry(.jq, ["-c", jqTop, files.json]),
        ]),
      Work(
        "filter and top 20 of CSV",
        [
          Entry(.pagecat, [files.csv, "--filter", #"type == "Ride" and distance > 40000"#] + newest),
          query(
            """
            SELECT * FROM read_csv('\(files.csv)') WHERE type = 'Ride' AND distance > 40000 \
            ORDER BY startDate DESC LIMIT 20
            """),
          Entry(
            .mlr,
            ["--icsv", "--ocsv", "filter", #"$type == "Ride" && $distance > 40000"#, "then"] + millerTop + [files.csv]),
        ]),
    ]
  }

  private static func firstPages(_ files: DataFiles) -> [Work] {
    [
      Work(
        "first page of CSV",
        [
          Entry(.pagecat, [files.csv, "--limit", "20"]),
          query("SELECT * FROM read_csv('\(files.csv)') LIMIT 20"),
          Entry(.mlr, ["--icsv", "--ocsv", "head", "-n", "20", files.csv]),
        ]),
      Work(
        "first page of JSON",
        [
          Entry(.pagecat, [files.json, "--limit", "20"]),
          query("SELECT * FROM read_json('\(files.json)') LIMIT 20"),
          Entry(.mlr, ["--ijson", "--ojson", "head", "-n", "20", files.json]),
          Entry(.jq, ["-c", ".[:20]", files.json]),
        ]),
      Work(
        "--version",
        [
          Entry(.pagecat, ["--version"]), Entry(.duckdb, ["--version"]), Entry(.mlr, ["--version"]),
          Entry(.jq, ["--version"]),
        ]),
    ]
  }

  private static func wholeFiles(_ files: DataFiles) -> [Work] {
    [
      Work(
        "all of CSV to CSV",
        [
          Entry(.pagecat, [files.csv, "--all", "--to", "csv"]),
          query("COPY (SELECT * FROM read_csv('\(files.csv)')) TO '/dev/stdout' (FORMAT csv)"),
          Entry(.mlr, ["--icsv", "--ocsv", "cat", files.csv]),
        ]),
      Work(
        "all of CSV in order to CSV",
        [
          Entry(.pagecat, [files.csv, "--sort", "startDate", "--all", "--to", "csv"]),
          query("COPY (SELECT * FROM read_csv('\(files.csv)') ORDER BY startDate) TO '/dev/stdout' (FORMAT csv)"),
          Entry(.mlr, ["--icsv", "--ocsv", "sort", "-f", "startDate", files.csv]),
        ]),
    ]
  }

  /// Pages half-way through the file: at offset 1,000,000 of the default data.
  private static func deepPages(_ files: DataFiles) -> [Work] {
    let offset = "\(files.recordCount / 2)"
    let place = ["--offset", offset, "--limit", "20"]
    return [
      Work(
        "page at offset \(offset) of CSV",
        [
          Entry(.pagecat, [files.csv] + place),
          query("SELECT * FROM read_csv('\(files.csv)') LIMIT 20 OFFSET \(offset)"),
          Entry(.mlr, ["--icsv", "--ocsv", "filter", "NR > \(offset)", "then", "head", "-n", "20", files.csv]),
        ]),
      Work(
        "page at offset \(offset) of CSV in order",
        [
          Entry(.pagecat, [files.csv, "--sort", "startDate:desc"] + place),
          query("SELECT * FROM read_csv('\(files.csv)') ORDER BY startDate DESC LIMIT 20 OFFSET \(offset)"),
        ]),
    ]
  }

  private static func query(_ statement: String, label: String? = nil) -> Entry {
    // Without the reader's own ~/.duckdbrc, which may change how everything is read.
    Entry(.duckdb, ["-init", "/dev/null", "-csv", "-c", statement], label: label)
  }
}
