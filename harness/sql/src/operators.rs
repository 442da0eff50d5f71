//! The operators of the language.

/// What `IS` tests for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Null,
    True,
    False,
}

/// A comparison of two values of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompareOp {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
    /// `<=>`, never null.
    NullSafeEq,
    /// `IS DISTINCT FROM`, never null.
    Distinct,
}

impl CompareOp {
    pub(crate) fn sql(self) -> &'static str {
        match self {
            Self::Eq => "=",
            Self::NotEq => "<>",
            Self::Lt => "<",
            Self::LtEq => "<=",
            Self::Gt => ">",
            Self::GtEq => ">=",
            Self::NullSafeEq => "<=>",
            Self::Distinct => "IS DISTINCT FROM",
        }
    }
}

/// Arithmetic of two numbers of one type (decimals: of two scales).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// `DIV`: the whole part, as BIGINT.
    IntegerDivide,
    Remainder,
}

impl ArithmeticOp {
    pub(crate) fn sql(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::IntegerDivide => "DIV",
            Self::Remainder => "%",
        }
    }

    /// Whether a zero on the right is an error in ANSI mode.
    pub(crate) fn divides(self) -> bool {
        matches!(self, Self::Divide | Self::IntegerDivide | Self::Remainder)
    }
}
