//! Calls that read text by a pattern: `to_timestamp(text, 'dd.MM.yyyy')`.

use std::sync::Arc;

use arrow::array::{Array, AsArray, StringArray};
use arrow::datatypes::DataType;

use super::{Binder, literal};
use crate::datetime_pattern::DateTimePattern;
use crate::error::{Result, SqlError};
use crate::expr::Expr;
use crate::functions::Function;
use crate::types::{is_string, is_time, sql_name, value_type};

/// By which `unix_timestamp` reads text if it has no second argument.
const UNIX_TIMESTAMP_PATTERN: &str = "yyyy-MM-dd HH:mm:ss";

/// Adds the pattern that a function takes if text is its only argument.
pub(super) fn add_default(name: &str, arguments: &mut Vec<Expr>) {
    if let [text] = arguments.as_slice()
        && is_string(value_type(&text.data_type))
        && matches!(name, "unix_timestamp" | "to_unix_timestamp")
    {
        let pattern = StringArray::from(vec![UNIX_TIMESTAMP_PATTERN]);
        arguments.push(literal::one(Arc::new(pattern)));
    }
}

impl Binder<'_> {
    /// The call of `function` with a value and a pattern, which is checked now.
    pub(super) fn by_pattern(
        &self,
        function: &'static Function,
        mut arguments: Vec<Expr>,
    ) -> Result<Expr> {
        let name = function.name;
        let from = value_type(&arguments[0].data_type).clone();
        if is_time(&from) {
            // As in Spark, a time needs no pattern.
            arguments.truncate(1);
            return self.call(name, arguments);
        }
        let pattern = arguments[1].literal().and_then(|text| text.as_string_opt::<i32>());
        let Some(pattern) = pattern.filter(|text| text.is_valid(0)).map(|text| text.value(0))
        else {
            return Err(SqlError::new(format!(
                "the pattern of `{name}` must be constant text, such as 'yyyy-MM-dd HH:mm:ss'"
            )));
        };
        DateTimePattern::to_read(pattern).map_err(|reason| {
            SqlError::new(format!("the pattern '{pattern}' of `{name}`: {reason}"))
        })?;
        if !is_string(&from) && from != DataType::Null {
            return Err(SqlError::new(format!(
                "`{name}` reads text by a pattern, but `{}` is {}; numbers are read by timestamp_seconds, timestamp_millis or timestamp_micros",
                arguments[0],
                sql_name(&from)
            )));
        }
        let pattern = arguments.swap_remove(1);
        let text = self.cast_to(arguments.swap_remove(0), &DataType::Utf8)?;
        Ok(self.called(function, vec![text, pattern]))
    }
}
