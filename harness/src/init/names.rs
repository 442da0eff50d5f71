//! What the names of columns and files say about each other.

/// Names that say nothing of what they identify: two of them are alike by accident.
const GENERIC: [&str; 14] = [
    "id", "key", "pk", "uuid", "guid", "index", "idx", "no", "nr", "num", "code", "name", "value",
    "type",
];

/// Words that make a column a key by name.
const KEY_WORDS: [&str; 9] = ["id", "key", "pk", "fk", "uuid", "guid", "code", "no", "nr"];

/// The words of a name, in lower case: `srcUserID` is src, user, id.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let hump = c.is_uppercase()
            && (before.is_some_and(|b| b.is_lowercase() || b.is_numeric())
                || before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|a| a.is_lowercase()));
        if (hump || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether a name says that the column identifies something.
pub(super) fn is_key_like(name: &str) -> bool {
    words(name).last().is_some_and(|last| KEY_WORDS.contains(&last.as_str()))
}

/// From 0 to 1: how much the name of column `left` of `left_file` looks like that
/// of column `right` of `right_file`.
pub(super) fn similarity(left: &str, left_file: &str, right: &str, right_file: &str) -> f64 {
    let (l, r) = (words(left), words(right));
    if l.is_empty() || r.is_empty() {
        return 0.0;
    }
    let generic = |words: &[String]| matches!(words, [one] if GENERIC.contains(&one.as_str()));
    if l == r {
        return if generic(&l) { 0.3 } else { 1.0 };
    }
    // `user_id` with `id` of users, `customer` with `id` of customers.
    let of_file = |column: &[String], file: &str, generic_column: &[String]| {
        let file = words(file);
        generic(generic_column)
            && file.last().is_some_and(|last| {
                let stem = singular(last);
                column.iter().any(|word| singular(word) == stem)
                    && (column.len() == 1 || ends_as_key(column))
            })
    };
    if of_file(&l, right_file, &r) || of_file(&r, left_file, &l) {
        return 0.95;
    }
    if l.concat() == r.concat() {
        return 0.95;
    }
    // `customer` with `customer_id`.
    if without_key_word(&l) == without_key_word(&r) && !generic(&l) && !generic(&r) {
        return 0.85;
    }
    // `src_user_id` with `user_id`; `origin_airport` with `airport`.
    let (short, long) = if l.len() < r.len() { (&l, &r) } else { (&r, &l) };
    if !generic(short) && long.ends_with(short) {
        return 0.7;
    }
    if !generic(short) && long.starts_with(short) {
        return 0.55;
    }
    0.0
}

fn ends_as_key(words: &[String]) -> bool {
    words.last().is_some_and(|last| KEY_WORDS.contains(&last.as_str()))
}

fn without_key_word(words: &[String]) -> Vec<&str> {
    let kept = words.iter().map(|word| singular(word));
    let kept: Vec<&str> = kept.filter(|word| !KEY_WORDS.contains(word)).collect();
    kept
}

/// `users` as `user`, `categories` is left as it is.
fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with(['s', 'u']) => stem,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        assert_eq!(words("srcUserID"), ["src", "user", "id"]);
        assert_eq!(words("HTTPStatus_code"), ["http", "status", "code"]);
        assert_eq!(words("größe in cm"), ["größe", "in", "cm"]);
        assert_eq!(words("--"), [""; 0]);
    }

    #[test]
    fn keys_are_told_by_their_names() {
        let alike = |l, r| similarity(l, "clicks", r, "users");
        assert_eq!(alike("user_id", "USER_ID"), 1.0);
        assert_eq!(alike("userId", "user_id"), 1.0);
        assert_eq!(alike("user_id", "id"), 0.95);
        assert_eq!(alike("user", "id"), 0.95);
        assert_eq!(alike("userid", "user_id"), 0.95);
        assert_eq!(alike("country", "country_code"), 0.85);
        assert_eq!(alike("src_user_id", "user_id"), 0.7);
        // Both have a number of their own, which means nothing to the other.
        assert!(alike("id", "id") < 0.5);
        assert_eq!(alike("order_id", "id"), 0.0);
        assert_eq!(alike("price", "name"), 0.0);
        // The other way round too.
        assert_eq!(similarity("id", "users", "user_id", "clicks"), 0.95);
    }
}
