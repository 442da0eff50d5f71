//! A scenario's text, and places in it.

use std::fmt;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// What stands for the file of a scenario that was made from flags.
const FLAGS: &str = "(arguments)";

/// A scenario's text with the path that it was read from.
#[derive(Clone, Debug)]
pub struct SourceText {
    path: PathBuf,
    text: String,
    edited: bool,
}

impl SourceText {
    /// Text that was read from `path`.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), edited: false }
    }

    /// Text that was made from flags: a line that comes from one ends in a comment
    /// that names it, which is then the place of what stands in that line.
    pub fn of_flags(text: impl Into<String>) -> Self {
        Self::new(FLAGS, text)
    }

    /// Whether the text was made from flags.
    pub fn is_of_flags(&self) -> bool {
        self.path == Path::new(FLAGS)
    }

    /// The text is not what the file says: something was set in it.
    #[must_use]
    pub fn edited(self) -> Self {
        Self { edited: true, ..self }
    }

    /// Whether something was set in the text since it was read.
    pub fn is_edited(&self) -> bool {
        self.edited
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// `file:line:column` of a byte range, counted from 1, columns in characters; the flag
    /// that the line comes from, if the text was made from flags.
    pub fn place(&self, span: Range<usize>) -> String {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let flag = || {
            let line = self.text.lines().nth(before.matches('\n').count())?;
            line.rsplit_once(" # ").filter(|(_, flag)| flag.starts_with("--"))
        };
        if self.is_of_flags()
            && let Some((_, flag)) = flag()
        {
            return flag.to_owned();
        }
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        format!("{self}:{line}:{column}")
    }

    /// A path of the scenario: relative ones start at the scenario's folder.
    pub fn resolve(&self, path: &str) -> PathBuf {
        let path = Path::new(path);
        match self.path.parent() {
            Some(folder) if path.is_relative() => tidy(&folder.join(path)),
            _ => path.to_owned(),
        }
    }
}

/// The path without `folder/..`, for messages; a link is left as it is, since
/// its `..` leads elsewhere.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for part in path.components() {
        let back = part == Component::ParentDir
            && matches!(tidied.components().next_back(), Some(Component::Normal(_)))
            && !tidied.is_symlink();
        if back {
            tidied.pop();
        } else {
            tidied.push(part);
        }
    }
    tidied
}

impl fmt::Display for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.edited { f.write_str(" (with --set)") } else { Ok(()) }
    }
}
