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
      case "reading": try ReadingCommand(&arguments).run()
      case "feed": try FeedCommand(&arguments).run()
      case "pagers": try PagersCommand(&arguments).run()
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
      case "--format": format = try arguments.format(of: option)
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
           pagecat-bench reading [--pagecat PATH] [--records N] [--directory DIR] [--format csv|jsonl|json] [--runs 5]
           pagecat-bench feed FILE
           pagecat-bench pagers [--pagecat PATH] [--records N] [--directory DIR] [--format csv|jsonl|json]
                                [--only pagecat|less|vd|pspg] [--keys 300] [--runs 9] [--columns 200] [--lines 60]
                                [--patience SECONDS]

    reading tells how many bytes a core parses in a second, and how the speed from a pipe and from gzip compares with that
    from the file and of gzip alone. The pipe is filled once by `pagecat-bench feed FILE`, which hands the pages of the file
    on without copying them and so takes next to nothing of the cores, and once by cat, which takes its share of them.

    pagers starts pagecat and other pagers on a pseudo-terminal, sends keys and reads frames: the time to the first
    full screen, from key to frame with nothing to do and during passes over the whole file, bytes for a line scrolled,
    processor time without keys, and peak memory. --keys is how many are measured each time; --patience is how long a
    first screen, and then the end of loading, is waited for (20).
    """
}
