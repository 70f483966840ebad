//! The flags of every command: the output format, and what stands on standard error.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::output::Format;
use crate::process::Notes;

/// How results and notes are written.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Output format.
    #[arg(short = 'o', long, global = true, value_enum, value_name = "FORMAT", default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
    /// Show each request to a service on standard error, without credentials.
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Show only errors on standard error: no notes and no progress.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Never use colors, as with the variable NO_COLOR.
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

impl OutputArgs {
    /// What stands on standard error.
    pub(crate) const fn notes(&self) -> Notes {
        match (self.quiet, self.verbose) {
            (true, _) => Notes::Quiet,
            (false, true) => Notes::Verbose,
            (false, false) => Notes::Normal,
        }
    }
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// Human-readable text; tables fit the width of the terminal.
    Text,
    /// The same text; tables can be wider than the terminal.
    Wide,
    /// One JSON value.
    Json,
    /// The same value as YAML.
    Yaml,
    /// SARIF 2.1.0, for code scanning.
    #[value(hide = true)]
    Sarif,
    /// A JUnit report.
    #[value(hide = true)]
    Junit,
    /// Annotations of GitHub.
    #[value(hide = true)]
    Github,
    /// Markdown for a pull request.
    #[value(hide = true)]
    Markdown,
}

/// A format of reports, which only some commands write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportFormat {
    Sarif,
    Junit,
    Github,
    Markdown,
}

impl FormatArg {
    /// A parser that lists these formats of reports, too.
    pub(crate) fn parser(reports: &[ReportFormat]) -> impl TypedValueParser<Value = Self> + use<> {
        let listed = |format: &Self| {
            let value = format.to_possible_value()?;
            Some(
                if format
                    .report()
                    .is_some_and(|report| reports.contains(&report))
                {
                    value.hide(false)
                } else {
                    value
                },
            )
        };
        let values: Vec<PossibleValue> = Self::value_variants().iter().filter_map(listed).collect();
        PossibleValuesParser::new(values).try_map(|name| Self::from_str(&name, false))
    }

    /// The format of a report.
    pub(crate) const fn report(self) -> Option<ReportFormat> {
        match self {
            Self::Text | Self::Wide | Self::Json | Self::Yaml => None,
            Self::Sarif => Some(ReportFormat::Sarif),
            Self::Junit => Some(ReportFormat::Junit),
            Self::Github => Some(ReportFormat::Github),
            Self::Markdown => Some(ReportFormat::Markdown),
        }
    }
}

impl From<ReportFormat> for FormatArg {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Sarif => Self::Sarif,
            ReportFormat::Junit => Self::Junit,
            ReportFormat::Github => Self::Github,
            ReportFormat::Markdown => Self::Markdown,
        }
    }
}

impl From<FormatArg> for Format {
    fn from(argument: FormatArg) -> Self {
        match argument {
            FormatArg::Json => Self::Json,
            FormatArg::Yaml => Self::Yaml,
            // A report has no room for an error, which standard error has.
            FormatArg::Text
            | FormatArg::Wide
            | FormatArg::Sarif
            | FormatArg::Junit
            | FormatArg::Github
            | FormatArg::Markdown => Self::Text,
        }
    }
}
