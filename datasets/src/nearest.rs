//! Texts for messages: the nearest known name, a value in short.

/// ` (did you mean `x`?)` for the name nearest to `name`, or nothing.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let wanted = name.to_lowercase();
    known
        .into_iter()
        .map(|k| (strsim::jaro_winkler(&wanted, &k.to_lowercase()), k))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| format!(" (did you mean `{k}`?)"))
        .unwrap_or_default()
}

/// At most 60 characters of a value.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
