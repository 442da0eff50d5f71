//! How an event time of integers or text becomes a column that a condition on
//! two event times can name.

use streamjoin_kernels::Sides;
use toml_writer::{ToTomlKey, TomlKeyBuilder};

use super::stream::BoundStream;
use crate::scenario::{EventTimeSpec, TimeUnitName};
use crate::text::shell::shell_word;
use crate::text::toml_string::quoted;
use streamjoin_sql::{pattern_of_strftime, quote_identifier};

/// The timestamp of an event time that has a unit or a format, as SQL; none for
/// a format that SQL has no pattern of, and for what is a time already.
///
/// With `padded`, numbers of text have leading zeros; without, they may have.
pub(crate) fn timestamp_sql(spec: &EventTimeSpec, padded: bool) -> Option<String> {
    let column = quote_identifier(&spec.column);
    Some(match (spec.unit, &spec.format) {
        (Some(TimeUnitName::Second), _) => format!("timestamp_seconds({column})"),
        (Some(TimeUnitName::Millisecond), _) => format!("timestamp_millis({column})"),
        (Some(TimeUnitName::Microsecond), _) => format!("timestamp_micros({column})"),
        (Some(TimeUnitName::Nanosecond), _) => format!("timestamp_micros({column} DIV 1000)"),
        (None, Some(format)) => {
            let pattern = pattern_of_strftime(format, padded)?.replace('\'', "''");
            format!("to_timestamp({column}, '{pattern}')")
        }
        (None, None) => return None,
    })
}

/// What to write so that a condition can name the event times, where some are
/// integers or text; none where all are times.
pub(in crate::plan) fn advice(streams: &Sides<BoundStream>) -> Option<String> {
    let advice: Vec<String> = streams.iter().filter_map(|(_, stream)| of_stream(stream)).collect();
    (!advice.is_empty()).then(|| advice.join("; "))
}

fn of_stream(stream: &BoundStream) -> Option<String> {
    let name = &stream.relation.name;
    let time = stream.spec.event_time.as_ref()?;
    let kind = match (time.unit, &time.format) {
        (Some(_), _) => "integers",
        (None, Some(_)) => "text",
        (None, None) => return None,
    };
    let what = format!(
        "the event time `{}` of stream `{name}` is {kind}, which no interval applies to",
        time.column
    );
    let Some(sql) = timestamp_sql(time, false) else {
        return Some(format!(
            "{what}, and no pattern of to_timestamp stands for its format: make a timestamp of it in `select` of [stream.{name}] with CAST, substring and concat, and name that in `event_time`"
        ));
    };
    let taken = |name: &str| {
        let columns = stream.relation.source.columns.iter().chain(&stream.relation.scope.columns);
        columns.into_iter().any(|column| column.name.eq_ignore_ascii_case(name))
    };
    let mut made = format!("{}_time", time.column);
    while taken(&made) {
        made.push('_');
    }
    let item = quoted(&format!("{sql} AS {}", quote_identifier(&made)));
    let seen = format!("{}.{}", quote_identifier(name), quote_identifier(&made));
    let key = TomlKeyBuilder::new(name).as_default().to_toml_key();
    let how = match (&stream.spec.clauses.select, time.place().text().is_of_flags()) {
        (Some(_), _) => {
            format!("add {item} to `select` of [stream.{key}], with event_time = {}", quoted(&made))
        }
        (None, true) => format!(
            "give --set {} and --event-time {}",
            shell_word(&format!("stream.{key}.select=[\"*\", {item}]")),
            shell_word(&format!("{name}={made}"))
        ),
        (None, false) => format!(
            "write under [stream.{key}] select = [\"*\", {item}] and event_time = {}",
            quoted(&made)
        ),
    };
    Some(format!("{what}: {how}, and name {seen} in the condition"))
}
