//! HTTP/2 frames (RFC 9113) as bytes, valid or not, for tests of a service.

/// The first bytes of a client, before its settings.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The types of frames.
pub mod kind {
    /// A part of a body.
    pub const DATA: u8 = 0;
    /// The head of a message.
    pub const HEADERS: u8 = 1;
    /// Dependencies of streams; without effect in current HTTP/2.
    pub const PRIORITY: u8 = 2;
    /// The cancellation of a stream.
    pub const RST_STREAM: u8 = 3;
    /// The settings of a side.
    pub const SETTINGS: u8 = 4;
    /// A ping of the other side.
    pub const PING: u8 = 6;
    /// A larger flow-control window for bodies.
    pub const WINDOW_UPDATE: u8 = 8;
    /// The continuation of a head.
    pub const CONTINUATION: u8 = 9;
}

/// The flag `END_STREAM` of bodies and heads, which equals `ACK` of settings and pings.
pub const END_STREAM: u8 = 1;
/// The flag of a complete head.
pub const END_HEADERS: u8 = 4;
/// The setting of the initial flow-control window of a new stream.
pub const INITIAL_WINDOW_SIZE: u16 = 4;

/// Creates a frame.
#[must_use]
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len())
        .unwrap_or(u32::MAX)
        .to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The preface with these settings.
#[must_use]
pub fn opening(settings: &[(u16, u32)]) -> Vec<u8> {
    let mut payload = Vec::new();
    for (name, value) in settings {
        payload.extend(name.to_be_bytes());
        payload.extend(value.to_be_bytes());
    }
    [PREFACE, &frame(kind::SETTINGS, 0, 0, &payload)].concat()
}

/// Encodes headers without compression (RFC 7541, literals without indexing).
#[must_use]
pub fn literals(headers: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in headers {
        block.push(0);
        for text in [name, value] {
            integer(&mut block, text.len());
            block.extend(text.as_bytes());
        }
    }
    block
}

/// Encodes a header that the other side stores, so that one byte repeats it: the first entry of its
/// table, [`REPEATED`].
#[must_use]
pub fn indexed_header(name: &str, value: &str) -> Vec<u8> {
    let mut block = literals(&[(name, value)]);
    if let Some(first) = block.first_mut() {
        *first = 0x40;
    }
    block
}

/// The byte that repeats the last stored header.
pub const REPEATED: u8 = 0x80 | 62;

/// Encodes a length with a prefix of seven bits.
fn integer(block: &mut Vec<u8>, value: usize) {
    let byte = |value: usize| u8::try_from(value).unwrap_or(u8::MAX);
    if value < 127 {
        return block.push(byte(value));
    }
    block.push(127);
    let mut rest = value - 127;
    while rest >= 128 {
        block.push(byte(rest % 128) | 0x80);
        rest /= 128;
    }
    block.push(byte(rest));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_those_of_the_standard() {
        assert_eq!(
            frame(kind::PING, END_STREAM, 0, &[7; 8]),
            [0, 0, 8, 6, 1, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7]
        );
        let settings = opening(&[(INITIAL_WINDOW_SIZE, 1)]);
        assert_eq!(
            &settings[24..],
            [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1]
        );
    }

    #[test]
    fn lengths_are_those_of_the_standard() {
        // 1337 with a prefix of five bits is the example of RFC 7541 C.1.2; here it has seven.
        let block = literals(&[("a", &"x".repeat(1337))]);
        assert_eq!(&block[..5], [0, 1, b'a', 127, 0x80 | (1210 % 128) as u8]);
        assert_eq!(block[5], 9);
        assert_eq!(indexed_header("a", "b"), [0x40, 1, b'a', 1, b'b']);
    }
}
