// Points in time in their commonest form, as PlainDates reads them in Swift, one after the other.
//
// The trick: everything is arithmetic on words of eight bytes, without a branch, so that the compiler makes vectors of several dates of it,
// and a gather of each load.

#include "blocks.h"

CLONES void date_keys(
  const uint8_t *bytes, const uint32_t *restrict starts, size_t count, uint64_t middle, uint64_t base, uint64_t *restrict bits,
  uint64_t *restrict wrong, uint64_t *restrict last_bytes)
{
  for (size_t i = 0; i < count; i++) {
    uint64_t date, time, end;
    memcpy(&date, bytes + starts[i], 8);
    memcpy(&time, bytes + starts[i] + 8, 8);
    memcpy(&end, bytes + starts[i] + 12, 8);
    // What is as it should be becomes the values of digits, and zero elsewhere.
    date ^= 0x2D30302D30303030;
    time ^= middle;
    end = end >> 32 ^ 0x5A30303A;
    const uint64_t last = end & 0xFFFFFF;
    // Each byte becomes the number of two digits that begins there, at most 99.
    const uint64_t date_pairs = (date << 3) + (date << 1) + (date >> 8);
    const uint64_t time_pairs = (time << 3) + (time << 1) + (time >> 8);
    const uint64_t last_pairs = (last << 3) + (last << 1) + (last >> 8);
    const uint64_t year = (date_pairs & 0xFF) * 100 + (date_pairs >> 16 & 0xFF);
    const uint64_t month = date_pairs >> 40 & 0xFF;
    const uint64_t day = time_pairs & 0xFF;
    const uint64_t hour = time_pairs >> 24 & 0xFF;
    const uint64_t minute = time_pairs >> 48 & 0xFF;
    const uint64_t second = last_pairs >> 8 & 0xFF;

    // The top bit of a byte is set where it is no digit, or else by a pair that is too large or, less one, was zero.
    const uint64_t shape = ((date + 0x7F76767F76767676) | date) | ((time + 0x76767F76767F7676) | time) | ((last + 0x76767F) | last);
    const uint64_t days_beyond_28 = (uint64_t)0x3BBEECC >> (month * 2 & 63) & 3;
    const uint64_t ranges = (date_pairs + ((uint64_t)0x73 << 40)) | (date_pairs - ((uint64_t)1 << 40))
      | (time_pairs + ((uint64_t)0x68 << 24 | (uint64_t)0x44 << 48)) | (time_pairs - 1) | (last_pairs + (0x43 << 8))
      | (day + 0x63 - days_beyond_28);

    // Days by the way of CivilDate, with masks where the compiler cannot know that a number is small.
    const uint64_t is_early = (month - 3) >> 63;
    const uint64_t years = (year + 400 - is_early) & 0xFFFF;
    const uint64_t month_number = (month + is_early * 12) & 0xFF;
    const uint64_t centuries = years * 5243 >> 19;
    const uint64_t days = (years * 1461 >> 2) - centuries + (centuries >> 2) + ((month_number * 979 - 2919) >> 5 & 0xFFFF) + day;
    bits[i] = (((days & 0xFFFFFFFF) * 86400 + hour * 3600 + minute * 60 + second) << 22) + base;
    wrong[i] = (shape | ranges) & 0x8080808080808080;
    last_bytes[i] = end >> 24;
  }
}
