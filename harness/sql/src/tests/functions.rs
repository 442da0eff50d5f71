//! Every function of the registry.

use super::*;

#[test]
fn text_functions() {
    for (text, expected) in [
        ("upper('aé')", "AÉ"),
        ("lower('AÉ')", "aé"),
        ("ucase('a')", "A"),
        ("lcase('A')", "a"),
        ("trim('  a\t ')", "a\t"),
        ("ltrim(' a ')", "a "),
        ("rtrim(' a ')", " a"),
        ("TRIM(BOTH 'x' FROM 'xxaxx')", "a"),
        ("TRIM(LEADING 'xy' FROM 'yxaxy')", "axy"),
        ("TRIM(TRAILING 'x' FROM 'xax')", "xa"),
        ("length('é日')", "2"),
        ("char_length('ab')", "2"),
        ("character_length('ab')", "2"),
        ("octet_length('é')", "2"),
        ("octet_length(X'0102')", "2"),
        ("concat('a', 1, 'b')", "a1b"),
        ("concat('a', NULL)", "null"),
        ("'a' || 'b' || 1", "ab1"),
        ("substring('abcde', 2, 3)", "bcd"),
        ("substring('abcde', 2)", "bcde"),
        ("substring('abcde', 0, 2)", "ab"),
        ("substring('abcde', -2)", "de"),
        ("substring('abc', -5, 3)", "a"),
        ("substring('abc', 2, -1)", ""),
        ("substring('abc', -2147483648, 2147483647)", "ab"),
        ("SUBSTRING('abcde' FROM 2 FOR 2)", "bc"),
        ("substr('日本語', 2, 1)", "本"),
        ("left('abc', 2)", "ab"),
        ("left('abc', -2)", ""),
        ("right('abc', 2)", "bc"),
        ("right('abc', 9)", "abc"),
        ("replace('abab', 'b', 'x')", "axax"),
        ("replace('abab', 'b')", "aa"),
        ("replace('ab', '', 'x')", "ab"),
        ("reverse('aé')", "éa"),
        ("lpad('7', 3, '0')", "007"),
        ("rpad('abc', 2, '0')", "ab"),
        ("rpad('a', 3)", "a  "),
        ("lpad('a', 3, '')", "a"),
        ("startswith('abc', 'ab')", "true"),
        ("endswith('abc', 'ab')", "false"),
        ("contains('abc', 'b')", "true"),
        ("instr('éab', 'b')", "3"),
        ("instr('a', 'x')", "0"),
        ("position('b' IN 'ab')", "2"),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    assert!(table(vec![]).fails("rpad('a', 2147483647)").contains("padded"));
}

#[test]
fn number_functions() {
    for (text, expected) in [
        ("abs(-3)", "3"),
        ("abs(-1.5)", "1.5"),
        ("abs(-0.5D)", "0.5"),
        ("abs(NULL)", "null"),
        ("floor(1.5)", "1"),
        ("floor(-1.5)", "-2"),
        ("floor(-1.5D)", "-2"),
        ("ceil(1.2)", "2"),
        ("ceil(-1.2D)", "-1"),
        ("ceiling(3)", "3"),
        ("round(2.5)", "3.0"),
        ("round(-2.5D)", "-3.0"),
        ("round(2.675D, 2)", "2.68"),
        ("round(2.345, 2)", "2.350"),
        ("round(1234, -2)", "1200"),
        ("round(1250.0D, -2)", "1300.0"),
        ("round(1e308, -308)", "1.0E308"),
        ("round(CAST('NaN' AS DOUBLE))", "NaN"),
        ("round(1.5D, 400)", "1.5"),
        ("sqrt(9)", "3.0"),
        ("exp(0)", "1.0"),
        ("ln(1)", "0.0"),
        ("ln(0)", "null"),
        ("power(2, 10)", "1024.0"),
        ("pow(2, 3)", "8.0"),
        ("isnan(CAST('NaN' AS DOUBLE))", "true"),
        ("isnan(1)", "false"),
        ("greatest(1, NULL, 3, 2)", "3"),
        ("least(1.5, 2, 0.5)", "0.5"),
        ("greatest('a', 'b')", "b"),
        ("greatest(NULL, NULL)", "null"),
        ("pmod(-7, 3)", "2"),
        ("pmod(7, 3)", "1"),
        ("pmod(-10, -3)", "-1"),
        ("pmod(-6, 3)", "0"),
        ("pmod(-7.5, 2)", "0.5"),
        ("pmod(NULL, 3)", "null"),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    let t = table(vec![("a", ints(vec![Some(i32::MIN)]))]);
    assert!(t.fails("abs(a)").contains("verflow"));
    assert!(t.fails("floor(1e30)").contains("fit"));
    let t = table(vec![("a", ints(vec![Some(i32::MAX)]))]);
    assert_eq!(t.values("round(a, -9)"), ["2000000000"]);
}

#[test]
fn hashes_are_sparks() {
    for (text, expected) in [
        // From Spark's own documentation, where 123 stands in an array.
        ("xxhash64('Spark', 123, 2)", "5602566077635097486"),
        // A null changes nothing: this is the seed.
        ("xxhash64(NULL)", "42"),
        ("xxhash64(NULL, 'Spark', CAST(NULL AS INT), 123, 2)", "5602566077635097486"),
        ("xxhash64(CAST(-0.0 AS DOUBLE)) = xxhash64(0.0D)", "true"),
        ("xxhash64(1) = xxhash64(1L)", "false"),
        ("xxhash64(1) = xxhash64(true)", "true"),
        ("xxhash64(1L) = xxhash64(0.01)", "true"),
        ("xxhash64(DATE '1970-01-02') = xxhash64(CAST(1 AS SMALLINT))", "true"),
        ("xxhash64(TIMESTAMP '1970-01-01 00:00:01') = xxhash64(1000000L)", "true"),
        // 19 digits and more are hashed as bytes, as many as the number needs.
        ("xxhash64(CAST(65 AS DECIMAL(20, 0))) = xxhash64('A')", "true"),
        ("xxhash64(CAST(-1 AS DECIMAL(38, 0))) = xxhash64(X'FF')", "true"),
        ("xxhash64(CAST(128 AS DECIMAL(38, 0))) = xxhash64(X'0080')", "true"),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    let t = table(vec![("a", ints(vec![Some(1), None, Some(1)]))]);
    let hashes = t.values("xxhash64(a, 7)");
    assert_eq!(hashes[0], hashes[2]);
    assert_ne!(hashes[0], hashes[1]);
    assert_eq!(t.values("pmod(xxhash64(a), 10) BETWEEN 0 AND 9"), ["true"; 3]);
}

#[test]
fn time_functions() {
    let at = "TIMESTAMP '2013-05-07 18:04:05.678901'";
    for (text, expected) in [
        ("year(@)", "2013"),
        ("quarter(@)", "2"),
        ("month(@)", "5"),
        ("day(@)", "7"),
        ("dayofmonth(@)", "7"),
        ("dayofweek(@)", "3"),
        ("weekday(@)", "1"),
        ("dayofyear(@)", "127"),
        ("hour(@)", "18"),
        ("minute(@)", "4"),
        ("second(@)", "5"),
        ("hour(TIMESTAMP '1969-12-31 23:00:00')", "23"),
        ("year('0001-01-01')", "1"),
        ("EXTRACT(YEAR FROM @)", "2013"),
        ("EXTRACT(DOW FROM @)", "3"),
        ("EXTRACT(MINUTES FROM @)", "4"),
        ("date_trunc('hour', @)", "2013-05-07 18:00:00"),
        ("date_trunc('MINUTE', @)", "2013-05-07 18:04:00"),
        ("date_trunc('second', @)", "2013-05-07 18:04:05"),
        ("date_trunc('millisecond', @)", "2013-05-07 18:04:05.678"),
        ("date_trunc('day', @)", "2013-05-07 00:00:00"),
        ("date_trunc('week', @)", "2013-05-06 00:00:00"),
        ("date_trunc('month', @)", "2013-05-01 00:00:00"),
        ("date_trunc('quarter', @)", "2013-04-01 00:00:00"),
        ("date_trunc('year', @)", "2013-01-01 00:00:00"),
        ("to_timestamp('2013-01-02 03:04')", "2013-01-02 03:04:00"),
        ("to_date(@)", "2013-05-07"),
        ("date_add(@, 30)", "2013-06-06"),
        ("date_sub(DATE '2013-01-01', 1)", "2012-12-31"),
        ("datediff(DATE '2013-01-03', DATE '2013-01-01')", "2"),
        ("add_months(DATE '2013-01-31', 1)", "2013-02-28"),
        ("add_months(DATE '2013-01-31', -14)", "2011-11-30"),
        ("last_day(DATE '2012-02-01')", "2012-02-29"),
        ("timestamp_seconds(1)", "1970-01-01 00:00:01"),
        ("timestamp_millis(-1)", "1969-12-31 23:59:59.999"),
        ("timestamp_micros(1)", "1970-01-01 00:00:00.000001"),
        ("unix_timestamp(@)", "1367949845"),
        ("unix_seconds(@)", "1367949845"),
        ("unix_millis(@)", "1367949845678"),
        ("unix_micros(@)", "1367949845678901"),
        ("unix_seconds(TIMESTAMP '1969-12-31 23:59:59.5')", "-1"),
        ("unix_date(DATE '1970-01-02')", "1"),
        ("date_from_unix_date(-1)", "1969-12-31"),
        ("year(NULL)", "null"),
    ] {
        assert_eq!(value(&text.replace('@', at)), expected, "{text}");
    }
    let t = table(vec![]);
    assert!(t.fails(&"date_trunc('hours', @)".replace('@', at)).contains("did you mean `hour`"));
    assert!(t.fails("timestamp_seconds(9223372036854775807)").contains("range"));
    assert!(t.fails("date_add(DATE '2013-01-01', 2147483647)").contains("range"));
    assert_eq!(t.lenient("date_add(DATE '2013-01-01', 2147483647)"), ["null"]);
}

#[test]
fn text_is_read_by_patterns() {
    for (text, pattern, expected) in [
        ("01.02.2024 03:04:05", "dd.MM.yyyy HH:mm:ss", "2024-02-01 03:04:05"),
        ("2024-02-01 03:04:05.678", "yyyy-MM-dd HH:mm:ss.SSS", "2024-02-01 03:04:05.678"),
        ("2024-02-01 03:04:05.6", "yyyy-MM-dd HH:mm:ss.SSS", "2024-02-01 03:04:05.6"),
        (
            "2024-02-01 03:04:05.123456789",
            "yyyy-MM-dd HH:mm:ss.SSSSSSSSS",
            "2024-02-01 03:04:05.123456",
        ),
        ("2024-02-01T03:04", "yyyy-MM-dd''T''HH:mm", "2024-02-01 03:04:00"),
        ("2024-02-01 03:04:05", "yyyy-MM-dd HH:mm:ss[.SSS]", "2024-02-01 03:04:05"),
        ("2024-02-01 03:04:05.5", "yyyy-MM-dd HH:mm:ss[.SSS]", "2024-02-01 03:04:05.5"),
        ("20240201030405", "yyyyMMddHHmmss", "2024-02-01 03:04:05"),
        ("2/1/24 3:04 PM", "M/d/yy h:mm a", "2024-02-01 15:04:00"),
        ("12:30 am", "hh:mm a", "1970-01-01 00:30:00"),
        ("12:30 PM", "hh:mm a", "1970-01-01 12:30:00"),
        ("10/Oct/2024:13:55:36 +0200", "dd/MMM/yyyy:HH:mm:ss Z", "2024-10-10 11:55:36"),
        ("1 october 2024", "d MMMM yyyy", "2024-10-01 00:00:00"),
        ("2024-02-01T03:04:05Z", "yyyy-MM-dd''T''HH:mm:ssXXX", "2024-02-01 03:04:05"),
        ("2024-02-01T03:04:05-01:30", "yyyy-MM-dd''T''HH:mm:ssXXX", "2024-02-01 04:34:05"),
        ("29.02.2024", "dd.MM.yyyy", "2024-02-29 00:00:00"),
        ("5 o''clock", "H ''o''''clock''", "1970-01-01 05:00:00"),
    ] {
        let call = format!("to_timestamp('{text}', '{pattern}')");
        assert_eq!(constant(&call), (expected.to_owned(), us()), "{call}");
    }
    assert_eq!(
        constant("to_date('01.02.2024', 'dd.MM.yyyy')"),
        ("2024-02-01".to_owned(), DataType::Date32)
    );
    assert_eq!(value("to_date('31.12.1969 23:59', 'dd.MM.yyyy HH:mm')"), "1969-12-31");
    assert_eq!(value("to_timestamp(NULL, 'yyyy')"), "null");
    // What is a time already is not read.
    assert_eq!(value("to_date(TIMESTAMP '2024-02-01 03:04:05', 'yyyy')"), "2024-02-01");
}

#[test]
fn text_that_does_not_fit_a_pattern() {
    for (text, pattern) in [
        ("1.2.2024", "dd.MM.yyyy"),
        ("31.02.2024", "dd.MM.yyyy"),
        ("29.02.2023", "dd.MM.yyyy"),
        ("01.13.2024", "dd.MM.yyyy"),
        ("01.02.2024 ", "dd.MM.yyyy"),
        ("01.02.20241", "dd.MM.yyyy"),
        ("01.02", "dd.MM.yyyy"),
        ("", "dd.MM.yyyy"),
        ("24:00", "HH:mm"),
        ("13:00 PM", "hh:mm a"),
        ("03:04:05.1234", "HH:mm:ss.SSS"),
        ("03:04:05.", "HH:mm:ss.SSS"),
        ("é", "yyyy"),
        ("1é", "d''e''"),
        ("+0é:00", "XXX"),
        ("+19:00", "XXX"),
    ] {
        let call = format!("to_timestamp(s, '{pattern}')");
        let t = table(vec![("s", strings(vec![None, Some(text)]))]);
        let message = t.fails(&call);
        assert!(message.contains("does not fit the pattern"), "{text} {message}");
        assert!(message.contains("row 1"), "{message}");
        assert_eq!(t.lenient(&call), ["null", "null"], "{text}");
    }
    let t = table(vec![
        ("s", strings(vec![Some("01.02.2024"), None, Some("03.02.2024")])),
        ("n", ints(vec![Some(1), Some(2), None])),
    ]);
    assert_eq!(t.values("to_date(s, 'dd.MM.yyyy')"), ["2024-02-01", "null", "2024-02-03"]);
    for (call, message) in [
        ("to_timestamp(s, 'yyyy-MM-dd EEEE')", "`EEEE` is not supported"),
        ("to_timestamp(s, 'YYYY-MM-dd')", "`YYYY` is not supported"),
        ("to_date(s, 'DD.MM.yyyy')", "`DD` is not supported"),
        ("to_date(s, 'yyyy-MM-ddThh')", "`T` is not supported"),
        ("to_date(s, '%Y-%m-%d')", "`Y` is not supported"),
        ("to_date(s, 'yyyy ''x')", "is not closed"),
        ("to_date(s, 'yyyy[-MM')", "is not closed"),
        ("to_date(s, 'yyyy-MM]')", "no matching ["),
        ("to_date(s, s)", "must be constant text"),
        ("to_date(s, NULL)", "must be constant text"),
        ("to_timestamp(n, 'yyyy')", "timestamp_seconds"),
        ("to_timestamp(s, 'yyyy', 1)", "takes 1 to 2 arguments"),
    ] {
        let found = t.fails(call);
        assert!(found.contains(message), "{call}: {found}");
    }
}

#[test]
fn patterns_of_strftime_have_counterparts() {
    for (format, padded, pattern) in [
        ("%d.%m.%Y %H:%M:%S%.f", true, Some("dd.MM.yyyy HH:mm:ss[.SSSSSSSSS]")),
        ("%d.%m.%Y %H:%M:%S%.f", false, Some("d.M.yyyy H:m:s[.SSSSSSSSS]")),
        ("%Y-%m-%dT%H:%M:%S%.3fZ", true, Some("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")),
        ("%Y%m%d", false, Some("yyyyMMdd")),
        ("%d/%b/%Y:%H:%M:%S +0000", true, Some("dd/MMM/yyyy:HH:mm:ss +0000")),
        ("%m/%d/%Y %I:%M:%S %p", true, Some("MM/dd/yyyy hh:mm:ss a")),
        ("%F %T", true, Some("yyyy-MM-dd HH:mm:ss")),
        ("%Y-%j", true, None),
        ("%s", true, None),
        ("%d.%m.%Y %z", true, None),
    ] {
        assert_eq!(pattern_of_strftime(format, padded).as_deref(), pattern, "{format}");
    }
    let pattern = pattern_of_strftime("%d.%m.%Y %H:%M:%S%.f", false).unwrap();
    assert!(pattern_reads(&pattern, ["1.2.2024 3:04:05", "01.02.2024 03:04:05.25"].into_iter()));
    assert!(!pattern_reads("dd.MM.yyyy", ["01.02.2024", "1.2.2024"].into_iter()));
}

#[test]
fn columns_and_constants_mix() {
    let t = table(vec![
        ("s", strings(vec![Some("ab"), None, Some("cd")])),
        ("n", ints(vec![Some(1), Some(2), None])),
    ]);
    assert_eq!(t.values("substring(s, n, 1)"), ["a", "null", "null"]);
    assert_eq!(t.values("concat('<', s, '>')"), ["<ab>", "null", "<cd>"]);
    assert_eq!(t.values("length('const') + n"), ["6", "7", "null"]);
    assert_eq!(t.values("date_add(DATE '2013-01-01', n)"), ["2013-01-02", "2013-01-03", "null"]);
    assert_eq!(t.values("greatest(n, 2)"), ["2", "2", "2"]);
}

/// One map per row; the expected values are those of the same literals in Spark:
/// `element_at(map('a', 1, 'b', 2), 'b')` is 2, with `'c'` null.
#[test]
fn values_of_maps() {
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for (key, value) in [("a", Some(1)), ("b", Some(2)), ("n", None)] {
        maps.keys().append_value(key);
        maps.values().append_option(value);
    }
    maps.append(true).unwrap();
    maps.append(false).unwrap();
    maps.append(true).unwrap();
    let t = table(vec![
        ("m", Arc::new(maps.finish())),
        ("k", strings(vec![Some("b"), Some("b"), None])),
    ]);
    assert_eq!(t.values("element_at(m, 'b')"), ["2", "null", "null"]);
    assert_eq!(t.values("element_at(m, k)"), ["2", "null", "null"]);
    assert_eq!(t.values("try_element_at(m, 'c')"), ["null"; 3]);
    assert_eq!(t.values("element_at(m, 'n')"), ["null"; 3]);
    assert_eq!(t.values("element_at(m, NULL)"), ["null"; 3]);
    assert_eq!(t.values("size(m)"), ["3", "null", "0"]);
    assert_eq!(t.lenient("size(m)"), ["3", "-1", "0"]);
    assert_eq!(t.values("cardinality(m) + 1"), ["4", "null", "1"]);
    assert!(t.fails("element_at(m, 1)").contains("keys of the map are STRING"));
    assert!(t.fails("array_size(m)").contains("must be an array"));
    assert!(t.fails("hash(m)").contains("the entries of a map have no order"));
    assert!(t.fails("concat_ws(',', m)").contains("an array of strings"));
}

/// Arrays of every layout, as columns.
#[test]
fn elements_of_columns() {
    let values = || ["a", "b", "c", "d"];
    let field = Arc::new(Field::new_list_field(DataType::Utf8, true));
    let elements: ArrayRef = Arc::new(StringArray::from_iter_values(values()));
    let large = LargeListArray::new(
        field.clone(),
        OffsetBuffer::from_lengths([1, 3, 0]),
        elements.clone(),
        None,
    );
    let view = ListViewArray::new(
        field.clone(),
        vec![3, 0, 0].into(),
        vec![1, 3, 0].into(),
        elements.clone(),
        None,
    );
    let fixed = FixedSizeListArray::new(field, 2, elements, None);
    let t = table(vec![
        ("large", Arc::new(large)),
        ("view", Arc::new(view)),
        ("i", ints(vec![Some(1), Some(-1), None])),
    ]);
    assert_eq!(t.values("try_element_at(large, i)"), ["a", "d", "null"]);
    assert_eq!(t.values("try_element_at(view, i)"), ["d", "c", "null"]);
    assert_eq!(t.values("get(view, i)"), ["null", "null", "null"]);
    assert_eq!(t.values("size(view)"), ["1", "3", "0"]);
    assert_eq!(t.values("concat_ws('-', large, view)"), ["a-d", "b-c-d-a-b-c", ""]);
    assert_eq!(t.values("hash(large) = hash(array('a'))"), ["true", "false", "false"]);
    assert!(t.fails("element_at(large, 1)").contains("no element 1 in an array of 0 (row 2"));
    assert_eq!(t.lenient("element_at(large, 1)"), ["a", "b", "null"]);
    assert!(t.fails("element_at(large, 0)").contains("begins with 1"));
    let t = table(vec![("fixed", Arc::new(fixed))]);
    assert_eq!(t.values("element_at(fixed, 2)"), ["b", "d"]);
}

#[test]
fn regular_expressions_of_columns() {
    let t = table(vec![("s", strings(vec![Some("a1b22"), None, Some("")]))]);
    assert_eq!(t.values("regexp_extract(s, '(\\\\d+)b(\\\\d+)', 2)"), ["22", "null", ""]);
    assert_eq!(t.values("regexp_replace(s, '\\\\d+', s)"), ["aa1b22ba1b22", "null", ""]);
    assert_eq!(t.values("s NOT RLIKE '\\\\d$'"), ["false", "null", "true"]);
    assert_eq!(t.values("size(split(s, '[ab]'))"), ["3", "null", "1"]);
    for (call, message) in [
        ("s RLIKE s", "must be constant text"),
        ("split(s, s)", "must be constant text"),
        ("regexp_replace(s, 'a', 'b', length(s))", "must be a constant number"),
        ("s RLIKE 'a('", "not closed"),
        ("regexp_extract(s, '(a*)*', length(s))", "must be constant here"),
        ("date_format(TIMESTAMP '2024-01-01 00:00:00', s)", "must be constant text"),
    ] {
        let found = t.fails(call);
        assert!(found.contains(message) && found.contains("at column"), "{call}: {found}");
    }
}

#[test]
fn uuids_as_text() {
    let bytes: [u8; 16] = std::array::from_fn(|at| 0x11 * at as u8);
    let uuids =
        FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some(bytes), None].into_iter(), 16)
            .unwrap();
    let field = marked_as_uuid(Field::new("u", uuids.data_type().clone(), true));
    let t = Table {
        scope: Scope::of_schema("t", &Schema::new(vec![field])),
        columns: vec![Arc::new(uuids)],
    };
    let text = "00112233-4455-6677-8899-aabbccddeeff";
    assert_eq!(t.values("CAST(u AS STRING)"), [text, "null"]);
    assert_eq!(t.values("upper(coalesce(u, u))"), [text.to_uppercase(), "null".to_owned()]);
    assert_eq!(t.values("CASE WHEN u IS NULL THEN NULL ELSE u END || ''"), [text, "null"]);
    assert_eq!(t.values("hex(u)"), [text.replace('-', "").to_uppercase(), "null".to_owned()]);
    assert_eq!(t.values("u = u"), ["true", "null"]);
    for condition in ["u = 'x'", "'x' < u", "u IN ('x')", "coalesce(u, 'x') IS NULL"] {
        let found = t.fails(condition);
        assert!(
            found.contains("`t.u` is a UUID") && found.contains("CAST(t.u AS STRING)"),
            "{found}"
        );
    }
}
