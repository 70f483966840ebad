//! Buffers that the host writes to. A call can only name bytes of an existing buffer.

use crate::AbiError;

/// The maximum size of a buffer. Hosts send records in chunks, because the memory of a module never
/// shrinks.
const MAX_BYTES: usize = 16 << 20;
/// The maximum number of buffers at a time.
const MAX_BUFFERS: usize = 64;

/// A few buffers.
#[derive(Debug, Default)]
pub(crate) struct Buffers(Vec<Vec<u8>>);

impl Buffers {
    /// Allocates a buffer of zeros and returns its address.
    pub(crate) fn alloc(&mut self, len: usize) -> Result<usize, AbiError> {
        if len == 0 || len > MAX_BYTES || self.0.len() == MAX_BUFFERS {
            return Err(AbiError::Limit);
        }
        let mut bytes: Vec<u8> = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| AbiError::Limit)?;
        bytes.resize(len, 0);
        let address = bytes.as_ptr() as usize;
        self.0.push(bytes);
        Ok(address)
    }

    /// Frees a buffer.
    pub(crate) fn free(&mut self, address: usize, len: usize) -> Result<(), AbiError> {
        let is = |bytes: &Vec<u8>| bytes.as_ptr() as usize == address && bytes.len() == len;
        let index = self.0.iter().position(is).ok_or(AbiError::Address)?;
        self.0.swap_remove(index);
        Ok(())
    }

    /// The bytes at an address, which must be in one buffer.
    pub(crate) fn bytes<'b>(&'b self, address: usize, len: usize) -> Result<&'b [u8], AbiError> {
        let of_buffer = |bytes: &'b Vec<u8>| {
            let from = address.checked_sub(bytes.as_ptr() as usize)?;
            bytes.get(from..from.checked_add(len)?)
        };
        self.0.iter().find_map(of_buffer).ok_or(AbiError::Address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_of_a_buffer_are_read() {
        let mut buffers = Buffers::default();
        let address = buffers.alloc(8).unwrap();
        assert_eq!(buffers.bytes(address, 8), Ok(&[0; 8][..]));
        assert_eq!(buffers.bytes(address + 3, 5).map(<[u8]>::len), Ok(5));
        assert_eq!(buffers.bytes(address + 8, 0), Ok(&[][..]));
        for (address, len) in [
            (address, 9),
            (address + 9, 0),
            (address - 1, 1),
            (0, 0),
            (address, usize::MAX),
            (usize::MAX, 1),
        ] {
            assert_eq!(buffers.bytes(address, len), Err(AbiError::Address), "{len}");
        }
        assert_eq!(buffers.free(address, 7), Err(AbiError::Address));
        assert_eq!(buffers.free(address + 1, 7), Err(AbiError::Address));
        assert_eq!(buffers.free(address, 8), Ok(()));
        assert_eq!(buffers.free(address, 8), Err(AbiError::Address));
        for len in [0, MAX_BYTES + 1, usize::MAX] {
            assert_eq!(buffers.alloc(len), Err(AbiError::Limit));
        }
        for _ in 0..MAX_BUFFERS {
            buffers.alloc(1).unwrap();
        }
        assert_eq!(buffers.alloc(1), Err(AbiError::Limit));
    }
}
