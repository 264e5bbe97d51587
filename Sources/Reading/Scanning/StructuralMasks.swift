// Stage one for JSON: 64 bytes become masks, one bit a byte, and nearly the whole grammar is checked on the masks.
//
// It is not a parser: it never says what is wrong or where, only that something may be (`isSuspect`), and then the
// byte-wise `JSONChecker` reads the same bytes again and decides. So the masks may be too strict, never too lax.
//
// Tricks: (1) Instead of one comparison a character class, the 64 bytes are transposed into their eight bit planes
// (Hacker's Delight 7-3), and every class is a few boolean operations on the planes: about three times cheaper on
// SSE2, where Swift has no `movemask`. (2) "The first byte after X that is not white" for all X at once is one
// addition: a bit put at the start of a run of ones ripples out at its end. (3) Numbers are checked in the same way.

/// The eight bit planes of 64 bytes: bit i of plane k is bit k of byte i.
struct BitPlanes {
  var p0: UInt64
  var p1: UInt64
  var p2: UInt64
  var p3: UInt64
  var p4: UInt64
  var p5: UInt64
  var p6: UInt64
  var p7: UInt64

  /// The first half of the work, for many blocks at once: transposes the bits within each eight bytes.
  ///
  /// This is a loop of its own over memory because then the compiler uses vectors. `SIMD2<UInt64>` has no vector
  /// shifts or masks in Swift 6.3; they fall apart into lanes.
  ///
  /// - Parameters:
  ///   - bytes: of any alignment.
  ///   - wordCount: how many times eight bytes.
  ///   - words: where the result goes.
  @inline(never)
  static func prepare(_ bytes: UnsafePointer<UInt8>, wordCount: Int, into words: UnsafeMutablePointer<UInt64>) {
    let raw = unsafe UnsafeRawPointer(bytes)
    for index in 0..<wordCount {
      var x = unsafe raw.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
      var t = (x ^ (x &>> 7)) & 0x00AA_00AA_00AA_00AA
      x = x ^ t ^ (t &<< 7)
      t = (x ^ (x &>> 14)) & 0x0000_CCCC_0000_CCCC
      x = x ^ t ^ (t &<< 14)
      t = (x ^ (x &>> 28)) & 0x0000_0000_F0F0_F0F0
      unsafe words[index] = x ^ t ^ (t &<< 28)
    }
  }

  /// - Parameter words: eight words that `prepare` made.
  @inline(__always)
  init(_ words: UnsafePointer<UInt64>) {
    // Byte k of word i holds plane k of bytes 8i to 8i+7: what is left is an 8 x 8 transpose of bytes.
    @inline(__always) func exchange(_ x: UInt64, _ y: UInt64, _ shift: UInt64, _ mask: UInt64) -> (UInt64, UInt64) {
      let t = ((x &>> shift) ^ y) & mask
      return (x ^ (t &<< shift), y ^ t)
    }
    let low32: UInt64 = 0x0000_0000_FFFF_FFFF
    let (a, e) = unsafe exchange(words[0], words[4], 32, low32)
    let (b, f) = unsafe exchange(words[1], words[5], 32, low32)
    let (c, g) = unsafe exchange(words[2], words[6], 32, low32)
    let (d, h) = unsafe exchange(words[3], words[7], 32, low32)
    let low16: UInt64 = 0x0000_FFFF_0000_FFFF
    let (aa, cc) = exchange(a, c, 16, low16)
    let (bb, dd) = exchange(b, d, 16, low16)
    let (ee, gg) = exchange(e, g, 16, low16)
    let (ff, hh) = exchange(f, h, 16, low16)
    let low8: UInt64 = 0x00FF_00FF_00FF_00FF
    (p0, p1) = exchange(aa, bb, 8, low8)
    (p2, p3) = exchange(cc, dd, 8, low8)
    (p4, p5) = exchange(ee, ff, 8, low8)
    (p6, p7) = exchange(gg, hh, 8, low8)
  }
}

/// What stage one says about 64 bytes of JSON. All masks but `stringBody` are outside strings.
struct StructuralMasks: Equatable {
  /// `{` and `[`.
  var opens: UInt64
  /// `}` and `]`.
  var closes: UInt64
  /// Of both, those that are braces.
  var braces: UInt64
  /// Opening quotes.
  var openingQuotes: UInt64
  /// Closing quotes of strings that may be keys: those after a comma or an opening bracket.
  var keyEnds: UInt64
  /// A bit where it became clear that a key followed a comma or an opening bracket: wrong in an array.
  var keys: UInt64
  /// A bit where it became clear that a plain value followed a comma or an opening bracket: wrong in an object.
  var plainValues: UInt64
  /// Brackets and braces that open right after a value, without a comma: sound only between top-level values.
  var opensAfterValue: UInt64
  /// Of `keyEnds`, those whose string has an escape.
  var escapedKeyEnds: UInt64
  /// Something in these bytes may be damage.
  var isSuspect: Bool
}

/// Stage one's state from block to block. A fresh one stands before a value.
struct StructuralState {
  private var isEscaped: UInt64 = 0
  private var inString: UInt64 = 0
  private var escapeInString: UInt64 = 0
  // Bit 63 of the block before, moved to bit 0.
  private var lastComma: UInt64 = 0
  private var lastColon: UInt64 = 0
  private var lastOpen: UInt64 = 0
  private var lastValueEnd: UInt64 = 0
  private var lastScalar: UInt64 = 0
  private var lastKeyEnd: UInt64 = 0
  private var lastLiteral: UInt64 = 0
  private var lastDigit: UInt64 = 0
  private var lastPoint: UInt64 = 0
  private var lastExponent: UInt64 = 0
  private var lastSign: UInt64 = 0
  private var lastFirstSign: UInt64 = 0
  private var lastLeadingZero: UInt64 = 0
  // Carries of the additions.
  private var commaCarry: UInt64 = 0
  private var colonCarry: UInt64 = 0
  private var openCarry: UInt64 = 0
  private var valueEndCarry: UInt64 = 0
  private var keyCarry: UInt64 = 0
  private var keyEndCarry: UInt64 = 0
  private var fractionCarry: UInt64 = 0
  private var exponentCarry: UInt64 = 0
  /// Not 0 if a number that is not just digits reaches into this block.
  private var numberIsOpen: UInt64 = 0
  /// Bits of a literal that reaches into this block.
  private var literalRest: UInt64 = 0

  init() {}

  /// `mask` moved up by one byte, with the last bit of the block before.
  @inline(__always)
  private static func next(_ mask: UInt64, _ last: inout UInt64) -> UInt64 {
    let moved = (mask &<< 1) | last
    last = mask &>> 63
    return moved
  }

  /// Where the runs of `run` end that begin at a bit of `seeds`; a seed outside a run stays where it is.
  @inline(__always)
  private static func ends(_ seeds: UInt64, through run: UInt64, _ carry: inout UInt64) -> UInt64 {
    // A run that comes over from the block before has no seed at its first bit here, so the carry can be one.
    let (sum, overflow) = run.addingReportingOverflow(seeds | carry)
    carry = overflow ? 1 : 0
    return sum & ~run
  }

  /// Reads the next 64 bytes.
  ///
  /// - Parameters:
  ///   - bytes: 64 bytes, with at least eight more that can be read.
  ///   - words: the same bytes as `BitPlanes.prepare` left them, where `BitPlanes.needsPreparation`.
  @inline(__always)
  mutating func read(_ bytes: UnsafePointer<UInt8>, words: UnsafePointer<UInt64>) -> StructuralMasks {
    let b = unsafe BitPlanes(block: bytes, words: words)
    var suspect: UInt64 = 0

    // Classes. hi… is the high half of the byte, lo… the low one.
    let below80 = ~b.p7
    let below40 = below80 & ~b.p6
    let control = below40 & ~b.p5
    let hi0 = control & ~b.p4
    let hi23 = below40 & b.p5
    let hi2 = hi23 & ~b.p4
    let hi3 = hi23 & b.p4
    let hi4567 = below80 & b.p6
    let hi57 = hi4567 & b.p4
    let lo11 = b.p3 & b.p2
    let lo10 = b.p3 & ~b.p2
    let lo00 = ~(b.p3 | b.p2)
    let end11 = b.p1 & b.p0
    let end10 = b.p1 & ~b.p0
    let end01 = ~b.p1 & b.p0
    let end00 = ~(b.p1 | b.p0)
    let loA = lo10 & end10
    let loB = lo10 & end11
    let loC = lo11 & end00
    let loD = lo11 & end01
    let lo0 = lo00 & end00
    let quoteByte = hi2 & lo00 & end10
    let backslash = hi57 & ~b.p5 & loC

    // Strings.
    var escaped: UInt64 = 0
    if backslash | isEscaped != 0 {
      // simdjson's find_escaped: of each run of backslashes, every second one escapes what follows.
      let odd: UInt64 = 0xAAAA_AAAA_AAAA_AAAA
      let mayEscape = backslash & ~isEscaped
      let terminal = (((mayEscape &<< 1) | odd) &- mayEscape) ^ odd
      escaped = terminal ^ (backslash | isEscaped)
      isEscaped = (terminal & backslash) &>> 63
    }
    let quotes = quoteByte & ~escaped
    let body = BlockMask.prefixXor(quotes) ^ inString
    inString = 0 &- (body &>> 63)
    let outside = ~(body | quotes)
    let openingQuotes = quotes & body
    let closingQuotes = quotes & ~body
    suspect |= control & body
    suspect |= backslash & ~body
    var escapedStrings: UInt64 = 0
    if backslash | escapeInString | escaped != 0 {
      escapedStrings = StructuralState.ends(backslash & body, through: body, &escapeInString)
      var rest = escaped & body
      while rest != 0 {
        let at = rest.trailingZeroBitCount
        rest &= rest &- 1
        if unsafe !JSONBytes.isEscape(bytes + at) { suspect |= 1 }
      }
    }

    // Structure.
    let white = ((hi2 & lo0) | (hi0 & ((lo10 & end01) | loA | loD))) & outside
    let opens = hi57 & loB & outside
    let closes = hi57 & loD & outside
    let comma = hi2 & loC & outside
    let colon = hi3 & loA & outside
    let scalar = outside & ~(white | opens | closes | comma | colon)
    let braces = b.p5 & (opens | closes)
    let afterScalar = StructuralState.next(scalar, &lastScalar)
    let scalarStarts = scalar & ~afterScalar
    let leafStarts = scalarStarts | openingQuotes
    let valueStarts = leafStarts | opens

    // What may follow what.
    let afterComma = StructuralState.ends(StructuralState.next(comma, &lastComma), through: white, &commaCarry)
    let afterColon = StructuralState.ends(StructuralState.next(colon, &lastColon), through: white, &colonCarry)
    let afterOpen = StructuralState.ends(StructuralState.next(opens, &lastOpen), through: white, &openCarry)
    let afterValue = StructuralState.ends(
      StructuralState.next(closingQuotes | closes, &lastValueEnd) | (afterScalar & ~scalar), through: white,
      &valueEndCarry)
    suspect |= (afterComma | afterColon) & ~valueStarts
    suspect |= afterOpen & ~(valueStarts | closes)
    suspect |= afterValue & ~(comma | colon | closes | opens)

    // A string after a comma or an opening bracket is a key if a colon follows. Whether it had to be one depends on
    // what it is in; the walk over the brackets knows that.
    let afterCommaOrOpen = afterComma | afterOpen
    let keyEnds = StructuralState.ends(afterCommaOrOpen & openingQuotes, through: body, &keyCarry)
    let afterKey = StructuralState.ends(
      StructuralState.next(keyEnds, &lastKeyEnd), through: white, &keyEndCarry)
    suspect |= colon & ~afterKey

    // Literals, one by one; what is left of the scalars is numbers.
    let digit = hi3 & (~b.p3 | (lo10 & ~b.p1)) & outside
    let minus = hi2 & loD & outside
    var literal = literalRest
    literalRest = 0
    var literals = scalarStarts & ~(digit | minus)
    while literals != 0 {
      let at = literals.trailingZeroBitCount
      literals &= literals &- 1
      let length = unsafe JSONBytes.literalLength(bytes + at)
      if length == 0 { suspect |= 1 }
      let bits = (1 as UInt64) &<< UInt64(truncatingIfNeeded: length) &- 1
      literal |= bits &<< UInt64(truncatingIfNeeded: at)
      if at &+ length > 64 { literalRest = bits &>> UInt64(truncatingIfNeeded: 64 &- at) }
    }
    let number = scalar & ~literal
    suspect |= StructuralState.next(literal, &lastLiteral) & number

    // Numbers: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
    let starts = scalarStarts & number
    let unusual = number & ~digit
    if unusual | numberIsOpen == 0 {
      // Whole numbers without a sign, as in most blocks of most files: there is only the leading zero to look for.
      lastDigit = digit &>> 63
      suspect |= StructuralState.next(starts & lo0, &lastLeadingZero) & digit
    } else {
      let sign = (minus | (hi2 & loB)) & number
      let point = hi2 & lo11 & end10 & number
      let exponent = hi4567 & ~b.p4 & ~b.p3 & b.p2 & end01 & number
      suspect |= unusual & ~(point | exponent | sign)
      let firstSign = starts & minus
      let afterDigit = StructuralState.next(digit, &lastDigit)
      let afterPoint = StructuralState.next(point, &lastPoint)
      let afterExponent = StructuralState.next(exponent, &lastExponent)
      suspect |= starts & ~(digit | minus)
      suspect |= sign & ~(firstSign | afterExponent)
      suspect |= (point | exponent) & ~afterDigit
      suspect |= (StructuralState.next(sign, &lastSign) | afterPoint) & ~digit
      suspect |= afterExponent & ~(digit | sign)
      let firstDigit = (starts | StructuralState.next(firstSign, &lastFirstSign)) & digit
      suspect |= StructuralState.next(firstDigit & lo0, &lastLeadingZero) & digit
      suspect |= StructuralState.ends(afterPoint & digit, through: digit, &fractionCarry) & point
      let power = digit | sign
      suspect |= StructuralState.ends(afterExponent & power, through: power, &exponentCarry) & (point | exponent)
      numberIsOpen = lastPoint | lastExponent | lastSign | lastFirstSign | fractionCarry | exponentCarry
    }

    return StructuralMasks(
      opens: opens, closes: closes, braces: braces, openingQuotes: openingQuotes, keyEnds: keyEnds,
      keys: afterKey & colon,
      plainValues: (afterCommaOrOpen & ~(openingQuotes | closes)) | (afterKey & ~colon),
      opensAfterValue: afterValue & opens, escapedKeyEnds: escapedStrings & keyEnds, isSuspect: suspect != 0)
  }
}
