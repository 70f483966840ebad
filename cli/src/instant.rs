//! The instant of a question: seconds since 1970, or a date and time (RFC 3339).

use gbac_engine::identity::At;

/// Reads the value of `--at`.
pub(crate) fn parse(text: &str) -> Result<f64, String> {
    let seconds = if text.contains('T') || text.contains('t') { date_time(text) } else { text.parse().ok() };
    let seconds: f64 = seconds.filter(|seconds: &f64| seconds.is_finite()).ok_or_else(|| {
        "neither seconds since 1970 nor a date and time; write one such as `1767225600` or `2026-01-01T00:00:00Z`"
            .to_owned()
    })?;
    At::from_seconds(seconds).map(|_| seconds).map_err(|error| format!("{error}; {}", error.hint()))
}

/// A date and time with its offset, such as `2026-01-01T01:00:00+01:00`.
fn date_time(text: &str) -> Option<f64> {
    let (date, time) = text.split_once(['T', 't'])?;
    let (year, rest) = date.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    let (time, offset) = match time.strip_suffix(['Z', 'z']) {
        Some(time) => (time, 0.0),
        None => {
            let sign = time.rfind(['+', '-'])?;
            let (time, offset) = time.split_at_checked(sign)?;
            let (hours, minutes) = offset.get(1..)?.split_once(':')?;
            let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
            let seconds = (hours * 60 + minutes) * 60;
            let valid = hours < 24 && minutes < 60;
            valid.then_some((time, f64::from(seconds) * if offset.starts_with('-') { -1.0 } else { 1.0 }))?
        }
    };
    let (hour, rest) = time.split_once(':')?;
    let (minute, second) = rest.split_once(':')?;
    let (whole, fraction) = second.split_once('.').unwrap_or((second, "0"));
    let (hour, minute, whole) = (digits(hour, 2)?, digits(minute, 2)?, digits(whole, 2)?);
    let fraction: f64 =
        fraction.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("0.{fraction}").parse().ok())??;
    // A leap second is the last one of its minute.
    let valid = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && whole <= 60;
    let seconds =
        f64::from(days_since_1970(year, month, day)) * 86_400.0 + f64::from((hour * 60 + minute) * 60 + whole.min(59));
    valid.then_some(seconds + fraction - offset)
}

fn digits(text: &str, count: usize) -> Option<i32> {
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

const fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn days_in(year: i32, month: i32) -> i32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the Gregorian calendar, counted in years that begin with March.
const fn days_since_1970(year: i32, month: i32, day: i32) -> i32 {
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let century = year.div_euclid(400);
    let in_century = year.rem_euclid(400);
    let in_year = (153 * month + 2) / 5 + day - 1;
    century * 146_097 + in_century * 365 + in_century / 4 - in_century / 100 + in_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read() {
        for (text, seconds) in [
            ("0", 0.0),
            ("1767225600", 1_767_225_600.0),
            ("1767225600.5", 1_767_225_600.5),
            ("2026-01-01T00:00:00Z", 1_767_225_600.0),
            ("2026-01-01t01:30:00.25+01:30", 1_767_225_600.25),
            ("2025-12-31T19:00:00-05:00", 1_767_225_600.0),
            ("2024-02-29T00:00:00Z", 1_709_164_800.0),
            ("1969-12-31T23:59:59Z", -1.0),
        ] {
            assert_eq!(parse(text).unwrap(), seconds, "{text}");
        }
        for bad in [
            "",
            "soon",
            "nan",
            "inf",
            "1e400",
            "1767225600000",
            "2026-01-01",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00",
            "2026-1-1T00:00:00Z",
            "2026-01-01T00:00Z",
            "2026-01-01T00:00:00+0100",
            "é-T",
            "T",
            "2026-01-01T00:00:00.xZ",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
