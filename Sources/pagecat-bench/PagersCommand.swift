// `pagecat-bench pagers`: the interactive pager on a pseudo-terminal, beside other pagers.

struct PagersCommand {
  private var setting = BenchSetting()
  private var keyCount = 300
  private var runCount = 9
  private var columnCount = 200
  private var lineCount = 60
  private var patienceSeconds = 20
  private var only: String?
  private var formats: [GeneratedFormat] = [.json, .csv]

  init(_ arguments: inout Arguments) throws(BenchError) {
    while let option = arguments.next() {
      if try setting.take(option, &arguments) { continue }
      switch option {
      case "--keys": keyCount = try arguments.number(of: option, in: 1...100_000)
      case "--runs": runCount = try arguments.number(of: option, in: 1...1000)
      case "--columns": columnCount = try arguments.number(of: option, in: 40...1000)
      case "--lines": lineCount = try arguments.number(of: option, in: 24...1000)
      case "--patience": patienceSeconds = try arguments.number(of: option, in: 1...3600)
      case "--only":
        let value = try arguments.value(of: option)
        let names = ([.pagecat] + PagerProgram.peers).map(\.name)
        guard names.contains(value) else {
          throw .usage("--only \(value): one of \(names.joined(separator: ", "))")
        }
        only = value
      case "--format":
        formats = [try arguments.format(of: option)]
      default: throw .usage("unknown option \(option)")
      }
    }
  }

  func run() throws(BenchError) {
    // Whoever asks for another pager alone need not have built pagecat.
    let pagecat = isWanted(.pagecat) ? try setting.locatePagecat() : ""
    let files = setting.files
    try files.makeAbsent(in: setting.directory)
    Promptness.raise()
    print(PagerMeasure.heading)
    var isGood = true
    for format in formats {
      if !(try run(.pagecat, at: pagecat, format, files)) { isGood = false }
      for peer in PagerProgram.peers {
        guard isWanted(peer) else { continue }
        guard let path = ProgramFile.onPath(peer.name) else {
          report("\(peer.name) is not on the PATH and is left out")
          continue
        }
        _ = try run(peer, at: path, format, files)
      }
    }
    if !isGood { throw BenchError(message: "pagecat showed no first screen", exitStatus: 1) }
  }

  private func isWanted(_ program: PagerProgram) -> Bool { only.map { $0 == program.name } ?? true }

  /// - Returns: whether there was a screen.
  private func run(
    _ program: PagerProgram, at path: String, _ format: GeneratedFormat, _ files: DataFiles
  ) throws(BenchError) -> Bool {
    guard isWanted(program), let arguments = program.arguments(format, files.path(of: format)) else { return true }
    var trial = PagerTrial(
      program, path: path, arguments: arguments, lowText: lowText, columnCount: columnCount, lineCount: lineCount,
      keyCount: keyCount, runCount: runCount, patience: .milliseconds(patienceSeconds * 1000))
    let isOwn = program.frameEnd == .mark
    func take(_ measure: PagerMeasure) {
      print(measure.row(file: format.rawValue, program: program.name, hasGoal: isOwn))
      // A table in a pipe should grow as it is made.
      flushOutput()
    }
    guard try trial.run(take) else { return false }
    if isOwn {
      for pass in PagerProgram.passes { try trial.run(during: pass, take) }
    }
    return true
  }

  /// The id of a record near the bottom of the first screen; the lines left over are for records of several lines in
  /// pagers of text.
  private var lowText: String {
    var activity = Activity()
    Generator(seed: Generator.defaultSeed).fill(&activity, recordIndex: UInt64(lineCount * 3 / 4))
    return "\(activity.id)"
  }
}
