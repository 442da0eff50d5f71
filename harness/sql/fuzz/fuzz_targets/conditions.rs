//! Any text as a join condition: bound or refused, never a panic.

#![no_main]

use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use libfuzzer_sys::fuzz_target;
use streamjoin_sql::{Scope, marked_as_uuid, select, stream_static_condition};
use streamjoin_kernels::spark::CastMode;

fuzz_target!(|text: &str| {
    let schema = Schema::new(vec![
        Field::new("k", DataType::Int32, true),
        Field::new("t", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true),
        Field::new("s", DataType::Utf8, true),
        Field::new("d", DataType::Decimal128(10, 2), true),
        Field::new_list("w", Field::new_list_field(DataType::Utf8, true), true),
        Field::new("y", DataType::Binary, true),
        marked_as_uuid(Field::new("u", DataType::FixedSizeBinary(16), true)),
    ]);
    let (left, right) = (Scope::of_schema("l", &schema), Scope::of_schema("r", &schema));
    for mode in [CastMode::Ansi, CastMode::NullOnError] {
        let _ = stream_static_condition(text, &left, &right, mode);
        let _ = select(&[text.to_owned()], &left, mode);
    }
});
