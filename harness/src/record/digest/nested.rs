//! Digests of values that are made of other values.

use arrow::array::{
    Array, AsArray, GenericListArray, GenericListViewArray, MapArray, OffsetSizeTrait, RunArray,
    StructArray, UnionArray,
};
use arrow::datatypes::{
    ArrowDictionaryKeyType, ArrowNativeType, DataType, Int8Type, Int16Type, Int32Type, Int64Type,
    RunEndIndexType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};

use super::{Kind, NULL, combine, mark_nulls, mix};

/// Writes the digest of each value of a nested or encoded `array` to `out`.
pub(super) fn values(array: &dyn Array, out: &mut Vec<u64>) {
    match array.data_type() {
        DataType::Dictionary(key, _) => match key.as_ref() {
            DataType::Int8 => dictionary::<Int8Type>(array, out),
            DataType::Int16 => dictionary::<Int16Type>(array, out),
            DataType::Int32 => dictionary::<Int32Type>(array, out),
            DataType::Int64 => dictionary::<Int64Type>(array, out),
            DataType::UInt8 => dictionary::<UInt8Type>(array, out),
            DataType::UInt16 => dictionary::<UInt16Type>(array, out),
            DataType::UInt32 => dictionary::<UInt32Type>(array, out),
            _ => dictionary::<UInt64Type>(array, out),
        },
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array, out),
            DataType::Int32 => runs::<Int32Type>(array, out),
            _ => runs::<Int64Type>(array, out),
        },
        DataType::List(_) => list(array.as_list::<i32>(), out),
        DataType::LargeList(_) => list(array.as_list::<i64>(), out),
        DataType::ListView(_) => list_view(array.as_list_view::<i32>(), out),
        DataType::LargeListView(_) => list_view(array.as_list_view::<i64>(), out),
        DataType::FixedSizeList(..) => {
            let array = array.as_fixed_size_list();
            let size = array.value_length() as usize;
            // The child of a sliced array is sliced with it.
            let items = digests(array.values().as_ref());
            out.extend((0..array.len()).map(|i| sequence(&items[i * size..(i + 1) * size])));
            mark_nulls(array.nulls(), out);
        }
        DataType::Map(..) => map(array.as_map(), out),
        DataType::Struct(_) => structure(array.as_struct(), out),
        _ => {
            if let Some(array) = array.as_any().downcast_ref::<UnionArray>() {
                union(array, out);
            }
        }
    }
}

fn digests(array: &dyn Array) -> Vec<u64> {
    let mut out = Vec::new();
    super::values(array, &mut out);
    out
}

/// Digest of a list from those of its items, the length last.
fn sequence(items: &[u64]) -> u64 {
    let hash = items.iter().fold(Kind::List.seed(), |hash, item| combine(hash, *item));
    mix(hash ^ (items.len() as u64))
}

fn dictionary<K: ArrowDictionaryKeyType>(array: &dyn Array, out: &mut Vec<u64>) {
    let array = array.as_dictionary::<K>();
    let distinct = digests(array.values().as_ref());
    // A key under a null may be anything, even outside of the dictionary.
    out.extend(
        array.keys().values().iter().map(|key| distinct.get(key.as_usize()).map_or(NULL, |d| *d)),
    );
    mark_nulls(array.keys().nulls(), out);
}

fn runs<R: RunEndIndexType>(array: &dyn Array, out: &mut Vec<u64>) {
    let Some(array) = array.as_any().downcast_ref::<RunArray<R>>() else { return };
    let distinct = digests(array.values().as_ref());
    out.extend((0..array.len()).map(|i| distinct[array.get_physical_index(i)]));
}

fn list<O: OffsetSizeTrait>(array: &GenericListArray<O>, out: &mut Vec<u64>) {
    let offsets = array.value_offsets();
    let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    let items = digests(array.values().slice(first, last - first).as_ref());
    out.extend(
        offsets
            .windows(2)
            .map(|w| sequence(&items[w[0].as_usize() - first..w[1].as_usize() - first])),
    );
    mark_nulls(array.nulls(), out);
}

fn list_view<O: OffsetSizeTrait>(array: &GenericListViewArray<O>, out: &mut Vec<u64>) {
    let items = digests(array.values().as_ref());
    out.extend(array.value_offsets().iter().zip(array.value_sizes()).map(|(offset, size)| {
        let offset = offset.as_usize();
        sequence(&items[offset..offset + size.as_usize()])
    }));
    mark_nulls(array.nulls(), out);
}

fn map(array: &MapArray, out: &mut Vec<u64>) {
    let offsets = array.value_offsets();
    let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    let entries: StructArray = array.entries().slice(first, last - first);
    let items = digests(&entries);
    out.extend(
        offsets
            .windows(2)
            .map(|w| sequence(&items[w[0].as_usize() - first..w[1].as_usize() - first])),
    );
    mark_nulls(array.nulls(), out);
}

fn structure(array: &StructArray, out: &mut Vec<u64>) {
    out.resize(array.len(), Kind::Struct.seed());
    let mut field = Vec::new();
    for column in array.columns() {
        super::values(column.as_ref(), &mut field);
        for (hash, value) in out.iter_mut().zip(&field) {
            *hash = combine(*hash, *value);
        }
    }
    out.iter_mut().for_each(|hash| *hash = mix(*hash));
    mark_nulls(array.nulls(), out);
}

fn union(array: &UnionArray, out: &mut Vec<u64>) {
    let DataType::Union(fields, _) = array.data_type() else { return };
    let mut children: Vec<Vec<u64>> = vec![Vec::new(); 128];
    for (id, _) in fields.iter() {
        if let Some(slot) = children.get_mut(id as usize) {
            *slot = digests(array.child(id).as_ref());
        }
    }
    out.extend((0..array.len()).map(|i| {
        let child = children.get(array.type_id(i) as usize);
        child.and_then(|child| child.get(array.value_offset(i))).map_or(NULL, |digest| *digest)
    }));
}
