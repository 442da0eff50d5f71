//! The functions that SQL text may call.
//!
//! To add one, write it in the file of its topic (`text`, `number`, `time`,
//! `hash`) as `fn(&Arguments) -> Result<ArrayRef>`, and add a line to
//! [`FUNCTIONS`]: its name, what its arguments are cast to, the type of its
//! result, and the function. Names, argument counts, casts and error messages
//! follow from that line. Functions that merely rewrite to other expressions,
//! such as `coalesce` or `if`, are in `bind/call.rs`.

mod hash;
mod number;
mod text;
mod time;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{ArrowPrimitiveType, DataType};
use streamjoin_kernels::Result;
use streamjoin_kernels::spark::CastMode;

use crate::value::Value;

/// The type that an argument is cast to before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    /// STRING, from anything.
    Text,
    /// BINARY, from binaries and the bytes of strings.
    Bytes,
    /// INT, from numbers.
    Int,
    /// BIGINT, from numbers.
    Long,
    /// DOUBLE, from numbers and strings.
    Double,
    /// A number, unchanged; a string becomes a double.
    Number,
    /// DATE, from dates, timestamps and strings.
    Date,
    /// TIMESTAMP, from dates, timestamps and strings.
    Timestamp,
    /// The common type of all such arguments.
    Common,
    /// Any value that is not nested.
    Any,
}

/// The type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    Text,
    Boolean,
    Int,
    Long,
    Double,
    Date,
    Timestamp,
    /// The type of the first argument.
    First,
    /// BIGINT, or a decimal without a fraction if the argument is a decimal.
    Whole,
}

type Eval = fn(&Arguments<'_>) -> Result<ArrayRef>;

/// A function of the registry.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) params: &'static [Param],
    /// How many trailing parameters are optional.
    pub(crate) optional: usize,
    /// Whether the last parameter may repeat.
    pub(crate) variadic: bool,
    /// Whether a result may be null although no argument is.
    pub(crate) makes_nulls: bool,
    pub(crate) returns: Returns,
    pub(crate) eval: Eval,
}

const fn f(name: &'static str, params: &'static [Param], returns: Returns, eval: Eval) -> Function {
    Function { name, params, optional: 0, variadic: false, makes_nulls: false, returns, eval }
}

impl Function {
    const fn optional(mut self, optional: usize) -> Self {
        self.optional = optional;
        self
    }

    const fn variadic(mut self) -> Self {
        self.variadic = true;
        self
    }

    const fn makes_nulls(mut self) -> Self {
        self.makes_nulls = true;
        self
    }
}

use Param as P;
use Returns as R;

/// The registry; names are in lower case.
static FUNCTIONS: &[Function] = &[
    // Text.
    f("upper", &[P::Text], R::Text, text::upper),
    f("ucase", &[P::Text], R::Text, text::upper),
    f("lower", &[P::Text], R::Text, text::lower),
    f("lcase", &[P::Text], R::Text, text::lower),
    f("trim", &[P::Text, P::Text], R::Text, text::trim).optional(1),
    f("ltrim", &[P::Text, P::Text], R::Text, text::ltrim).optional(1),
    f("rtrim", &[P::Text, P::Text], R::Text, text::rtrim).optional(1),
    f("length", &[P::Text], R::Int, text::length),
    f("char_length", &[P::Text], R::Int, text::length),
    f("character_length", &[P::Text], R::Int, text::length),
    f("octet_length", &[P::Bytes], R::Int, text::octet_length),
    f("concat", &[P::Text], R::Text, text::concat).variadic(),
    f("substring", &[P::Text, P::Int, P::Int], R::Text, text::substring).optional(1),
    f("substr", &[P::Text, P::Int, P::Int], R::Text, text::substring).optional(1),
    f("left", &[P::Text, P::Int], R::Text, text::left),
    f("right", &[P::Text, P::Int], R::Text, text::right),
    f("replace", &[P::Text, P::Text, P::Text], R::Text, text::replace).optional(1),
    f("reverse", &[P::Text], R::Text, text::reverse),
    f("lpad", &[P::Text, P::Int, P::Text], R::Text, text::lpad).optional(1),
    f("rpad", &[P::Text, P::Int, P::Text], R::Text, text::rpad).optional(1),
    f("startswith", &[P::Text, P::Text], R::Boolean, text::starts_with),
    f("endswith", &[P::Text, P::Text], R::Boolean, text::ends_with),
    f("contains", &[P::Text, P::Text], R::Boolean, text::contains),
    f("instr", &[P::Text, P::Text], R::Int, text::instr),
    f("position", &[P::Text, P::Text], R::Int, text::position),
    // Numbers.
    f("abs", &[P::Number], R::First, number::abs),
    f("floor", &[P::Number], R::Whole, number::floor),
    f("ceil", &[P::Number], R::Whole, number::ceil),
    f("ceiling", &[P::Number], R::Whole, number::ceil),
    f("round", &[P::Number, P::Int], R::First, number::round).optional(1),
    f("sqrt", &[P::Double], R::Double, number::sqrt),
    f("exp", &[P::Double], R::Double, number::exp),
    f("ln", &[P::Double], R::Double, number::ln).makes_nulls(),
    f("power", &[P::Double, P::Double], R::Double, number::power),
    f("pow", &[P::Double, P::Double], R::Double, number::power),
    f("isnan", &[P::Double], R::Boolean, number::is_nan),
    f("greatest", &[P::Common, P::Common], R::First, number::greatest).variadic(),
    f("least", &[P::Common, P::Common], R::First, number::least).variadic(),
    f("xxhash64", &[P::Any], R::Long, hash::xxhash64).variadic(),
    // Dates and times, in UTC.
    f("year", &[P::Date], R::Int, time::year),
    f("quarter", &[P::Date], R::Int, time::quarter),
    f("month", &[P::Date], R::Int, time::month),
    f("day", &[P::Date], R::Int, time::day),
    f("dayofmonth", &[P::Date], R::Int, time::day),
    f("dayofweek", &[P::Date], R::Int, time::day_of_week),
    f("weekday", &[P::Date], R::Int, time::weekday),
    f("dayofyear", &[P::Date], R::Int, time::day_of_year),
    f("hour", &[P::Timestamp], R::Int, time::hour),
    f("minute", &[P::Timestamp], R::Int, time::minute),
    f("second", &[P::Timestamp], R::Int, time::second),
    f("date_trunc", &[P::Text, P::Timestamp], R::Timestamp, time::date_trunc).makes_nulls(),
    f("to_timestamp", &[P::Timestamp, P::Text], R::Timestamp, identity).optional(1),
    f("to_date", &[P::Date, P::Text], R::Date, identity).optional(1),
    f("date_add", &[P::Date, P::Int], R::Date, time::date_add),
    f("date_sub", &[P::Date, P::Int], R::Date, time::date_sub),
    f("datediff", &[P::Date, P::Date], R::Int, time::date_diff),
    f("add_months", &[P::Date, P::Int], R::Date, time::add_months),
    f("last_day", &[P::Date], R::Date, time::last_day),
    f("timestamp_seconds", &[P::Long], R::Timestamp, time::timestamp_seconds),
    f("timestamp_millis", &[P::Long], R::Timestamp, time::timestamp_millis),
    f("timestamp_micros", &[P::Long], R::Timestamp, time::timestamp_micros),
    f("unix_timestamp", &[P::Timestamp], R::Long, time::unix_seconds),
    f("unix_seconds", &[P::Timestamp], R::Long, time::unix_seconds),
    f("unix_millis", &[P::Timestamp], R::Long, time::unix_millis),
    f("unix_micros", &[P::Timestamp], R::Long, time::unix_micros),
    f("unix_date", &[P::Date], R::Int, time::unix_date),
    f("date_from_unix_date", &[P::Int], R::Date, time::date_from_unix_date),
];

/// Functions that read text by a pattern when they have two arguments.
static BY_PATTERN: &[Function] = &[
    f("to_timestamp", &[P::Text, P::Text], R::Timestamp, time::timestamp_by_pattern),
    f("to_date", &[P::Text, P::Text], R::Date, time::date_by_pattern),
];

/// The function with this name that reads text by a pattern.
pub(crate) fn by_pattern(name: &str) -> Option<&'static Function> {
    BY_PATTERN.iter().find(|f| f.name == name)
}

/// The function with this name, in any case.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|f| f.name.eq_ignore_ascii_case(name))
}

/// All names in the registry.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|f| f.name)
}

/// For functions that only cast their argument.
fn identity(arguments: &Arguments<'_>) -> Result<ArrayRef> {
    arguments.values[0].clone().into_array(arguments.rows)
}

/// The arguments of one call, each of them a column or one value for all rows.
pub(crate) struct Arguments<'a> {
    pub(crate) values: &'a [Value],
    pub(crate) rows: usize,
    pub(crate) mode: CastMode,
    pub(crate) result: &'a DataType,
}

impl<'a> Arguments<'a> {
    /// The strings of an argument; null if it is omitted.
    fn text(&self, index: usize) -> impl Fn(usize) -> Option<&'a str> + use<'a> {
        let value = self.values.get(index);
        let strings = value.and_then(|v| v.array().as_string_opt::<i32>());
        move |row| {
            let (value, strings) = (value?, strings?);
            let row = value.row(row);
            strings.is_valid(row).then(|| strings.value(row))
        }
    }

    /// The values of an argument of a primitive type; null if it is omitted.
    fn primitive<T: ArrowPrimitiveType>(
        &self,
        index: usize,
    ) -> impl Fn(usize) -> Option<T::Native> + use<'a, T> {
        let value = self.values.get(index);
        let numbers = value.and_then(|v| v.array().as_primitive_opt::<T>());
        move |row| {
            let (value, numbers) = (value?, numbers?);
            let row = value.row(row);
            numbers.is_valid(row).then(|| numbers.value(row))
        }
    }

    fn has(&self, index: usize) -> bool {
        index < self.values.len()
    }
}
