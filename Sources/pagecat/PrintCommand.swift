// Prints rows to a pipe, a file or a terminal: a page, or page after page at the reader's pace.

import Fetching
import Glibc
import Reading
import Rendering
import TerminalIO

/// Runs an invocation that prints.
struct PrintCommand {
  private let invocation: Invocation
  private let diagnostics: Diagnostics
  private let output = OutputWriter()
  private let isTerminal: Bool

  init(_ invocation: Invocation, surroundings: Surroundings) {
    self.invocation = invocation
    diagnostics = Diagnostics(isQuiet: invocation.isQuiet)
    isTerminal = surroundings.isOutputTerminal
  }

  /// Does what was asked for and says what went wrong.
  ///
  /// - Returns: the status to end with: that of a command of --each which failed, or one of `ExitStatus`.
  ///
  /// - Parameter inputs: the inputs, where they are open already.
  func run(reusing inputs: [DatasetInput]? = nil) -> Int32 {
    do {
      return try perform(inputs).rawValue
    } catch let error as EachFailure {
      diagnostics.error(error.message)
      return error.ending.status
    } catch {
      return status(of: error).rawValue
    }
  }

  private func perform(_ inputs: [DatasetInput]?) throws -> ExitStatus {
    let query = try Query(invocation, reusing: inputs)
    for input in query.inputs {
      for note in input.notes { diagnostics.note("\(input.name): \(note)") }
    }
    if invocation.explains {
      try output.write(ExplainCommand(query, invocation: invocation).text)
      try output.close()
      return .done
    }
    return invocation.counts ? try count(query) : try print(query)
  }

  /// Says what went wrong.
  func status(of error: any Error) -> ExitStatus {
    do {
      throw (error as? FetchError).map { unwrapped($0) } ?? error
    } catch let error as UsageError {
      diagnostics.error(error.message)
      return .usage
    } catch let error as ReadError {
      if case .noRecords = error.problem {
        diagnostics.error("--records: " + error.message)
        return .usage
      }
      diagnostics.error(error.message)
      return .inputOutput
    } catch let error as OutputError {
      diagnostics.error(error.message)
      return .inputOutput
    } catch let error as ResumeError {
      let name = Diagnostics.fileName(invocation.positionFile ?? [])
      diagnostics.error("--resume: \(name) does not fit: \(error.reason); remove it to begin with the first row")
      return .stale
    } catch let error as ResumeFile.FileError {
      diagnostics.error(error.message)
      return .inputOutput
    } catch let error as ShellCommand.StartError {
      diagnostics.error(error.message)
      return .inputOutput
    } catch {
      diagnostics.error("unexpected: \(error)")
      return .inputOutput
    }
  }

  private func count(_ query: Query) throws -> ExitStatus {
    var results = FetchResults(query.descriptor, inputs: query.inputs, columns: query.columns)
    let count: Int
    do throws(FetchError) {
      count = try results.fetchCount()
    } catch {
      for note in results.damageNotes { diagnostics.note(note) }
      throw unwrapped(error)
    }
    try output.write("\(count)\n")
    for note in results.damageNotes + results.notes { diagnostics.note(note) }
    try output.close()
    return results.damageNotes.isEmpty ? .done : .skipped
  }

  /// The error that a fetch failed by, as the command line's errors are.
  private func unwrapped(_ error: FetchError) -> any Error {
    switch error {
    case .read(let error): error
    case .unknownSortKey(let error): UsageError("--sort: " + error.message)
    }
  }

  private func print(_ query: Query) throws -> ExitStatus {
    var session = PrintSession(query, invocation: invocation, output: output, isTerminal: isTerminal)
    do {
      try session.run()
    } catch {
      if error is FetchError {
        // What was printed before the damage stays.
        try session.flush()
        if session.rowCount > 0 { output.waitUntilRead() }
        if invocation.showsStatistics { for line in session.statisticsLines { diagnostics.error(line) } }
      }
      // What was left out or changed up to there is told all the same; the error comes last, where it is seen.
      for note in session.damageNotes { diagnostics.note(note) }
      if session.rowCount > 0 { for note in session.notes { diagnostics.note(note) } }
      throw error
    }
    try output.close()
    if invocation.showsStatistics { for line in session.statisticsLines { diagnostics.error(line) } }
    for note in session.damageNotes + session.notes { diagnostics.note(note) }
    let status: ExitStatus = session.rowCount == 0 && invocation.asksForRows ? .noRows : .done
    return session.damageNotes.isEmpty ? status : status.combined(with: .skipped)
  }
}
