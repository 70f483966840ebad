//! Parses versions in the output of tools, such as `rustc 1.95.0 (59807616e 2026-04-14)`.

use std::fmt;

/// A version number; omitted parts are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    /// Parses `1`, `1.95` or `1.95.0`, and ignores a suffix such as `-nightly` or `+build`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let core = text.split(['-', '+']).next()?;
        let mut parts = core.split('.').map(str::parse::<u32>);
        let major = parts.next()?.ok()?;
        let minor = parts.next().unwrap_or(Ok(0)).ok()?;
        let patch = parts.next().unwrap_or(Ok(0)).ok()?;
        Some(Self {
            major,
            minor,
            patch,
        })
    }

    /// The first word of a tool's `--version` output that is a version.
    pub(crate) fn find(output: &str) -> Option<Self> {
        output
            .split_whitespace()
            .map(|word| word.strip_prefix('v').unwrap_or(word))
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            .find_map(Self::parse)
    }

    /// The first number.
    pub(crate) fn major(self) -> u32 {
        self.major
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    fn check(output: &str, expected: Option<(u32, u32, u32)>) {
        let found = Version::find(output).map(|v| (v.major, v.minor, v.patch));
        assert_eq!(found, expected, "{output}");
    }

    #[test]
    fn parses_the_output_of_tools() {
        check("rustc 1.95.0 (59807616e 2026-04-14)", Some((1, 95, 0)));
        check("trunk 0.21.14", Some((0, 21, 14)));
        check("wasm-bindgen 0.2.129 (0123abc)", Some((0, 2, 129)));
        check("wasm-opt version 132 (version_132)", Some((132, 0, 0)));
        check("wasm-opt version 108 (version_108)", Some((108, 0, 0)));
        check(
            "Chromium 156.0.8078.73 built on Debian 12",
            Some((156, 0, 8078)),
        );
        check("rustc 1.97.0-nightly (abc 2026-05-01)", Some((1, 97, 0)));
        check(
            "/usr/bin/chromium: 9: [: 25276502016: unexpected operator",
            None,
        );
        check("mdbook v0.5.4", Some((0, 5, 4)));
        check("command not found", None);
    }

    #[test]
    fn orders_by_number_not_by_letter() {
        assert!(Version::parse("1.100.0") > Version::parse("1.95.3"));
        assert!(Version::parse("1.95") == Version::parse("1.95.0"));
    }
}
