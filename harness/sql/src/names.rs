//! Compares, quotes and suggests names.

/// Whether two names are equal, ignoring case.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
        || (!(a.is_ascii() && b.is_ascii()) && a.to_lowercase() == b.to_lowercase())
}

/// The name, in back-ticks unless it is a plain identifier.
pub(crate) fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

/// `; did you mean ...?` with the nearest of `known`, or all of a short list.
pub(crate) fn hint(name: &str, known: &[&str]) -> String {
    let wanted = name.to_lowercase();
    let nearest = known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(&wanted, &k.to_lowercase()), *k))
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((distance, near)) if distance <= 1 + name.chars().count() / 4 => {
            format!("; did you mean `{near}`?")
        }
        Some(_) if known.len() <= 20 => format!("; known: {}", known.join(", ")),
        _ => String::new(),
    }
}

/// At most `most` characters of a text, for messages.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
