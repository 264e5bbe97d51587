// The few records of a sample that its columns come from, so that the next run over the same files need not look at a
// thousand records again: most of them said nothing that one before had not said.
//
// Kept are the places of the records and not what they say. The columns are made anew from them, in the same order and by
// the same code, and are the same as those of the whole sample in all that a later record may change.

package import Reading

package struct ColumnSample: Sendable, Equatable {
  /// A record by its place.
  package struct Record: Sendable, Equatable {
    package var inputIndex: Int
    package var offset: Int
    package var count: Int

    package init(inputIndex: Int, offset: Int, count: Int) {
      self.inputIndex = inputIndex
      self.offset = offset
      self.count = count
    }
  }

  /// Where every record brings names of its own, reading them one by one costs more than the sample.
  static let mostRecords = 100
  static let mostBytes = 64 * 1024

  /// Whether nested objects became columns of their own.
  let flattens: Bool
  /// Whether damaged records were left out.
  let skipsDamage: Bool
  /// The files; of others, another sample has to be taken.
  let stamps: [FileStamp]
  let records: [Record]

  package init(flattens: Bool, skipsDamage: Bool, stamps: [FileStamp], records: [Record]) {
    self.flattens = flattens
    self.skipsDamage = skipsDamage
    self.stamps = stamps
    self.records = records
  }

  /// Whether these inputs would give the same sample.
  package func fits(_ inputs: [DatasetInput], flattens: Bool) -> Bool {
    flattens == self.flattens && inputs.count == stamps.count
      && inputs.indices.allSatisfy {
        inputs[$0].source.stamp == stamps[$0] && inputs[$0].skipsDamage == skipsDamage
      }
  }

  // MARK: As text

  /// Two values: the files, and the records in them.
  var texts: (stamps: String, records: String) {
    let files = stamps.map { "\($0.changed):\($0.size):\($0.device):\($0.inode)" }
    let mode = (flattens ? "flat" : "whole") + (skipsDamage ? "-skip" : "")
    let places = records.map { "\($0.inputIndex):\($0.offset):\($0.count)" }
    return (files.joined(separator: " "), ([mode] + places).joined(separator: " "))
  }

  /// Nil for texts that are none.
  init?(stamps: Substring, records: Substring) {
    func numbers(_ text: Substring) -> [Int] {
      text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) ?? .min }
    }
    var files: [FileStamp] = []
    for file in stamps.split(separator: " ") {
      let values = numbers(file)
      guard values.count == 4, !values.contains(.min), values[1] >= 0 else { return nil }
      files.append(FileStamp(changed: values[0], size: values[1], device: values[2], inode: values[3]))
    }
    var words = records.split(separator: " ", maxSplits: Self.mostRecords)[...]
    switch words.popFirst() {
    case "flat": (flattens, skipsDamage) = (true, false)
    case "flat-skip": (flattens, skipsDamage) = (true, true)
    case "whole": (flattens, skipsDamage) = (false, false)
    case "whole-skip": (flattens, skipsDamage) = (false, true)
    default: return nil
    }
    var places: [Record] = []
    var bytes = 0
    for word in words {
      let values = numbers(word)
      guard values.count == 3, files.indices.contains(values[0]), values[1] >= 0, values[2] > 0,
        values[1] <= files[values[0]].size, values[2] <= files[values[0]].size - values[1],
        values[2] <= Self.mostBytes - bytes
      else { return nil }
      bytes += values[2]
      places.append(Record(inputIndex: values[0], offset: values[1], count: values[2]))
    }
    (self.stamps, self.records) = (files, places)
  }
}
