//! Instants and durations as texts. There is no clock here: `now` is an argument.

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const DAY: f64 = 86_400.0;
/// The first instant after the year 9999; a number from here on is not a date.
const LAST: f64 = 253_402_300_800.0;

/// An instant in UTC, in seconds since 1970, as short as it can be: `07:07 UTC` today, otherwise
/// with its day.
///
/// A number before 1970 or after 9999 stays a number.
pub fn instant(at: f64, now: f64) -> String {
    if !(0.0..LAST).contains(&at) {
        return format!("{at}");
    }
    let minutes = (at.rem_euclid(DAY) / 60.0).floor();
    let clock = format!(
        "{:02}:{:02} UTC",
        (minutes / 60.0).floor(),
        minutes.rem_euclid(60.0)
    );
    let (year, month, day) = date(at);
    let today = if (0.0..LAST).contains(&now) {
        date(now)
    } else {
        (0, 0, 0)
    };
    let month_name = MONTHS.get(month - 1).copied().unwrap_or_default();
    if (year, month, day) == today {
        clock
    } else if year == today.0 {
        format!("{clock} on {day} {month_name}")
    } else {
        format!("{clock} on {day} {month_name} {year}")
    }
}

/// An instant in UTC to the second, in seconds since 1970: `2026-07-31 07:07:09 UTC`.
pub fn timestamp(at: f64) -> String {
    if !(0.0..LAST).contains(&at) {
        return format!("{at}");
    }
    let (year, month, day) = date(at);
    let seconds = at.rem_euclid(DAY).floor();
    let (hours, rest) = ((seconds / 3600.0).floor(), seconds.rem_euclid(3600.0));
    format!(
        "{year}-{month:02}-{day:02} {hours:02}:{:02}:{:02} UTC",
        (rest / 60.0).floor(),
        rest.rem_euclid(60.0)
    )
}

/// A duration in seconds, rounded down to its largest unit: `8 s`, `41 min`, `3 h`, `12 days`.
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.abs();
    if !seconds.is_finite() {
        return "an unlimited time".into();
    }
    let (size, unit) = if seconds < 60.0 {
        (1.0, "s")
    } else if seconds < 3600.0 {
        (60.0, "min")
    } else if seconds < 2.0 * DAY {
        (3600.0, "h")
    } else {
        (DAY, "days")
    };
    format!("{:.0} {unit}", (seconds / size).floor())
}

/// How long ago something was, in milliseconds: `8 s ago`, `6 min ago`, `2 h ago`, `3 days ago`.
///
/// ```
/// use gbac_words::phrases::ago;
/// assert_eq!(ago(8_400.0), "8 s ago");
/// assert_eq!(ago(-5.0), "0 s ago");
/// assert_eq!(ago(3_600_000.0 * 49.0), "2 days ago");
/// ```
pub fn ago(milliseconds: f64) -> String {
    format!("{} ago", duration(milliseconds.max(0.0) / 1000.0))
}

/// Year, month from 1 and day from 1 of an instant from 1970 to 9999 (the civil calendar, years
/// from 1 March).
fn date(at: f64) -> (usize, usize, usize) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the caller keeps it from 0 to 3,000,000"
    )]
    let days = (at / DAY).floor() as usize + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + usize::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_as_short_as_they_can_be() {
        let now = 1_795_243_000.0; // 21 Nov 2026, 06:36:40 UTC
        assert_eq!(instant(1_795_244_825.0, now), "07:07 UTC");
        assert_eq!(instant(1_795_244_825.0 - DAY, now), "07:07 UTC on 20 Nov");
        assert_eq!(instant(0.0, now), "00:00 UTC on 1 Jan 1970");
        assert_eq!(instant(951_782_400.0, now), "00:00 UTC on 29 Feb 2000");
        assert_eq!(instant(4_107_542_399.0, now), "23:59 UTC on 28 Feb 2100");
        assert_eq!(instant(-1.0, now), "-1");
        assert_eq!(instant(1e300, now), format!("{}", 1e300));
        assert_eq!(instant(f64::NAN, now), "NaN");
        assert_eq!(
            instant(1_795_244_825.0, f64::NAN),
            "07:07 UTC on 21 Nov 2026"
        );
    }

    #[test]
    fn durations_name_one_unit() {
        assert_eq!(duration(8.9), "8 s");
        assert_eq!(duration(-61.0), "1 min");
        assert_eq!(duration(41.0 * 60.0 + 5.0), "41 min");
        assert_eq!(duration(47.0 * 3600.0), "47 h");
        assert_eq!(duration(12.5 * DAY), "12 days");
    }
}
