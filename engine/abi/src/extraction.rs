//! From the claims of a token to its user and groups.

use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::{ClaimSource, ExtractionRule, NestedGroupBehavior, Readability, extract};
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::{ClaimSet, Coded};

use crate::AbiError;
use crate::records::Reader;

/// Reads the rules and the claims, and writes the user, the groups, the warnings, and whether the
/// groups are known.
pub(crate) fn extraction(bytes: &[u8]) -> Result<Vec<u8>, AbiError> {
    let mut reader = Reader::new(bytes);
    let path = ClaimPath::parse(reader.text()?).map_err(|_| AbiError::Path)?;
    let nested = match reader.byte()? {
        0 => NestedGroupBehavior::None,
        1 => NestedGroupBehavior::Suffix,
        _ => return Err(AbiError::Value),
    };
    let mapping = match reader.text()? {
        "" => None,
        text => Some(PrincipalMapping::parse(text).map_err(|_| AbiError::Path)?),
    };
    let claims = ClaimSet::parse(reader.text()?).map_err(|_| AbiError::Claims)?;
    reader.end()?;
    let user = mapping
        .map(|mapping| mapping.apply(&claims))
        .transpose()
        .map_err(|_| AbiError::User)?;
    let found = extract(
        &ExtractionRule {
            source: ClaimSource::Token(path),
            nested,
        },
        &claims,
        None,
    );
    let mut result = Vec::new();
    result.push(u8::from(user.is_some()));
    push_text(&mut result, user.as_deref().unwrap_or_default());
    let groups: Vec<&str> = found.names().collect();
    push_texts(&mut result, groups.into_iter());
    let warnings: Vec<String> = found
        .warnings
        .iter()
        .map(|warning| format!("{}: {}", warning.code.code(), warning.message))
        .collect();
    push_texts(&mut result, warnings.iter().map(String::as_str));
    result.push(match found.readability {
        Readability::Readable => 0,
        Readability::Missing => 1,
        Readability::Unreadable => 2,
    });
    Ok(result)
}

pub(crate) fn push_texts<'t>(result: &mut Vec<u8>, texts: impl ExactSizeIterator<Item = &'t str>) {
    result.extend((texts.len() as u32).to_le_bytes());
    texts.for_each(|text| push_text(result, text));
}

pub(crate) fn push_text(result: &mut Vec<u8>, text: &str) {
    result.extend((text.len() as u32).to_le_bytes());
    result.extend(text.as_bytes());
}
