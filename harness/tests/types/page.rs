//! The table of types in SCENARIOS.md, which the matrix writes.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::roles::ROLES;
use crate::types::Named;

const BEGIN: &str = "<!-- types: begin (written by `STREAMJOIN_BLESS=1 cargo test -p streamjoin --test types`) -->\n";
const END: &str = "<!-- types: end -->\n";

/// A refusal says which column, and what to do.
pub(crate) fn check_refusal(refusal: &str) -> Result<(), String> {
    let named = ["x0", "y0"].iter().any(|column| refusal.contains(column));
    let remedies = ["cast", "select", "leave", "write", "compare"];
    let lower = refusal.to_lowercase();
    let remedy = remedies.iter().any(|word| lower.contains(word));
    if named && remedy { Ok(()) } else { Err(format!("no column or no remedy in: {refusal}")) }
}

/// One line per family whose types fare alike, else one per way that they fare.
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
        let several = ways.len() > 1;
        for (cells, names) in ways {
            let caption = match several {
                false => family.to_owned(),
                true => {
                    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                    format!("{family}: {}", names.join(", "))
                }
            };
            let _ = write!(text, "| {caption} |");
            for cell in cells {
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
