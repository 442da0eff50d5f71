//! The operators of the language.

/// What `IS` tests for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Null,
    True,
    False,
}

/// A comparison of two values of the same type.
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

/// Arithmetic on two numbers of the same type (decimals may differ in scale).
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

    /// Whether ANSI mode raises an error for zero on the right.
    pub(crate) fn divides(self) -> bool {
        matches!(self, Self::Divide | Self::IntegerDivide | Self::Remainder)
    }
}
