//! The policy document of a state as text: one copy in each coding, which all responses share that
//! are sent at the same time (D-128).

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Weak};

use axum::body::Bytes;
use gbac_engine::policy::Policy;
use gbac_json::DocumentJson;
use tokio::sync::OnceCell;

use super::long_read::is_small;
use super::placement::{Work, incomplete, run};
use super::problem::Problem;
use crate::compression::{Compression, GzEncoder};
use crate::lock::Lock;

/// The entity tag of a policy, and whether the copy is in gzip.
type Key = (String, bool);

/// The text, once it is made.
type Text = OnceCell<Vec<u8>>;

/// The copies that responses use; a handle that is cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct PolicyCopies(Arc<Lock<BTreeMap<Key, Weak<Text>>>>);

/// A copy, as long as a response uses it.
struct SharedCopy(Arc<Text>);

impl AsRef<[u8]> for SharedCopy {
    fn as_ref(&self) -> &[u8] {
        self.0.get().map(Vec::as_slice).unwrap_or_default()
    }
}

impl PolicyCopies {
    /// The copy of the policy with this entity tag, which is made if there is none.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) async fn get(
        &self,
        policy: &Arc<Policy>,
        etag: &str,
        in_gzip: bool,
    ) -> Result<Bytes, Problem> {
        let copy = self.0.with(|copies| {
            // As many entries as there are states that responses use.
            copies.retain(|_, copy| copy.strong_count() > 0);
            let key = (etag.to_owned(), in_gzip);
            copies.get(&key).and_then(Weak::upgrade).unwrap_or_else(|| {
                let copy = Arc::default();
                copies.insert(key, Arc::downgrade(&copy));
                copy
            })
        });
        let made = copy.get_or_try_init(async || {
            let policy = Arc::clone(policy);
            let made = run(Work::Other, is_small(&policy), move || {
                text(&policy, in_gzip)
            })
            .await?;
            made.map_err(|_| incomplete())
        });
        made.await?;
        Ok(Bytes::from_owner(SharedCopy(copy)))
    }
}

fn text(policy: &Policy, in_gzip: bool) -> io::Result<Vec<u8>> {
    let document = DocumentJson::in_full(policy);
    if !in_gzip {
        return Ok(serde_json::to_vec(&document)?);
    }
    let mut text = GzEncoder::new(Vec::new(), Compression::fast());
    // Many small writes are slow.
    serde_json::to_writer(io::BufWriter::new(&mut text), &document)?;
    text.flush()?;
    text.finish()
}
