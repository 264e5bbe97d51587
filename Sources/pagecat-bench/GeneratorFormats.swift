// Writes generated activities as CSV, JSON Lines or one JSON array.
//
// Only what this generator produces can be written: texts are known to be UTF-8 without control characters other than
// CR and LF. Bytes are appended to one buffer that the caller empties.

enum GeneratedFormat: String {
  case csv, jsonl, json
}

struct ActivityWriter {
  let format: GeneratedFormat
  let words: GeneratorWords
  /// What was written and not yet taken by the caller.
  private(set) var buffer: Bytes = []
  private var isFirst = true
  private let labels = Labels()

  init(format: GeneratedFormat, words: GeneratorWords) {
    self.format = format
    self.words = words
  }

  mutating func open() {
    switch format {
    case .csv: buffer += labels.csvHeader
    case .json: buffer += labels.arrayStart
    case .jsonl: break
    }
  }

  mutating func close() {
    if format == .json {
      buffer += isFirst ? labels.arrayEnd : labels.lineAndArrayEnd
    }
  }

  mutating func write(_ activity: Activity) {
    switch format {
    case .csv:
      writeCSV(activity)
    case .jsonl:
      writeJSON(activity)
      buffer.append(.lf)
    case .json:
      if !isFirst { buffer += labels.elementEnd }
      writeJSON(activity)
    }
    isFirst = false
  }

  mutating func removeAll() {
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: - CSV

  private mutating func writeCSV(_ activity: Activity) {
    writeInteger(activity.id)
    buffer.append(.comma)
    writeCell(activity.name)
    buffer.append(.comma)
    buffer += words.types[activity.typeIndex]
    buffer.append(.comma)
    writeDate(activity)
    buffer.append(.comma)
    writeDecimal(activity.distance)
    buffer.append(.comma)
    writeInteger(UInt64(activity.movingTime))
    buffer.append(.comma)
    writeInteger(UInt64(activity.elapsedTime))
    buffer.append(.comma)
    writeDecimal(activity.elevationGain)
    buffer.append(.comma)
    if let rate = activity.averageHeartrate { writeDecimal(rate) }
    buffer.append(.comma)
    buffer += activity.isPrivate ? labels.true : labels.false
    buffer.append(.comma)
    if activity.gearPresence == .present { writeGearID(activity.gearIndex) }
    buffer.append(.comma)
    if activity.gearPresence == .present { writeCell(words.gear[activity.gearIndex]) }
    buffer.append(.comma)
    writeTagsCell(activity.tagIndices)
    buffer.append(.comma)
    if activity.notePresence == .present { writeCell(activity.note) }
    buffer.append(.lf)
  }

  /// A cell that is quoted where RFC 4180 asks for it, and where it is empty, to tell it from null.
  private mutating func writeCell(_ text: Bytes) {
    var needsQuotes = text.isEmpty
    for byte in text where byte == .quote || byte == .comma || byte == .lf || byte == .cr {
      needsQuotes = true
      break
    }
    if needsQuotes {
      buffer.append(.quote)
      writeDoublingQuotes(text)
      buffer.append(.quote)
    } else {
      buffer += text
    }
  }

  private mutating func writeDoublingQuotes(_ text: Bytes) {
    for byte in text {
      if byte == .quote { buffer.append(.quote) }
      buffer.append(byte)
    }
  }

  /// The JSON text of the array as one cell. Only `[]` holds no quote.
  private mutating func writeTagsCell(_ tagIndices: [Int]) {
    if tagIndices.isEmpty {
      buffer += labels.emptyArray
      return
    }
    let start = buffer.count
    writeTags(tagIndices)
    let text = Bytes(buffer[start...])
    buffer.removeSubrange(start...)
    writeCell(text)
  }

  // MARK: - JSON

  private mutating func writeJSON(_ activity: Activity) {
    buffer += labels.id
    writeInteger(activity.id)
    buffer += labels.name
    writeString(activity.name)
    buffer += labels.type
    writeString(words.types[activity.typeIndex])
    buffer += labels.startDate
    buffer.append(.quote)
    writeDate(activity)
    buffer.append(.quote)
    buffer += labels.distance
    writeDecimal(activity.distance)
    buffer += labels.movingTime
    writeInteger(UInt64(activity.movingTime))
    buffer += labels.elapsedTime
    writeInteger(UInt64(activity.elapsedTime))
    buffer += labels.elevationGain
    writeDecimal(activity.elevationGain)
    buffer += labels.averageHeartrate
    if let rate = activity.averageHeartrate { writeDecimal(rate) } else { buffer += labels.null }
    buffer += labels.private
    buffer += activity.isPrivate ? labels.true : labels.false
    writeGear(activity)
    buffer += labels.tags
    writeTags(activity.tagIndices)
    if activity.notePresence != .missing {
      buffer += labels.note
      if activity.notePresence == .null { buffer += labels.null } else { writeString(activity.note) }
    }
    buffer.append(UInt8(ascii: "}"))
  }

  private mutating func writeGear(_ activity: Activity) {
    switch activity.gearPresence {
    case .missing:
      break
    case .null:
      buffer += labels.gear
      buffer += labels.null
    case .present:
      buffer += labels.gear
      buffer += labels.gearID
      writeGearID(activity.gearIndex)
      buffer += labels.gearName
      writeString(words.gear[activity.gearIndex])
      buffer.append(UInt8(ascii: "}"))
    }
  }

  private mutating func writeTags(_ tagIndices: [Int]) {
    buffer.append(UInt8(ascii: "["))
    var isFirst = true
    for index in tagIndices {
      if !isFirst { buffer.append(.comma) }
      isFirst = false
      writeString(words.tags[index])
    }
    buffer.append(UInt8(ascii: "]"))
  }

  private mutating func writeString(_ text: Bytes) {
    buffer.append(.quote)
    for byte in text {
      switch byte {
      case .quote, UInt8(ascii: "\\"):
        buffer.append(UInt8(ascii: "\\"))
        buffer.append(byte)
      case .lf:
        buffer += labels.escapedLF
      case .cr:
        buffer += labels.escapedCR
      default:
        buffer.append(byte)
      }
    }
    buffer.append(.quote)
  }

  // MARK: - Values that read the same in every format

  private mutating func writeGearID(_ gearIndex: Int) {
    buffer.append(UInt8(ascii: "b"))
    writeInteger(UInt64(120 + gearIndex * 7))
  }

  private mutating func writeInteger(_ value: UInt64) {
    var divisor: UInt64 = 1
    while value / divisor >= 10 { divisor *= 10 }
    var rest = value
    while divisor > 0 {
      buffer.append(UInt8(ascii: "0") + UInt8(rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  private mutating func writeDecimal(_ value: Decimal) {
    let scale = value.fractionDigits == 1 ? 10 : 100
    writeInteger(UInt64(value.scaled / scale))
    buffer.append(UInt8(ascii: "."))
    writePadded(value.scaled % scale, digits: value.fractionDigits)
  }

  /// At most four digits, with leading zeros.
  private mutating func writePadded(_ value: Int, digits: Int) {
    if digits > 3 { buffer.append(UInt8(ascii: "0") + UInt8(value / 1000 % 10)) }
    if digits > 2 { buffer.append(UInt8(ascii: "0") + UInt8(value / 100 % 10)) }
    if digits > 1 { buffer.append(UInt8(ascii: "0") + UInt8(value / 10 % 10)) }
    buffer.append(UInt8(ascii: "0") + UInt8(value % 10))
  }

  /// The start as local time in its zone. Days to a civil date after Howard Hinnant, "chrono-Compatible Low-Level Date
  /// Algorithms", `civil_from_days`, for days after 1970 only.
  private mutating func writeDate(_ activity: Activity) {
    var second = activity.startSecond
    if let zone = activity.zoneIndex { second += words.zones[zone].minutes * 60 }
    let shifted = second / 86_400 + 719_468
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + shifted / 146_097 * 400 + (month <= 2 ? 1 : 0)
    writePadded(year, digits: 4)
    buffer.append(.hyphen)
    writePadded(month, digits: 2)
    buffer.append(.hyphen)
    writePadded(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, digits: 2)
    if activity.datePrecision == .day { return }

    let secondOfDay = second % 86_400
    buffer.append(UInt8(ascii: "T"))
    writePadded(secondOfDay / 3600, digits: 2)
    buffer.append(.colon)
    writePadded(secondOfDay / 60 % 60, digits: 2)
    buffer.append(.colon)
    writePadded(secondOfDay % 60, digits: 2)
    if activity.datePrecision == .fraction {
      buffer.append(UInt8(ascii: "."))
      writePadded(activity.startMillisecond, digits: 3)
    }
    if let zone = activity.zoneIndex { buffer += words.zones[zone].text } else { buffer.append(UInt8(ascii: "Z")) }
  }
}

/// The constant pieces of the output, as bytes once.
private struct Labels {
  let csvHeader = Bytes(
    """
    id,name,type,startDate,distance,movingTime,elapsedTime,elevationGain,averageHeartrate,private,\
    gear.id,gear.name,tags,note

    """.utf8)
  let arrayStart = Bytes("[\n".utf8)
  let arrayEnd = Bytes("]\n".utf8)
  let lineAndArrayEnd = Bytes("\n]\n".utf8)
  let elementEnd = Bytes(",\n".utf8)
  let id = Bytes(#"{"id":"#.utf8)
  let name = Bytes(#","name":"#.utf8)
  let type = Bytes(#","type":"#.utf8)
  let startDate = Bytes(#","startDate":"#.utf8)
  let distance = Bytes(#","distance":"#.utf8)
  let movingTime = Bytes(#","movingTime":"#.utf8)
  let elapsedTime = Bytes(#","elapsedTime":"#.utf8)
  let elevationGain = Bytes(#","elevationGain":"#.utf8)
  let averageHeartrate = Bytes(#","averageHeartrate":"#.utf8)
  let `private` = Bytes(#","private":"#.utf8)
  let gear = Bytes(#","gear":"#.utf8)
  let gearID = Bytes(#"{"id":""#.utf8)
  let gearName = Bytes(#"","name":"#.utf8)
  let tags = Bytes(#","tags":"#.utf8)
  let note = Bytes(#","note":"#.utf8)
  let null = Bytes("null".utf8)
  let `true` = Bytes("true".utf8)
  let `false` = Bytes("false".utf8)
  let emptyArray = Bytes("[]".utf8)
  let escapedLF = Bytes(#"\n"#.utf8)
  let escapedCR = Bytes(#"\r"#.utf8)
}

extension UInt8 {
  fileprivate static let lf = UInt8(ascii: "\n")
  fileprivate static let cr = UInt8(ascii: "\r")
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let comma = UInt8(ascii: ",")
  fileprivate static let colon = UInt8(ascii: ":")
  fileprivate static let hyphen = UInt8(ascii: "-")
}
