//! The table of types in SCENARIOS.md, which the matrix writes.

use std::cmp::Reverse;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::roles::ROLES;
use crate::types::Named;

const BEGIN: &str =
    "<!-- types: begin (written by `STREAMJOIN_BLESS=1 cargo test --workspace --test types`) -->\n";
const END: &str = "<!-- types: end -->\n";

/// A refusal says which column, and what to do.
pub(crate) fn check_refusal(refusal: &str) -> Result<(), String> {
    let named = ["x0", "y0"].iter().any(|column| refusal.contains(column));
    let remedies = ["cast", "select", "leave", "write", "compare"];
    let lower = refusal.to_lowercase();
    let remedy = remedies.iter().any(|word| lower.contains(word));
    if named && remedy { Ok(()) } else { Err(format!("no column or no remedy in: {refusal}")) }
}

/// Names of types, a few of them, with one for all index types of dictionaries.
fn listed(names: &[&str]) -> String {
    const FEW: usize = 4;
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        let bits = [8, 16, 32, 64];
        let any_index = bits.iter().fold((*name).to_owned(), |name, bits| {
            name.replace(&format!("Dictionary(UInt{bits}, "), "Dictionary(")
                .replace(&format!("Dictionary(Int{bits}, "), "Dictionary(")
        });
        let name = format!("`{}`", any_index.replace("\"run_ends\": non-null ", ""));
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    let more = distinct.len().saturating_sub(FEW);
    distinct.truncate(FEW);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    distinct.join(", ") + &more
}

/// One line per family, and one per way that others of it fare.
fn table(types: &[Named], cells: &[Vec<&str>]) -> String {
    let mut text = String::from("| type |");
    for role in ROLES {
        let _ = write!(text, " {} |", role.caption);
    }
    text.push_str("\n| --- |");
    text.push_str(&" --- |".repeat(ROLES.len()));
    text.push('\n');
    let mut families: Vec<&str> = Vec::new();
    for of in types {
        if !families.contains(&of.family.as_str()) {
            families.push(&of.family);
        }
    }
    for family in families {
        let mut ways: Vec<(&Vec<&str>, Vec<&str>)> = Vec::new();
        for (of, cells) in types.iter().zip(cells).filter(|(of, _)| of.family == family) {
            match ways.iter_mut().find(|(known, _)| *known == cells) {
                Some((_, names)) => names.push(&of.name),
                None => ways.push((cells, vec![&of.name])),
            }
        }
        // The rule first, then what is an exception from it.
        ways.sort_by_key(|(_, names)| Reverse(names.len()));
        for (at, (cells, names)) in ways.iter().enumerate() {
            let caption = match at {
                0 if ways.len() == 1 => family.to_owned(),
                0 => format!("{family}, except:"),
                _ => format!("— {}", listed(names)),
            };
            let _ = write!(text, "| {caption} |");
            for cell in *cells {
                let _ = write!(text, " {cell} |");
            }
            text.push('\n');
        }
    }
    text
}

/// Compares the table on the page with what was found.
pub(crate) fn compare(types: &[Named], cells: &[Vec<&str>]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("SCENARIOS.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has the table's begin");
    let (old, after) = rest.split_once(END).expect("the page has the table's end");
    let new = table(types, cells);
    if old == new {
        return;
    }
    if std::env::var_os("STREAMJOIN_BLESS").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{new}{END}{after}")).unwrap();
        return;
    }
    panic!("SCENARIOS.md says otherwise; if this is intended: STREAMJOIN_BLESS=1\n{new}");
}
