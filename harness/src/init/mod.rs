//! A first scenario for a user's own files: which is the stream, what joins
//! them, when rows happened, with the evidence for each guess.
//!
//! Guesses are made from names, types and the values that were read; a key
//! counts by how many rows find it on the other side. The text that comes out
//! runs as it is, and its comments hold the evidence and the alternatives.

mod column;
mod disorder;
mod interval;
mod link;
mod names;
mod outlier;
mod profile;
mod roles;
mod round_length;
mod sentences;
mod time;
mod write;

use std::path::{Path, PathBuf};

use crate::error::{Failure, Result};
use crate::plan::plan;
use crate::scenario::{SourceText, name_of_path, parse};
use interval::Apart;
use profile::Profile;
use roles::Roles;

/// What to look at, and where the scenario will be.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Files, folders or globs.
    pub paths: &'a [String],
    /// How many of them, the first ones, are streams; guessed if not said.
    pub streams: Option<usize>,
    /// Rows of each to look at, at most.
    pub limit: u64,
    /// The scenario's own path, from whose folder its paths start.
    pub scenario: &'a Path,
}

/// A scenario and what it was made from.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The TOML text.
    pub text: String,
    /// What was found, one line each.
    pub findings: Vec<String>,
    /// What a reader should see to before trusting the scenario.
    pub doubts: Vec<String>,
    /// Whether two streams are joined.
    pub two_streams: bool,
}

/// What was found in the files.
#[derive(Debug)]
struct Found {
    profiles: Vec<Profile>,
    roles: Roles,
    /// How far apart the rows of two streams are.
    apart: Option<Apart>,
}

/// Looks at files and proposes a scenario that joins them.
///
/// # Errors
/// A run failure for files that cannot be read or have no rows, a usage failure
/// if nothing joins them.
pub fn propose(question: &Question<'_>) -> Result<Proposal> {
    let mut profiles: Vec<Profile> = Vec::new();
    for path in question.paths {
        let name = free_name(name_of_path(path), &profiles);
        profiles.push(Profile::read(path, name, question.limit)?);
    }
    let roles = roles::assign(&profiles, question.streams)?;
    let apart = match (roles.streams.as_slice(), roles.between.first()) {
        ([left, right], Some(link)) => Apart::measure(&profiles[*left], &profiles[*right], link),
        _ => None,
    };
    let found = Found { profiles, roles, apart };
    let paths: Vec<String> = found
        .profiles
        .iter()
        .map(|profile| path_from(question.scenario, &profile.argument))
        .collect::<Result<_>>()?;
    let path = |profile: &Profile| {
        let at = found.profiles.iter().position(|known| known.name == profile.name);
        at.map_or_else(|| profile.argument.clone(), |at| paths[at].clone())
    };
    let text = write::scenario(&found, &path);
    works(question.scenario, &text)?;
    let (findings, doubts) = told(&found);
    Ok(Proposal { text, findings, doubts, two_streams: found.roles.streams.len() == 2 })
}

/// A guess that does not even bind is reported, not written.
fn works(path: &Path, text: &str) -> Result<()> {
    let scenario = parse(SourceText::new(path, text), "init")?;
    plan(&scenario, None).map(drop).map_err(|failure| {
        let message = format!("what was guessed does not work ({failure}); write the scenario by hand, or use run --stream, --table and --on");
        failure.saying(message)
    })
}

/// The name, or one like it that no other file has.
fn free_name(name: String, taken: &[Profile]) -> String {
    let is_free = |name: &str| !taken.iter().any(|known| known.name.eq_ignore_ascii_case(name));
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| is_free(name)).unwrap_or(name)
}

/// `path`, which starts at this folder, as the scenario at `scenario` has to
/// say it.
fn path_from(scenario: &Path, path: &str) -> Result<String> {
    let folder = match scenario.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && folder != Path::new(".") => folder,
        _ => return Ok(path.to_owned()),
    };
    let absolute = |path: &Path| std::path::absolute(path).map_err(Failure::run);
    let (folder, whole) = (absolute(folder)?, absolute(Path::new(path))?);
    let relative: PathBuf = whole.strip_prefix(&folder).map(Path::to_owned).unwrap_or(whole);
    relative.into_os_string().into_string().map_err(|path| {
        Failure::usage(format!(
            "{} is not UTF-8, which a scenario has to be: rename it",
            path.to_string_lossy()
        ))
    })
}

/// Whether rows come nearly as they happened, and tell of that.
fn may_be_a_stream(profile: &Profile) -> bool {
    profile.time().is_some_and(|time| {
        time.disorder.is_ordered() && !time::is_of_an_entity(&time.guess.spec.column)
    })
}

/// What is said of the files and of what joins them.
fn told(found: &Found) -> (Vec<String>, Vec<String>) {
    let Found { profiles, roles, apart } = found;
    let (mut lines, mut doubts) = (Vec::new(), Vec::new());
    for profile in profiles {
        if let Some(time) = profile.time() {
            let of_file = sentences::outliers(profile, time);
            doubts.extend(of_file.into_iter().map(|found| format!("`{}`: {found}", profile.name)));
        }
        let time = match profile.time() {
            Some(time) => format!(
                "; event time `{}`, {}, {}",
                time.guess.spec.column,
                time.guess.why,
                sentences::order(&time.disorder)
            ),
            None => String::new(),
        };
        lines.push(format!("{}{time}", sentences::contents(profile)));
    }
    let name = |at: usize| profiles[at].name.as_str();
    if let ([left, right], Some(link)) = (roles.streams.as_slice(), roles.between.first()) {
        let (from, to) = (&profiles[*left], &profiles[*right]);
        lines.push(format!(
            "streams `{}` and `{}`: {}",
            name(*left),
            name(*right),
            write::condition(from, to, link)
        ));
        lines.push(format!("  {}", sentences::evidence(from, to, link)));
        match apart {
            Some(apart) => lines.push(format!("  {}", sentences::distances(from, to, apart))),
            None => doubts
                .push("no bound on the event times was found: the state only grows".to_owned()),
        }
    } else {
        lines.push(format!("stream `{}`", name(roles.streams[0])));
    }
    for joined in &roles.tables {
        let Some(link) = joined.links.first() else { continue };
        let (from, to) = (&profiles[joined.from], &profiles[joined.table]);
        lines.push(format!("table `{}`: {}", name(joined.table), write::condition(from, to, link)));
        lines.push(format!("  {}", sentences::evidence(from, to, link)));
        let of_table = sentences::warnings(from, to, link);
        doubts.extend(of_table.into_iter().map(|doubt| format!("table `{}`: {doubt}", to.name)));
    }
    if let [stream] = roles.streams.as_slice()
        && let Some(table) =
            roles.tables.iter().find(|joined| may_be_a_stream(&profiles[joined.table]))
        && profiles[*stream].time().is_some()
    {
        doubts.push(format!(
            "`{}` has event times too: --streams makes a join of two streams of the first two files",
            name(table.table)
        ));
    }
    (lines, doubts)
}
