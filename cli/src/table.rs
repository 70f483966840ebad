//! Tables as text. A table that is wider than the terminal wraps its cells, or becomes a list; no
//! text is ever cut.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::output::{paint, plain, result_style};
use crate::process::Process;

/// Style of table headings.
const HEAD: Style = Style::new().bold();
/// Without a terminal, columns are padded up to this width; a longer cell shifts the rest of its
/// row.
const MAX_COLUMN_WIDTH: usize = 48;
/// Blanks between two columns.
const GAP: usize = 2;

/// A table with aligned columns; the last column is not padded.
pub(crate) fn table(process: &Process, head: &[&str], rows: &[Vec<String>]) -> String {
    render(head, rows, process.width)
}

/// A table with every line indented.
pub(crate) fn indented_table(
    process: &Process,
    head: &[&str],
    rows: &[Vec<String>],
    indent: &str,
) -> String {
    let table = render(
        head,
        rows,
        process
            .width
            .map(|width| width.saturating_sub(indent.width())),
    );
    table
        .lines()
        .map(|line| format!("{indent}{line}\n"))
        .collect()
}

fn render(head: &[&str], rows: &[Vec<String>], width: Option<usize>) -> String {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| plain(cell)).collect())
        .collect();
    let widest = |of: &dyn Fn(&str) -> usize| -> Vec<usize> {
        let cells = |column: usize| {
            rows.iter()
                .filter_map(move |row| row.get(column))
                .map(|cell| of(cell))
        };
        head.iter()
            .enumerate()
            .map(|(column, name)| cells(column).chain([name.width()]).max().unwrap_or(0))
            .collect()
    };
    let Some(width) = width else {
        // A cell of more than the limit counts as empty, so that it shifts only its own row.
        let widths = widest(&|cell| {
            Some(cell.width())
                .filter(|width| *width <= MAX_COLUMN_WIDTH)
                .unwrap_or(0)
        });
        return aligned(head, &rows, &widths, false);
    };
    let natural = widest(&UnicodeWidthStr::width);
    let gaps = GAP * head.len().saturating_sub(1);
    if natural.iter().sum::<usize>() + gaps <= width {
        return aligned(head, &rows, &natural, false);
    }
    let least = widest(&|cell| {
        cell.split(' ')
            .map(UnicodeWidthStr::width)
            .max()
            .unwrap_or(0)
    });
    match width.checked_sub(least.iter().sum::<usize>() + gaps) {
        Some(spare) => aligned(head, &rows, &widened(least, &natural, spare), true),
        None => list(head, &rows, width),
    }
}

/// The widths of columns after the spare blanks went where the most is missing.
fn widened(mut widths: Vec<usize>, natural: &[usize], spare: usize) -> Vec<usize> {
    for _ in 0..spare {
        let missing = |(width, natural): &(&mut usize, &usize)| natural.saturating_sub(**width);
        let Some((width, _)) = widths.iter_mut().zip(natural).max_by_key(missing) else {
            break;
        };
        *width += 1;
    }
    widths
}

/// Columns of these widths. Longer cells continue on further lines, broken at blanks, or shift the
/// rest of their row.
fn aligned(head: &[&str], rows: &[Vec<String>], widths: &[usize], wraps: bool) -> String {
    let write = |cells: &[&str], style: &dyn Fn(&str) -> Option<Style>, wraps: bool| -> String {
        let wrapped: Vec<Vec<&str>> = cells
            .iter()
            .zip(widths)
            .map(|(cell, width)| {
                if wraps && cell.width() > *width {
                    wrap(cell, *width)
                } else {
                    vec![*cell]
                }
            })
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        let line = |number: usize| {
            let parts: Vec<&str> = wrapped
                .iter()
                .map(|lines| lines.get(number).copied().unwrap_or(""))
                .collect();
            let last = parts
                .iter()
                .rposition(|part| !part.is_empty())
                .map_or(0, |place| place + 1);
            let mut line = String::new();
            for (place, ((part, cell), width)) in
                parts.iter().zip(cells).zip(widths).take(last).enumerate()
            {
                let style = style(cell).filter(|_| !part.is_empty());
                line.push_str(
                    &style.map_or_else(|| (*part).to_owned(), |style| paint(style, part)),
                );
                if place + 1 < last {
                    line.push_str(&" ".repeat(width.saturating_sub(part.width()) + GAP));
                }
            }
            line + "\n"
        };
        (0..height).map(line).collect()
    };
    let mut text = write(head, &|_| Some(HEAD), false);
    for row in rows {
        text.push_str(&write(
            &row.iter().map(String::as_str).collect::<Vec<_>>(),
            &result_style,
            wraps,
        ));
    }
    text
}

/// Each row as a list of headings and cells, for a terminal that is too narrow for columns.
fn list(head: &[&str], rows: &[Vec<String>], width: usize) -> String {
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        for (name, cell) in head.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let style = result_style(cell);
            let cell_on =
                |line: &str| style.map_or_else(|| line.to_owned(), |style| paint(style, line));
            let name_on = if name.is_empty() {
                String::new()
            } else {
                format!("{}: ", paint(HEAD, name))
            };
            if name.width() + GAP + cell.width() <= width {
                text.push_str(&format!("{name_on}{}\n", cell_on(cell)));
                continue;
            }
            if !name.is_empty() {
                text.push_str(&format!("{}:\n", paint(HEAD, name)));
            }
            for line in wrap(cell, width.saturating_sub(GAP)) {
                text.push_str(&format!("{}{}\n", " ".repeat(GAP), cell_on(line)));
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

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter()
            .map(|row| row.iter().map(|cell| (*cell).to_owned()).collect())
            .collect()
    }

    #[test]
    fn names_cannot_move_the_cursor() {
        let rendered = bare(&render(&["A", "B"], &rows(&[&["x\ny", "z"]]), None));
        assert_eq!(rendered, "A        B\nx\\u{a}y  z\n");
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
    fn only_whole_results_are_colored() {
        let rendered = render(&["V"], &rows(&[&["denied"], &["Group:denied"]]), None);
        let denied = paint(crate::output::BAD, "denied");
        assert!(
            rendered.contains(&denied) && rendered.contains("\nGroup:denied\n"),
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
            for word in cells.iter().flatten().flat_map(|cell| words(cell)) {
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
