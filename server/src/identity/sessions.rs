//! The sessions of users who signed in with the identity provider: in memory, limited in number and
//! time (D-66).

use std::io;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gbac_engine::token::UnverifiedToken;
use sha2::{Digest, Sha256};

use crate::fair_map::{FairLimits, FairMap};
use crate::lock::Lock;
use crate::random;

/// The number of sessions of one user, and of all; beyond them, the oldest one ends of the user, or
/// of the user who has the most.
const MAX_SESSIONS_OF_A_USER: usize = 10;
const MAX_SESSIONS: usize = 1024;
/// The longest session in seconds. The token can end it earlier.
const MAX_LIFETIME: f64 = 8.0 * 3600.0;
/// The longest token of a session in bytes.
pub(crate) const MAX_TOKEN_BYTES: usize = 64 << 10;

/// An open session. Its user and groups are those of the token, which is checked for each request
/// like one that is sent with it.
#[derive(Debug, Clone)]
pub(crate) struct OpenSession {
    /// The user's name.
    pub(crate) user: String,
    /// The token.
    pub(crate) token: Arc<str>,
    /// When it ends, in seconds since 1970.
    pub(crate) expires_at: f64,
}

impl OpenSession {
    /// The issuer of its token. The token was verified when the session was opened.
    pub(crate) fn issuer(&self) -> String {
        match UnverifiedToken::decode(&self.token) {
            Ok(token) => token.claims.issuer().unwrap_or_default().to_owned(),
            Err(_) => String::new(),
        }
    }
}

/// All sessions by user. Their IDs are not kept, only digests of them.
pub(crate) struct Sessions(Lock<FairMap<[u8; 32], String, OpenSession>>);

impl Default for Sessions {
    fn default() -> Self {
        Self(Lock::new(FairMap::new(FairLimits {
            all: MAX_SESSIONS,
            of_owner: MAX_SESSIONS_OF_A_USER,
        })))
    }
}

impl Sessions {
    /// Opens a session with this token, which expires at that time. The new ID, which only the
    /// browser of the user may learn.
    ///
    /// # Errors
    /// The operating system provides no random numbers.
    pub(crate) fn open(
        &self,
        user: &str,
        token: &str,
        token_expires_at: f64,
        now: f64,
    ) -> io::Result<String> {
        let id = URL_SAFE_NO_PAD.encode(random::bytes::<32>()?);
        let expires_at = token_expires_at.min(now + MAX_LIFETIME);
        let session = OpenSession {
            user: user.into(),
            token: token.into(),
            expires_at,
        };
        self.0.with(|sessions| {
            sessions.retain(|session| now < session.expires_at);
            sessions.insert(digest(&id), user.to_owned(), session);
        });
        Ok(id)
    }

    /// The session with this ID, if it has not ended.
    pub(crate) fn get(&self, id: &str, now: f64) -> Option<OpenSession> {
        let digest = digest(id);
        self.0.with(|sessions| {
            sessions
                .get(&digest)
                .filter(|session| now < session.expires_at)
                .cloned()
        })
    }

    /// Ends the session with this ID; the session, if it had not ended yet.
    pub(crate) fn close(&self, id: &str, now: f64) -> Option<OpenSession> {
        let digest = digest(id);
        self.0
            .with(|sessions| sessions.remove(&digest))
            .filter(|session| now < session.expires_at)
    }

    /// Ends every session; those that had not ended yet, in the order in which they were opened.
    pub(crate) fn close_all(&self, now: f64) -> Vec<OpenSession> {
        let mut ended = self.0.with(FairMap::take_all);
        ended.retain(|session| now < session.expires_at);
        ended
    }
}

fn digest(id: &str) -> [u8; 32] {
    Sha256::digest(id.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN_END: f64 = 5000.0;

    #[test]
    fn a_session_ends_with_its_token_or_after_eight_hours() {
        let sessions = Sessions::default();
        let short = sessions.open("ana", "t", TOKEN_END, 1000.0).unwrap();
        assert_eq!(&*sessions.get(&short, 4999.0).unwrap().token, "t");
        assert!(sessions.get(&short, TOKEN_END).is_none());
        let long = sessions.open("ana", "t", 1e9, 1000.0).unwrap();
        assert!(sessions.get(&long, 1000.0 + MAX_LIFETIME - 1.0).is_some());
        assert!(sessions.get(&long, 1000.0 + MAX_LIFETIME).is_none());
    }

    #[test]
    fn only_its_id_opens_a_session_until_it_is_closed() {
        let sessions = Sessions::default();
        let (first, second) = (
            sessions.open("ana", "1", TOKEN_END, 0.0).unwrap(),
            sessions.open("ana", "2", TOKEN_END, 0.0).unwrap(),
        );
        assert!(first.len() == 43 && first != second);
        for id in [
            "",
            "x",
            &first[..42],
            &format!("{first}A"),
            &first.to_lowercase(),
        ] {
            assert!(sessions.get(id, 1.0).is_none(), "{id}");
        }
        assert_eq!(sessions.close(&first, 1.0).unwrap().user, "ana");
        assert!(sessions.get(&first, 1.0).is_none() && sessions.close(&first, 1.0).is_none());
        assert_eq!(&*sessions.get(&second, 1.0).unwrap().token, "2");
        assert!(
            sessions.close(&second, TOKEN_END).is_none(),
            "it has ended by itself"
        );
    }

    #[test]
    fn all_sessions_end_at_once() {
        let sessions = Sessions::default();
        let ids = ["ana", "bo"].map(|user| sessions.open(user, "t", TOKEN_END, 0.0).unwrap());
        sessions.open("late", "t", 1.0, 0.0).unwrap();
        let users: Vec<String> = sessions
            .close_all(2.0)
            .into_iter()
            .map(|session| session.user)
            .collect();
        assert_eq!(users, ["ana", "bo"], "the third one had ended");
        assert!(
            ids.iter().all(|id| sessions.get(id, 2.0).is_none())
                && sessions.close_all(2.0).is_empty()
        );
    }

    #[test]
    fn many_users_with_many_sessions_do_not_end_those_of_others() {
        let sessions = Sessions::default();
        let others = ["ana", "bo"].map(|user| sessions.open(user, "t", TOKEN_END, 0.0).unwrap());
        for user in 0..MAX_SESSIONS / 2 {
            for _ in 0..MAX_SESSIONS_OF_A_USER {
                sessions
                    .open(&format!("user{user}"), "t", TOKEN_END, 0.0)
                    .unwrap();
            }
        }
        assert_eq!(sessions.0.with(|open| open.len()), MAX_SESSIONS);
        assert!(others.iter().all(|id| sessions.get(id, 1.0).is_some()));
    }

    #[test]
    fn the_number_of_sessions_is_limited_and_nobody_ends_those_of_others() {
        let sessions = Sessions::default();
        let other = sessions.open("other", "t", TOKEN_END, 0.0).unwrap();
        let of_ana: Vec<String> = (0..100)
            .map(|_| sessions.open("ana", "t", TOKEN_END, 0.0).unwrap())
            .collect();
        let open = of_ana
            .iter()
            .filter(|id| sessions.get(id, 1.0).is_some())
            .count();
        assert_eq!(open, MAX_SESSIONS_OF_A_USER);
        assert!(
            sessions.get(&of_ana[99], 1.0).is_some() && sessions.get(&of_ana[89], 1.0).is_none()
        );
        assert!(sessions.get(&other, 1.0).is_some());
        for number in 0..2 * MAX_SESSIONS {
            sessions
                .open(&format!("user{number}"), "t", TOKEN_END, 0.0)
                .unwrap();
        }
        assert_eq!(sessions.0.with(|open| open.len()), MAX_SESSIONS);
        sessions
            .open("late", "t", 2.0 * TOKEN_END, TOKEN_END)
            .unwrap();
        assert_eq!(
            sessions.0.with(|open| open.len()),
            1,
            "sessions that ended are removed"
        );
    }
}
