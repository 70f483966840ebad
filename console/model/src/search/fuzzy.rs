//! Fuzzy matching: how well a name fits what was typed, and which of its letters fit.

/// A name prepared for matching: in lower case, letter by letter.
#[derive(Debug, Clone)]
pub(super) struct FoldedName {
    text: String,
    letters: u64,
}

/// One word of what was typed, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    letters: u64,
}

/// What was typed, in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words {
    words: Vec<Word>,
    /// Whether one word that fits is enough; otherwise every word has to.
    any: bool,
}

/// How well a name fits; more is better.
pub(super) type Score = i64;

/// Tiers of one word, from the worst.
const SCATTERED: Score = 1_000;
const INSIDE: Score = 2_000;
const AT_WORD: Score = 3_000;
const AT_START: Score = 4_000;
const WHOLE: Score = 5_000;
/// What another word that fits is worth, where one is enough.
const ANOTHER: Score = 10_000;
/// Letters that are scattered wider than this, times the length of the word, are no match.
const SPREAD: usize = 4;

/// Lower case without a change of the number of letters.
pub(super) fn fold(text: &str) -> String {
    text.chars()
        .map(|letter| letter.to_lowercase().next().unwrap_or(letter))
        .collect()
}

/// The letters of a text as bits: a text that lacks one of them has no match of a word with it.
fn letters(folded: &str) -> u64 {
    folded
        .bytes()
        .fold(0, |letters, byte| letters | 1 << (byte & 63))
}

impl FoldedName {
    pub(super) fn new(name: &str) -> Self {
        let text = fold(name);
        Self {
            letters: letters(&text),
            text,
        }
    }

    /// Whether a text in lower case is a part of it.
    pub(super) fn contains(&self, folded: &str) -> bool {
        self.text.contains(folded)
    }
}

impl Words {
    /// Every word has to fit.
    pub(super) fn all(text: &str) -> Self {
        Self {
            words: Self::split(text.split_whitespace()),
            any: false,
        }
    }

    /// One word that fits is enough.
    pub(super) fn any<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            words: Self::split(words),
            any: true,
        }
    }

    fn split<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Word> {
        let mut folded = Vec::new();
        for word in words {
            if !word.is_empty() {
                let text = fold(word);
                folded.push(Word {
                    letters: letters(&text),
                    text,
                });
            }
        }
        folded
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How well a name fits; none when it does not.
    pub(super) fn score(&self, name: &str, folded: &FoldedName) -> Option<Score> {
        let mut sum = 0;
        for word in &self.words {
            match word.fit(name, folded, !self.any) {
                Some((score, _)) if self.any => sum += ANOTHER + score,
                Some((score, _)) => sum += score,
                None if self.any => {}
                None => return None,
            }
        }
        // Of names that fit alike, the shorter one.
        (sum > 0).then(|| sum - Score::try_from(folded.text.len().min(500)).unwrap_or_default())
    }

    /// Whether a name with this score has every word as it was typed, or, where one is enough, at
    /// least one.
    pub(super) fn is_run(&self, score: Score) -> bool {
        let words = if self.any {
            1
        } else {
            Score::try_from(self.words.len()).unwrap_or(Score::MAX)
        };
        score > words.saturating_mul(INSIDE) - 501
    }

    /// Which letters of a name fit, one flag for each letter.
    pub(super) fn marks(&self, name: &str) -> Vec<bool> {
        let folded = FoldedName::new(name);
        let mut is_marked = vec![false; folded.text.len()];
        for word in &self.words {
            let Some((_, bytes)) = word.fit(name, &folded, !self.any) else {
                continue;
            };
            match bytes {
                Bytes::Run(start) => {
                    is_marked
                        .iter_mut()
                        .skip(start)
                        .take(word.text.len())
                        .for_each(|mark| *mark = true);
                }
                Bytes::Scattered(start) => {
                    let mut wanted = word.text.chars().peekable();
                    for (at, letter) in folded.text.char_indices().filter(|(at, _)| *at >= start) {
                        if wanted.next_if_eq(&letter).is_some() {
                            is_marked
                                .iter_mut()
                                .skip(at)
                                .take(letter.len_utf8())
                                .for_each(|mark| *mark = true);
                        }
                    }
                }
            }
        }
        folded
            .text
            .char_indices()
            .map(|(at, _)| is_marked.get(at).copied().unwrap_or_default())
            .collect()
    }
}

/// Where a word fits, in bytes of the folded name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bytes {
    /// Its letters one after the other.
    Run(usize),
    /// Its letters with others between them, from here.
    Scattered(usize),
}

impl Word {
    fn fit(&self, name: &str, folded: &FoldedName, may_scatter: bool) -> Option<(Score, Bytes)> {
        if self.letters & !folded.letters != 0 {
            return None;
        }
        let mut best: Option<(Score, usize)> = None;
        for (at, _) in folded.text.match_indices(&self.text) {
            let score = match at {
                0 if folded.text.len() == self.text.len() => WHOLE,
                0 => AT_START,
                _ if is_word_start(name, folded, at) => AT_WORD,
                _ => INSIDE,
            };
            if best.is_none_or(|(known, _)| score > known) {
                best = Some((score, at));
            }
            if score >= AT_WORD {
                break;
            }
        }
        if let Some((score, at)) = best {
            return Some((score, Bytes::Run(at)));
        }
        if may_scatter {
            self.scattered(folded)
        } else {
            None
        }
    }

    /// The letters in order with others between them: the end that is reached first, and from there
    /// the nearest start.
    fn scattered(&self, folded: &FoldedName) -> Option<(Score, Bytes)> {
        let mut wanted = self.text.chars();
        let mut next = wanted.next()?;
        let end = folded.text.char_indices().find_map(|(at, letter)| {
            if letter != next {
                return None;
            }
            match wanted.next() {
                Some(letter) => {
                    next = letter;
                    None
                }
                None => Some(at + letter.len_utf8()),
            }
        })?;
        let mut wanted = self.text.chars().rev();
        let mut next = wanted.next()?;
        let start = folded
            .text
            .get(..end)?
            .char_indices()
            .rev()
            .find_map(|(at, letter)| {
                if letter != next {
                    return None;
                }
                match wanted.next() {
                    Some(letter) => {
                        next = letter;
                        None
                    }
                    None => Some(at),
                }
            })?;
        let span = end - start;
        let is_near = self.text.len() > 1 && span <= SPREAD * self.text.len();
        is_near.then(|| {
            (
                SCATTERED - Score::try_from(span.min(900)).unwrap_or_default(),
                Bytes::Scattered(start),
            )
        })
    }
}

/// Whether a part of a name begins here: after a sign, or at a capital after a small letter.
fn is_word_start(name: &str, folded: &FoldedName, at: usize) -> bool {
    if !matches!(letter_before(&folded.text, at), Some(letter) if letter.is_alphanumeric()) {
        return true;
    }
    let here = name.get(at..).and_then(|text| text.chars().next());
    name.len() == folded.text.len()
        && matches!(here, Some(letter) if letter.is_uppercase())
        && matches!(letter_before(name, at), Some(letter) if !letter.is_uppercase())
}

fn letter_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(typed: &str, name: &str) -> Option<Score> {
        Words::all(typed).score(name, &FoldedName::new(name))
    }

    /// The names that fit, the best first.
    fn ranked<'a>(typed: &str, names: &[&'a str]) -> Vec<&'a str> {
        let mut found: Vec<(Score, &str)> = names
            .iter()
            .filter_map(|name| Some((score(typed, name)?, *name)))
            .collect();
        found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        found.into_iter().map(|(_, name)| name).collect()
    }

    fn marked(typed: &str, name: &str) -> String {
        let marks = Words::all(typed).marks(name);
        name.chars()
            .zip(marks)
            .map(|(letter, mark)| if mark { letter } else { '.' })
            .collect()
    }

    #[test]
    fn whole_names_come_before_starts_parts_and_scattered_letters() {
        let names = [
            "reorders",
            "orders",
            "OrdersWriters",
            "CustomerOrders",
            "old-records-ledgers",
            "payments",
        ];
        assert_eq!(
            ranked("orders", &names),
            [
                "orders",
                "OrdersWriters",
                "CustomerOrders",
                "reorders",
                "old-records-ledgers"
            ]
        );
        assert_eq!(
            ranked("ow", &["OrdersWriters", "x-o-w", "w-o"]),
            ["x-o-w", "OrdersWriters"]
        );
        assert_eq!(ranked("zz", &names), [""; 0]);
    }

    #[test]
    fn every_word_has_to_fit_unless_one_is_enough() {
        assert!(score("writ orders", "OrdersWriters").is_some());
        assert_eq!(score("writ payments", "OrdersWriters"), None);
        let any = Words::any(["maya", "orders"]);
        let fits = |name: &str| any.score(name, &FoldedName::new(name));
        assert!(
            fits("orders-maya") > fits("orders")
                && fits("orders").is_some()
                && fits("payments").is_none()
        );
        // Scattered letters of a question are chance.
        assert!(any.score("m-a-y-a", &FoldedName::new("m-a-y-a")).is_none());
    }

    #[test]
    fn the_letters_that_fit_are_marked() {
        assert_eq!(marked("writ orders", "OrdersWriters"), "OrdersWrit...");
        assert_eq!(marked("pyr", "payments-reader"), "p.y......r.....");
        assert_eq!(marked("ÜB", "x-Über"), "..Üb..");
        assert_eq!(marked("", "x"), ".");
        // A letter whose small form is two letters stays one.
        assert_eq!(marked("stan", "İstanbul"), ".stan...");
    }

    #[test]
    fn hostile_names_are_only_names() {
        for name in [
            "",
            " ",
            "\u{202e}stnemyap",
            "👩‍👩‍👧",
            "e\u{301}",
            &"x".repeat(300),
        ] {
            let words = Words::all("x👩 e");
            assert_eq!(words.marks(name).len(), name.chars().count());
            let _ = words.score(name, &FoldedName::new(name));
        }
    }
}
