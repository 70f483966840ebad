//! What tabs of one browser tell each other: that one has a draft, and that one applied changes.

use std::collections::BTreeMap;

use gbac_words::phrases::{capitalized, count};
use serde::{Deserialize, Serialize};

use crate::stored_draft::DraftOwner;

/// A message from one tab to the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabMessage {
    /// The tab's ID.
    pub tab: String,
    /// Whose pages it shows.
    pub owner: DraftOwner,
    /// The content.
    pub news: TabNews,
}

/// The content of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TabNews {
    /// Asks which tabs have a draft.
    Hello,
    /// The number of changes in its draft.
    Draft(usize),
    /// The number of changes that it applied.
    Applied(usize),
}

/// The other tabs from which a message was received.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherTabs {
    /// The tabs with a draft of the same account, and how many changes each has.
    drafts: BTreeMap<String, usize>,
    /// The tabs whose drafts are known to the user.
    dismissed: Vec<String>,
    /// How many changes other tabs applied since that was last dismissed.
    applied: usize,
}

/// The message about the other tabs: a title and a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabNotice {
    /// The title, without a final period.
    pub title: String,
    /// The text.
    pub text: &'static str,
    /// Whether the policy is another one by now.
    pub is_applied: bool,
}

impl OtherTabs {
    /// Hears a message, and says whether its tab waits for an answer about the draft of this one. A
    /// draft of another account is none of this account's business; what was applied concerns
    /// everybody who looks at the same policy.
    pub fn receive(&mut self, message: &TabMessage, own: &DraftOwner) -> bool {
        let is_same = message.owner == *own;
        match message.news {
            TabNews::Hello => return is_same,
            TabNews::Draft(changes) if is_same && changes > 0 => {
                self.drafts.insert(message.tab.clone(), changes);
            }
            TabNews::Draft(_) => {
                self.drafts.remove(&message.tab);
                self.dismissed.retain(|tab| *tab != message.tab);
            }
            TabNews::Applied(changes) if message.owner.has_policy_of(own) => {
                self.applied += changes;
            }
            TabNews::Applied(_) => {}
        }
        false
    }

    /// Forgets which tabs have a draft: they are about to be asked.
    pub fn forget_drafts(&mut self) {
        self.drafts.clear();
    }

    /// Takes the notice away until there is something new.
    pub fn dismiss(&mut self) {
        if self.applied > 0 {
            self.applied = 0;
        } else {
            self.dismissed = self.drafts.keys().cloned().collect();
        }
    }

    /// The messages about them; applied changes first.
    pub fn notice(&self) -> Option<TabNotice> {
        if self.applied > 0 {
            return Some(TabNotice {
                title: format!("Another tab applied {}", count(self.applied, "change")),
                text: "Refresh to see the policy with them.",
                is_applied: true,
            });
        }
        let others: Vec<usize> = (self.drafts.iter())
            .filter(|(tab, _)| !self.dismissed.contains(tab))
            .map(|(_, changes)| *changes)
            .collect();
        let changes: usize = others.iter().sum();
        let whose = match others.len() {
            0 => return None,
            1 => "another tab has".to_owned(),
            number => format!("{number} other tabs have"),
        };
        Some(TabNotice {
            title: capitalized(&format!(
                "{whose} a draft with {}",
                count(changes, "change")
            )),
            text: "Each tab has its own draft. Review here shows what another tab applied before you apply yours.",
            is_applied: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(account: &str) -> DraftOwner {
        DraftOwner {
            data: "d1".into(),
            cluster: String::new(),
            account: account.into(),
        }
    }

    fn said(tab: &str, account: &str, news: TabNews) -> TabMessage {
        TabMessage {
            tab: tab.into(),
            owner: owner(account),
            news,
        }
    }

    fn title(tabs: &OtherTabs) -> Option<String> {
        tabs.notice().map(|notice| notice.title)
    }

    #[test]
    fn a_draft_of_the_same_account_is_told_until_it_is_gone() {
        let (mut tabs, own) = (OtherTabs::default(), owner("local a"));
        assert!(
            tabs.receive(&said("t1", "local a", TabNews::Hello), &own),
            "it wants to know about this draft"
        );
        assert!(!tabs.receive(&said("t1", "local b", TabNews::Hello), &own));
        tabs.receive(&said("t1", "local a", TabNews::Draft(1)), &own);
        assert_eq!(
            title(&tabs).unwrap(),
            "Another tab has a draft with 1 change"
        );
        tabs.receive(&said("t2", "local a", TabNews::Draft(2)), &own);
        assert_eq!(
            title(&tabs).unwrap(),
            "2 other tabs have a draft with 3 changes"
        );
        tabs.receive(&said("t2", "local a", TabNews::Draft(0)), &own);
        tabs.dismiss();
        assert_eq!(title(&tabs), None);
        tabs.receive(&said("t1", "local a", TabNews::Draft(5)), &own);
        assert_eq!(title(&tabs), None, "that tab is known");
        tabs.receive(&said("t1", "local a", TabNews::Draft(0)), &own);
        tabs.receive(&said("t1", "local a", TabNews::Draft(1)), &own);
        assert!(title(&tabs).is_some(), "a new draft is news");
        // A tab that crashed does not answer.
        tabs.forget_drafts();
        assert_eq!(title(&tabs), None);
    }

    #[test]
    fn another_account_is_told_only_about_what_was_applied() {
        let (mut tabs, own) = (OtherTabs::default(), owner("local a"));
        tabs.receive(&said("t1", "local b", TabNews::Draft(3)), &own);
        assert_eq!(title(&tabs), None);
        tabs.receive(&said("t1", "local b", TabNews::Applied(3)), &own);
        assert_eq!(title(&tabs).unwrap(), "Another tab applied 3 changes");
        assert!(tabs.notice().unwrap().is_applied);
        tabs.dismiss();
        let other = TabMessage {
            owner: DraftOwner {
                data: "d2".into(),
                ..owner("local a")
            },
            ..said("t1", "local a", TabNews::Applied(1))
        };
        tabs.receive(&other, &own);
        assert_eq!(title(&tabs), None, "another service");
        // A tab whose account changes has no draft of this one any more.
        tabs.receive(&said("t1", "local a", TabNews::Draft(1)), &own);
        tabs.receive(&said("t1", "local b", TabNews::Draft(1)), &own);
        assert_eq!(title(&tabs), None);
    }

    #[test]
    fn a_message_is_text() {
        let message = said("t1", "local a", TabNews::Applied(2));
        let text = serde_json::to_string(&message).unwrap();
        assert_eq!(serde_json::from_str::<TabMessage>(&text).unwrap(), message);
    }
}
