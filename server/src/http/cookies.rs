//! The cookies of sign-ins with the identity provider and of sessions (D-66).

use axum::http::{HeaderMap, HeaderValue, header};

/// A cookie of this service. Scripts cannot read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cookie {
    /// The ID of a session. No page of another site can cause a request with it.
    Session,
    /// A sign-in that was started. The identity provider's page leads back with it.
    SignIn,
}

impl Cookie {
    /// The name. With TLS, browsers accept it only from this host over TLS, so that no other host
    /// can set it.
    const fn name(self, is_https: bool) -> &'static str {
        match (self, is_https) {
            (Self::Session, true) => "__Host-gbac-session",
            (Self::Session, false) => "gbac-session",
            (Self::SignIn, true) => "__Host-gbac-sign-in",
            (Self::SignIn, false) => "gbac-sign-in",
        }
    }

    const fn same_site(self) -> &'static str {
        match self {
            Self::Session => "Strict",
            Self::SignIn => "Lax",
        }
    }

    /// The value of a `Set-Cookie` header. Browsers forget a cookie without `max_age` when they are
    /// closed.
    pub(crate) fn set(
        self,
        is_https: bool,
        value: &str,
        max_age: Option<u32>,
    ) -> Option<HeaderValue> {
        let (name, same_site) = (self.name(is_https), self.same_site());
        let secure = if is_https { "; Secure" } else { "" };
        let max_age = match max_age {
            Some(seconds) => format!("; Max-Age={seconds}"),
            None => String::new(),
        };
        HeaderValue::try_from(format!(
            "{name}={value}; Path=/; HttpOnly; SameSite={same_site}{secure}{max_age}"
        ))
        .ok()
    }

    /// The value of a `Set-Cookie` header that deletes the cookie.
    pub(crate) fn delete(self, is_https: bool) -> Option<HeaderValue> {
        self.set(is_https, "", Some(0))
    }

    /// The value in a request; empty if there is more than one, because another host or path may
    /// have set one of them.
    pub(crate) fn get(self, is_https: bool, headers: &HeaderMap) -> Option<&str> {
        let name = self.name(is_https);
        let mut found = None;
        for line in headers.get_all(header::COOKIE) {
            for pair in line.to_str().unwrap_or_default().split(';') {
                if let Some((known, value)) = pair.trim().split_once('=')
                    && known == name
                {
                    found = Some(if found.is_some() { "" } else { value });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(cookies: &[&'static str]) -> HeaderMap {
        cookies
            .iter()
            .map(|cookie| (header::COOKIE, HeaderValue::from_static(cookie)))
            .collect()
    }

    #[test]
    fn cookies_have_every_protection() {
        assert_eq!(
            Cookie::Session.set(true, "x", None).unwrap(),
            "__Host-gbac-session=x; Path=/; HttpOnly; SameSite=Strict; Secure"
        );
        assert_eq!(
            Cookie::Session.set(false, "x", None).unwrap(),
            "gbac-session=x; Path=/; HttpOnly; SameSite=Strict"
        );
        assert_eq!(
            Cookie::SignIn.set(true, "x", Some(600)).unwrap(),
            "__Host-gbac-sign-in=x; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600"
        );
        assert_eq!(
            Cookie::SignIn.delete(false).unwrap(),
            "gbac-sign-in=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"
        );
        assert_eq!(Cookie::Session.set(true, "a\r\nb", None), None);
    }

    #[test]
    fn only_the_cookie_of_this_name_is_read_and_two_are_none() {
        let get = |cookies: &[&'static str]| {
            Cookie::Session
                .get(true, &headers(cookies))
                .map(str::to_owned)
        };
        assert_eq!(
            get(&["a=b; __Host-gbac-session=x.y ;c=d"]).as_deref(),
            Some("x.y")
        );
        assert_eq!(
            get(&["a=b", "__Host-gbac-session=x"]).as_deref(),
            Some("x"),
            "HTTP/2 splits cookies"
        );
        assert_eq!(
            get(&["__Host-gbac-session=x; __Host-gbac-session=x"]).as_deref(),
            Some("")
        );
        assert_eq!(
            get(&["__Host-gbac-session=x", "__Host-gbac-session=y"]).as_deref(),
            Some("")
        );
        for other in [
            "gbac-session=x",
            "__host-gbac-session=x",
            "x__Host-gbac-session=x",
            "__Host-gbac-session",
            "",
        ] {
            assert_eq!(get(&[other]), None, "{other}");
        }
        assert_eq!(
            Cookie::Session.get(false, &headers(&["__Host-gbac-session=x"])),
            None
        );
    }
}
