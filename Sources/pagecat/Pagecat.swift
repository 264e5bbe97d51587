// The command's table of contents: read the command line, do what it says, end with the right status.

import Glibc

@main
enum Pagecat {
  static func main() {
    Signals.restoreDefaults()
    Signals.ignoreFileSizeLimit()
    StandardStreams.reserveDescriptors()
    exit(run())
  }

  private static func run() -> Int32 {
    do {
      let options = try Options(arguments: Options.processArguments())
      switch options.request {
      case .help: return print(HelpText.help()).rawValue
      case .version: return print(HelpText.version).rawValue
      case nil: break
      }
      let surroundings = Surroundings.ofProcess()
      let invocation = try Invocation(options, in: surroundings)
      if invocation.opensPager { return ViewCommand(invocation, surroundings: surroundings).run() }
      return PrintCommand(invocation, surroundings: surroundings).run()
    } catch {
      Diagnostics(isQuiet: false).error(error.message)
      return ExitStatus.usage.rawValue
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
}
