//! The current time, and times as text.

use std::time::SystemTime;

/// A function that returns the time in seconds since 1970.
pub(crate) type Clock = fn() -> f64;

/// The machine's clock.
pub(crate) fn system() -> f64 {
    match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64(),
        Err(_) => 0.0,
    }
}

/// The last second that RFC 3339 can represent.
const LAST_SECOND: i64 = 253_402_300_799;

/// Seconds since 1970 as an RFC 3339 time in UTC, without fractions; a time outside its range
/// becomes the nearest one inside.
pub(crate) fn rfc3339(seconds: f64) -> String {
    // The cast turns NaN into 0 and saturates.
    #[expect(clippy::cast_possible_truncation, reason = "saturates, as intended")]
    let seconds = (seconds.floor() as i64).clamp(0, LAST_SECOND);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days since 1 March of year 0, in eras of 400 years, so that a leap day is the last of its
    // year.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 {
        (month + 3, year)
    } else {
        (month - 9, year + 1)
    };
    let year = year + era * 400;
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_in_utc() {
        assert_eq!(rfc3339(0.0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_399.9), "2000-02-28T23:59:59Z");
        assert_eq!(rfc3339(951_782_400.0), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(1_795_255_037.0), "2026-11-21T09:57:17Z");
        assert_eq!(rfc3339(4_107_542_400.0), "2100-03-01T00:00:00Z");
        assert_eq!(rfc3339(1e300), "9999-12-31T23:59:59Z");
        assert_eq!(rfc3339(-1.0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(f64::NAN), "1970-01-01T00:00:00Z");
    }
}
