//! Failures of the tool, and the exit code that each one has.

use std::fmt;

/// What kind of failure ended the run; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Anything after the first row was read, and any missing or unreadable file: exit code 1.
    Run,
    /// What can be told from arguments, scenario and schemas alone: exit code 2.
    Usage,
    /// A measurement is worse than its baseline: exit code 3.
    Regression,
    /// A result is wrong: exit code 4.
    WrongResult,
    /// The measurement does not allow a verdict: exit code 5.
    Inconclusive,
    /// Somebody asked to end (Ctrl-C): exit code 130.
    Interrupted,
    /// The time limit is over: exit code 1.
    TimedOut,
}

impl FailureKind {
    /// The kind whose exit code this is, as another process of this program
    /// reports it; a run failure for any other code.
    #[must_use]
    pub fn of_exit_code(code: u8) -> Self {
        [Self::Usage, Self::Regression, Self::WrongResult, Self::Inconclusive, Self::Interrupted]
            .into_iter()
            .find(|kind| kind.exit_code() == code)
            .unwrap_or(Self::Run)
    }

    /// Whether a run ended because it was asked to, not because of what it met:
    /// what it has done by then is right.
    #[must_use]
    pub fn was_asked_for(self) -> bool {
        matches!(self, Self::Interrupted | Self::TimedOut)
    }

    /// The process exit code.
    #[must_use]
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

/// A failure with its kind and one clear message.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Decides the exit code.
    pub kind: FailureKind,
    /// What went wrong, where, and what to do about it.
    pub message: String,
}

impl Failure {
    /// A failure that arguments, scenario or schemas show before the first row.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { kind: FailureKind::Usage, message: message.to_string() }
    }

    /// A failure met while reading, joining or writing.
    pub fn run(message: impl fmt::Display) -> Self {
        Self { kind: FailureKind::Run, message: message.to_string() }
    }

    /// A wrong result.
    pub fn wrong_result(message: impl fmt::Display) -> Self {
        Self { kind: FailureKind::WrongResult, message: message.to_string() }
    }

    /// Somebody asked to end.
    #[must_use]
    pub fn interrupted() -> Self {
        Self { kind: FailureKind::Interrupted, message: "interrupted".to_owned() }
    }

    /// The time limit is over.
    #[must_use]
    pub fn timed_out() -> Self {
        Self {
            kind: FailureKind::TimedOut,
            message: "the time limit (--timeout) is over".to_owned(),
        }
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
        Self { message, ..asked }
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

impl std::error::Error for Failure {}

/// Shorthand for results of this crate.
pub type Result<T, E = Failure> = std::result::Result<T, E>;
