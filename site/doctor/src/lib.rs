//! The claim doctor for the static site: conversions only, from `gbac_console_model::claim_doctor`
//! to JSON.

use gbac_console_model::claim_doctor::{
    DoctorMark, DoctorSettings, Examination, PathGroups, examine,
};
use gbac_engine::Timestamp;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_words::escape::plain;
use gbac_words::pages::claim_doctor as words;
use gbac_words::rich_text::{RichText, Span};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

/// The allocator of the JavaScript package, a fifth of the size of the standard library's.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// Examines a text that somebody pasted; `suffix` reads names after their last slash, `brokers`
/// says whether brokers read the token, and `now` is in seconds since 1970. Returns the JSON of
/// what to show, or `null` for an empty text.
#[wasm_bindgen]
#[must_use]
pub fn examination(text: &str, suffix: bool, brokers: bool, now: f64) -> String {
    let nested = if suffix {
        NestedGroupBehavior::Suffix
    } else {
        NestedGroupBehavior::None
    };
    let settings = DoctorSettings {
        nested,
        has_brokers: brokers,
        now: Timestamp::from_seconds(now),
    };
    match examine(text, &settings) {
        Some(found) => result(&found, nested).to_string(),
        None => Value::Null.to_string(),
    }
}

/// The identity providers with their steps, as JSON; `reason` is why their administrator is asked.
#[wasm_bindgen]
#[must_use]
pub fn providers(reason: &str) -> String {
    let mut guides = Vec::new();
    for guide in words::PROVIDERS {
        let mut steps = Vec::new();
        for step in guide.steps {
            steps.push(spans(&RichText::message(step)));
        }
        guides.push(json!({
            "code": guide.code,
            "name": guide.name,
            "steps": steps,
            "path": guide.path,
            "request": words::request(guide, reason),
        }));
    }
    Value::from(guides).to_string()
}

fn result(found: &Examination, nested: NestedGroupBehavior) -> Value {
    let mark = match found.mark {
        DoctorMark::Good => "good",
        DoctorMark::Warn => "warn",
        DoctorMark::Bad => "bad",
    };
    let mut notes = Vec::new();
    for (title, words) in &found.notes {
        notes.push(json!({ "title": title, "words": spans(words) }));
    }
    let mut claims = Vec::new();
    for claim in &found.claims {
        let holds_names = (found.paths.iter()).any(|row| claim.path.as_ref() == Some(&row.path));
        claims.push(json!({
            "depth": claim.depth,
            "name": plain(&claim.name),
            "value": claim.value,
            "marked": holds_names,
        }));
    }
    json!({
        "mark": mark,
        "title": found.title,
        "words": spans(&found.words),
        "reason": found.words.plain(),
        "notes": notes,
        "paths": found.paths.iter().map(path).collect::<Vec<_>>(),
        "nested": spans(&words::nested(nested)),
        "claims": claims,
        "summary": found.summary,
        "provider": found.provider.map(|guide| guide.code),
        "advises": found.advises,
    })
}

fn path(row: &PathGroups) -> Value {
    let names: Vec<String> = row.groups.iter().map(|name| plain(name)).collect();
    let more = (row.more > 0).then(|| words::more(row.more));
    json!({
        "path": plain(&row.path),
        "note": row.is_default.then_some(words::DEFAULT_PATH),
        "none": names.is_empty().then_some(words::NO_NAMES),
        "found": spans(&row.found),
        "refused": row.refused.as_ref().map(spans),
        "groups": names,
        "more": more,
    })
}

/// A sentence as pairs of a kind and a text, in which hidden characters are visible.
fn spans(words: &RichText) -> Value {
    let mut spans = Vec::new();
    for span in &words.0 {
        let one = RichText(vec![span.clone()]).plain();
        let kind = match span {
            Span::Code(_) | Span::Resource(_) | Span::Principal(_) => "code",
            _ => "text",
        };
        spans.push(json!([kind, one]));
    }
    Value::from(spans)
}
