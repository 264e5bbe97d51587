// pagecat-bench: makes the data that pagecat is measured on, and measures it beside other programs.
//
// A tool of the project, never installed.

import Glibc

@main
struct Bench {
  static func main() {
    do throws(BenchError) {
      var arguments = Arguments(CommandLine.arguments.dropFirst())
      switch arguments.next() {
      case "generate": try generateFile(&arguments)
      case "run": try RunCommand(&arguments).run()
      case "--help", "-h": print(usage)
      case let other?: throw .usage("unknown command \(other)\n\(usage)")
      case nil: throw .usage("no command\n\(usage)")
      }
    } catch {
      report(error.message)
      exit(error.exitStatus)
    }
  }

  private static func generateFile(_ arguments: inout Arguments) throws(BenchError) {
    var format: GeneratedFormat?
    var recordCount: UInt64?
    var seed = Generator.defaultSeed
    var path: String?
    while let option = arguments.next() {
      switch option {
      case "--format":
        let value = try arguments.value(of: option)
        format = GeneratedFormat(rawValue: value)
        guard format != nil else { throw .usage("--format \(value): one of csv, jsonl, json") }
      case "--records": recordCount = try arguments.number(of: option)
      case "--seed": seed = try arguments.number(of: option)
      case "--output": path = try arguments.value(of: option)
      default: throw .usage("unknown option \(option)")
      }
    }
    guard let format, let recordCount, let path else {
      throw .usage("generate needs --format, --records and --output")
    }
    try generate(format: format, recordCount: recordCount, seed: seed, to: path)
  }

  private static let usage = """
    usage: pagecat-bench generate --format csv|jsonl|json --records N [--seed S] --output PATH|-
           pagecat-bench run [--pagecat PATH] [--duckdb PATH] [--records N] [--directory DIR] [--runs 5]
                             [--only NAME] [--slow-peers]
    """
}
