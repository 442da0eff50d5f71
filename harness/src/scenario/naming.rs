//! Names of streams and tables after the files that they are read from.

use std::path::Path;

/// Endings of compressed files, which stand behind the format's own.
const COMPRESSED: [&str; 4] = [".gz", ".zst", ".bz2", ".xz"];

/// A name for what `path` holds: the file's, else the nearest folder's that is
/// no pattern and no `key=value`; letters, digits and `_` only.
pub fn name_of_path(path: &str) -> String {
    let whole = Path::new(path);
    let tells = |part: &str| !part.contains(['*', '?', '[', '=']) && part != "." && part != "..";
    let parts: Vec<String> =
        whole.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let last = parts.iter().rev().find(|part| tells(part) && part.as_str() != "/");
    let last = last.map_or("data", String::as_str);
    let plain = COMPRESSED.iter().find_map(|ending| last.strip_suffix(ending)).unwrap_or(last);
    let stem = match plain.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() && !whole.is_dir() => stem,
        _ => plain,
    };
    let mut name = String::new();
    for c in stem.chars() {
        match c.is_alphanumeric() {
            true => name.push(c),
            false if !name.ends_with('_') => name.push('_'),
            false => {}
        }
    }
    let trimmed = name.trim_end_matches('_');
    if trimmed.trim_matches('_').is_empty() { "data".to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_give_names() {
        for (path, name) in [
            ("orders.csv", "orders"),
            ("a/orders.csv.gz", "orders"),
            ("a/dt=1/x.csv", "x"),
            ("clicks/*.parquet", "clicks"),
            ("data/clicks/dt=2024-*/part-*.parquet", "clicks"),
            ("My Clicks (2).parquet", "My_Clicks_2"),
            ("größe.v2.json", "größe_v2"),
            ("*.csv", "data"),
            ("../x/", "x"),
            ("/", "data"),
            ("--.csv", "data"),
            ("_hidden.csv", "_hidden"),
            (".csv", "_csv"),
        ] {
            assert_eq!(name_of_path(path), name, "{path}");
        }
    }
}
