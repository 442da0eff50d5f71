//! The functions that SQL text may call.
//!
//! To add one, write it in the file of its topic (`text`, `number`, `time`,
//! `hash`) as `fn(&Arguments) -> Result<ArrayRef>`, and add a line to
//! [`FUNCTIONS`]: its name, what its arguments are cast to, the type of its
//! result, and the function. Names, argument counts, casts and error messages
//! follow from that line. Where the types of the arguments depend on each other, or
//! literals can be checked before the first row, the line names a function for that
//! too ([`Function::types`], [`Function::check`]). Functions that merely rewrite to
//! other expressions, such as `coalesce` or `if`, are in `bind/call.rs`.

mod arguments;
mod array;
mod digest;
mod encoding;
mod hash;
mod json;
mod make_time;
mod murmur3;
mod number;
mod regex;
mod text;
mod time;
mod time_text;
mod time_units;
mod zone;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Int32Type};
use streamjoin_kernels::Result;

pub(crate) use arguments::Arguments;
use arguments::strings;

/// The type that an argument is cast to before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    /// STRING, from anything.
    Text,
    /// BINARY, from binaries and the bytes of strings; other values as text.
    Bytes,
    /// BINARY, from binaries and the bytes of strings.
    Binary,
    /// INT, from numbers and strings.
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
    /// As [`Param::Common`]; nested values, and text with anything else, are refused.
    Ordered,
    /// As [`Function::types`] says.
    Any,
}

/// The type of the result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Returns {
    Text,
    Binary,
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
    /// A type that depends on those of the arguments, after their casts.
    By(fn(&[&DataType]) -> DataType),
}

/// What binding knows of an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    pub(crate) data_type: &'a DataType,
    /// One row, if it is a literal.
    pub(crate) literal: Option<&'a ArrayRef>,
}

impl<'a> Given<'a> {
    /// The text of a literal of type STRING that is not null.
    fn text(&self) -> Option<&'a str> {
        let text = self.literal?.as_string_opt::<i32>()?;
        text.is_valid(0).then(|| text.value(0))
    }

    /// The number of a literal of type INT that is not null.
    fn int(&self) -> Option<i32> {
        let number = self.literal?.as_primitive_opt::<Int32Type>()?;
        number.is_valid(0).then(|| number.value(0))
    }
}

/// The types that the arguments are cast to, or why there are none.
type Types = fn(&[Given<'_>]) -> std::result::Result<Vec<DataType>, String>;

/// Why literals among the arguments, which have the required types, cannot work.
type Check = fn(&[Given<'_>]) -> std::result::Result<(), String>;

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
    /// In place of the casts that the parameters ask for.
    pub(crate) types: Option<Types>,
    pub(crate) check: Option<Check>,
    pub(crate) eval: Eval,
}

const fn f(name: &'static str, params: &'static [Param], returns: Returns, eval: Eval) -> Function {
    Function {
        name,
        params,
        optional: 0,
        variadic: false,
        makes_nulls: false,
        returns,
        types: None,
        check: None,
        eval,
    }
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

    const fn types(mut self, types: Types) -> Self {
        self.types = Some(types);
        self
    }

    const fn check(mut self, check: Check) -> Self {
        self.check = Some(check);
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
    f("lpad", &[P::Any, P::Any, P::Any], R::By(text::as_first), text::lpad)
        .optional(1)
        .types(text::pad_types),
    f("rpad", &[P::Any, P::Any, P::Any], R::By(text::as_first), text::rpad)
        .optional(1)
        .types(text::pad_types),
    f("startswith", &[P::Text, P::Text], R::Boolean, text::starts_with),
    f("endswith", &[P::Text, P::Text], R::Boolean, text::ends_with),
    f("contains", &[P::Text, P::Text], R::Boolean, text::contains),
    f("instr", &[P::Text, P::Text, P::Int, P::Int], R::Int, text::instr)
        .optional(2)
        .check(text::check_occurrence),
    f("position", &[P::Text, P::Text], R::Int, text::position),
    f("concat_ws", &[P::Any, P::Any], R::Text, array::concat_ws)
        .optional(1)
        .variadic()
        .types(array::concat_ws_types),
    // Regular expressions.
    f("rlike", &[P::Text, P::Text], R::Boolean, regex::rlike).check(regex::check),
    f("regexp", &[P::Text, P::Text], R::Boolean, regex::rlike).check(regex::check),
    f("regexp_like", &[P::Text, P::Text], R::Boolean, regex::rlike).check(regex::check),
    f("regexp_extract", &[P::Text, P::Text, P::Int], R::Text, regex::extract)
        .optional(1)
        .check(regex::check_extract),
    f("regexp_replace", &[P::Text, P::Text, P::Text, P::Int], R::Text, regex::replace)
        .optional(1)
        .check(regex::check_replace),
    f("split", &[P::Text, P::Text, P::Int], R::By(regex::texts), regex::split)
        .optional(1)
        .check(regex::check),
    // Arrays and maps.
    f("array", &[P::Common], R::By(array::list_of), array::array).optional(1).variadic(),
    f("size", &[P::Any], R::Int, array::size).types(array::size_types),
    f("cardinality", &[P::Any], R::Int, array::size).types(array::size_types),
    f("array_size", &[P::Any], R::Int, array::array_size).types(array::array_size_types),
    f("element_at", &[P::Any, P::Any], R::By(array::element_type), array::element_at)
        .types(array::element_at_types)
        .check(array::check_index)
        .makes_nulls(),
    f("try_element_at", &[P::Any, P::Any], R::By(array::element_type), array::try_element_at)
        .types(array::element_at_types)
        .check(array::check_index)
        .makes_nulls(),
    f("get", &[P::Any, P::Any], R::By(array::element_type), array::get)
        .types(array::get_types)
        .makes_nulls(),
    // JSON text.
    f("get_json_object", &[P::Text, P::Text], R::Text, json::get_json_object).makes_nulls(),
    f("json_tuple", &[P::Text, P::Text], R::Text, json::json_tuple).makes_nulls(),
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
    f("greatest", &[P::Ordered, P::Ordered], R::First, number::greatest).variadic(),
    f("least", &[P::Ordered, P::Ordered], R::First, number::least).variadic(),
    // Hashes and encodings.
    f("hash", &[P::Any], R::Int, hash::hash).variadic().types(hash::types),
    f("xxhash64", &[P::Any], R::Long, hash::xxhash64).variadic().types(hash::types),
    f("md5", &[P::Binary], R::Text, digest::md5),
    f("sha2", &[P::Binary, P::Int], R::Text, digest::sha2).makes_nulls(),
    f("hex", &[P::Any], R::Text, encoding::hex).types(encoding::hex_types),
    f("unhex", &[P::Text], R::Binary, encoding::unhex).makes_nulls(),
    f("base64", &[P::Binary], R::Text, encoding::base64),
    f("unbase64", &[P::Text], R::Binary, encoding::unbase64),
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
    f("dateadd", &[P::Date, P::Int], R::Date, time::date_add),
    f("date_sub", &[P::Date, P::Int], R::Date, time::date_sub),
    f("datediff", &[P::Date, P::Date], R::Int, time::date_diff),
    f("date_diff", &[P::Date, P::Date], R::Int, time::date_diff),
    f("timestampdiff", &[P::Text, P::Timestamp, P::Timestamp], R::Long, time_units::difference)
        .check(time_units::check_difference),
    f("timestampadd", &[P::Text, P::Long, P::Timestamp], R::Timestamp, time_units::add)
        .check(time_units::check_add),
    f("date_format", &[P::Timestamp, P::Text], R::Text, time_text::date_format)
        .check(time_text::check),
    f("from_unixtime", &[P::Any, P::Any], R::Text, time_text::from_unixtime)
        .optional(1)
        .types(time_text::from_unixtime_types)
        .check(time_text::check),
    f("make_timestamp", &[P::Any; 7], R::Timestamp, make_time::make_timestamp)
        .optional(1)
        .types(make_time::timestamp_types)
        .check(make_time::check_zone),
    f("try_make_timestamp", &[P::Any; 7], R::Timestamp, make_time::try_make_timestamp)
        .optional(1)
        .makes_nulls()
        .types(make_time::timestamp_types)
        .check(make_time::check_zone),
    f("make_date", &[P::Int, P::Int, P::Int], R::Date, make_time::make_date),
    f("add_months", &[P::Date, P::Int], R::Date, time::add_months),
    f("last_day", &[P::Date], R::Date, time::last_day),
    f("timestamp_seconds", &[P::Long], R::Timestamp, time::timestamp_seconds),
    f("timestamp_millis", &[P::Long], R::Timestamp, time::timestamp_millis),
    f("timestamp_micros", &[P::Long], R::Timestamp, time::timestamp_micros),
    f("unix_timestamp", &[P::Timestamp, P::Text], R::Long, time::unix_timestamp).optional(1),
    f("to_unix_timestamp", &[P::Timestamp, P::Text], R::Long, time::unix_timestamp).optional(1),
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
    f("unix_timestamp", &[P::Text, P::Text], R::Long, time::unix_timestamp_by_pattern),
    f("to_unix_timestamp", &[P::Text, P::Text], R::Long, time::unix_timestamp_by_pattern),
];

/// The function of the registry that a call with a unit, such as `datediff(DAY, a, b)`,
/// means.
pub(crate) fn with_unit(name: &str, arguments: usize) -> Option<&'static str> {
    match (name, arguments) {
        ("timestampdiff" | "timediff", _) | ("datediff" | "date_diff", 3) => Some("timestampdiff"),
        ("timestampadd", _) | ("dateadd" | "date_add", 3) => Some("timestampadd"),
        _ => None,
    }
}

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
