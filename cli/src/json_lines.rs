//! The line of a value in a JSON document, by its JSON Pointer.

/// The line, from 1, on which the value of a pointer begins; `None` if the text is not JSON or has
/// no such value.
pub(crate) fn line_of(text: &str, pointer: &str) -> Option<usize> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
    };
    for part in pointer.split('/').skip(1) {
        scan.enter(&part.replace("~1", "/").replace("~0", "~"))?;
    }
    scan.blanks();
    scan.peek()?;
    Some(
        1 + scan
            .bytes
            .get(..scan.at)?
            .iter()
            .filter(|byte| **byte == b'\n')
            .count(),
    )
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Passes a byte, if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Moves to a member of an object, or to an element of an array.
    fn enter(&mut self, part: &str) -> Option<()> {
        if self.take(b'{') {
            while !self.take(b'}') {
                self.blanks();
                let name: String = serde_json::from_slice(self.string()?).ok()?;
                if !self.take(b':') {
                    return None;
                }
                if name == part {
                    return Some(());
                }
                self.value()?;
                self.take(b',');
            }
            return None;
        }
        let place: usize = part.parse().ok()?;
        if !self.take(b'[') {
            return None;
        }
        for _ in 0..place {
            self.value()?;
            if !self.take(b',') {
                return None;
            }
        }
        Some(())
    }

    /// Passes a string, quotes included.
    fn string(&mut self) -> Option<&[u8]> {
        let start = self.at;
        if !self.take(b'"') {
            return None;
        }
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.bytes.get(start..self.at)
    }

    /// Passes a value.
    fn value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            self.blanks();
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => self.at += 1,
                _ => {
                    let start = self.at;
                    while self
                        .peek()
                        .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
                    {
                        self.at += 1;
                    }
                    if self.at == start {
                        return None;
                    }
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_each_value_is_found() {
        let text =
            "{\n \"a~/\": [1, {\"x\": \"}\\\"\"},\n  [[2],\n 3]],\n \"b\": {\"c\":\n true}\n}";
        for (pointer, line) in [
            ("", Some(1)),
            ("/a~0~1", Some(2)),
            ("/a~0~1/1/x", Some(2)),
            ("/a~0~1/2", Some(3)),
            ("/a~0~1/2/1", Some(4)),
            ("/b/c", Some(6)),
            ("/b/d", None),
            ("/a~0~1/9", None),
            ("/b/c/d", None),
        ] {
            assert_eq!(line_of(text, pointer), line, "{pointer}");
        }
        for broken in ["", "{", "[1", "{\"a\"}", "a: 1", "{\"b\": ?}"] {
            assert_eq!(line_of(broken, "/a"), None, "{broken}");
        }
    }
}
