//! Any type, and any values of it.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{Buffer, NullBuffer};
use arrow::compute::cast;
use arrow::datatypes::*;
use streamjoin_datasets::random::{Random, below};

/// Random numbers one after another.
pub(crate) struct Dice {
    random: Random,
    next: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice { random: Random::new(seed, 1), next: 0 }
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.next += 1;
        self.random.at(self.next)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        below(self.bits(), n as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

pub(crate) fn field(name: &str, data_type: DataType) -> FieldRef {
    Arc::new(Field::new(name, data_type, true))
}

/// Every type that has no children.
pub(crate) fn leaves() -> Vec<DataType> {
    use DataType::*;
    use arrow::datatypes::TimeUnit::*;
    let mut types = vec![
        Null,
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        Date32,
        Date64,
    ];
    types.extend([0, 1, 5, 12, 16].map(FixedSizeBinary));
    types.extend([(1, 0), (5, 2), (9, 9)].map(|(p, s)| Decimal32(p, s)));
    types.extend([(1, 0), (7, 3), (18, 4)].map(|(p, s)| Decimal64(p, s)));
    types.extend([(1, 1), (9, 2), (20, 0), (38, 38)].map(|(p, s)| Decimal128(p, s)));
    types.extend([(4, 1), (39, 0), (76, 30)].map(|(p, s)| Decimal256(p, s)));
    types.extend([Second, Millisecond].map(Time32));
    types.extend([Microsecond, Nanosecond].map(Time64));
    for unit in [Second, Millisecond, Microsecond, Nanosecond] {
        types.push(Duration(unit));
        for zone in [None, Some("UTC"), Some("+02:00"), Some("Europe/Paris")] {
            types.push(Timestamp(unit, zone.map(Arc::from)));
        }
    }
    types.extend(
        [IntervalUnit::YearMonth, IntervalUnit::DayTime, IntervalUnit::MonthDayNano].map(Interval),
    );
    types
}

pub(crate) const INDEXES: [DataType; 8] = [
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
];

/// Every way to make a type of `item`.
pub(crate) fn nested(item: &DataType) -> Vec<DataType> {
    use DataType::*;
    let x = || field("item", item.clone());
    let pair = || [(2, field("a", Int64)), (5, x())].into_iter().collect::<UnionFields>();
    let entries = vec![Arc::new(Field::new("key", Utf8, false)), field("value", item.clone())];
    let entries = Arc::new(Field::new("entries", Struct(entries.into()), false));
    let mut types = vec![
        List(x()),
        LargeList(x()),
        ListView(x()),
        LargeListView(x()),
        FixedSizeList(x(), 0),
        FixedSizeList(x(), 2),
        Struct(vec![x()].into()),
        Struct(vec![x(), field("n", Int32)].into()),
        Map(entries, false),
        Union(pair(), UnionMode::Sparse),
        Union(pair(), UnionMode::Dense),
    ];
    types.extend([Int16, Int32, Int64].map(|ends| {
        RunEndEncoded(Arc::new(Field::new("run_ends", ends, false)), field("values", item.clone()))
    }));
    types.extend(INDEXES.map(|index| Dictionary(Box::new(index), Box::new(item.clone()))));
    types
}

/// A type of at most `depth` levels.
pub(crate) fn any_type(dice: &mut Dice, depth: usize) -> DataType {
    if depth == 0 || dice.one_in(3) {
        return dice.pick(&leaves());
    }
    if dice.one_in(30) {
        return DataType::Struct(Fields::empty());
    }
    let item = any_type(dice, depth - 1);
    dice.pick(&nested(&item))
}

fn nulls(dice: &mut Dice, rows: usize) -> Option<NullBuffer> {
    let often = dice.pick(&[0, 2, 5]);
    (often > 0).then(|| (0..rows).map(|_| !dice.one_in(often)).collect())
}

/// `rows` values of any kind, with nulls where the type has them.
pub(crate) fn any_array(dice: &mut Dice, data_type: &DataType, rows: usize) -> ArrayRef {
    use DataType::*;
    let data = ArrayData::builder(data_type.clone()).len(rows);
    let child =
        |dice: &mut Dice, data_type: &DataType, rows| any_array(dice, data_type, rows).into_data();
    let data = match data_type {
        Null => return Arc::new(NullArray::new(rows)),
        Boolean => {
            let bits: Vec<u8> = (0..rows.div_ceil(8)).map(|_| dice.bits() as u8).collect();
            data.nulls(nulls(dice, rows)).add_buffer(Buffer::from_vec(bits))
        }
        Utf8 | LargeUtf8 | Utf8View => {
            let kinds =
                ["", "a", "b", "Grüße, \"x\"\nzwei", "long enough not to be inlined", "null", "{}"];
            let texts: StringArray =
                (0..rows).map(|_| (!dice.one_in(4)).then(|| dice.pick(&kinds))).collect();
            return cast(&texts, data_type).unwrap();
        }
        Binary | LargeBinary | BinaryView => {
            let kinds: [&[u8]; 4] = [b"", b"\x00\xff", b"ab", b"0123456789abcdefg"];
            let bytes: BinaryArray =
                (0..rows).map(|_| (!dice.one_in(4)).then(|| dice.pick(&kinds))).collect();
            return cast(&bytes, data_type).unwrap();
        }
        FixedSizeBinary(width) => {
            let bytes: Vec<u8> = (0..rows * *width as usize).map(|_| dice.bits() as u8).collect();
            data.nulls(nulls(dice, rows)).add_buffer(Buffer::from_vec(bytes))
        }
        List(item) | LargeList(item) | Map(item, _) => {
            let mut ends = vec![0_i64];
            for row in 0..rows {
                ends.push(ends[row] + dice.below(3) as i64);
            }
            let items = *ends.last().unwrap() as usize;
            let items = match (data_type, item.data_type()) {
                // The keys of a map are not null.
                (Map(..), Struct(parts)) => {
                    let keys = (0..items).map(|i| format!("k{i}"));
                    let keys = Arc::new(StringArray::from_iter_values(keys)) as ArrayRef;
                    let values = any_array(dice, parts[1].data_type(), items);
                    StructArray::try_new(parts.clone(), vec![keys, values], None)
                        .unwrap()
                        .into_data()
                }
                (_, item) => child(dice, item, items),
            };
            let ends = match data_type {
                LargeList(_) => Buffer::from_vec(ends),
                _ => Buffer::from_iter(ends.into_iter().map(|end| end as i32)),
            };
            data.nulls(nulls(dice, rows)).add_buffer(ends).add_child_data(items)
        }
        ListView(item) | LargeListView(item) => {
            let (mut starts, mut sizes) = (Vec::new(), Vec::new());
            for _ in 0..rows {
                let size = dice.below(3);
                starts.push(dice.below(5 - size) as i64);
                sizes.push(size as i64);
            }
            let buffer = |numbers: Vec<i64>| match data_type {
                ListView(_) => Buffer::from_iter(numbers.into_iter().map(|n| n as i32)),
                _ => Buffer::from_vec(numbers),
            };
            data.nulls(nulls(dice, rows))
                .add_buffer(buffer(starts))
                .add_buffer(buffer(sizes))
                .add_child_data(child(dice, item.data_type(), 5))
        }
        FixedSizeList(item, size) => {
            let items = child(dice, item.data_type(), rows * *size as usize);
            data.nulls(nulls(dice, rows)).add_child_data(items)
        }
        Struct(fields) => {
            let parts = fields.iter().map(|field| child(dice, field.data_type(), rows)).collect();
            data.nulls(nulls(dice, rows)).child_data(parts)
        }
        Union(fields, mode) => {
            let ids: Vec<i8> = fields.iter().map(|(id, _)| id).collect();
            let ids: Vec<i8> = (0..rows).map(|_| dice.pick(&ids)).collect();
            let parts =
                fields.iter().map(|(_, field)| child(dice, field.data_type(), rows)).collect();
            let data = data.add_buffer(Buffer::from_vec(ids)).child_data(parts);
            match mode {
                UnionMode::Sparse => data,
                UnionMode::Dense => data.add_buffer(Buffer::from_iter(0..rows as i32)),
            }
        }
        RunEndEncoded(ends, values) => {
            let mut runs = Vec::new();
            while runs.last().copied().unwrap_or(0) < rows as i64 {
                let last = runs.last().copied().unwrap_or(0);
                runs.push((last + 1 + dice.below(3) as i64).min(rows as i64));
            }
            let values = child(dice, values.data_type(), runs.len());
            let runs = cast(&Int64Array::from(runs), ends.data_type()).unwrap();
            data.add_child_data(runs.into_data()).add_child_data(values)
        }
        Dictionary(index, values) => {
            let size = 1 + dice.below(4);
            let keys = (0..rows).map(|_| (!dice.one_in(5)).then(|| dice.below(size) as i64));
            let keys = cast(&keys.collect::<Int64Array>(), index).unwrap();
            let values = child(dice, values, size);
            let keys = keys.into_data().into_builder().data_type(data_type.clone());
            keys.add_child_data(values)
        }
        _ => {
            let width = data_type.primitive_width().unwrap();
            let bytes: Vec<u8> = (0..rows)
                .flat_map(|_| number(dice, data_type).to_le_bytes()[..width].to_vec())
                .collect();
            data.nulls(nulls(dice, rows)).add_buffer(Buffer::from_vec(bytes))
        }
    };
    make_array(data.align_buffers(true).build().unwrap())
}

/// The bytes of a number or a time, which is in its range where it has one.
fn number(dice: &mut Dice, data_type: &DataType) -> i256 {
    use DataType::*;
    use arrow::datatypes::TimeUnit::*;
    let any = dice.bits() as i64;
    let small = dice.below(1000) as i64 - 500;
    let within = |range: i64| any.rem_euclid(range);
    let value = match data_type {
        Decimal32(p, _) | Decimal64(p, _) | Decimal128(p, _) | Decimal256(p, _) => {
            let most = 10_i128.pow(u32::from((*p).min(38))) - 1;
            let value = (i128::from(any) * i128::from(any)).rem_euclid(most.max(1));
            return i256::from_i128(if small < 0 { -value } else { value });
        }
        Time32(Second) => within(86_400),
        Time32(_) => within(86_400_000),
        Time64(Microsecond) => within(86_400_000_000),
        Time64(_) => within(86_400_000_000_000),
        Date64 => (any % 100_000) * 86_400_000,
        // Milliseconds must have room for them.
        Timestamp(Second, _) if dice.one_in(3) => any % 9_000_000_000_000_000,
        Timestamp(Second, _) => any % 100_000_000_000,
        Interval(IntervalUnit::DayTime | IntervalUnit::MonthDayNano) => {
            let months = i128::from(within(1000)) | (i128::from(small & 0xff) << 32);
            return i256::from_i128(months | (i128::from(any) << 64));
        }
        Float16 | Float32 | Float64 => any,
        _ => match dice.below(4) {
            0 => any,
            1 => dice.pick(&[i64::MAX, i64::MIN, 0, -1, 1]),
            2 => small * 1_000_000,
            _ => small,
        },
    };
    i256::from_i128(value.into())
}

fn run<R: RunEndIndexType>(array: &ArrayRef, row: usize) -> String {
    let runs: &RunArray<R> = array.as_any().downcast_ref().unwrap();
    text(runs.values(), runs.get_physical_index(row))
}

/// The value in a row as text, however it is encoded, at any depth.
pub(crate) fn text(array: &ArrayRef, row: usize) -> String {
    use DataType::*;
    match array.data_type() {
        Dictionary(..) if array.is_null(row) => return "null".to_owned(),
        Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            return text(dictionary.values(), dictionary.normalized_keys()[row]);
        }
        RunEndEncoded(ends, _) => {
            return match ends.data_type() {
                Int16 => run::<Int16Type>(array, row),
                Int32 => run::<Int32Type>(array, row),
                _ => run::<Int64Type>(array, row),
            };
        }
        _ => {}
    }
    let array = array.slice(row, 1);
    let list = |items: ArrayRef| {
        let items: Vec<String> = (0..items.len()).map(|i| text(&items, i)).collect();
        format!("[{}]", items.join(","))
    };
    if array.is_null(0) {
        return "null".to_owned();
    }
    match array.data_type() {
        Null => "null".to_owned(),
        List(_) => list(array.as_list::<i32>().value(0)),
        LargeList(_) => list(array.as_list::<i64>().value(0)),
        ListView(_) => list(array.as_list_view::<i32>().value(0)),
        LargeListView(_) => list(array.as_list_view::<i64>().value(0)),
        FixedSizeList(..) => list(array.as_fixed_size_list().value(0)),
        Map(..) => list(Arc::new(array.as_map().value(0))),
        Struct(_) => {
            let parts = array.as_struct().columns().iter();
            let parts: Vec<String> = parts.map(|part| text(part, 0)).collect();
            format!("{{{}}}", parts.join(","))
        }
        Union(..) => {
            let union: &UnionArray = array.as_any().downcast_ref().unwrap();
            let id = union.type_id(0);
            let value = text(union.child(id), union.value_offset(0));
            // A union's null is that of its value.
            if value == "null" { value } else { format!("{id}:{value}") }
        }
        Utf8 | LargeUtf8 | Utf8View => {
            format!("{:?}", cast(&array, &Utf8).unwrap().as_string::<i32>().value(0))
        }
        FixedSizeBinary(_) => format!("{:?}", array.as_fixed_size_binary().value(0)),
        Binary | LargeBinary | BinaryView => {
            format!("{:?}", cast(&array, &LargeBinary).unwrap().as_binary::<i64>().value(0))
        }
        Timestamp(unit, _) => {
            let per_second: i128 = match unit {
                TimeUnit::Second => 1,
                TimeUnit::Millisecond => 1_000,
                TimeUnit::Microsecond => 1_000_000,
                TimeUnit::Nanosecond => 1_000_000_000,
            };
            let value = cast(&array, &Int64).unwrap().as_primitive::<Int64Type>().value(0);
            (i128::from(value) * (1_000_000_000 / per_second)).to_string()
        }
        Time32(_) | Time64(_) => {
            let nanos = cast(&array, &Time64(TimeUnit::Nanosecond)).unwrap();
            cast(&nanos, &Int64).unwrap().as_primitive::<Int64Type>().value(0).to_string()
        }
        Date64 => (array.as_primitive::<Date64Type>().value(0) / 86_400_000).to_string(),
        Date32 => cast(&array, &Int32).unwrap().as_primitive::<Int32Type>().value(0).to_string(),
        _ => {
            let options = arrow::util::display::FormatOptions::new().with_display_error(true);
            let formatter =
                arrow::util::display::ArrayFormatter::try_new(array.as_ref(), &options).unwrap();
            formatter.value(0).to_string()
        }
    }
}
