//! The titles of the permissions pages in the browser: the page, and what it is about.

use gbac_words::escape::plain;
use gbac_words::request::verb;

use crate::address;
use crate::permissions::list::ListQuery;
use crate::permissions::matrix::MatrixQuery;
use crate::permissions::who_can::WhoCanQuery;

/// The title of the page at this path with this query; none of another page.
pub fn page_title(path: &str, query: &str) -> Option<String> {
    let part = match path {
        address::PERMISSIONS => searched(&ListQuery::from_query(query).search),
        address::MATRIX => match MatrixQuery::from_query(query).of.trim() {
            "" => "Matrix".to_owned(),
            of => format!("Matrix of {}", plain(of)),
        },
        address::WHO_CAN => WhoCanQuery::from_query(query).map_or_else(
            || "Who can".to_owned(),
            |query| {
                let what = verb(query.operation, query.resource_type);
                let words = format!("Who can {what} {}", plain(&query.name));
                words.trim_end().to_owned()
            },
        ),
        address::FINDINGS => "Findings".to_owned(),
        _ => return None,
    };
    Some(if part.is_empty() {
        "Permissions".to_owned()
    } else {
        format!("{part} - Permissions")
    })
}

/// What is searched for; of one principal its name, without what makes it a regular expression.
fn searched(search: &str) -> String {
    let one = search
        .strip_prefix('^')
        .and_then(|search| search.strip_suffix('$'));
    match one {
        Some(escaped) => plain(&escaped.replace('\\', "")),
        None => plain(search),
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::Principal;

    use super::*;

    #[test]
    fn a_title_names_the_page_and_what_it_is_about() {
        let title = |address: &str| {
            let (path, query) = address.split_once('?').unwrap_or((address, ""));
            page_title(path, query)
        };
        let one = ListQuery::one(&Principal::user("maya.okafor")).address();
        assert_eq!(
            title(&one).as_deref(),
            Some("User:maya.okafor - Permissions")
        );
        assert_eq!(title(address::PERMISSIONS).as_deref(), Some("Permissions"));
        assert_eq!(
            title(address::FINDINGS).as_deref(),
            Some("Findings - Permissions")
        );
        assert_eq!(
            title(address::MATRIX).as_deref(),
            Some("Matrix - Permissions")
        );
        let group = MatrixQuery::for_principal(&Principal::group("eng")).address();
        assert_eq!(
            title(&group).as_deref(),
            Some("Matrix of Group:eng - Permissions")
        );
        let query = WhoCanQuery {
            name: "orders".into(),
            ..WhoCanQuery::default()
        };
        let asked = title(&query.address()).unwrap();
        assert!(asked.starts_with("Who can read "), "{asked}");
        assert!(asked.ends_with(" orders - Permissions"), "{asked}");
        assert_eq!(title(address::ROLES), None);
    }
}
