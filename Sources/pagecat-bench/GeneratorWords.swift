// The vocabulary of the generated activities: what their texts are composed of.
//
// Not a model of real data, but it holds what makes real exports hard: quotes, commas, non-ASCII letters, emoji of several
// code points. Changing a word here changes every generated file, the ones under Fixtures included.

/// A text as UTF-8, so that composing one is copying bytes.
typealias Bytes = [UInt8]

struct GeneratorWords {
  let types = bytes([
    "Run", "Ride", "Ride", "Hike", "Swim", "Walk", "Run", "VirtualRide", "Run", "Ride", "Workout", "NordicSki",
    "Rowing",
    "Ride", "Run", "Walk",
  ])
  let moments = bytes([
    "Morning", "Lunch", "Evening", "Afternoon", "Night", "Easy", "Long", "Tempo", "Recovery", "Sunday", "Früh", "朝の",
  ])
  let places = bytes([
    "Zürich", "Kraków", "Åre", "Malmö", "São Paulo", "Oslo", "Lyon", "Porto", "Graz", "Utrecht", "Girona", "Bergen",
    "Łódź", "Reykjavík", "Београд", "Αθήνα", "東京", "서울", "Jena", "Cork",
  ])
  let weathers = bytes([
    "windy", "rain", "sunny", "fog", "snow", "-5 °C", "hot", "mud", "headwind", "clear sky",
  ])
  let emoji = bytes(["🏃", "🚴‍♀️", "☀️", "⛰️", "🌧", "🏊🏽", "🇨🇭", "❄️", "🎉", "💪"])
  let quotes = bytes(["fast", "no drop", "just 5", "the wall", "easy", "König der Berge"])
  let sentences = bytes([
    "Legs felt heavy", "Great company", "Flat tyre at km 12", "New shoes", "Coach said \"easy\", I went hard",
    "Wind from the west, 30 km/h", "Stopped for coffee; 2 × espresso", "Knee is fine again", "Path C:\\Trails\\new",
    "Très beau", "Café ☕ at the top", "HR strap slipped", "5'20\"/km, steady", "Felt good",
  ])
  let tags = bytes([
    "race", "commute", "trail", "hilly", "easy", "intervals", "indoor", "with kids", "long", "rain, snow", "grün",
    "\"A\" race",
  ])
  /// Gear by index: its name; the id is made of the index.
  let gear = bytes([
    "Canyon Grizl", "Pegasus 40", "Brompton", "Speedgoat 5", "Old \"Rosie\"", "Trek, blue", "Rennrad Größe 56", "Tacx",
  ])
  /// Offsets from UTC in minutes beside the way each is written.
  let zones: [(minutes: Int, text: Bytes)] = [
    (120, Bytes("+02:00".utf8)), (60, Bytes("+01:00".utf8)), (-300, Bytes("-0500".utf8)), (-480, Bytes("-0800".utf8)),
    (330, Bytes("+05:30".utf8)), (540, Bytes("+09".utf8)),
  ]

  private static func bytes(_ texts: [String]) -> [Bytes] {
    texts.map { Bytes($0.utf8) }
  }
}
