//! Tables as text. A table that is wider than the terminal wraps its cells, or becomes a list; no
//! text is ever cut.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::output::{paint, plain};
use crate::process::Process;

/// Style of table headings.
const HEAD: Style = Style::new().bold();
/// Without a terminal, columns are padded up to this width; a longer cell shifts the rest of its
/// row.
const MAX_COLUMN_WIDTH: usize = 48;
/// Blanks between two columns.
const GAP: usize = 2;

/// A cell: a text, in a style if it states a result.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Option<Style>,
}

impl Cell {
    /// A result in its style.
    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self {
            text: text.into(),
            style: Some(style),
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, style: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// A table with aligned columns; the last column is not padded.
pub(crate) fn table<T: Into<Cell>>(process: &Process, head: &[&str], rows: Vec<Vec<T>>) -> String {
    render(head, &cells(rows), process.width)
}

/// A table with every line indented.
pub(crate) fn indented_table<T: Into<Cell>>(
    process: &Process,
    head: &[&str],
    rows: Vec<Vec<T>>,
    indent: &str,
) -> String {
    let width = process
        .width
        .map(|width| width.saturating_sub(indent.width()));
    render(head, &cells(rows), width)
        .lines()
        .map(|line| format!("{indent}{line}\n"))
        .collect()
}

/// The cells, with hidden characters escaped.
fn cells<T: Into<Cell>>(rows: Vec<Vec<T>>) -> Vec<Vec<Cell>> {
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let mut cells = Vec::with_capacity(row.len());
        for cell in row {
            let cell: Cell = cell.into();
            cells.push(Cell {
                text: plain(&cell.text),
                ..cell
            });
        }
        all.push(cells);
    }
    all
}

fn render(head: &[&str], rows: &[Vec<Cell>], width: Option<usize>) -> String {
    let Some(width) = width else {
        // A cell of more than the limit counts as empty, so that it shifts only its own row.
        let widths = widest(head, rows, &|cell| match cell.width() {
            ..=MAX_COLUMN_WIDTH => cell.width(),
            _ => 0,
        });
        return aligned(head, rows, &widths, false);
    };
    let natural = widest(head, rows, &UnicodeWidthStr::width);
    let gaps = GAP * head.len().saturating_sub(1);
    if natural.iter().sum::<usize>() + gaps <= width {
        return aligned(head, rows, &natural, false);
    }
    let least = widest(head, rows, &|cell| {
        let words = cell.split(' ').map(UnicodeWidthStr::width);
        words.max().unwrap_or(0)
    });
    match width.checked_sub(least.iter().sum::<usize>() + gaps) {
        Some(spare) => aligned(head, rows, &widened(least, &natural, spare), true),
        None => list(head, rows, width),
    }
}

/// The greatest measure of the cells in each column, at least the width of its heading.
fn widest(head: &[&str], rows: &[Vec<Cell>], measure: &dyn Fn(&str) -> usize) -> Vec<usize> {
    let mut widths: Vec<usize> = head.iter().map(|name| name.width()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = measure(&cell.text).max(*width);
        }
    }
    widths
}

/// The widths of columns after the spare blanks went where the most is missing.
fn widened(mut widths: Vec<usize>, natural: &[usize], spare: usize) -> Vec<usize> {
    for _ in 0..spare {
        let missing = widths.iter_mut().zip(natural);
        let Some((width, _)) =
            missing.max_by_key(|(width, natural)| natural.saturating_sub(**width))
        else {
            break;
        };
        *width += 1;
    }
    widths
}

/// Columns of these widths. Longer cells continue on further lines, broken at blanks, or shift the
/// rest of their row.
fn aligned(head: &[&str], rows: &[Vec<Cell>], widths: &[usize], wraps: bool) -> String {
    let headings: Vec<Cell> = head.iter().map(|name| Cell::styled(*name, HEAD)).collect();
    let mut text = aligned_row(&headings, widths, false);
    for row in rows {
        text.push_str(&aligned_row(row, widths, wraps));
    }
    text
}

fn aligned_row(cells: &[Cell], widths: &[usize], wraps: bool) -> String {
    let mut wrapped = Vec::with_capacity(cells.len());
    for (cell, width) in cells.iter().zip(widths) {
        if wraps && cell.text.width() > *width {
            wrapped.push(wrap(&cell.text, *width));
        } else {
            wrapped.push(vec![cell.text.as_str()]);
        }
    }
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for number in 0..height {
        let parts: Vec<&str> = wrapped
            .iter()
            .map(|lines| lines.get(number).copied().unwrap_or(""))
            .collect();
        let last = parts
            .iter()
            .rposition(|part| !part.is_empty())
            .map_or(0, |place| place + 1);
        for (place, ((part, cell), width)) in
            parts.iter().zip(cells).zip(widths).take(last).enumerate()
        {
            text.push_str(&in_style(part, cell.style));
            if place + 1 < last {
                text.push_str(&" ".repeat(width.saturating_sub(part.width()) + GAP));
            }
        }
        text.push('\n');
    }
    text
}

/// A part of a cell in the style of the cell.
fn in_style(part: &str, style: Option<Style>) -> String {
    match style {
        Some(style) if !part.is_empty() => paint(style, part),
        _ => part.to_owned(),
    }
}

/// Each row as a list of headings and cells, for a terminal that is too narrow for columns.
fn list(head: &[&str], rows: &[Vec<Cell>], width: usize) -> String {
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        for (name, Cell { text: cell, style }) in head.iter().zip(row) {
            if cell.is_empty() {
                continue;
            }
            let name_on = if name.is_empty() {
                String::new()
            } else {
                format!("{}: ", paint(HEAD, name))
            };
            if name.width() + GAP + cell.width() <= width {
                text.push_str(&format!("{name_on}{}\n", in_style(cell, *style)));
                continue;
            }
            if !name.is_empty() {
                text.push_str(&format!("{}:\n", paint(HEAD, name)));
            }
            for line in wrap(cell, width.saturating_sub(GAP)) {
                text.push_str(&format!("{}{}\n", " ".repeat(GAP), in_style(line, *style)));
            }
        }
    }
    text
}

/// The lines of a text, broken at blanks; a longer word is a line of its own and stays whole.
fn wrap(text: &str, width: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let (mut start, mut end) = (0, 0);
    let mut place = 0;
    for word in text.split(' ') {
        let after = place + word.len();
        let fits = text
            .get(start..after)
            .is_some_and(|line| line.width() <= width);
        if !fits && end > start {
            lines.push(text.get(start..end).unwrap_or_default());
            start = place;
        }
        end = after;
        place = after + 1;
    }
    lines.push(text.get(start..).unwrap_or_default());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn rows(rows: &[&[&str]]) -> Vec<Vec<Cell>> {
        cells(rows.iter().map(|row| row.to_vec()).collect())
    }

    #[test]
    fn names_cannot_move_the_cursor() {
        let rendered = bare(&render(&["A", "B"], &rows(&[&["x\ny", "z"]]), None));
        assert_eq!(rendered, "A     B\nx\\ny  z\n");
    }

    #[test]
    fn a_long_cell_does_not_widen_the_table() {
        let long = "x".repeat(300);
        let rows = rows(&[&["a", &long, "b"], &["日本", "y", ""]]);
        assert_eq!(
            bare(&render(&["A", "B", "C"], &rows, None)),
            format!("A     B  C\na     {long}  b\n日本  y\n")
        );
    }

    #[test]
    fn only_results_are_colored() {
        let denied = Cell::styled("denied", crate::output::BAD);
        let rendered = render(&["V", "N"], &[vec![denied, "denied".into()]], None);
        let colored = paint(crate::output::BAD, "denied");
        assert!(
            rendered.ends_with(&format!("\n{colored}  denied\n")),
            "{rendered:?}"
        );
    }

    #[test]
    fn a_table_fits_and_keeps_every_word() {
        let head = ["PRINCIPAL", "EFFECT", "OPERATIONS"];
        let cells = rows(&[
            &["Group:payments", "gains", "read, write, describe"],
            &["User:a", "", "all"],
        ]);
        assert_eq!(
            bare(&render(&head, &cells, Some(40))),
            "PRINCIPAL       EFFECT  OPERATIONS\nGroup:payments  gains   read, write,\n                        describe\n\
             User:a                  all\n"
        );
        assert_eq!(
            bare(&render(&head, &cells, Some(20))),
            "PRINCIPAL:\n  Group:payments\nEFFECT: gains\nOPERATIONS:\n  read, write,\n  describe\n\nPRINCIPAL: User:a\nOPERATIONS: all\n"
        );
        for width in 1..120 {
            let text = bare(&render(&head, &cells, Some(width)));
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            for word in cells.iter().flatten().flat_map(|cell| words(&cell.text)) {
                assert!(
                    words(&text).contains(&word),
                    "{width}: {word} is missing in {text}"
                );
            }
            if width >= 20 {
                assert!(
                    text.lines().all(|line| line.width() <= width),
                    "{width}: {text}"
                );
            }
        }
    }

    #[test]
    fn a_long_word_stays_whole() {
        assert_eq!(wrap("a bb ccc dddd", 4), ["a bb", "ccc", "dddd"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abcdefgh", "ij"]);
        assert_eq!(wrap("", 3), [""]);
    }
}
