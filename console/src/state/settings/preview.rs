//! What other group properties would do, before anything is saved: which name becomes which group, and who gains what.

use std::collections::{BTreeMap, BTreeSet};

use gbac_engine::analyze::{Effect, Extent, Holder, diff};
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::{ClaimSource, ElementOutcome, ExtractionRule, extract};
use gbac_engine::model::{Acl, Principal, PrincipalType};
use gbac_engine::policy::{Change, GroupSource, Policy, Settings};
use serde_json::{Map, Value};

use super::super::simulator::words::Words;

/// What a name in a token becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Becomes {
    /// This group.
    Group(String),
    /// No group: nothing is left of the name.
    Nothing,
    /// It is not read: the claim path does not lead there.
    Unread,
}

impl Becomes {
    /// The group, where there is one.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        match self {
            Self::Group(name) => Some(name),
            Self::Nothing | Self::Unread => None,
        }
    }
}

/// A name in a token, and what it becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The name.
    pub name: String,
    /// Whether it is in the pasted token; otherwise the policy knows it.
    pub of_token: bool,
    /// Under the settings that are in force.
    pub today: Becomes,
    /// Under the settings that are tried.
    pub then: Becomes,
    /// The other names that become the same group then, and did not before.
    pub merges: Vec<String>,
    /// The roles that it has today and not then.
    pub leaves: Vec<String>,
    /// The roles that it has then and not today.
    pub joins: Vec<String>,
}

impl Row {
    /// Whether anything is different.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.today != self.then || !self.merges.is_empty()
    }
}

/// One effect on whoever has a name in the token.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The name in the token.
    pub name: String,
    /// What happens.
    pub effect: Effect,
    /// On what.
    pub extent: Extent,
    /// Why, as a sentence without the final period.
    pub because: Words,
}

/// What other group properties would do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Preview {
    /// The names: those that change first, those of the token first among them.
    pub rows: Vec<Row>,
    /// How many names are in the pasted token.
    pub of_token: usize,
    /// How many groups the policy knows.
    pub known: usize,
    /// Who gains and loses what.
    pub lines: Vec<Line>,
    /// The changes that give role members the name that they will have.
    pub renames: Vec<Change>,
    /// Role members that name what nobody will be: the role, the group, and why it is not renamed.
    pub stranded: Vec<(String, String, &'static str)>,
}

const MERGES: &str = "becomes the same as another group";
const NO_NAME: &str = "has no name to rename to";

impl Preview {
    /// How many names become one group with another name.
    #[must_use]
    pub fn merging(&self) -> usize {
        self.rows.iter().filter(|row| !row.merges.is_empty()).count()
    }

    /// How many names become no group any more.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.rows.iter().filter(|row| row.today.group().is_some() && row.then.group().is_none()).count()
    }

    /// How many names have another group.
    #[must_use]
    pub fn changed(&self) -> usize {
        self.rows.iter().filter(|row| row.is_changed()).count()
    }

    /// How many role members match nobody then: those that are renamed, and those that cannot be.
    #[must_use]
    pub fn members(&self) -> usize {
        self.renames.len() / 2 + self.stranded.len()
    }

    /// How many lines are of one of these effects, and of how many names.
    #[must_use]
    pub fn total(&self, effects: &[Effect]) -> (usize, usize) {
        let lines = || self.lines.iter().filter(|line| effects.contains(&line.effect));
        (
            lines().map(|line| line.extent.operations.len()).sum(),
            lines().map(|line| &line.name).collect::<BTreeSet<_>>().len(),
        )
    }
}

/// Compares two settings over the groups of a token's claims and all groups that the policy knows.
#[must_use]
pub fn preview(policy: &Policy, wanted: &Settings, claims: Option<&Map<String, Value>>) -> Preview {
    let rules = [policy.settings(), wanted].map(|settings| settings.identity_rules().extraction);
    let [held_rule, wanted_rule] = &rules;
    let known: Vec<&str> = policy
        .known_principals()
        .filter(|principal| principal.kind() == PrincipalType::Group && !principal.name().is_empty())
        .map(Principal::name)
        .collect();
    let mut names: BTreeMap<String, (bool, [Becomes; 2])> = BTreeMap::new();
    // A group of the policy is taken for a name in somebody's token, wherever that token has it.
    let become_of_known = rules.each_ref().map(|rule| become_of(&known, rule));
    for name in &known {
        let of = |side: &BTreeMap<String, Becomes>| side.get(*name).cloned().unwrap_or(Becomes::Nothing);
        let [today, then] = &become_of_known;
        names.insert((*name).to_owned(), (false, [of(today), of(then)]));
    }
    let mut of_token = 0;
    if let Some(claims) = claims {
        let read = [held_rule, wanted_rule].map(|rule| elements(claims, rule));
        let [today, then] = &read;
        let all: BTreeSet<&String> = today.keys().chain(then.keys()).collect();
        of_token = all.len();
        for name in all {
            let of = |side: &BTreeMap<String, Becomes>| side.get(name).cloned().unwrap_or(Becomes::Unread);
            names.insert(name.clone(), (true, [of(today), of(then)]));
        }
    }
    let mut rows = rows(policy, &names);
    let lines = lines(policy, &rows);
    let (renames, stranded) = renames(&rows);
    rows.sort_by(|a, b| (!a.is_changed(), !a.of_token, &a.name).cmp(&(!b.is_changed(), !b.of_token, &b.name)));
    Preview { rows, of_token, known: known.len(), lines, renames, stranded }
}

/// What each of these names becomes, as elements of a list.
fn become_of(names: &[&str], rule: &ExtractionRule) -> BTreeMap<String, Becomes> {
    let Ok(path) = ClaimPath::parse("$.groups") else { return BTreeMap::new() };
    let rule = ExtractionRule { source: ClaimSource::Token(path), nested: rule.nested };
    let list: Vec<Value> = names.iter().map(|name| Value::from(*name)).collect();
    let claims: Map<String, Value> = [("groups".to_owned(), Value::from(list))].into_iter().collect();
    elements(&claims, &rule)
}

/// The names at a claim path, and what each becomes.
fn elements(claims: &Map<String, Value>, rule: &ExtractionRule) -> BTreeMap<String, Becomes> {
    let extraction = extract(rule, claims, None);
    let becomes = |outcome: ElementOutcome| match outcome {
        ElementOutcome::Kept { group } | ElementOutcome::Duplicate { group } => Becomes::Group(group),
        ElementOutcome::Dropped { .. } => Becomes::Nothing,
    };
    extraction.elements.into_iter().map(|element| (element.raw, becomes(element.outcome))).collect()
}

fn rows(policy: &Policy, names: &BTreeMap<String, (bool, [Becomes; 2])>) -> Vec<Row> {
    let mut by_group: [BTreeMap<&str, Vec<&str>>; 2] = Default::default();
    for (name, (_, becomes)) in names {
        for (groups, becomes) in by_group.iter_mut().zip(becomes) {
            if let Some(group) = becomes.group() {
                groups.entry(group).or_default().push(name);
            }
        }
    }
    let [today_of, then_of] = &by_group;
    let roles = |becomes: &Becomes| -> BTreeSet<String> {
        let group = becomes.group().map(Principal::group);
        group.iter().flat_map(|group| policy.roles_of(group)).map(str::to_owned).collect()
    };
    let row = |(name, (of_token, [today, then])): (&String, &(bool, [Becomes; 2]))| {
        let same = |groups: &BTreeMap<&str, Vec<&str>>, becomes: &Becomes| -> BTreeSet<String> {
            let same = becomes.group().and_then(|group| groups.get(group)).into_iter().flatten();
            same.filter(|other| **other != name).map(|other| (*other).to_owned()).collect()
        };
        let merged = same(today_of, today);
        let (has, will) = (roles(today), roles(then));
        Row {
            name: name.clone(),
            of_token: *of_token,
            merges: same(then_of, then).difference(&merged).cloned().collect(),
            leaves: has.difference(&will).cloned().collect(),
            joins: will.difference(&has).cloned().collect(),
            today: today.clone(),
            then: then.clone(),
        }
    };
    names.iter().map(row).collect()
}

/// Who gains and loses what: the engine compares what each name stands for today with what it stands for then.
fn lines(policy: &Policy, rows: &[Row]) -> Vec<Line> {
    if rows.iter().all(|row| row.today == row.then) {
        return Vec::new();
    }
    let mut acls: BTreeMap<String, Vec<Acl>> = BTreeMap::new();
    let mut base = Policy::new(policy.settings().clone());
    for acl in policy.acls() {
        if acl.principal.kind() == PrincipalType::Group {
            acls.entry(acl.principal.name().to_owned()).or_default().push(acl);
        } else {
            make(&mut base, Change::AddAcl(acl));
        }
    }
    for role in policy.roles() {
        make(&mut base, Change::CreateRole(role.name.clone()));
        for member in role.members.into_iter().filter(|member| member.kind() != PrincipalType::Group) {
            make(&mut base, Change::AddMember { role: role.name.clone(), member });
        }
    }
    // Each name is a group of its own that holds what the group holds that it becomes.
    let standing_for = |side: fn(&Row) -> &Becomes| {
        let mut made = base.clone();
        for row in rows {
            let Some(group) = side(row).group() else { continue };
            let principal = Principal::group(&row.name);
            for acl in acls.get(group).into_iter().flatten() {
                make(&mut made, Change::AddAcl(Acl { principal: principal.clone(), ..acl.clone() }));
            }
            for role in policy.roles_of(&Principal::group(group)) {
                make(&mut made, Change::AddMember { role: role.into(), member: principal.clone() });
            }
        }
        made
    };
    let found = diff(&standing_for(|row| &row.today), &standing_for(|row| &row.then));
    let mut lines = Vec::new();
    for difference in found.differences {
        let Holder::One(principal) = difference.holder else { continue };
        let Some(row) = rows.iter().find(|row| row.name == principal.name()) else { continue };
        for extent in difference.extents {
            let because = because(row, difference.effect);
            lines.push(Line { name: row.name.clone(), effect: difference.effect, extent, because });
        }
    }
    lines
}

/// A change of a policy that is made here alone; what it cannot hold was in no policy before.
fn make(policy: &mut Policy, change: Change) {
    let _ = policy.apply(change);
}

fn because(row: &Row, effect: Effect) -> Words {
    let role = |words: Words, roles: &[String]| {
        roles.iter().enumerate().fold(words, |words, (place, name)| {
            let words = if place > 0 { words.text(", ") } else { words };
            words.principal(&Principal::role(name))
        })
    };
    let is_gain = matches!(effect, Effect::Gains | Effect::GainsWithOthers | Effect::StillBlocked);
    match (&row.then, is_gain) {
        (Becomes::Group(group), true) => {
            let words = Words::new().text("becomes ").principal(&Principal::group(group));
            if row.joins.is_empty() { words } else { role(words.text(", a member of "), &row.joins) }
        }
        (then, _) => {
            let lost = match (then, &row.today) {
                (Becomes::Nothing, _) => Words::new().text("nothing is left of the name"),
                (Becomes::Unread, _) => Words::new().text("it is not read any more"),
                (Becomes::Group(_), Becomes::Group(group)) => {
                    Words::new().text("is ").principal(&Principal::group(group)).text(" no more")
                }
                (Becomes::Group(group), _) => Words::new().text("becomes ").principal(&Principal::group(group)),
            };
            if row.leaves.is_empty() { lost } else { role(lost.text(", which is in "), &row.leaves) }
        }
    }
}

/// The changes that give role members their new names, and the members that cannot be given any.
fn renames(rows: &[Row]) -> (Vec<Change>, Vec<(String, String, &'static str)>) {
    let (mut renames, mut stranded) = (Vec::new(), Vec::new());
    for row in rows.iter().filter(|row| row.today != row.then && row.today.group() == Some(&row.name)) {
        for role in &row.leaves {
            match &row.then {
                // To rename one of them would give the role to the others, too.
                Becomes::Group(_) if !row.merges.is_empty() => {
                    stranded.push((role.clone(), row.name.clone(), MERGES));
                }
                Becomes::Group(group) => {
                    let (role, member) = (role.clone(), Principal::group(&row.name));
                    renames.push(Change::AddMember { role: role.clone(), member: Principal::group(group) });
                    renames.push(Change::RemoveMember { role, member });
                }
                Becomes::Nothing => stranded.push((role.clone(), row.name.clone(), NO_NAME)),
                Becomes::Unread => {}
            }
        }
    }
    (renames, stranded)
}

/// Whether the managed cloud's mapping stands in the place of the two properties.
#[must_use]
pub const fn is_sso(settings: &Settings) -> bool {
    matches!(settings.groups, GroupSource::Sso { .. })
}

#[cfg(test)]
mod tests {
    use gbac_engine::groups::NestedGroupBehavior;
    use gbac_engine::wire::policy_from_value;
    use serde_json::json;

    use super::super::Entered;
    use super::*;

    fn acl(principal: &str, name: &str, operation: &str) -> Value {
        json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "principal": principal, "host": "*",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "operation": operation,
            "permission_type": "PERMISSION_TYPE_ALLOW" })
    }

    fn policy() -> Policy {
        let member = |name: &str| json!({ "principal": name });
        policy_from_value(&json!({ "version": 1,
            "roles": [
                { "name": "Incident", "members": [member("Group:/eng/on-call"), member("Group:/eng/legacy/")] },
                { "name": "Refunds", "members": [member("Group:payments")] },
                { "name": "Writers", "members": [member("Group:/eng/payments"), member("User:ada")] },
            ],
            "acls": [
                acl("Role:Incident", "logs-", "OPERATION_READ"),
                acl("Role:Refunds", "refunds-", "OPERATION_READ"),
                acl("Role:Writers", "payments-", "OPERATION_WRITE"),
                acl("Group:analysts", "reports-", "OPERATION_READ"),
            ] }))
        .unwrap()
    }

    fn suffix(policy: &Policy) -> Settings {
        let entered = Entered { claim_path: "$.groups".into(), nested: NestedGroupBehavior::Suffix };
        entered.read(policy.settings()).unwrap()
    }

    fn row<'a>(preview: &'a Preview, name: &str) -> &'a Row {
        preview.rows.iter().find(|row| row.name == name).unwrap()
    }

    #[test]
    fn suffix_shows_who_merges_and_who_gains_and_loses() {
        let policy = policy();
        let claims = json!({ "groups": ["/contractors/payments", "/eng/payments", "analysts"] });
        let found = preview(&policy, &suffix(&policy), claims.as_object());
        assert_eq!((found.of_token, found.known), (3, 5));

        let contractors = row(&found, "/contractors/payments");
        assert_eq!(contractors.then, Becomes::Group("payments".into()));
        assert_eq!(contractors.merges, ["/eng/payments", "payments"]);
        assert_eq!(contractors.joins, ["Refunds"]);
        let eng = row(&found, "/eng/payments");
        assert_eq!(
            (eng.leaves.as_slice(), eng.joins.as_slice()),
            (&["Writers".to_owned()][..], &["Refunds".to_owned()][..])
        );
        assert_eq!(row(&found, "/eng/legacy/").then, Becomes::Nothing);
        assert!(!row(&found, "analysts").is_changed());
        assert_eq!((found.merging(), found.dropped()), (3, 1));
        assert!(found.rows[0].of_token && found.rows[0].is_changed(), "what changes comes first");

        let lines = |name: &str| -> Vec<(Effect, String, String)> {
            let lines = found.lines.iter().filter(|line| line.name == name);
            lines.map(|line| (line.effect, line.extent.pattern.name.clone(), line.because.plain())).collect()
        };
        assert_eq!(
            lines("/contractors/payments"),
            [(Effect::Gains, "refunds-".into(), "becomes Group:payments, a member of Role:Refunds".into())]
        );
        assert_eq!(
            lines("/eng/payments"),
            [
                (Effect::Gains, "refunds-".into(), "becomes Group:payments, a member of Role:Refunds".into()),
                (Effect::Loses, "payments-".into(), "is Group:/eng/payments no more, which is in Role:Writers".into()),
            ]
        );
        assert_eq!(
            lines("/eng/legacy/"),
            [(Effect::Loses, "logs-".into(), "nothing is left of the name, which is in Role:Incident".into())]
        );
        assert!(lines("analysts").is_empty());
        assert_eq!(found.total(&[Effect::Gains]).1, 2);
    }

    #[test]
    fn members_are_renamed_where_that_gives_nobody_more() {
        let policy = policy();
        let found = preview(&policy, &suffix(&policy), None);
        let on_call = |name: &str| Principal::group(name);
        assert_eq!(
            found.renames,
            [
                Change::AddMember { role: "Incident".into(), member: on_call("on-call") },
                Change::RemoveMember { role: "Incident".into(), member: on_call("/eng/on-call") },
            ]
        );
        assert_eq!(
            found.stranded,
            [("Incident".into(), "/eng/legacy/".into(), NO_NAME), ("Writers".into(), "/eng/payments".into(), MERGES),]
        );
        assert_eq!(found.members(), 3);
    }

    #[test]
    fn another_claim_path_reads_other_names() {
        let policy = policy();
        let entered = Entered { claim_path: "$.roles".into(), nested: NestedGroupBehavior::None };
        let wanted = entered.read(policy.settings()).unwrap();
        let claims = json!({ "groups": ["payments", "both"], "roles": ["analysts", "both"] });
        let found = preview(&policy, &wanted, claims.as_object());
        assert_eq!(row(&found, "payments").then, Becomes::Unread);
        assert_eq!(row(&found, "payments").leaves, ["Refunds"]);
        assert_eq!(row(&found, "analysts").today, Becomes::Unread);
        assert!(!row(&found, "both").is_changed());
        let effects: Vec<(&str, Effect)> = found.lines.iter().map(|line| (line.name.as_str(), line.effect)).collect();
        assert_eq!(effects, [("analysts", Effect::Gains), ("payments", Effect::Loses)]);
        assert!(found.renames.is_empty() && found.stranded.is_empty(), "their names stay what they are");
    }

    #[test]
    fn the_same_settings_change_nothing() {
        let policy = policy();
        let found = preview(&policy, policy.settings(), None);
        assert_eq!((found.changed(), found.lines.len(), found.known), (0, 0, 5));
    }
}
