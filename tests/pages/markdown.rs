//! The commands, outputs and files that a Markdown page shows.

use std::mem;

use crate::support::shell::stated_exit;

/// A command, with the lines that continue it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) exit: i32,
    /// What the page shows in lines with `#> ` below the command.
    pub(super) output: Option<String>,
}

/// What somebody does who follows a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A block with a title: `title="policy.json"`.
    File { name: String, text: String },
    /// A block of commands, and the output that the block below shows, with its line.
    Commands {
        commands: Vec<Command>,
        output: Option<(usize, String)>,
    },
    /// A block of commands after `<!-- outside: reason -->`.
    Outside { line: usize, reason: String },
    /// A block that is not written as it should be.
    Unclear { line: usize, problem: String },
}

/// A fenced block.
#[derive(Debug)]
struct Block<'a> {
    line: usize,
    info: &'a str,
    text: String,
    /// The last line with text before it.
    before: &'a str,
    /// Whether only blank lines are between this block and the one before it.
    follows: bool,
}

/// The fenced blocks of a page, without their indentation.
fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut open): (Vec<Block<'_>>, Option<Block<'_>>) = (Vec::new(), None);
    let (mut before, mut indent, mut follows) = ("", 0, false);
    for (index, line) in page.lines().enumerate() {
        let text = line.trim();
        if let Some(block) = &mut open {
            if text == "```" {
                blocks.extend(open.take());
                (before, follows) = ("", true);
            } else {
                block.text.push_str(line.get(indent..).unwrap_or_default());
                block.text.push('\n');
            }
        } else if let Some(info) = text.strip_prefix("```") {
            indent = line.len() - line.trim_start().len();
            open = Some(Block {
                line: index + 1,
                info,
                text: String::new(),
                before,
                follows,
            });
        } else if !text.is_empty() {
            (before, follows) = (text, false);
        }
    }
    assert!(open.is_none(), "a block without an end: {open:?}");
    blocks
}

/// Whether a shell needs another line to end the command.
fn continues(command: &str) -> bool {
    let (mut quote, mut escaped, mut before) = (None, false, ' ');
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        if escaped {
            escaped = false;
        } else if quote == Some(character) {
            quote = None;
        } else if character == '\\' && quote != Some('\'') {
            escaped = true;
        } else if quote.is_none() && matches!(character, '\'' | '"') {
            quote = Some(character);
        } else if quote.is_none() && character == '#' && before.is_whitespace() {
            while !matches!(characters.next(), None | Some('\n')) {}
        }
        before = character;
    }
    quote.is_some() || command.ends_with('\\')
}

/// The commands of a block. A comment before a command, or behind it, can state its exit code.
fn commands(first: usize, block: &str) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    let (mut open, mut exit, mut line) = (String::new(), 0, 0);
    for (index, text) in block.lines().enumerate() {
        if !open.is_empty() {
            open.push('\n');
        } else if let Some(shown) = text.strip_prefix("#> ") {
            let command = commands.last_mut().expect("a command above its output");
            let output = command.output.get_or_insert_default();
            if !output.is_empty() {
                output.push('\n');
            }
            output.push_str(shown.trim_end());
            continue;
        } else if text.starts_with('#') {
            exit = exit.max(stated_exit(text));
            continue;
        } else if text.trim().is_empty() {
            continue;
        } else {
            line = first + index;
        }
        open.push_str(text);
        if !continues(&open) {
            commands.push(Command {
                line,
                exit: exit.max(stated_exit(&open)),
                text: mem::take(&mut open),
                output: None,
            });
            exit = 0;
        }
    }
    assert!(open.is_empty(), "a command without an end: {open}");
    commands
}

/// The title in the first line of a block.
fn title(info: &str) -> Option<&str> {
    let (_, rest) = info.split_once("title=\"")?;
    rest.split_once('"').map(|(title, _)| title)
}

/// The steps of a page.
pub(super) fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in blocks(page) {
        let language = block.info.split_whitespace().next().unwrap_or_default();
        if let Some(name) = title(block.info) {
            steps.push(Step::File {
                name: name.to_owned(),
                text: block.text,
            });
        } else if matches!(language, "sh" | "console" | "bash" | "shell") {
            steps.push(shell_step(language, &block));
        } else if language == "text" && block.follows {
            // The output of the block above, if that is one of commands.
            if let Some(Step::Commands { output, .. }) = steps.last_mut()
                && output.is_none()
            {
                *output = Some((block.line, block.text.trim_end().to_owned()));
            }
        }
    }
    steps
}

/// The step of a block of commands.
fn shell_step(language: &str, block: &Block<'_>) -> Step {
    let line = block.line;
    if language != "sh" {
        let problem = format!("a block of commands is marked `sh`, not `{language}`");
        return Step::Unclear { line, problem };
    }
    let reason = block
        .before
        .strip_prefix("<!-- outside: ")
        .and_then(|rest| rest.strip_suffix(" -->"));
    match reason {
        Some(reason) => Step::Outside {
            line,
            reason: reason.to_owned(),
        },
        None => Step::Commands {
            commands: commands(line + 1, &block.text),
            output: None,
        },
    }
}

#[test]
fn a_page_is_read_as_it_shows() {
    let page = "\
```json title=\"p.json\"
{}
```

Text.

1. In a list:

   ```sh
   # Denied (exits with 2)
   gbac check --policy 'p
   q' \\
     --user a   # a user's name
   echo done
   #> done
   #> …
   ```

   ```text
   Denied
   ```

<!-- outside: no broker -->
```sh
kafka-acls.sh --list
```

```text
Nothing
```

```bash
ls
```
";
    let command = |line, text: &str, exit, output: Option<&str>| Command {
        line,
        text: text.to_owned(),
        exit,
        output: output.map(str::to_owned),
    };
    let check = "gbac check --policy 'p\nq' \\\n  --user a   # a user's name";
    assert_eq!(
        steps(page),
        [
            Step::File {
                name: "p.json".to_owned(),
                text: "{}\n".to_owned()
            },
            Step::Commands {
                commands: vec![
                    command(11, check, 2, None),
                    command(14, "echo done", 0, Some("done\n…")),
                ],
                output: Some((19, "Denied".to_owned())),
            },
            Step::Outside {
                line: 24,
                reason: "no broker".to_owned()
            },
            Step::Unclear {
                line: 32,
                problem: "a block of commands is marked `sh`, not `bash`".to_owned()
            },
        ]
    );
}
