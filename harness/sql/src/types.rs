//! SQL type names and their Arrow types.

use arrow::datatypes::{
    DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType, IntervalUnit, TimeUnit,
};
use sqlparser::ast;

use crate::error::{Result, SqlError};
use crate::names::{hint, shortened};

/// Spark's TIMESTAMP: an instant in microseconds.
pub(crate) fn timestamp() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

/// A day-time interval, counted in microseconds as in Spark.
pub(crate) const INTERVAL: DataType = DataType::Duration(TimeUnit::Microsecond);

/// The type of a dictionary's values; other types as they are.
pub(crate) fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, value) => value_type(value),
        other => other,
    }
}

pub(crate) fn is_string(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

pub(crate) fn is_binary(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(data_type, Binary | LargeBinary | BinaryView | FixedSizeBinary(_))
}

pub(crate) fn is_date(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date32 | DataType::Date64)
}

/// Whether it is a timestamp or date.
pub(crate) fn is_time(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(..)) || is_date(data_type)
}

/// The type in which functions compute numbers of a type.
pub(crate) fn number_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Float16 => DataType::Float32,
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) => DataType::Decimal128(*p, *s),
        // 76 digits are for comparisons only.
        DataType::Decimal256(_, s) => {
            DataType::Decimal128(DECIMAL128_MAX_PRECISION, (*s).min(DECIMAL128_MAX_PRECISION as i8))
        }
        other => other.clone(),
    }
}

/// The Arrow type that a type in `CAST(x AS ...)` means.
pub(crate) fn arrow_type(sql: &ast::DataType) -> Result<DataType> {
    use ast::DataType as Sql;
    Ok(match sql {
        Sql::Boolean | Sql::Bool => DataType::Boolean,
        Sql::TinyInt(_) => DataType::Int8,
        Sql::SmallInt(_) | Sql::Int2(_) | Sql::Int16 => DataType::Int16,
        Sql::Int(_) | Sql::Integer(_) | Sql::Int4(_) | Sql::Int32 => DataType::Int32,
        Sql::BigInt(_) | Sql::Int8(_) | Sql::Int64 => DataType::Int64,
        Sql::UTinyInt | Sql::UInt8 | Sql::TinyIntUnsigned(_) => DataType::UInt8,
        Sql::USmallInt | Sql::UInt16 | Sql::SmallIntUnsigned(_) => DataType::UInt16,
        Sql::UInt32 | Sql::IntUnsigned(_) | Sql::IntegerUnsigned(_) => DataType::UInt32,
        Sql::UBigInt | Sql::UInt64 | Sql::BigIntUnsigned(_) => DataType::UInt64,
        Sql::Float(_) | Sql::Real | Sql::Float4 | Sql::Float32 => DataType::Float32,
        Sql::Double(_) | Sql::DoublePrecision | Sql::Float8 | Sql::Float64 => DataType::Float64,
        Sql::Decimal(info) | Sql::Numeric(info) | Sql::Dec(info) => decimal(info)?,
        Sql::String(_)
        | Sql::Text
        | Sql::Varchar(_)
        | Sql::Char(_)
        | Sql::Character(_)
        | Sql::CharacterVarying(_)
        | Sql::CharVarying(_) => DataType::Utf8,
        Sql::Binary(_) | Sql::Varbinary(_) | Sql::Bytea | Sql::Blob(_) | Sql::Bytes(_) => {
            DataType::Binary
        }
        Sql::Date | Sql::Date32 => DataType::Date32,
        Sql::Timestamp(digits, ast::TimezoneInfo::WithoutTimeZone) | Sql::TimestampNtz(digits) => {
            DataType::Timestamp(unit(*digits)?, None)
        }
        Sql::Timestamp(digits, _) => DataType::Timestamp(unit(*digits)?, Some("UTC".into())),
        Sql::Custom(name, modifiers) if modifiers.is_empty() => {
            match name.to_string().to_lowercase().as_str() {
                "byte" => DataType::Int8,
                "short" => DataType::Int16,
                "long" => DataType::Int64,
                "timestamp_ltz" => timestamp(),
                "timestamp_ntz" => DataType::Timestamp(TimeUnit::Microsecond, None),
                _ => return Err(unknown(sql)),
            }
        }
        _ => return Err(unknown(sql)),
    })
}

fn unknown(sql: &ast::DataType) -> SqlError {
    const KNOWN: [&str; 13] = [
        "BOOLEAN",
        "TINYINT",
        "SMALLINT",
        "INT",
        "BIGINT",
        "FLOAT",
        "DOUBLE",
        "DECIMAL(p, s)",
        "STRING",
        "BINARY",
        "DATE",
        "TIMESTAMP",
        "TIMESTAMP_NTZ",
    ];
    let mut name = shortened(&sql.to_string(), 40);
    name.make_ascii_uppercase();
    SqlError::new(format!("unknown type `{name}`{}", hint(&name, &KNOWN)))
}

fn unit(digits: Option<u64>) -> Result<TimeUnit> {
    Ok(match digits {
        Some(0) => TimeUnit::Second,
        Some(3) => TimeUnit::Millisecond,
        None | Some(6) => TimeUnit::Microsecond,
        Some(9) => TimeUnit::Nanosecond,
        Some(other) => {
            return Err(SqlError::new(format!(
                "TIMESTAMP({other}) does not exist; the precision is 0, 3, 6 or 9"
            )));
        }
    })
}

fn decimal(info: &ast::ExactNumberInfo) -> Result<DataType> {
    let (precision, scale) = match *info {
        ast::ExactNumberInfo::None => (10, 0),
        ast::ExactNumberInfo::Precision(precision) => (precision, 0),
        ast::ExactNumberInfo::PrecisionAndScale(precision, scale) => (precision, scale),
    };
    let fits = (1..=u64::from(DECIMAL128_MAX_PRECISION)).contains(&precision)
        && (0..=precision as i64).contains(&scale);
    if !fits {
        return Err(SqlError::new(format!(
            "DECIMAL({precision}, {scale}) does not exist; the precision is 1 to 38, the scale 0 up to the precision"
        )));
    }
    Ok(DataType::Decimal128(precision as u8, scale as i8))
}

/// The SQL name of an Arrow type, or Arrow's own name if SQL has none.
pub(crate) fn sql_name(data_type: &DataType) -> String {
    use DataType::*;
    match data_type {
        Null => "VOID".into(),
        Boolean => "BOOLEAN".into(),
        Int8 => "TINYINT".into(),
        Int16 => "SMALLINT".into(),
        Int32 => "INT".into(),
        Int64 => "BIGINT".into(),
        Float32 => "FLOAT".into(),
        Float64 => "DOUBLE".into(),
        Utf8 | LargeUtf8 | Utf8View => "STRING".into(),
        Binary | LargeBinary | BinaryView => "BINARY".into(),
        Date32 | Date64 => "DATE".into(),
        Decimal128(p, s) | Decimal256(p, s) => format!("DECIMAL({p}, {s})"),
        Timestamp(unit, zone) => {
            let digits = match unit {
                TimeUnit::Second => "(0)",
                TimeUnit::Millisecond => "(3)",
                TimeUnit::Microsecond => "",
                TimeUnit::Nanosecond => "(9)",
            };
            let ntz = if zone.is_some() { "" } else { "_NTZ" };
            format!("TIMESTAMP{ntz}{digits}")
        }
        Duration(_) => "INTERVAL DAY TO SECOND".into(),
        Interval(IntervalUnit::YearMonth) => "INTERVAL YEAR TO MONTH".into(),
        Dictionary(_, value) => sql_name(value),
        other => other.to_string(),
    }
}

/// `Decimal256` as wide as it gets, for exact intermediate results.
pub(crate) fn widest(scale: i32) -> DataType {
    DataType::Decimal256(DECIMAL256_MAX_PRECISION, scale as i8)
}

/// Spark's `adjustPrecisionScale`: beyond 38 digits the fraction is shortened, but
/// to no fewer than six digits.
pub(crate) fn bounded_decimal(precision: i32, scale: i32) -> DataType {
    let most = i32::from(DECIMAL128_MAX_PRECISION);
    let (precision, scale) = if precision <= most {
        (precision, scale)
    } else {
        let whole = precision - scale;
        (most, (most - whole).max(scale.min(6)))
    };
    DataType::Decimal128(precision.clamp(1, most) as u8, scale.clamp(-most, most) as i8)
}
