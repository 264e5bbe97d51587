// The deterministic generator of fitness activities: record number n of a seed is always the same activity.
//
// Every record has a random generator of its own, made from the seed and its index, so the three formats hold the same
// records whatever each of them has to draw. An activity is filled in place: its texts are buffers that are used again.

/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
struct SplitMix64 {
  private var state: UInt64

  /// The stream of one record. The index is mixed before it is added: streams of neighbours would overlap otherwise,
  /// because the generator itself steps by a constant.
  init(seed: UInt64, recordIndex: UInt64) {
    state = seed &+ Self.mixed(recordIndex &+ 0x632B_E59B_D9B4_E019)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// A number from 0 up to and without `bound`.
  mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A decimal as it will be written: 4012350 with two digits is `40123.50`.
struct Decimal {
  var scaled = 0
  var fractionDigits = 0
}

/// One generated record.
struct Activity {
  enum DatePrecision { case day, second, fraction }
  enum Presence { case missing, null, present }

  var id: UInt64 = 0
  var name: Bytes = []
  var typeIndex = 0
  /// The instant, in seconds since 1970, and its thousandths.
  var startSecond = 0
  var startMillisecond = 0
  var datePrecision = DatePrecision.second
  /// Nil is UTC, written `Z`.
  var zoneIndex: Int?
  var distance = Decimal()
  var movingTime = 0
  var elapsedTime = 0
  var elevationGain = Decimal()
  var averageHeartrate: Decimal?
  var isPrivate = false
  var gearPresence = Presence.missing
  var gearIndex = 0
  var tagIndices: [Int] = []
  var notePresence = Presence.missing
  var note: Bytes = []
}

struct Generator {
  static let defaultSeed: UInt64 = 20_120_229

  let seed: UInt64
  let words = GeneratorWords()

  /// 2^53 + 1, the first integer that a Double cannot hold.
  private static let firstID: UInt64 = 9_007_199_254_740_993
  private static let firstInstant = 1_325_376_000  // 2012-01-01T00:00:00Z
  private static let lastInstant = 1_798_761_600  // 2027-01-01T00:00:00Z

  /// Overwrites `activity` with the record at an index.
  func fill(_ activity: inout Activity, recordIndex: UInt64) {
    var random = SplitMix64(seed: seed, recordIndex: recordIndex)
    activity.id = Self.id(recordIndex)
    activity.typeIndex = random.below(words.types.count)
    fillDate(&activity, &random)
    fillMeasures(&activity, &random)
    composeName(&activity, &random)

    activity.isPrivate = random.below(8) == 0
    let gear = random.below(16)
    activity.gearPresence = gear < 5 ? .missing : gear < 7 ? .null : .present
    activity.gearIndex = random.below(words.gear.count)
    activity.tagIndices.removeAll(keepingCapacity: true)
    for _ in 0..<max(0, random.below(12) - 7) {
      activity.tagIndices.append(random.below(words.tags.count))
    }
    composeNote(&activity, &random)
  }

  /// Ids stand in no order, and dense enough that many are equal once rounded to a Double: within each 2^22 records,
  /// multiplying by an odd number is a permutation.
  private static func id(_ recordIndex: UInt64) -> UInt64 {
    let mask: UInt64 = (1 << 22) - 1
    return firstID &+ ((recordIndex & ~mask) | ((recordIndex &* 2_654_435_761) & mask))
  }

  private func fillDate(_ activity: inout Activity, _ random: inout SplitMix64) {
    activity.startSecond = Self.firstInstant + random.below(Self.lastInstant - Self.firstInstant)
    activity.startMillisecond = random.below(1000)
    let form = random.below(64)
    activity.datePrecision = form == 0 ? .day : form < 4 ? .fraction : .second
    activity.zoneIndex = form >= 3 && form < 12 ? random.below(words.zones.count) : nil
  }

  private func fillMeasures(_ activity: inout Activity, _ random: inout SplitMix64) {
    // The product of two draws: many short distances, few long ones.
    let metres = 400 + random.below(400) * random.below(400)
    activity.distance =
      random.below(4) == 0
      ? Decimal(scaled: metres * 10 + random.below(10), fractionDigits: 1)
      : Decimal(scaled: metres * 100 + random.below(100), fractionDigits: 2)
    activity.movingTime = metres / 4 + random.below(1 + metres / 8)
    activity.elapsedTime = activity.movingTime + (random.below(3) == 0 ? random.below(900) : 0)
    activity.elevationGain = Decimal(scaled: random.below(1 + metres / 5), fractionDigits: 1)
    activity.averageHeartrate =
      random.below(6) == 0 ? nil : Decimal(scaled: 950 + random.below(850), fractionDigits: 1)
  }

  private func composeName(_ activity: inout Activity, _ random: inout SplitMix64) {
    activity.name.removeAll(keepingCapacity: true)
    activity.name += random.pick(words.moments)
    activity.name.append(UInt8(ascii: " "))
    activity.name += words.types[activity.typeIndex]
    switch random.below(64) {
    case 0..<28:
      break
    case 28..<44:
      activity.name.append(UInt8(ascii: " "))
      activity.name += random.pick(words.places)
    case 44..<50:
      activity.name += Bytes.comma
      activity.name += random.pick(words.weathers)
    case 50..<57:
      activity.name.append(UInt8(ascii: " "))
      activity.name += random.pick(words.emoji)
    case 57..<61:
      activity.name += Bytes.openingQuote
      activity.name += random.pick(words.quotes)
      activity.name.append(UInt8(ascii: "\""))
    case 61:
      activity.name += random.below(4) == 0 ? Bytes.crlf : Bytes.lf
      activity.name += random.pick(words.places)
    default:
      activity.name += Bytes.comma
      activity.name += random.pick(words.places)
      activity.name += Bytes.openingQuote
      activity.name += random.pick(words.weathers)
      activity.name.append(UInt8(ascii: "\""))
    }
  }

  private func composeNote(_ activity: inout Activity, _ random: inout SplitMix64) {
    activity.note.removeAll(keepingCapacity: true)
    let form = random.below(256)
    activity.notePresence = form < 150 ? .missing : form < 200 ? .null : .present
    switch form {
    case 0..<200, 200..<204:  // The latter are texts without a character.
      break
    case 204..<250:
      activity.note += random.pick(words.sentences)
    case 250..<255:
      activity.note += random.pick(words.sentences)
      activity.note += random.below(4) == 0 ? Bytes.crlf : Bytes.lf
      activity.note += random.pick(words.sentences)
    default:
      for _ in 0..<(8 + random.below(32)) {
        activity.note += random.pick(words.sentences)
        activity.note += random.below(8) == 0 ? Bytes.lf : Bytes.comma
      }
    }
  }
}

extension SplitMix64 {
  fileprivate mutating func pick(_ texts: [Bytes]) -> Bytes {
    texts[below(texts.count)]
  }
}

extension Bytes {
  fileprivate static let comma = Bytes(", ".utf8)
  fileprivate static let openingQuote = Bytes(" \"".utf8)
  fileprivate static let lf = Bytes("\n".utf8)
  fileprivate static let crlf = Bytes("\r\n".utf8)
}
