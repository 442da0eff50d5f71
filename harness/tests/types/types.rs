//! Every type of Arrow.

use std::sync::Arc;

use arrow::datatypes::*;

/// A type, with what it is called on the page.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// Types of one family stand in one line while they fare alike.
    pub(crate) family: String,
    /// What it is called where they do not.
    pub(crate) name: String,
    pub(crate) data_type: DataType,
}

const UNITS: [TimeUnit; 4] =
    [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

pub(crate) const INDICES: [DataType; 8] = [
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
];

pub(crate) fn item(of: DataType) -> FieldRef {
    Arc::new(Field::new("item", of, true))
}

pub(crate) fn dictionary(index: DataType, of: DataType) -> DataType {
    DataType::Dictionary(Box::new(index), Box::new(of))
}

pub(crate) fn runs(ends: DataType, of: DataType) -> DataType {
    let ends = Arc::new(Field::new("run_ends", ends, false));
    DataType::RunEndEncoded(ends, Arc::new(Field::new("values", of, true)))
}

pub(crate) fn structure(of: Vec<DataType>) -> DataType {
    let fields = of.into_iter().enumerate();
    let fields = fields.map(|(at, of)| Field::new(format!("f{at}"), of, true));
    DataType::Struct(fields.collect())
}

pub(crate) fn map(key: DataType, value: DataType) -> DataType {
    let fields =
        Fields::from(vec![Field::new("keys", key, false), Field::new("values", value, true)]);
    let entries = Field::new("entries", DataType::Struct(fields), false);
    DataType::Map(Arc::new(entries), false)
}

pub(crate) fn union(mode: UnionMode) -> DataType {
    let fields =
        [Field::new("number", DataType::Int32, true), Field::new("text", DataType::Utf8, true)];
    DataType::Union(UnionFields::from_fields(fields), mode)
}

/// Types that are not nested.
pub(crate) fn plain() -> Vec<Named> {
    use DataType::*;
    let mut all: Vec<(&'static str, DataType)> = vec![("null", Null), ("boolean", Boolean)];
    for signed in [Int8, Int16, Int32, Int64] {
        all.push(("int8 to int64", signed));
    }
    for unsigned in [UInt8, UInt16, UInt32, UInt64] {
        all.push(("uint8 to uint64", unsigned));
    }
    all.extend([("half, float, double", Float16), ("half, float, double", Float32)]);
    all.push(("half, float, double", Float64));
    for scale in [0, 2, -2] {
        let family = "decimal32 to decimal256";
        all.push((family, Decimal32(9, scale)));
        all.push((family, Decimal64(18, scale)));
        all.push((family, Decimal128(38, scale)));
        all.push((family, Decimal256(76, scale)));
    }
    all.extend([("date32, date64", Date32), ("date32, date64", Date64)]);
    for unit in &UNITS[..2] {
        all.push(("time of day", Time32(*unit)));
    }
    for unit in &UNITS[2..] {
        all.push(("time of day", Time64(*unit)));
    }
    for unit in UNITS {
        all.push(("timestamp with and without zone", Timestamp(unit, None)));
        for zone in ["UTC", "Europe/Paris", "+05:30"] {
            all.push(("timestamp with and without zone", Timestamp(unit, Some(zone.into()))));
        }
    }
    for unit in UNITS {
        all.push(("duration", Duration(unit)));
    }
    for unit in [IntervalUnit::YearMonth, IntervalUnit::DayTime, IntervalUnit::MonthDayNano] {
        all.push(("interval", Interval(unit)));
    }
    for text in [Utf8, LargeUtf8, Utf8View] {
        all.push(("utf8, large utf8, utf8 view", text));
    }
    for binary in [Binary, LargeBinary, BinaryView] {
        all.push(("binary, large binary, binary view", binary));
    }
    for size in [0, 1, 3, 4, 16, 20] {
        all.push(("fixed-size binary, also of 0 bytes", FixedSizeBinary(size)));
    }
    let named = |(family, data_type): (&str, DataType)| Named {
        family: family.to_owned(),
        name: data_type.to_string(),
        data_type,
    };
    all.into_iter().map(named).collect()
}

/// Every type; nested ones of several others.
pub(crate) fn all() -> Vec<Named> {
    use DataType::*;
    let plain = plain();
    let mut all = plain.clone();
    let mut add = |family: &str, data_type: DataType| {
        all.push(Named { family: family.to_owned(), name: data_type.to_string(), data_type });
    };
    let inner = || {
        vec![
            Int32,
            Utf8,
            Utf8View,
            Null,
            FixedSizeBinary(0),
            Interval(IntervalUnit::MonthDayNano),
            Timestamp(TimeUnit::Nanosecond, Some("Europe/Paris".into())),
            Decimal256(50, 2),
            structure(vec![]),
            structure(vec![Boolean, List(item(Int64))]),
            FixedSizeList(item(Int8), 0),
            dictionary(Int8, Utf8),
            runs(Int32, Utf8),
            map(Utf8, Int32),
        ]
    };
    for of in inner() {
        add("list, large list", List(item(of.clone())));
        add("list, large list", LargeList(item(of.clone())));
        add("list view, large list view", ListView(item(of.clone())));
        add("list view, large list view", LargeListView(item(of.clone())));
        add("fixed-size list, also of 0 items", FixedSizeList(item(of.clone()), 0));
        add("fixed-size list, also of 0 items", FixedSizeList(item(of.clone()), 2));
        add("struct, also without fields", structure(vec![of.clone(), Int16]));
        add("map", map(Utf8, of));
    }
    add("struct, also without fields", structure(vec![]));
    add("map", map(dictionary(Int8, Utf8), List(item(Float64))));
    add("union, sparse and dense", union(UnionMode::Sparse));
    add("union, sparse and dense", union(UnionMode::Dense));
    add("list or struct of unions", List(item(union(UnionMode::Dense))));
    add("list or struct of unions", structure(vec![union(UnionMode::Sparse)]));
    for ends in [Int16, Int32, Int64] {
        for of in [Int64, Utf8, Utf8View, FixedSizeBinary(3), dictionary(Int8, Utf8)] {
            add("run-end encoded", runs(ends.clone(), of));
        }
        add("run-end encoded", runs(ends, List(item(Int32))));
    }
    for of in plain {
        let family = format!("dictionary of {}", of.family);
        for index in INDICES {
            add(&family, dictionary(index, of.data_type.clone()));
        }
    }
    for of in [List(item(Int32)), structure(vec![Utf8]), dictionary(Int8, Utf8), runs(Int32, Utf8)]
    {
        add("dictionary of lists, structs, dictionaries, runs", dictionary(Int8, of));
    }
    all
}
