//! All types in all roles.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::page;
use crate::roles::{Case, Found, ROLES, Role, SHAPE};
use crate::types::{Named, all};

/// Types that are tried in one job.
const TOGETHER: usize = 40;

/// What became of each of the types in a role, and what went wrong.
fn of_role(role: &Role, types: &[Named], folder: &Path) -> Vec<Result<Found, String>> {
    let each = if role.together { TOGETHER } else { 1 };
    let run = |types: &[Named]| {
        let case = Case { types, folder, shape: SHAPE };
        catch_unwind(AssertUnwindSafe(|| (role.run)(&case))).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()))
                .unwrap_or_default()
        })
    };
    let of_some = |some: &[Named]| match run(some) {
        Ok(Found::Right) => some.iter().map(|_| Ok(Found::Right)).collect(),
        other if some.len() == 1 => vec![other],
        // Some of them are refused, or wrong: each on its own.
        _ => some.chunks(1).map(run).collect::<Vec<_>>(),
    };
    types.chunks(each).flat_map(of_some).collect()
}

#[test]
fn every_type_in_every_role_comes_out_right_or_is_refused_before_the_first_row() {
    let folder = tempfile::tempdir().unwrap();
    let types = all();
    let mut cells: Vec<Vec<&str>> = vec![Vec::new(); types.len()];
    let mut wrong = Vec::new();
    for role in ROLES {
        let found = of_role(role, &types, folder.path());
        assert_eq!(found.len(), types.len());
        for ((cells, found), of) in cells.iter_mut().zip(found).zip(&types) {
            let checked = found.and_then(|found| match found {
                Found::Right => Ok("yes"),
                Found::NoFile => Ok("-"),
                Found::AsText => Ok("as text"),
                Found::Refused(refusal) => page::check_refusal(&refusal).map(|()| "no"),
            });
            cells.push(checked.unwrap_or_else(|message| {
                wrong.push(format!("{}, {}: {message}", of.name, role.caption));
                "wrong"
            }));
        }
    }
    assert!(wrong.is_empty(), "{} of them are wrong:\n{}", wrong.len(), wrong.join("\n"));
    page::compare(&types, &cells);
}
