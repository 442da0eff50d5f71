//! Table rows that match nothing, so that small cases fill vector paths.

use std::collections::HashSet;

use serde_json::Value;

use super::case::{CaseSide, Dimension, Join, Row, StreamStaticQuery};
use super::value;

/// Rows of `dimension` that match no row of the case; `None` where its keys
/// leave no room for such rows, or where it is joined without keys.
///
/// A key column gets values that occur nowhere in the case and that can be cast
/// to the type of the column they are compared with; a type without free values
/// (boolean) gets nulls, unless null is a value there.
pub(super) fn rows(
    query: &StreamStaticQuery,
    dimension: &Dimension,
    count: usize,
) -> Result<Option<Vec<Row>>, String> {
    let used = Used::of(query);
    let Some(join) = query.joins.iter().find(|join| join.dim == dimension.name) else {
        return Ok(None);
    };
    let keys = keys(query, join, dimension);
    if keys.is_empty() {
        return Ok(None);
    }
    let mut makers: Vec<(usize, Maker)> = Vec::new();
    for key in &keys {
        let Some(column) =
            dimension.schema.iter().position(|(name, _)| name.eq_ignore_ascii_case(&key.column))
        else {
            return Err(format!("dimension {}: no key column {}", dimension.name, key.column));
        };
        makers.push((column, Maker::new(&dimension.schema[column].1, key, &used, count)?));
    }
    // One key that matches nothing is enough for a row that matches nothing.
    if !makers.iter().any(|(_, maker)| maker.never_matches()) {
        return Ok(None);
    }
    let models: Vec<&Row> = dimension.versions.iter().flatten().collect();
    Ok(Some(
        (0..count)
            .map(|i| {
                let mut row = match models.get(i % models.len().max(1)) {
                    Some(model) => (*model).clone(),
                    None => vec![Value::Null; dimension.schema.len()],
                };
                for (column, maker) in &makers {
                    row[*column] = maker.value(i);
                }
                row
            })
            .collect(),
    ))
}

struct KeyColumn {
    column: String,
    /// Spark types of every column that it could be compared with.
    partners: Vec<String>,
    null_safe: bool,
}

fn keys(query: &StreamStaticQuery, join: &Join, dimension: &Dimension) -> Vec<KeyColumn> {
    let first = query.joins.first().is_some_and(|first| std::ptr::eq(first, join));
    let dimension_is_left = first && query.stream_side == CaseSide::Right;
    // What has been joined so far may hold any column but this table's.
    let partners = |name: &str| -> Vec<String> {
        let others = query.dims.iter().filter(|d| d.name != dimension.name);
        let schemas = others.map(|d| &d.schema).chain([&query.stream.schema]);
        schemas
            .flatten()
            .filter(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, t)| t.clone())
            .collect()
    };
    if let Some(using) = &join.condition.using {
        return using
            .iter()
            .map(|name| KeyColumn {
                column: name.clone(),
                partners: partners(name),
                null_safe: false,
            })
            .collect();
    }
    join.condition
        .keys
        .iter()
        .map(|key| {
            let (own, other) =
                if dimension_is_left { (&key.left, &key.right) } else { (&key.right, &key.left) };
            KeyColumn { column: own.clone(), partners: partners(other), null_safe: key.null_safe }
        })
        .collect()
}

/// Every value of the case, to be avoided.
struct Used {
    numbers: Vec<f64>,
    days: HashSet<i64>,
    texts: HashSet<String>,
}

impl Used {
    fn of(query: &StreamStaticQuery) -> Self {
        let mut used = Self { numbers: Vec::new(), days: HashSet::new(), texts: HashSet::new() };
        let tables = query.dims.iter().flat_map(|d| d.versions.iter().map(|v| (&d.schema, v)));
        let batches = query.micro_batches.iter().map(|batch| (&query.stream.schema, batch));
        for (schema, rows) in tables.chain(batches) {
            for row in rows {
                for (value, (_, type_name)) in row.iter().zip(schema) {
                    used.add(value, type_name);
                }
            }
        }
        used
    }

    fn add(&mut self, value: &Value, type_name: &str) {
        match value {
            Value::Number(number) if type_name == "timestamp" => {
                if let Some(micros) = number.as_i64() {
                    self.days.insert(micros.div_euclid(MICROS_PER_DAY));
                }
            }
            Value::Number(number) => self.numbers.extend(number.as_f64()),
            Value::String(text) => {
                if let Ok(number) = text.trim().parse::<f64>() {
                    self.numbers.push(number);
                }
                if let Some(day) = text.trim().get(..10).and_then(value::days) {
                    self.days.insert(day.into());
                }
                self.texts.insert(text.clone());
            }
            _ => {}
        }
    }

    /// The start of `count` whole numbers below `limit` that no value is near,
    /// and how many there are.
    fn free_numbers(&self, limit: i64, count: usize) -> Option<(i64, usize)> {
        let mut count = count as i64;
        while count > 0 {
            let mut start = limit - count;
            while start > 0 {
                let range = (start - 1) as f64..=(start + count) as f64;
                if !self.numbers.iter().any(|number| range.contains(number)) {
                    return Some((start, count as usize));
                }
                start -= count;
            }
            count /= 2;
        }
        None
    }

    fn free_days(&self, count: usize) -> i64 {
        // From 1970 on in steps of `count` days until nothing is in the way.
        let count = count as i64;
        (1..)
            .map(|step| step * count)
            .find(|start| !self.days.iter().any(|day| (start - 1..=start + count).contains(day)))
            .unwrap_or_default()
    }
}

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Makes the values of one key column.
enum Maker {
    Integer {
        start: i64,
        distinct: usize,
    },
    Decimal {
        start: i64,
        distinct: usize,
    },
    Digits {
        start: i64,
        distinct: usize,
    },
    DateText {
        start: i64,
    },
    Date {
        start: i64,
    },
    Timestamp {
        start: i64,
    },
    Binary {
        prefix: String,
    },
    Null,
    /// Null where null is a value, or a type without free values: any row may match.
    Boolean,
}

impl Maker {
    fn new(type_name: &str, key: &KeyColumn, used: &Used, count: usize) -> Result<Self, String> {
        let partner = |name: &str| key.partners.iter().any(|partner| partner == name);
        let limit = if type_name == "tinyint" || partner("tinyint") {
            120
        } else if type_name == "smallint" || partner("smallint") {
            32_000
        } else {
            // Exact in a float, and in a decimal of 7 digits before the point.
            9_000_000
        };
        let no_room = |what: Option<(i64, usize)>| {
            what.ok_or_else(|| format!("key {}: no free {type_name}", key.column))
        };
        Ok(match type_name {
            "tinyint" | "smallint" | "int" | "bigint" | "float" | "double" => {
                let (start, distinct) = no_room(used.free_numbers(limit, count))?;
                Self::Integer { start, distinct }
            }
            "string" if partner("date") || partner("timestamp") => {
                Self::DateText { start: used.free_days(count) }
            }
            "string" if partner("boolean") => Self::without_values(key),
            "string" => {
                let (start, distinct) = no_room(used.free_numbers(limit, count))?;
                Self::Digits { start, distinct }
            }
            "date" => Self::Date { start: used.free_days(count) },
            "timestamp" | "timestamp_ntz" => Self::Timestamp { start: used.free_days(count) },
            "binary" => {
                // No UTF-8 text holds F0F0, so no string equals it either.
                let mut prefix = "F0F0".to_owned();
                while used.texts.iter().any(|text| text.starts_with(&prefix)) {
                    prefix.push_str("F0");
                }
                Self::Binary { prefix }
            }
            "boolean" => Self::without_values(key),
            _ => match value::data_type(type_name)? {
                arrow::datatypes::DataType::Decimal128(precision, scale) => {
                    let digits =
                        u32::try_from(i16::from(precision) - i16::from(scale)).unwrap_or(0);
                    let limit = 10_i64.checked_pow(digits.min(17)).map_or(limit, |l| l.min(limit));
                    match used.free_numbers(limit, count) {
                        Some((start, distinct)) => Self::Decimal { start, distinct },
                        None => Self::without_values(key),
                    }
                }
                other => return Err(format!("key {}: no free values of {other}", key.column)),
            },
        })
    }

    fn without_values(key: &KeyColumn) -> Self {
        if key.null_safe { Self::Boolean } else { Self::Null }
    }

    fn never_matches(&self) -> bool {
        !matches!(self, Self::Boolean)
    }

    fn value(&self, i: usize) -> Value {
        let nth = |start: i64, distinct: usize| start + (i % distinct) as i64;
        match self {
            Self::Integer { start, distinct } => nth(*start, *distinct).into(),
            Self::Decimal { start, distinct } | Self::Digits { start, distinct } => {
                nth(*start, *distinct).to_string().into()
            }
            Self::Date { start } | Self::DateText { start } => date_text(start + i as i64).into(),
            Self::Timestamp { start } => ((start + i as i64) * MICROS_PER_DAY).into(),
            Self::Binary { prefix } => format!("{prefix}{i:08X}").into(),
            Self::Null | Self::Boolean => Value::Null,
        }
    }
}

fn date_text(day: i64) -> String {
    let mut text = crate::text::instant::iso_millis(day.saturating_mul(MICROS_PER_DAY));
    text.truncate(10);
    text
}
