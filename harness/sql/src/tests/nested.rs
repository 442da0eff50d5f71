//! Fields, elements and values in every layout that Arrow has for them.

use arrow::compute::take;
use arrow::datatypes::{Fields, Int16Type, Int32Type};

use super::*;

/// Structs of `id` and `name`; the second is null although its field has a value.
fn structs() -> StructArray {
    let fields = Fields::from(vec![
        Field::new("id", DataType::Int32, true),
        Field::new("name", DataType::Utf8, true),
    ]);
    let columns = vec![
        ints(vec![Some(1), Some(2), None, Some(4)]),
        strings(vec![Some("a"), Some("b"), Some("c"), None]),
    ];
    StructArray::new(fields, columns, Some(vec![true, false, true, true].into()))
}

fn item(array: &ArrayRef) -> Arc<Field> {
    Arc::new(Field::new("item", array.data_type().clone(), true))
}

/// `[0, 1]`, null, `[]`, `[3]` of the values, in each layout of a list; the null has values.
fn lists(values: ArrayRef) -> Vec<(&'static str, ArrayRef)> {
    let valid = || Some(vec![true, false, true, true].into());
    let item = item(&values);
    let two = |list: &ListArray| -> ArrayRef {
        // Fixed-size lists have two elements each: of the third, nulls.
        let picks =
            UInt32Array::from(vec![Some(0), Some(1), Some(1), Some(2), None, None, Some(3), None]);
        let values = take(list.values(), &picks, None).unwrap();
        Arc::new(FixedSizeListArray::new(item.clone(), 2, values, list.nulls().cloned()))
    };
    let list = ListArray::new(
        item.clone(),
        OffsetBuffer::new(vec![0, 2, 3, 3, 4].into()),
        take(&values, &UInt32Array::from(vec![0, 1, 2, 3]), None).unwrap(),
        valid(),
    );
    let large = LargeListArray::new(
        item.clone(),
        OffsetBuffer::new(vec![0_i64, 2, 3, 3, 4].into()),
        values.clone(),
        valid(),
    );
    let (offsets, sizes) = (vec![0, 2, 0, 3], vec![2, 1, 0, 1]);
    let view = ListViewArray::new(
        item.clone(),
        offsets.clone().into(),
        sizes.clone().into(),
        values.clone(),
        valid(),
    );
    let wide = |all: &[i32]| all.iter().map(|n| i64::from(*n)).collect::<Vec<i64>>();
    let large_view = LargeListViewArray::new(
        item.clone(),
        wide(&offsets).into(),
        wide(&sizes).into(),
        values,
        valid(),
    );
    vec![
        ("fixed", two(&list)),
        ("list", Arc::new(list)),
        ("large", Arc::new(large)),
        ("view", Arc::new(view)),
        ("large view", Arc::new(large_view)),
    ]
}

#[test]
fn a_null_struct_hides_its_fields() {
    let t = table(vec![("r", Arc::new(structs()))]);
    assert_eq!(t.values("r.id"), ["1", "null", "null", "4"]);
    assert_eq!(t.values("r['NAME']"), ["a", "null", "c", "null"]);
    assert_eq!(t.values("r.id IS NULL"), ["false", "true", "true", "false"]);
    assert_eq!(t.values("r IS NULL"), ["false", "true", "false", "false"]);
    assert!(t.fails("r.nam").contains("has no field `nam`; did you mean `name`?"));
    // The place is that of the field.
    assert!(t.fails("1 = r.nam").contains("(at column 7)"), "{}", t.fails("1 = r.nam"));
}

#[test]
fn elements_of_every_kind_of_list() {
    for (name, list) in lists(ints(vec![Some(10), Some(11), Some(12), Some(13)])) {
        let t = table(vec![("a", list), ("i", ints(vec![Some(1), Some(0), None, Some(0)]))]);
        assert_eq!(t.values("a[i]"), ["11", "null", "null", "13"], "{name}");
        assert_eq!(t.lenient("a[1]")[..2], ["11", "null"], "{name}");
        assert_eq!(t.lenient("a[0]"), ["10", "null", "null", "13"], "{name}");
        assert_eq!(t.lenient("a[-1]"), ["null"; 4], "{name}");
        assert!(t.fails("a[7]").contains("index 7 is outside an array of 2 elements"), "{name}");
    }
}

#[test]
fn a_field_of_every_kind_of_list_of_structs() {
    for (name, list) in lists(Arc::new(structs())) {
        let t = table(vec![("a", list)]);
        assert_eq!(t.lenient("a.id[0]"), ["1", "null", "null", "4"], "{name}");
        assert_eq!(t.lenient("a[0].name"), ["a", "null", "null", "null"], "{name}");
        assert_eq!(t.lenient("a.name[1]")[0], "null", "{name}: a null struct");
        let array = t.evaluate(&t.bind("a.id")).unwrap();
        assert_eq!(
            array.data_type().to_string().split('(').next(),
            t.columns[0].data_type().to_string().split('(').next()
        );
        assert_eq!(array.null_count(), 1, "{name}");
        let json = t.values("to_json(a.id)");
        assert_eq!((json[0].as_str(), json[1].as_str()), ("[1,null]", "null"), "{name}");
    }
}

#[test]
fn slices_of_nested_columns_begin_where_they_begin() {
    for (name, list) in lists(Arc::new(structs())) {
        let t = table(vec![("a", list.slice(3, 1)), ("r", Arc::new(structs().slice(3, 1)))]);
        assert_eq!(t.values("a[0].id"), ["4"], "{name}");
        assert_eq!(t.values("a.id[0]"), ["4"], "{name}");
        assert_eq!(t.values("r.id"), ["4"], "{name}");
    }
}

#[test]
fn dictionaries_and_runs_are_looked_through() {
    let keys = Int16Array::from(vec![Some(3), None, Some(1), Some(0)]);
    let dictionary = DictionaryArray::<Int16Type>::new(keys, Arc::new(structs()));
    let texts: ArrayRef = Arc::new(StringDictionaryBuilder::<Int32Type>::new().finish());
    assert_eq!(texts.len(), 0);
    let names: DictionaryArray<Int32Type> =
        vec![Some("x"), None, Some("y"), Some("x")].into_iter().collect();
    let fields = Fields::from(vec![Field::new("n", names.data_type().clone(), true)]);
    let inside =
        StructArray::new(fields, vec![Arc::new(names)], Some(vec![true, true, false, true].into()));
    let runs = RunArray::<Int32Type>::try_new(
        &Int32Array::from(vec![1, 4]),
        &StringArray::from(vec![Some("p"), Some("q")]),
    )
    .unwrap();
    let fields = Fields::from(vec![Field::new("v", runs.data_type().clone(), true)]);
    let of_runs =
        StructArray::new(fields, vec![Arc::new(runs)], Some(vec![true, true, false, true].into()));
    let t =
        table(vec![("d", Arc::new(dictionary)), ("s", Arc::new(inside)), ("e", Arc::new(of_runs))]);
    assert_eq!(t.values("d.id"), ["4", "null", "null", "1"]);
    assert_eq!(t.values("s.n"), ["x", "null", "null", "x"]);
    assert_eq!(t.values("upper(s.n)"), ["X", "null", "null", "X"]);
    assert_eq!(t.values("e.v"), ["p", "q", "null", "q"]);
}

#[test]
fn maps_with_any_text_as_keys() {
    for keys in [
        strings(vec![Some("a"), Some("b"), Some("a")]),
        Arc::new(LargeStringArray::from(vec!["a", "b", "a"])) as ArrayRef,
        Arc::new(StringViewArray::from(vec!["a", "b", "a"])),
        Arc::new(vec!["a", "b", "a"].into_iter().collect::<DictionaryArray<Int32Type>>()),
    ] {
        let fields = Fields::from(vec![
            Field::new("key", keys.data_type().clone(), false),
            Field::new("value", DataType::Int32, true),
        ]);
        let entries =
            StructArray::new(fields, vec![keys, ints(vec![Some(1), None, Some(3)])], None);
        let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
        let offsets = OffsetBuffer::new(vec![0, 2, 2, 3].into());
        let nulls = Some(vec![true, false, true].into());
        let t = table(vec![
            ("m", Arc::new(MapArray::new(field, offsets, entries, nulls, false))),
            ("k", strings(vec![Some("b"), Some("a"), Some("a")])),
        ]);
        assert_eq!(t.values("m['a']"), ["1", "null", "3"]);
        assert_eq!(t.values("m.b"), ["null"; 3]);
        assert_eq!(t.values("m[k]"), ["null", "null", "3"]);
    }
}
