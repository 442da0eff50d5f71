//! Nothing that is typed may panic or exhaust the stack.

use proptest::prelude::*;

use super::*;

fn anything() -> Table {
    table(vec![
        ("a", ints(vec![Some(1), None, Some(-3)])),
        ("b", ints(vec![Some(0), Some(2), None])),
        ("x", Arc::new(Float64Array::from(vec![f64::NAN, -0.0, 1e300]))),
        ("s", strings(vec![Some("1"), Some("é"), None])),
        ("t", Arc::new(TimestampMicrosecondArray::from(vec![i64::MIN, 0, i64::MAX]))),
        ("d", Arc::new(Date32Array::from(vec![i32::MIN, 0, i32::MAX]))),
        ("p", booleans(vec![Some(true), None, Some(false)])),
        ("w", {
            let mut lists = ListBuilder::new(StringBuilder::new());
            lists.append_value([Some("a"), None, Some("é")]);
            lists.append_null();
            lists.append_value(Vec::<Option<&str>>::new());
            Arc::new(lists.finish())
        }),
        ("y", Arc::new(BinaryArray::from(vec![Some(&b"\xff\x00"[..]), None, Some(b"")]))),
        (
            "m",
            Arc::new(
                Decimal128Array::from(vec![i128::from(u64::MAX), -1, 0])
                    .with_precision_and_scale(38, 5)
                    .unwrap(),
            ),
        ),
        ("j", strings(vec![Some("{\"a\":{\"b\":[1,\"x\",null]},\"c\":1e9}"), Some("{'a'"), None])),
        ("r", nested("after")),
        ("arr", nested("arr")),
        ("ss", nested("structs")),
        ("mm", nested("m")),
        ("mi", nested("mi")),
        ("ms", nested("ms")),
        ("nn", nested("nested")),
    ])
}

/// Three rows of a nested column.
fn nested(name: &str) -> ArrayRef {
    let rows = recorded::rows();
    let position = rows.scope.columns.iter().position(|column| column.name == name).unwrap();
    rows.columns[position].slice(1, 3)
}

fn try_all(text: &str) {
    let t = anything();
    for mode in [CastMode::Ansi, CastMode::NullOnError] {
        if let Ok(bound) = expression(text, &t.scope, mode) {
            let _ = bound.to_string();
            if let Ok(array) = t.evaluate(&bound) {
                assert_eq!(array.len(), 3);
            }
        }
        // Over the parts of columns too.
        if let Ok(bound) = expression(text, &t.scope, mode) {
            let mut columns = Vec::new();
            let over = bound.over_parts(&mut |part| {
                columns.push(part);
                Some(100 + columns.len() - 1)
            });
            let (whole, parts) = (t.evaluate(&bound), bound.parts());
            assert_eq!(parts.len(), bound.columns().len());
            let read = over.columns().iter().map(|&column| match column.checked_sub(100) {
                Some(part) => t.evaluate(&columns[part]),
                None => Ok(t.columns[column].clone()),
            });
            // Parts can be taken from every row, so only what remains may fail.
            let read = read.collect::<Result<Vec<ArrayRef>, _>>().unwrap();
            match (whole, over.evaluate(&read, t.rows())) {
                (Ok(whole), Ok(over)) => assert_eq!(&whole, &over, "{text}"),
                (Err(_), Err(_)) => {}
                (whole, over) => panic!("{text}: {whole:?} but over parts {over:?}"),
            }
        }
        let _ = filter(text, &t.scope, mode);
        let _ = select(&[text.to_owned()], &t.scope, mode);
        let _ = stream_static_condition(text, &t.scope, &t.scope, mode);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let scope = anything().scope;
    let deep = [
        format!("{}a = 1{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}p", "NOT ".repeat(100_000)),
        format!("{}a", "- ".repeat(50_000)),
        format!("{}a", "-".repeat(50_000)),
        vec!["a"; 100_000].join(" + "),
        vec!["p"; 100_000].join(" AND "),
        vec!["s"; 20_000].join(" || "),
        format!("{}1{}", "CASE WHEN p THEN ".repeat(5_000), " END".repeat(5_000)),
        format!("{}a{}", "abs(".repeat(20_000), ")".repeat(20_000)),
        format!("{}a{}", "CAST(".repeat(5_000), " AS INT)".repeat(5_000)),
        vec!["a"; 900].join(" + "),
        vec!["a"; 990].join(" = "),
        format!("{}a{}", "abs(".repeat(300), ")".repeat(300)),
        "a".repeat(2 << 20),
    ];
    for text in &deep {
        let error = expression(text, &scope, CastMode::Ansi).unwrap_err();
        assert!(error.to_string().len() < 500);
    }
    // Long is not deep.
    for text in [
        vec!["p"; 400].join(" AND "),
        vec!["a = 1"; 400].join(" OR "),
        vec!["a"; 90].join(" + "),
        format!("{}p{}", "(".repeat(25), ")".repeat(25)),
    ] {
        expression(&text, &scope, CastMode::Ansi).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn odd_texts() {
    for text in [
        "\0",
        "`",
        "``",
        "'",
        "\"",
        "``.``",
        "a.`",
        "INTERVAL",
        "INTERVAL 1",
        "DATE",
        "CAST",
        "a..b",
        "1e",
        "1e999",
        "1e-999",
        "0x",
        "X''",
        ".",
        "1.",
        "-",
        "a IS",
        "USING ()",
        "USING (a",
        "USING (a,)",
        "USING (a, a)",
        "ON",
        "ON a = b",
        "CASE END",
        "CASE WHEN p END",
        "a LIKE '\\\\' ESCAPE ''",
        "1 - -9223372036854775808",
        "-(-9223372036854775808)",
        "abs(-9223372036854775808)",
        "t + INTERVAL 9223372036854775807 MICROSECONDS",
        "t - INTERVAL '-9223372036854775807' MICROSECOND",
        "d + 2147483647",
        "d + INTERVAL 1 MONTH",
        "d - INTERVAL 178000000 YEARS",
        "t + INTERVAL 178956970 YEARS",
        "last_day(d)",
        "add_months(d, -2147483648)",
        "date_trunc('year', t)",
        "date_trunc('week', t)",
        "t - t",
        "unix_micros(t)",
        "year(t)",
        "CAST(d AS TIMESTAMP)",
        "CAST(t AS STRING)",
        "CAST(d AS STRING)",
        "m * m",
        "m / m",
        "m % m",
        "m + m",
        "m DIV m",
        "m / 0.0000001",
        "round(m, -38)",
        "round(m, 100)",
        "floor(m)",
        "ceil(m)",
        "m * 99999999999999999999999999999999999999",
        "x / x",
        "x % 0",
        "round(x, 300)",
        "CAST(x AS INT)",
        "lpad(s, -5, 'x')",
        "left(s, -2147483648)",
        "substring(s, -2147483648, -2147483648)",
        "a.*",
        "*",
        "t.*",
        "s AS `x y`",
        "e'\\u0041'",
        "U&'\\0041'",
        "N'x'",
        "$$x$$",
        "a[1]",
        "r.",
        "r.id.",
        "r..id",
        "r.'id'",
        "r[",
        "r[]",
        "r['",
        "r['id'",
        "r[:1]",
        "r[1:2]",
        "r.*",
        "t.r.*",
        "r.id(1)",
        "r.`a.b`",
        "r.inner.x.y.z",
        "arr[9223372036854775807]",
        "arr[-9223372036854775808]",
        "arr[a]",
        "arr[b][b]",
        "nn[0][0][0]",
        "nn[a][b]",
        "ss[0].deep.y",
        "ss.deep.y[a]",
        "mm[s]",
        "mi[a]",
        "mi[x]",
        "mi[m]",
        "ms[s].w[a]",
        "ms.a.w",
        "r = r",
        "r IN (r)",
        "arr < arr",
        "mm = mm",
        "coalesce(r, r).id",
        "CASE WHEN p THEN arr ELSE arr END[0]",
        "CAST(r AS STRING)",
        "CAST(s AS ARRAY<INT>)",
        "struct()",
        "struct(a, a).a",
        "named_struct('a')",
        "named_struct(a, a)",
        "named_struct('', a).``",
        "from_json(j)",
        "from_json(j, a)",
        "from_json(j, '')",
        "from_json(j, 'a')",
        "from_json(j, 'a INT', map())",
        "from_json(j, 'a INT', map('mode'))",
        "from_json(j, 'a INT', map('dateFormat', 'x['))",
        "from_json(j, 'a STRUCT<b: ARRAY<INT>>').a.b[0]",
        "from_json(j, 'a STRUCT<b ARRAY<STRING>>').a.b[2]",
        "from_json(j, 'MAP<STRING, STRING>')['c']",
        "from_json(j, '{')",
        "from_json(j, '{\"type\":\"struct\"}')",
        "from_json(j, '{\"type\":\"array\",\"elementType\":\"x\"}')",
        "get_json_object(j, '$.a.b[*]')",
        "get_json_object(j, '$[')",
        "get_json_object(j, j)",
        "json_tuple(j)",
        "json_tuple(j, s)",
        "json_tuple(j, 'a', 'c')",
        "to_json(r)",
        "to_json(ss)",
        "to_json(mi)",
        "to_json(named_struct('x', x, 't', t, 'd', d, 'm', m))",
        "to_json(named_struct('i', INTERVAL 1 DAY))",
        "a:b",
        "s::TIMESTAMP",
        "a = ANY (1)",
        "(a, b) = (1, 2)",
        "a IN (b)",
        "{d '2013-01-01'}",
        "s RLIKE '('",
        "s RLIKE s",
        "s NOT RLIKE '$^'",
        "s REGEXP '\\\\'",
        "regexp_extract(s, '(a*)+', a)",
        "regexp_replace(s, '', '$0', 2147483647)",
        "regexp_replace(s, '$', s)",
        "split(s, '', a)",
        "split(s, s)",
        "element_at(w, a)",
        "element_at(w, -2147483648)",
        "element_at(s, 1)",
        "get(w, a)",
        "size(s)",
        "size(w)",
        "concat_ws(s, w, a, y, t)",
        "hash(w, y, s, a, m, t, d, x)",
        "xxhash64(w)",
        "md5(y)",
        "sha2(s, a)",
        "hex(m)",
        "hex(x)",
        "unhex(s)",
        "unbase64(s)",
        "base64(y)",
        "lpad(y, a, y)",
        "rpad(s, b, y)",
        "instr(s, s, a, b)",
        "instr(s, '', -2147483648, 2147483647)",
        "date_format(t, 'G y M d D E F a h H k K m s S VV z O X x Z')",
        "date_format(t, 'yyyy')",
        "date_format(d, s)",
        "from_unixtime(a, '[[')",
        "from_unixtime(9223372036854775807L)",
        "unix_timestamp(t)",
        "unix_timestamp(s)",
        "unix_timestamp(s, 'QQQ')",
        "timestampdiff(YEAR, t, t)",
        "timestampdiff(MICROSECOND, TIMESTAMP '1970-01-01', t)",
        "timestampdiff(a, t, t)",
        "timestampadd(YEAR, 9223372036854775807L, t)",
        "timestampadd(WEEK, a, t)",
        "datediff(MONTH, d, t)",
        "make_timestamp(a, b, a, b, a, m)",
        "make_timestamp(262144, 1, 1, 0, 0, 0, 'Europe/Berlin')",
        "make_timestamp(-262145, 1, 1, 0, 0, 0, 'Europe/Berlin')",
        "make_timestamp(2024, 1, 1, 0, 0, 0, s)",
        "make_date(2147483647, 1, 1)",
        "greatest(s, a)",
        "GROUPING(a)",
        "a COLLATE x",
        "a AT TIME ZONE 'UTC'",
        "f(a => 1)",
        "f(DISTINCT a)",
        "count(*)",
        "a -> b",
        "a ->> b",
        "a @> b",
        "@a",
        "#a",
        "a ^ b",
        "a | b",
        "a << 1",
        "~a",
        "a!",
        "!!p",
    ] {
        try_all(text);
    }
}

const WORDS: [&str; 120] = [
    "rlike(",
    "RLIKE",
    "regexp_extract(",
    "split(",
    "'[a-z]+$'",
    "element_at(",
    "size(",
    "concat_ws(",
    "lpad(",
    "hash(",
    "md5(",
    "sha2(",
    "hex(",
    "unhex(",
    "unbase64(",
    "date_format(",
    "'yyyy MM'",
    "from_unixtime(",
    "unix_timestamp(",
    "timestampdiff(HOUR,",
    "make_timestamp(",
    "instr(",
    "w",
    "y",
    "a",
    "b",
    "x",
    "s",
    "t",
    "d",
    "p",
    "m",
    "1",
    "0",
    "-1",
    "2.5",
    "1e3",
    "'1'",
    "'x'",
    "''",
    "NULL",
    "TRUE",
    "9223372036854775807",
    "(",
    ")",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "/",
    "%",
    "=",
    "<",
    ">=",
    "<>",
    "<=>",
    "AND",
    "OR",
    "NOT",
    "IS NULL",
    "IS NOT NULL",
    "BETWEEN",
    "IN (",
    "LIKE",
    "ESCAPE",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CAST(",
    "AS INT)",
    "AS STRING)",
    "AS DATE)",
    "AS TIMESTAMP)",
    "AS DECIMAL(9,2))",
    "TRY_CAST(",
    "::INT",
    "INTERVAL",
    "HOUR",
    "MONTH",
    "'1 day'",
    "DATE",
    "TIMESTAMP",
    "'2013-01-01'",
    "abs(",
    "concat(",
    "substring(",
    "coalesce(",
    "nullif(",
    "round(",
    "date_trunc('day',",
    "||",
    "DIV",
    "USING (",
    "ON",
    "r",
    "arr",
    "ss",
    "mm",
    "ms",
    "nn",
    "j",
    ".",
    ".id",
    ".inner",
    ".deep.y",
    "[",
    "]",
    "[0]",
    "[a]",
    "['id']",
    "from_json(",
    "get_json_object(",
    "to_json(",
    "'a INT'",
    "'$.a'",
    "struct(",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_text_never_panics(text in "\\PC{0,60}") {
        try_all(&text);
    }

    #[test]
    fn random_bytes_of_sql_never_panic(text in "[a-z0-9 '\"`().,*+/<>=!|:;%_\\\\-]{0,50}") {
        try_all(&text);
    }

    #[test]
    fn random_schemas_never_panic(text in "[a-zA-Z0-9 `<>:,(){}\"\\[\\]]{0,40}") {
        try_all(&format!("from_json(j, '{text}')"));
        let known = format!("from_json(j, 'a ARRAY<STRUCT<{text}>>')");
        try_all(&known);
    }

    #[test]
    fn random_paths_never_panic(path in "\\$[.a-c\\[\\]0-9*' ]{0,16}", json in "[\\[\\]{}a-c:,\"'0-9.eE+\\\\u -]{0,40}") {
        let t = table(vec![("v", strings(vec![Some(&json), Some("{\"a\":[{\"b\":[1]}]}")]))]);
        for text in [
            format!("get_json_object(v, '{}')", path.replace('\'', "\\'")),
            "from_json(v, 'a ARRAY<STRUCT<b: ARRAY<INT>>>, b DOUBLE, c MAP<STRING, DATE>')".to_owned(),
            "from_json(v, 'ARRAY<STRING>')".to_owned(),
            "json_tuple(v, 'a')".to_owned(),
        ] {
            let bound = t.bind(&text);
            prop_assert_eq!(t.evaluate(&bound).unwrap().len(), 2);
        }
    }

    #[test]
    fn random_words_never_panic(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..14)) {
        try_all(&words.join(" "));
    }

    #[test]
    fn patterns_of_times_never_panic(
        pattern in "[GyMLdDQqEFaHhkKmsSVzOXxZ'\\[\\] :.-]{0,12}",
        micros in any::<i64>(),
    ) {
        if let Ok(pattern) = datetime_pattern::DateTimePattern::to_write(&pattern) {
            let _ = pattern.write(micros);
        }
    }

    /// Well-formed trees of all operators: errors are allowed, panics are not,
    /// and what is displayed binds again to the same values.
    #[test]
    fn random_trees_never_panic(text in tree()) {
        try_all(&text);
        let t = anything();
        if let Ok(bound) = expression(&text, &t.scope, CastMode::Ansi)
            && let Ok(array) = t.evaluate(&bound)
            // The parser has no name for the types of intervals.
            && !bound.to_string().contains("AS INTERVAL")
        {
            let again = t.bind(&bound.to_string());
            let again = t.evaluate(&again).unwrap();
            prop_assert_eq!(shown(&array), shown(&again), "{} as {}", text, bound);
        }
    }
}

/// Calls with two operands, `@` and `#`.
const CALLS: &[&str] = &[
    "(@ RLIKE '^[a-c1]+$')",
    "regexp_extract(@, '(\\\\d)(.)?', #)",
    "regexp_replace(@, '[ab]*', #)",
    "element_at(split(@, 'a'), #)",
    "try_element_at(split(@, ''), #)",
    "get(split(@, '[.]', #), 0)",
    "size(split(@, #))",
    "concat_ws(@, #, split(#, '1'))",
    "lpad(@, 3, #)",
    "rpad(@, 4, #)",
    "instr(@, #)",
    "instr(@, '1', #)",
    "hash(@, #)",
    "xxhash64(@, #)",
    "md5(concat(@, #))",
    "sha2(@, #)",
    "hex(@)",
    "unhex(@)",
    "base64(@)",
    "greatest(@, #)",
    "least(@, #)",
    "date_format(@, 'yyyy-MM-dd G E')",
    "from_unixtime(@)",
    "unix_timestamp(@)",
    "unix_timestamp(@, 'yyyy')",
    "timestampdiff(MONTH, @, #)",
    "timestampdiff(SECOND, @, #)",
    "timestampadd(DAY, @, #)",
    "datediff(@, #)",
    "try_make_timestamp(2013, @, #, 1, 2, 3)",
    "make_timestamp(2013, 1, 2, 3, @, #, 'Europe/Berlin')",
];

fn tree() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "x",
        "s",
        "t",
        "d",
        "p",
        "m",
        "1",
        "0",
        "-7",
        "2.5",
        "'1'",
        "'ab'",
        "NULL",
        "TRUE",
        "1.5D",
        "3L",
        "DATE '2013-01-01'",
        "TIMESTAMP '2013-01-01 10:00:00'",
        "INTERVAL 1 HOUR",
        "INTERVAL 2 MONTHS",
        "r.id",
        "r.inner.x",
        "r",
        "arr[0]",
        "arr[a]",
        "ss.field",
        "ss[0].deep.y",
        "mm['a']",
        "mm[s]",
        "ms['zz'].w",
        "nn[0][1]",
        "from_json(j, 'a STRUCT<b: STRING>, c DOUBLE').c",
        "get_json_object(j, '$.a.b[1]')",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(vec![
                    "+",
                    "-",
                    "*",
                    "/",
                    "%",
                    "DIV",
                    "=",
                    "<>",
                    "<",
                    ">=",
                    "<=>",
                    "AND",
                    "OR",
                    "||",
                    "LIKE",
                    "IS DISTINCT FROM"
                ]),
                inner.clone()
            )
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (
                prop::sample::select(vec![
                    "NOT ", "-", "abs", "upper", "length", "floor", "year", "isnull", "to_json",
                    "struct"
                ]),
                inner.clone()
            )
                .prop_map(|(f, a)| format!("{f}({a})")),
            (
                inner.clone(),
                prop::sample::select(vec![
                    "INT",
                    "BIGINT",
                    "DOUBLE",
                    "STRING",
                    "DATE",
                    "TIMESTAMP",
                    "BOOLEAN",
                    "DECIMAL(12, 3)"
                ])
            )
                .prop_map(|(a, t)| format!("TRY_CAST({a} AS {t})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("CASE WHEN {a} THEN {b} ELSE {c} END")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a} BETWEEN {b} AND {c})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a} IN ({b}, {c}))")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("coalesce({a}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("nullif({a}, {b})")),
            (prop::sample::select(CALLS), inner.clone(), inner)
                .prop_map(|(call, a, b)| call.replace('@', &a).replace('#', &b)),
        ]
    })
}
