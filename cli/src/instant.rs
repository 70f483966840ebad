//! The value of `--at`: seconds since 1970, or a date and time (RFC 3339).

use gbac_engine::identity::At;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Reads the value of `--at` as seconds since 1970.
pub(crate) fn parse(text: &str) -> Result<f64, String> {
    let seconds = if text.contains(['T', 't']) {
        date_time(text)
    } else {
        text.parse().ok()
    };
    let seconds: f64 = seconds.filter(|seconds: &f64| seconds.is_finite()).ok_or_else(|| {
        "neither seconds since 1970 nor a date and time; write one such as `1767225600` or `2026-01-01T00:00:00Z`"
            .to_owned()
    })?;
    At::from_seconds(seconds)
        .map(|_| seconds)
        .map_err(|error| format!("{error}; {}", error.hint()))
}

fn date_time(text: &str) -> Option<f64> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    Some(time.unix_timestamp() as f64 + f64::from(time.nanosecond()) / 1e9)
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
