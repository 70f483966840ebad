//! Formats declarations, because ts-rs does not indent them.

/// The maximum length of a line with a union.
const WIDTH: usize = 120;

/// Indents a declaration by its braces, and puts short comments on one line.
pub(super) fn pretty(declaration: &str) -> String {
    let mut text = String::new();
    let mut depth = 0_usize;
    let mut comment: Vec<&str> = Vec::new();
    let lines = declaration
        .replace("{ \n", "{\n")
        .replace("{ \"", "{\n\"")
        .replace(", }", ",\n}");
    for line in lines.lines().map(str::trim) {
        let is_comment = line.starts_with("/**") || line.starts_with('*');
        if is_comment {
            comment.push(line);
            if line != "*/" {
                continue;
            }
            for line in one_line(&comment) {
                push(&mut text, depth, &line);
            }
            comment.clear();
            continue;
        }
        if line.is_empty() {
            continue;
        }
        let closing = line.chars().take_while(|letter| *letter == '}').count();
        push(&mut text, depth.saturating_sub(closing), line);
        let opened = line
            .matches('{')
            .count()
            .saturating_sub(line.matches("${").count());
        let closed = line
            .matches('}')
            .count()
            .saturating_sub(line.matches("${").count());
        depth = (depth + opened).saturating_sub(closed);
    }
    text
}

/// The lines of a comment. A comment with a single line of text becomes one line.
fn one_line(comment: &[&str]) -> Vec<String> {
    if let [_, text, _] = comment {
        return vec![format!("/** {} */", text.trim_start_matches('*').trim())];
    }
    comment
        .iter()
        .map(|line| {
            if line.starts_with('*') {
                format!(" {line}")
            } else {
                (*line).to_owned()
            }
        })
        .collect()
}

/// Adds a line. A union that is too long is split into several lines.
fn push(text: &mut String, depth: usize, line: &str) {
    let indent = "  ".repeat(depth);
    let mut rest = line;
    let mut start = String::new();
    while rest.len() > WIDTH {
        let Some(end) = rest.get(..WIDTH).and_then(|part| part.rfind(" | ")) else {
            break;
        };
        let (part, more) = rest.split_at(end);
        text.push_str(&format!("{indent}{start}{part}\n"));
        (start, rest) = ("  | ".to_owned(), more.trim_start_matches(" | "));
    }
    text.push_str(&format!("{indent}{start}{rest}\n"));
}
