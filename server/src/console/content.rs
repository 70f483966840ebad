//! The content of a file of the console: as it is, or compressed when the program was built.

use std::io::Cursor;
use std::sync::OnceLock;

use axum::body::Bytes;

/// The content of a file.
pub(crate) struct Content {
    stored: Bytes,
    /// For stored brotli: what it decodes to, once a client needed it.
    decoded: Option<OnceLock<Bytes>>,
}

impl Content {
    /// Bytes as they are.
    pub(super) const fn plain(content: Bytes) -> Self {
        Self { stored: content, decoded: None }
    }

    /// Bytes in brotli.
    pub(super) const fn brotli(content: &'static [u8]) -> Self {
        Self { stored: Bytes::from_static(content), decoded: Some(OnceLock::new()) }
    }

    /// The bytes that are stored.
    pub(super) fn stored(&self) -> &[u8] {
        &self.stored
    }

    /// The stored brotli, if the content is stored in it.
    pub(crate) fn as_brotli(&self) -> Option<Bytes> {
        self.decoded.is_some().then(|| self.stored.clone())
    }

    /// The content itself.
    pub(crate) fn decoded(&self) -> Bytes {
        let Some(decoded) = &self.decoded else { return self.stored.clone() };
        let decode = || {
            let mut content = Vec::new();
            // The build wrote it, and memory does not fail.
            let read = brotli::BrotliDecompress(&mut Cursor::new(&self.stored), &mut content);
            debug_assert!(read.is_ok(), "{read:?}");
            content.into()
        };
        decoded.get_or_init(decode).clone()
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
        assert_eq!((plain.as_brotli(), &plain.decoded()[..]), (None, &b"hello"[..]));
        let compressed = Content::brotli(HELLO);
        assert_eq!((compressed.as_brotli().as_deref(), &compressed.decoded()[..]), (Some(HELLO), &b"hello"[..]));
    }
}
