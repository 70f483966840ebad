//! The matrix of resources and operations, with a reason for each cell on demand.

use std::sync::Arc;
use std::time::Duration;

use gbac_analysis::{AclMatch, MatrixCell};
use gbac_console_model::address;
use gbac_console_model::permissions::matrix::{
    CellVerdict, Matrix, MatrixQuery, MatrixRow, MatrixSubject, PAGE, cell_verdict,
    granted_through, matrix, pattern_words, summary,
};
use gbac_engine::model::{Acl, Host, Operation, Permission, PrincipalType, ResourceType};
use gbac_words::common::{GROUPS_BY_LINE, SUPERUSERS_ALLOWED};
use gbac_words::escape::plain;
use gbac_words::pages::permissions as words;
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_location;

use super::frame::{Context, Frame};
use super::reasons::{Denies, Path};
use crate::dom;
use crate::pages::link::WhoCanLink;
use crate::pages::roles::pager::Pager;
use crate::ui::{
    Empty, Field, Glyph, Icon, IconSize, Mark, PrincipalName, ResourceName, TextArea, VerdictWord,
    Words,
};

/// How many principals are suggested.
const SUGGESTED: usize = 200;

/// The page.
#[component]
pub fn MatrixPage() -> impl IntoView {
    view! {
        <Frame lead=words::MATRIX_PURPOSE>
            <Body />
        </Frame>
    }
}

#[component]
fn Body() -> impl IntoView {
    let context = expect_context::<Context>();
    let location = use_location();
    let (path, query) = (location.pathname, location.search);
    let navigate = dom::use_navigate();
    let form = RwSignal::new(query.with_untracked(|query| MatrixQuery::from_query(query)));
    let written = StoredValue::new(form.get_untracked());
    let mut write = debounce(Duration::from_millis(300), move |wanted: MatrixQuery| {
        if path.get_untracked() == address::MATRIX
            && let Some(last) = written.try_get_value()
            && last != wanted
        {
            written.set_value(wanted.clone());
            let options = NavigateOptions {
                replace: true,
                scroll: false,
                ..NavigateOptions::default()
            };
            navigate(&wanted.address(), options);
        }
    });
    Effect::new(move |_| write(form.get()));
    // A link or the browser's own buttons lead to somebody else.
    Effect::new(move |_| {
        let wanted = query.with(|query| MatrixQuery::from_query(query));
        if wanted.address() != written.get_value().address() {
            written.set_value(wanted.clone());
            form.set(wanted);
        }
    });
    let checked = Memo::new(move |_| form.with(MatrixQuery::check));
    let page = RwSignal::new(0_usize);
    Effect::new(move |_| {
        form.track();
        page.set(0);
    });
    // The last one that could be read stays while another name is typed.
    let whose = Memo::new(
        move |before: Option<&Option<MatrixSubject>>| match checked.get() {
            Ok(whose) => whose,
            Err(_) => before.cloned().flatten(),
        },
    );
    let shown = Memo::new_with_compare(
        move |_| {
            let whose = whose.get()?;
            let policy = context.policy();
            let found = dom::measured("permissions: matrix", || {
                matrix(&policy, &whose, page.get())
            });
            Some(Arc::new((whose, found)))
        },
        |_, _| true,
    );
    view! {
        <Who form=form checked=checked />
        {move || match shown.get() {
            Some(shown) => view! { <Shown shown=shown page=page /> }.into_any(),
            None => view! {
                <div class="panel flat">
                    <Empty glyph=Glyph::User title="Enter a principal">
                        <p><Words text=words::ENTER_PRINCIPAL /></p>
                    </Empty>
                </div>
            }
            .into_any(),
        }}
    }
}

/// Who is meant.
#[component]
fn Who(
    form: RwSignal<MatrixQuery>,
    checked: Memo<
        Result<Option<MatrixSubject>, gbac_console_model::permissions::matrix::MatrixFaults>,
    >,
) -> impl IntoView {
    let context = expect_context::<Context>();
    let of_fault = Signal::derive(move || checked.read().as_ref().err()?.of.clone());
    let host_fault = Signal::derive(move || checked.read().as_ref().err()?.host.clone());
    let is_user = Memo::new(move |_| form.with(MatrixQuery::is_user));
    view! {
        <div class="tools matrix-who">
            <div class="grow">
                <Field id="matrix-of" label="Principal" mono=true placeholder="Group:eng"
                    value=Signal::derive(move || form.with(|form| form.of.clone())) error=of_fault list="matrix-principals"
                    on_input=move |of| form.update(|form| form.of = of) />
                <datalist id="matrix-principals">
                    {move || {
                        // Those that begin as typed; the browser shows some of them.
                        let (form, holdings) = (form.read(), context.holdings.get()?);
                        let names = holdings.all.iter().map(|holding| holding.principal.to_string());
                        let fitting = names.filter(|name| name.contains(&form.of) && *name != form.of);
                        Some(fitting.take(SUGGESTED).map(|name| view! { <option value=name></option> }).collect_view())
                    }}
                </datalist>
            </div>
            {move || is_user.get().then(|| view! {
                <div class="grow">
                    <TextArea id="matrix-groups" label=GROUPS_BY_LINE rows=2
                        value=Signal::derive(move || form.with(|form| form.groups.clone()))
                        on_input=move |groups| form.update(|form| form.groups = groups) />
                </div>
            })}
            <div class="host">
                <Field id="matrix-host" label="Host" mono=true placeholder="Any host"
                    value=Signal::derive(move || form.with(|form| form.host.clone())) error=host_fault
                    on_input=move |host| form.update(|form| form.host = host) />
            </div>
        </div>
    }
}

/// A cell that was chosen: its row and column.
type Chosen = Option<(usize, usize)>;

#[component]
fn Shown(shown: Arc<(MatrixSubject, Matrix)>, page: RwSignal<usize>) -> impl IntoView {
    let (whose, matrix) = (shown.0.clone(), shown.1.clone());
    let chosen = RwSignal::new(None::<(usize, usize)>);
    let total = matrix.total;
    let is_superuser = matrix
        .rows
        .iter()
        .flat_map(|row| row.cells.iter().flatten())
        .any(|cell| cell_verdict(cell, Operation::Read) == CellVerdict::Superuser);
    let line = summary(&matrix, page.get_untracked());
    let caption = words::matrix_of(&whose.principal);
    if total == 0 {
        return view! { <NoResources whose=whose /> }.into_any();
    }
    let found = Memo::new(move |_| total);
    let here = Memo::new(move |_| page.get());
    let (columns, rows) = (matrix.columns.clone(), matrix.rows);
    let whose = StoredValue::new(whose);
    let heads = columns
        .iter()
        .map(|operation| view! { <th scope="col">{operation.spelling().label}</th> })
        .collect_view();
    let stored = StoredValue::new((columns, rows.clone()));
    let mut bodies = Vec::new();
    for (place, row) in rows.into_iter().enumerate() {
        match bodies.last_mut() {
            Some((of, list)) if *of == row.resource_type => {
                let list: &mut Vec<(usize, MatrixRow)> = list;
                list.push((place, row));
            }
            _ => bodies.push((row.resource_type, vec![(place, row)])),
        }
    }
    let width = stored
        .with_value(|(columns, _)| columns.len() + 1)
        .to_string();
    let bodies = bodies
        .into_iter()
        .map(|(of, rows)| {
            let rows = rows.into_iter().map(
                |(place, row)| view! { <MatrixRow place=place row=row stored=stored whose=whose chosen=chosen /> },
            );
            view! {
                <tbody>
                    <tr class="g"><th colspan=width.clone() scope="rowgroup">{of.spelling().label}</th></tr>
                    {rows.collect_view()}
                </tbody>
            }
        })
        .collect_view();
    view! {
        <p class="count matrix-sum" role="status">{line}</p>
        {is_superuser.then(|| view! { <p>{SUPERUSERS_ALLOWED}</p> })}
        <Pager place="above" page=here found=found on_page=move |to| page.set(to) />
        <div class="panel flat">
            <div class="scroll" tabindex="0" role="region" aria-label="Permission matrix">
                <table class="mx">
                    <caption class="sr">{caption}</caption>
                    <thead><tr><th scope="col">"Resource"</th>{heads}</tr></thead>
                    {bodies}
                </table>
            </div>
        </div>
        <Key />
        <div id="matrix-why" role="region" aria-label="Reason" tabindex="-1">
            {move || {
                let at = chosen.get()?;
                let (columns, rows) = stored.get_value();
                let (row, operation) = (rows.get(at.0)?.clone(), *columns.get(at.1)?);
                let cell = row.cells.get(at.1)?.clone()?;
                Some(view! { <Why row=row operation=operation cell=cell whose=whose.get_value() /> })
            }}
        </div>
    }
    .into_any()
}

#[component]
fn NoResources(whose: MatrixSubject) -> impl IntoView {
    let is_person = whose.principal.kind() == PrincipalType::User;
    view! {
        <div class="panel flat">
            <Empty glyph=Glyph::NoRule title=words::EMPTY_MATRIX>
                <p>{if is_person { words::ADD_GROUPS } else { words::GRANTS_NOTHING }}</p>
            </Empty>
        </div>
    }
}

#[component]
fn MatrixRow(
    place: usize,
    row: MatrixRow,
    stored: StoredValue<(Vec<Operation>, Vec<MatrixRow>)>,
    whose: StoredValue<MatrixSubject>,
    chosen: RwSignal<Chosen>,
) -> impl IntoView {
    let acl = example(&row);
    let words = pattern_words(row.resource_type, &row.pattern);
    let shown = match row.resource_type {
        ResourceType::Registry => "Schema Registry".to_owned(),
        of => format!("{} {}", of.spelling().label, plain(&row.pattern.name)),
    };
    let columns = stored.with_value(|(columns, _)| columns.clone());
    let cells = row.cells.into_iter().zip(columns).enumerate().map(|(column, (cell, operation))| match cell {
        None => view! { <td class="x"><span class="sr">{words::NOT_AN_OPERATION}</span></td> }.into_any(),
        Some(cell) => {
            let label = label(&cell, operation, &shown, &whose.get_value());
            view! { <td><CellButton cell=cell operation=operation label=label at=(place, column) whose=whose chosen=chosen /></td> }
                .into_any()
        }
    });
    view! {
        <tr>
            <th scope="row"><WhoCanLink acl=acl /> " " <span class="pat">{words}</span></th>
            {cells.collect_view()}
        </tr>
    }
}

/// An ACL on the row's names, for the link to who else can.
fn example(row: &MatrixRow) -> Acl {
    Acl {
        resource_type: row.resource_type,
        resource_name: row.pattern.name.clone(),
        pattern_type: row.pattern.pattern_type,
        principal: gbac_engine::model::Principal::user(""),
        host: Host::Any,
        operation: Operation::All,
        permission: Permission::Allow,
    }
}

/// A cell for assistive technology: `Read on Topic events-: Allow, from AnalyticsReaders`.
fn label(cell: &MatrixCell, operation: Operation, on: &str, whose: &MatrixSubject) -> String {
    let verdict = match cell_verdict(cell, operation) {
        CellVerdict::Allow => with_source("Allow", cell.granted_by.as_ref(), whose),
        CellVerdict::Implied(by) => format!("Allow, implied by {}", by.spelling().label),
        CellVerdict::Deny => with_source("Deny", cell.denied_by.first(), whose),
        CellVerdict::Nothing => words::NO_RULE.into(),
        CellVerdict::FromSomeHost => words::DEPENDS_ON_HOST.into(),
        CellVerdict::Superuser => "Allow, superuser".into(),
    };
    format!("{} on {on}: {verdict}", operation.spelling().label)
}

fn with_source(word: &str, by: Option<&AclMatch>, whose: &MatrixSubject) -> String {
    match by {
        Some(by) => format!("{word}, from {}", plain(&granted_through(by, whose))),
        None => word.to_owned(),
    }
}

/// The role or principal whose ACL decides.
fn source(by: Option<&AclMatch>, whose: StoredValue<MatrixSubject>) -> String {
    match by {
        Some(by) => plain(&granted_through(by, &whose.read_value())),
        None => String::new(),
    }
}

#[component]
fn CellButton(
    cell: MatrixCell,
    operation: Operation,
    label: String,
    at: (usize, usize),
    whose: StoredValue<MatrixSubject>,
    chosen: RwSignal<Chosen>,
) -> impl IntoView {
    let verdict = cell_verdict(&cell, operation);
    let class = match verdict {
        CellVerdict::Allow | CellVerdict::Superuser => "cell allow",
        CellVerdict::Implied(_) => "cell allow implied",
        CellVerdict::Deny => "cell deny",
        CellVerdict::Nothing | CellVerdict::FromSomeHost => "cell none",
    };
    let content = match verdict {
        CellVerdict::Allow => view! {
            <VerdictWord mark=Mark::Allow word="Allow" /><small class="mono">{source(cell.granted_by.as_ref(), whose)}</small>
        }
        .into_any(),
        CellVerdict::Superuser => {
            view! { <VerdictWord mark=Mark::Allow word="Allow" /><small>"superuser"</small> }.into_any()
        }
        CellVerdict::Implied(by) => view! {
            <VerdictWord mark=Mark::Allow word="Allow" /><small>{format!("by {}", by.spelling().label)}</small>
        }
        .into_any(),
        CellVerdict::Deny => view! {
            <VerdictWord mark=Mark::Deny word="Deny" /><small class="mono">{source(cell.denied_by.first(), whose)}</small>
        }
        .into_any(),
        CellVerdict::FromSomeHost => view! { <span aria-hidden="true">"–"</span><small>"one host"</small> }.into_any(),
        CellVerdict::Nothing => view! { <span aria-hidden="true">"–"</span> }.into_any(),
    };
    view! {
        <button
            type="button"
            class=class
            aria-controls="matrix-why"
            aria-pressed=move || if chosen.get() == Some(at) { "true" } else { "false" }
            on:click=move |_| chosen.update(|chosen| *chosen = if *chosen == Some(at) { None } else { Some(at) })
        >
            <span class="sr">{label}</span>
            <span class="seen" aria-hidden="true">{content}</span>
        </button>
    }
}

#[component]
fn Key() -> impl IntoView {
    view! {
        <ul class="key matrix-key">
            <li><VerdictWord mark=Mark::Allow word="Allow" small=true /> "an ACL allows it"</li>
            <li><VerdictWord mark=Mark::Allow word="Allow" small=true /> {words::IMPLIED}</li>
            <li><VerdictWord mark=Mark::Deny word="Deny" small=true /> "an ACL denies it"</li>
            <li><span aria-hidden="true">"–"</span> {words::NO_RULE}</li>
            <li><span class="swatch" aria-hidden="true"></span> {words::NOT_AN_OPERATION}</li>
        </ul>
    }
}

/// The reason of a cell: what decides, what a deny overrides, and what the cell is about.
#[component]
fn Why(
    row: MatrixRow,
    operation: Operation,
    cell: MatrixCell,
    whose: MatrixSubject,
) -> impl IntoView {
    let verdict = cell_verdict(&cell, operation);
    let (glyph, class, text) = match verdict {
        CellVerdict::Allow | CellVerdict::Superuser => {
            (Glyph::Allow, "v-allow", "allowed".to_owned())
        }
        CellVerdict::Implied(by) => (
            Glyph::Allow,
            "v-allow",
            format!("allowed, implied by {}", by.spelling().label),
        ),
        CellVerdict::Deny => (Glyph::Deny, "v-deny", "denied by rule".to_owned()),
        CellVerdict::Nothing => (
            Glyph::NoRule,
            "v-none",
            "denied, nothing allows it".to_owned(),
        ),
        CellVerdict::FromSomeHost => (Glyph::NoRule, "v-none", "denied, unknown host".to_owned()),
    };
    let resource = match row.resource_type {
        ResourceType::Registry => "Schema Registry".to_owned(),
        of => of.spelling().label.to_lowercase(),
    };
    let words = pattern_words(row.resource_type, &row.pattern);
    let named = (row.resource_type != ResourceType::Registry).then(|| row.pattern.name.clone());
    let about = match words {
        "prefixed" | "all names" => Some(words::OTHER_NAMES),
        _ => None,
    };
    let is_blocked = !cell.denied_by.is_empty();
    let with_group = whose.principal.kind() == PrincipalType::User;
    let start = whose.principal.clone();
    let (denied, granted) = (cell.denied_by, cell.granted_by);
    let unknown = cell.host_unknown;
    view! {
        <div class="panel matrix-why">
            <div class="why-h">
                <span class=class><Icon glyph=glyph size=IconSize::Large /></span>
                <div>
                    <h2>
                        {operation.spelling().label} ", " {resource}
                        {named.map(|name| view! { " " <ResourceName name=name /> })}
                        " " <span class="pat">{words}</span> ": " {text}
                    </h2>
                    {about.map(|about| view! { <p class="quiet">{about}</p> })}
                </div>
            </div>
            <dl class="why">
                <div><dt>"Principal"</dt><dd><PrincipalName principal=start /></dd></div>
                {is_blocked.then(|| view! {
                    <div><dt>"Decided by"</dt><dd><Denies denied_by=denied with_group=with_group /></dd></div>
                })}
                {granted.map(|by| {
                    let term = if is_blocked { "Overridden" } else { "Decided by" };
                    view! { <div><dt>{term}</dt><dd><Path by=by with_group=with_group with_permission=true /></dd></div> }
                })}
                {(verdict == CellVerdict::Nothing).then(|| view! {
                    <div><dt>"Reason"</dt><dd>{words::DENIED_BY_DEFAULT}</dd></div>
                })}
                {(verdict == CellVerdict::Superuser).then(|| view! {
                    <div><dt>"Reason"</dt><dd>{SUPERUSERS_ALLOWED}</dd></div>
                })}
                {unknown.then(|| view! {
                    <div><dt>"Host"</dt><dd>{words::ENTER_HOST}</dd></div>
                })}
            </dl>
        </div>
    }
}

// The page's number of rows and the pager's are the same.
const _: () = assert!(PAGE == gbac_console_model::roles::PAGE);
