//! Failures of the tool, and the exit code that each one has.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use streamjoin_kernels::JoinError;

use crate::join_error::in_words_of_scenario;

/// What kind of failure ended the run; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// Anything after the first row was read, and any missing or unreadable file: exit code 1.
    Run,
    /// What arguments, scenario and schemas alone show to be wrong: exit code 2.
    Usage,
    /// A measurement is worse than its baseline: exit code 3.
    Regression,
    /// A result is wrong: exit code 4.
    WrongResult,
    /// The measurement does not allow a decision: exit code 5.
    Inconclusive,
    /// A stop was requested (Ctrl-C): exit code 130.
    Interrupted,
    /// The time limit is over: exit code 1.
    TimedOut,
}

impl FailureKind {
    /// The kind whose exit code this is, as another process of this program
    /// reports it; a run failure for any other code.
    pub fn of_exit_code(code: u8) -> Self {
        [Self::Usage, Self::Regression, Self::WrongResult, Self::Inconclusive, Self::Interrupted]
            .into_iter()
            .find(|kind| kind.exit_code() == code)
            .unwrap_or(Self::Run)
    }

    /// Whether the run was stopped on request: what it did until then is right.
    pub fn was_asked_for(self) -> bool {
        matches!(self, Self::Interrupted | Self::TimedOut)
    }

    /// The process exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Run | Self::TimedOut => 1,
            Self::Usage => 2,
            Self::Regression => 3,
            Self::WrongResult => 4,
            Self::Inconclusive => 5,
            Self::Interrupted => 130,
        }
    }
}

/// What a failure says, and the error that it comes from, if there is one.
#[derive(Clone, Debug)]
pub struct Cause {
    message: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl From<String> for Cause {
    fn from(message: String) -> Self {
        Self { message, source: None }
    }
}

impl From<&str> for Cause {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

impl From<&String> for Cause {
    fn from(message: &String) -> Self {
        message.as_str().into()
    }
}

macro_rules! causes {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for Cause {
            fn from(error: $error) -> Self {
                Self { message: error.to_string(), source: Some(Arc::new(error)) }
            }
        }
    )+};
}

causes! {
    arrow::error::ArrowError,
    csv::Error,
    quick_junit::SerializeError,
    rayon::ThreadPoolBuildError,
    serde_json::Error,
    std::io::Error,
    std::string::FromUtf8Error,
    streamjoin_datasets::DatasetError,
    streamjoin_datasets::UnknownFormatName,
    streamjoin_sql::SqlError,
    toml::de::Error,
    toml_edit::TomlError,
}

impl From<JoinError> for Cause {
    fn from(error: JoinError) -> Self {
        Self { message: in_words_of_scenario(&error), source: Some(Arc::new(error)) }
    }
}

/// A failure with its kind, one clear message, and the error that it comes from.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Decides the exit code.
    pub kind: FailureKind,
    /// What went wrong, where, and what to do about it.
    pub message: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, cause: impl Into<Cause>) -> Self {
        let Cause { message, source } = cause.into();
        Self { kind, message, source }
    }

    /// A failure that arguments, scenario or schemas show before the first row.
    pub fn usage(cause: impl Into<Cause>) -> Self {
        Self::new(FailureKind::Usage, cause)
    }

    /// A failure met while reading, joining or writing.
    pub fn run(cause: impl Into<Cause>) -> Self {
        Self::new(FailureKind::Run, cause)
    }

    /// A wrong result.
    pub fn wrong_result(cause: impl Into<Cause>) -> Self {
        Self::new(FailureKind::WrongResult, cause)
    }

    /// The same failure with another message.
    #[must_use]
    pub fn saying(self, message: String) -> Self {
        Self { message, ..self }
    }

    /// The same failure with a hint after its message.
    #[must_use]
    pub fn with_hint(mut self, hint: impl fmt::Display) -> Self {
        self.message = format!("{}; {hint}", self.message);
        self
    }

    /// A stop was requested.
    pub fn interrupted() -> Self {
        Self::new(FailureKind::Interrupted, "interrupted")
    }

    /// The time limit is over.
    pub fn timed_out() -> Self {
        Self::new(FailureKind::TimedOut, "the time limit (--timeout) is over")
    }

    /// What was asked for, when a whole pass was done and only its timing was
    /// being repeated.
    #[must_use]
    pub fn repeating(self) -> Self {
        let asked = if self.kind == FailureKind::TimedOut {
            Self::timed_out()
        } else {
            Self::interrupted()
        };
        let message =
            format!("{asked} while the measurement was repeated; rows and counts are whole");
        asked.saying(message)
    }

    /// The same failure with `place: ` put before its message; what was asked
    /// for happened nowhere in particular.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        if self.kind.was_asked_for() {
            return self;
        }
        self.message = format!("{place}: {}", self.message);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

/// Shorthand for results of this crate.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_the_error_that_it_comes_from() {
        let failure = Failure::run(std::io::Error::other("no disk")).at("a.csv");
        assert_eq!(failure.to_string(), "a.csv: no disk");
        assert!(failure.source().unwrap().is::<std::io::Error>());
        assert!(Failure::usage("no stream").source().is_none());
    }
}
