//! The identity entered by hand: a user, groups, and warnings about their spelling.

use gbac_formats::name_list::cut_entry;
use gbac_words::rich_text::RichText;

use crate::simulator::inputs::{InputEdit, InputField, InputProblem, Inputs, Weight};

/// Whether an identity is entered by hand, one group per line; what is wrong with it joins the
/// problems.
pub(super) fn read(inputs: &Inputs, is_empty: bool, problems: &mut Vec<InputProblem>) -> bool {
    let groups = &inputs.groups;
    if inputs.user.is_empty() {
        if !is_empty {
            problems.push(InputProblem::new(
                InputField::User,
                "user_empty",
                Weight::Missing,
                "Enter a user too.",
            ));
        }
        return false;
    }
    if let Some(name) = inputs
        .user
        .strip_prefix("User:")
        .filter(|name| !name.is_empty())
    {
        let words = RichText::new()
            .text("Enter the name without a type: this means ")
            .code(format!("User:{}", inputs.user))
            .text(".");
        problems.push(
            InputProblem::new(InputField::User, "user_with_type", Weight::Warning, words)
                .with(format!("Use {name}"), InputEdit::User(name.into())),
        );
    }
    if groups
        .lines()
        .any(|line| line.starts_with("Group:") && line.len() > "Group:".len())
    {
        let bare: Vec<&str> = groups
            .lines()
            .map(|line| line.strip_prefix("Group:").unwrap_or(line))
            .collect();
        let words = RichText::new()
            .text("Enter names without a type: ")
            .code("Group:")
            .text(" becomes part of the name.");
        problems.push(
            InputProblem::new(
                InputField::Groups,
                "group_with_type",
                Weight::Warning,
                words,
            )
            .with("Remove it", InputEdit::Groups(bare.join("\n"))),
        );
    } else if groups.trim().lines().count() == 1 && groups.contains(',') {
        let split: Vec<&str> = groups
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        let words = "One group per line: a comma becomes part of the name.";
        let problem = InputProblem::new(
            InputField::Groups,
            "group_with_comma",
            Weight::Warning,
            words,
        );
        // A distinguished name is one name with commas.
        problems.push(match cut_entry(groups, &split) {
            Some(_) => problem,
            None => problem.with("Split at the commas", InputEdit::Groups(split.join("\n"))),
        });
    } else if groups
        .lines()
        .any(|line| !line.is_empty() && line.trim() != line)
    {
        let tidy: Vec<&str> = groups.lines().map(str::trim).collect();
        let words = "A leading or trailing space is part of the name.";
        problems.push(
            InputProblem::new(
                InputField::Groups,
                "edge_whitespace",
                Weight::Warning,
                words,
            )
            .with("Remove it", InputEdit::Groups(tidy.join("\n"))),
        );
    }
    true
}
