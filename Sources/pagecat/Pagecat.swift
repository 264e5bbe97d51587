// The command's table of contents: read the command line, do what it says, end with the right status.

import Glibc

@main
enum Pagecat {
  static func main() {
    Signals.restoreDefaults()
    StandardStreams.reserveDescriptors()
    end(run())
  }

  private static func run() -> ExitStatus {
    do {
      let options = try Options(arguments: Options.processArguments())
      switch options.request {
      case .help: return print(HelpText.help())
      case .version: return print(HelpText.version)
      case nil: break
      }
      let surroundings = Surroundings.ofProcess()
      return PrintCommand(try Invocation(options, in: surroundings), surroundings: surroundings).run()
    } catch {
      Diagnostics(isQuiet: false).error(error.message)
      return .usage
    }
  }

  private static func print(_ text: String) -> ExitStatus {
    let output = OutputWriter()
    do throws(OutputError) {
      try output.write(text)
      try output.close()
      return .done
    } catch {
      Diagnostics(isQuiet: false).error(error.message)
      return .inputOutput
    }
  }

  private static func end(_ status: ExitStatus) -> Never {
    exit(status.rawValue)
  }
}
