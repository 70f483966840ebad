//! Confirmation before something is removed.

use std::io::{self, BufRead, BufReader, Write};

use crate::output::Failure;
use crate::process::Process;

/// Asks for confirmation on the terminal. Without a terminal, a flag must confirm.
pub(crate) fn confirm(process: &Process, question: &str) -> Result<(), Failure> {
    if !process.terminal.input {
        return Err(Failure::usage(
            "no terminal to confirm on; pass `--no-confirm`",
        ));
    }
    prompt(
        question,
        &mut BufReader::new(process.input()),
        &mut process.error(),
    )
}

fn prompt(question: &str, from: &mut impl BufRead, to: &mut impl Write) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::io("the terminal", &error);
    write!(to, "{question} [y/N] ")
        .and_then(|()| to.flush())
        .map_err(failed)?;
    let mut answer = String::new();
    from.read_line(&mut answer).map_err(failed)?;
    let answer = answer.trim();
    if ["y", "yes"]
        .iter()
        .any(|yes| answer.eq_ignore_ascii_case(yes))
    {
        return Ok(());
    }
    Err(Failure::new(
        "not_confirmed",
        "not confirmed; nothing was changed",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        let confirms = |answer: &str| {
            let mut output = Vec::new();
            let done = prompt("Sure?", &mut answer.as_bytes(), &mut output);
            assert_eq!(output, b"Sure? [y/N] ");
            done.is_ok()
        };
        assert!(confirms("y\n") && confirms("Yes\n"));
        assert!(!confirms("") && !confirms("\n") && !confirms("n\n") && !confirms("yess\n"));
    }
}
