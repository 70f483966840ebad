//! The content of a file of the console: as it is, or compressed when the program was built.

use std::io::Cursor;
use std::sync::OnceLock;

use axum::body::Bytes;

use crate::compression::{Compression, gzip};

/// The content of a file.
pub(crate) struct Content {
    stored: Bytes,
    /// Whether it is stored in brotli.
    in_brotli: bool,
    /// What stored brotli decodes to, once a client needed it.
    decoded: OnceLock<Bytes>,
    /// The content in gzip, once a client needed it.
    in_gzip: OnceLock<Bytes>,
}

/// The coding of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
    Brotli,
}

impl Content {
    /// Bytes as they are.
    pub(super) const fn plain(content: Bytes) -> Self {
        Self {
            stored: content,
            in_brotli: false,
            decoded: OnceLock::new(),
            in_gzip: OnceLock::new(),
        }
    }

    /// Bytes in brotli.
    pub(super) fn brotli(content: &'static [u8]) -> Self {
        Self {
            in_brotli: true,
            ..Self::plain(Bytes::from_static(content))
        }
    }

    /// The bytes that are stored.
    pub(super) fn stored(&self) -> &[u8] {
        &self.stored
    }

    /// Whether it is stored in brotli.
    pub(crate) const fn is_in_brotli(&self) -> bool {
        self.in_brotli
    }

    /// The content in a coding, if nothing needs to be done for it; brotli only if it is stored.
    pub(crate) fn known(&self, coding: Coding) -> Option<Bytes> {
        match coding {
            Coding::Brotli => Some(self.stored.clone()),
            Coding::Gzip => self.in_gzip.get().cloned(),
            Coding::Identity if self.in_brotli => self.decoded.get().cloned(),
            Coding::Identity => Some(self.stored.clone()),
        }
    }

    /// The content in a coding, which is computed once.
    pub(crate) fn coded(&self, coding: Coding) -> Bytes {
        match coding {
            Coding::Gzip => self
                .in_gzip
                .get_or_init(|| gzip(&self.decoded(), Compression::best()).into())
                .clone(),
            Coding::Identity => self.decoded(),
            Coding::Brotli => self.stored.clone(),
        }
    }

    /// The content itself.
    pub(crate) fn decoded(&self) -> Bytes {
        if !self.in_brotli {
            return self.stored.clone();
        }
        let decoded = self.decoded.get_or_init(|| {
            let mut content = Vec::new();
            // The build wrote it, and memory does not fail.
            let read = brotli::BrotliDecompress(&mut Cursor::new(&self.stored), &mut content);
            debug_assert!(read.is_ok(), "{read:?}");
            content.into()
        });
        decoded.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `brotli --stdout` of five letters: an uncompressed block.
    const HELLO: &[u8] = &[0x0b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', 0x03];

    #[test]
    fn brotli_is_decoded_for_clients_that_do_not_read_it() {
        let plain = Content::plain(Bytes::from_static(b"hello"));
        assert_eq!(
            (plain.is_in_brotli(), &plain.decoded()[..]),
            (false, &b"hello"[..])
        );
        let compressed = Content::brotli(HELLO);
        assert_eq!(
            compressed.known(Coding::Identity),
            None,
            "not before a client needs it"
        );
        assert_eq!(
            (
                &compressed.coded(Coding::Brotli)[..],
                &compressed.decoded()[..]
            ),
            (HELLO, &b"hello"[..])
        );
        assert!(compressed.known(Coding::Identity).is_some());
    }

    #[test]
    fn gzip_is_made_once() {
        let content = Content::plain(Bytes::from(vec![b'x'; 10_000]));
        assert_eq!(content.known(Coding::Gzip), None);
        let made = content.coded(Coding::Gzip);
        assert!(made.len() < 100);
        assert_eq!(
            content.known(Coding::Gzip).map(|again| again.as_ptr()),
            Some(made.as_ptr())
        );
        assert_eq!(content.coded(Coding::Gzip).as_ptr(), made.as_ptr());
    }
}
