//! Reads the files that properties name.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{KafkaError, said};

/// The text of a file that the property `key` names.
pub(crate) fn read(key: &'static str, path: &Path, limit: usize) -> Result<String, KafkaError> {
    let failed = |reason: String| KafkaError::File {
        key,
        path: said(&path.display().to_string()),
        reason,
    };
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let metadata = file.metadata().map_err(|error| failed(error.to_string()))?;
    if metadata.is_dir() {
        return Err(failed("it is a folder".into()));
    }
    let mut bytes = Vec::new();
    let read = file.take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(error.to_string()))?;
    if bytes.len() > limit {
        return Err(failed(format!("it is longer than {limit} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| failed("it is not a text".into()))
}
