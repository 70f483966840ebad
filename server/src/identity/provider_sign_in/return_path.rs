//! The page to which a sign-in returns: always one of this console.

use url::Url;

/// The longest accepted path in bytes.
const MAX_BYTES: usize = 2048;
/// Where a sign-in returns if no page is named.
const START_PAGE: &str = "/";
/// The folder of the console's pages, and the pages beside it.
const FOLDER: &str = "/security";
const PAGES: [&str; 2] = [START_PAGE, "/connection"];

/// The path, if it is that of a page of this console, with its query; otherwise the start page.
pub(super) fn return_path(stated: Option<&str>) -> String {
    stated.filter(|path| is_page(path)).unwrap_or(START_PAGE).to_owned()
}

fn is_page(text: &str) -> bool {
    let path = text.split('?').next().unwrap_or_default();
    let below = path.strip_prefix(FOLDER).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if text.len() > MAX_BYTES || !(below || PAGES.contains(&path)) {
        return false;
    }
    // A browser must not read it as anything else: not as another host, and not as another path.
    let Ok(base) = Url::parse("http://console.invalid") else { return false };
    base.join(text)
        .is_ok_and(|url| url.as_str().strip_prefix("http://console.invalid") == Some(text) && url.fragment().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_console_are_returned_to() {
        for path in [
            "/",
            "/connection",
            "/security/review",
            "/security/roles?search=a%20b&page=2",
            "/security/roles/a%2Fb/details",
            "/security/roles/a..b/details",
        ] {
            assert_eq!(return_path(Some(path)), path);
        }
        for path in [
            "",
            "x",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "/security\\..\\..\\evil.example",
            "https://evil.example/security/roles",
            "https:evil.example",
            "javascript:alert(1)",
            "/security/../gbac/v1/backup",
            "/security/%2e%2e//evil.example",
            "/security/./roles",
            "/securityx",
            "/gbac/v1/backup",
            "/gbac/v1/sign-in?return=/",
            "/sign-in?return=/sign-in",
            "/security/roles#x",
            "/security/roles\r\nset-cookie: a=b",
            "/security/ü",
            " /security/roles",
            "/security/a b",
            "/\t/evil.example",
        ] {
            assert_eq!(return_path(Some(path)), "/", "{path:?}");
        }
        assert_eq!(return_path(None), "/");
        assert_eq!(return_path(Some(&format!("/security/{}", "a".repeat(MAX_BYTES)))), "/");
    }
}
