//! `init`: the scenario that it writes runs as it is.

use std::fmt::Write;

use crate::support::Folder;

/// Runs `init` and everything that it says comes next; answers the scenario's text.
#[track_caller]
fn proposed(folder: &Folder, args: &[&str]) -> String {
    let _ = std::fs::remove_file(folder.path("joined.parquet"));
    let ran = folder.streamjoin(&[&["init"], args].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("wrote scenario.toml; next:"), "{}", ran.stdout);
    let text = std::fs::read_to_string(folder.path("scenario.toml")).unwrap();
    let next = ran.stdout.lines().filter_map(|line| line.strip_prefix("  streamjoin "));
    for line in next {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = folder.streamjoin(&words);
        assert_eq!(ran.code, 0, "{line}: {}{}\n{text}", ran.stdout, ran.stderr);
    }
    // Every format can hold the rows.
    folder.streamjoin(&["run", "scenario.toml", "-q", "-o", "rows.csv", "--force"]);
    assert!(folder.path("rows.csv").exists(), "{text}");
    text
}

/// Asserts that each of the lines is in the text as it is.
#[track_caller]
fn says(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found.starts_with(line)), "no `{line}` in\n{text}");
    }
}

/// Clicks of users 1 to 40, of whom 38 are known, a second apart.
fn clicks_and_users(folder: &Folder) {
    let mut clicks = "click_id,user_id,amount,ts\n".to_owned();
    for click in 0..400 {
        let (user, second) = (click % 40 + 1, if click == 300 { 290 } else { click });
        let (minute, second) = (second / 60, second % 60);
        let _ = writeln!(clicks, "c{click},{user},{click}.5,2024-03-01 10:{minute:02}:{second:02}");
    }
    folder.write("clicks.csv", clicks);
    let mut users = "id,name,signup_date\n".to_owned();
    for user in 1..39 {
        let _ = writeln!(users, "{user},n{user},2020-01-{:02}", 28 - user % 28);
    }
    folder.write("users.csv", users);
}

#[test]
fn a_stream_and_a_table() {
    let folder = Folder::small();
    clicks_and_users(&folder);
    for order in [["clicks.csv", "users.csv"], ["users.csv", "clicks.csv"]] {
        let text = proposed(&folder, &[&order[..], &["--force"]].concat());
        says(
            &text,
            &[
                "[stream.clicks]",
                "recording = \"clicks.csv\"",
                "event_time = \"ts\"",
                "# `ts`: a timestamp; 0.25 % of the rows are out of order, by at most 9 s",
                "# watermark = \"10 seconds\"",
                "name = \"users\"",
                "on = \"clicks.user_id = users.id\"",
                "# 95.0 % of the 400 clicks rows that were looked up are found in users; `id` is unique in users.",
            ],
        );
    }
}

#[test]
fn an_existing_file_stays() {
    let folder = Folder::small();
    clicks_and_users(&folder);
    folder.write("scenario.toml", "mine");
    let args = ["init", "clicks.csv", "users.csv"];
    folder.streamjoin(&args).fails(2, &["scenario.toml exists", "--force"]);
    assert_eq!(std::fs::read_to_string(folder.path("scenario.toml")).unwrap(), "mine");
    folder.streamjoin(&["init", "clicks.csv"]).fails(2, &["two or more files"]);
    folder
        .streamjoin(&["init", "clicks.csv", "no.csv", "--force"])
        .fails(1, &["no.csv", "no such file"]);
    folder
        .streamjoin(&["init", "clicks.csv", "users.csv", "-o", "x.csv"])
        .fails(2, &["ends in .toml"]);
    folder.write("empty.csv", "a,b\n");
    folder
        .streamjoin(&["init", "clicks.csv", "empty.csv", "--force"])
        .fails(1, &["empty.csv has no rows"]);
    assert_eq!(std::fs::read_to_string(folder.path("scenario.toml")).unwrap(), "mine");
}

#[test]
fn the_scenario_may_go_elsewhere() {
    let folder = Folder::small();
    clicks_and_users(&folder);
    let ran = folder.streamjoin(&["init", "clicks.csv", "users.csv", "-o", "-"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder.write("piped.toml", &ran.stdout);
    folder.streamjoin(&["check", "piped.toml"]).ok();
    folder.streamjoin(&["init", "clicks.csv", "users.csv", "-o", "new folder/s.toml"]).ok();
    folder.streamjoin(&["check", "new folder/s.toml"]).ok();
    // Paths below the scenario's folder stay short.
    folder.write("data/c.csv", std::fs::read(folder.path("clicks.csv")).unwrap());
    folder.write("data/users.csv", std::fs::read(folder.path("users.csv")).unwrap());
    folder.streamjoin(&["init", "data/c.csv", "data/users.csv", "-o", "data/s.toml"]).ok();
    let text = std::fs::read_to_string(folder.path("data/s.toml")).unwrap();
    says(&text, &["recording = \"c.csv\"", "table = \"users.csv\""]);
    folder.streamjoin(&["check", "data/s.toml"]).ok();
}

#[test]
fn numbers_and_text_may_be_times() {
    let folder = Folder::small();
    clicks_and_users(&folder);
    let mut events = String::new();
    for event in 0..100_u64 {
        let at = 1_709_251_200_000 + event * 250;
        let _ =
            writeln!(events, "{{\"userId\": {}, \"at\": {at}, \"seq\": {event}}}", event % 30 + 1);
    }
    folder.write("events.jsonl", events);
    let text = proposed(&folder, &["events.jsonl", "users.csv"]);
    says(
        &text,
        &["event_time = { column = \"at\", unit = \"ms\" }", "on = \"events.userId = users.id\""],
    );
    // A spreadsheet's CSV of some countries.
    let mut orders = "Bestellung;Kunde Nr.;Datum\n".to_owned();
    for order in 0..50 {
        let _ = writeln!(orders, "{order};{};{:02}.03.2024 10:15", order % 9 + 1, order % 28 + 1);
    }
    folder.write("Bestellungen.csv", orders);
    let customers: String = (1..12).map(|customer| format!("{customer};K{customer}\n")).collect();
    folder.write("Kunden.csv", format!("Kunde Nr.;Name\n{customers}"));
    let text = proposed(&folder, &["Bestellungen.csv", "Kunden.csv", "--force"].map(|arg| arg));
    says(
        &text,
        &[
            "csv = { delimiter = \";\" }",
            "event_time = { column = \"Datum\", format = \"%d.%m.%Y %H:%M\" }",
            "using = [\"Kunde Nr.\"]",
        ],
    );
}

#[test]
fn keys_may_take_several_columns_or_differ_in_case() {
    let folder = Folder::small();
    let mut trips = "trip,station,hour\n".to_owned();
    let mut weather = "station,hour,temp\n".to_owned();
    for hour in 0..100 {
        for station in ["a", "b", "c"] {
            let _ = writeln!(trips, "{hour}{station},{station},{hour}");
            let _ = writeln!(weather, "{station},{hour},{}", hour % 30);
        }
    }
    folder.write("trips.csv", trips);
    folder.write("weather.csv", weather);
    says(&proposed(&folder, &["trips.csv", "weather.csv"]), &["using = [\"station\", \"hour\"]"]);
    let sales: String = (0..60).map(|n| format!("{n},{}\n", ["de", " FR", "Us "][n % 3])).collect();
    folder.write("sales.csv", format!("sale,country\n{sales}"));
    folder.write("countries.csv", "country,euro\nDE,true\nfr,true\nus,false\n");
    let ran = folder.streamjoin(&["init", "sales.csv", "countries.csv", "--force"]);
    assert!(ran.stderr.contains("differ in case or in surrounding blanks"), "{}", ran.stderr);
    let text = proposed(&folder, &["sales.csv", "countries.csv", "--force"]);
    says(
        &text,
        &[
            "on = \"lower(trim(sales.country)) = lower(trim(countries.country))\"",
            "    \"countries.country AS countries_country\",",
        ],
    );
}

#[test]
fn numbers_of_their_own_are_no_key() {
    let folder = Folder::small();
    clicks_and_users(&folder);
    let rows: String = (1..30).map(|n| format!("{n},{}.5\n", n % 7)).collect();
    folder.write("sensors.csv", format!("id,level\n{rows}"));
    let ran = folder.streamjoin(&["init", "sensors.csv", "users.csv"]);
    match ran.code {
        0 => assert!(ran.stderr.contains("match by accident"), "{}", ran.stderr),
        _ => ran.fails(2, &["no column of", "--on"]),
    }
    folder.write("levels.csv", "level,word\n0.5,low\n1.5,high\n");
    folder.streamjoin(&["init", "clicks.csv", "levels.csv", "--force"]).fails(
        2,
        &["no column of", "looks like a key of", "levels has level, word", "--on \"...\""],
    );
}

/// Impressions a second apart and clicks on every fourth, 5 to 95 s later.
fn impressions_and_clicks(folder: &Folder, time: impl Fn(u64) -> String) {
    let mut impressions = "imp_id,campaign,imp_ts\n".to_owned();
    let mut clicks: Vec<(u64, String)> = Vec::new();
    for at in 0..2_000_u64 {
        let id = at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let _ = writeln!(impressions, "i{id},{},{}", at % 7, time(at));
        if at % 4 == 0 {
            let then = at + 5 + at % 91;
            clicks.push((then, format!("i{id},{}", time(then))));
        }
    }
    clicks.sort();
    let clicks: Vec<String> = clicks.into_iter().map(|(_, line)| line).collect();
    folder.write("impressions.csv", impressions);
    folder.write("clicks.csv", format!("imp_id,click_ts\n{}\n", clicks.join("\n")));
}

fn clock(second: u64) -> String {
    format!("2024-03-01 {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

#[test]
fn two_streams_are_told_by_their_times() {
    let folder = Folder::small();
    impressions_and_clicks(&folder, clock);
    let text = proposed(&folder, &["impressions.csv", "clicks.csv"]);
    let on = "on = \"impressions.imp_id = clicks.imp_id AND clicks.click_ts BETWEEN impressions.imp_ts AND impressions.imp_ts + INTERVAL '2 minutes'\"";
    says(&text, &["[join]", on, "watermark = \"1 second\""]);
    let rows = std::fs::read_to_string(folder.path("rows.csv")).unwrap();
    assert_eq!(rows.lines().count(), 501);
    // The other way is said.
    let text = proposed(&folder, &["--streams=1", "clicks.csv", "impressions.csv", "--force"]);
    assert!(!text.contains("[join]"), "{text}");
    says(&text, &["[stream.clicks]", "using = [\"imp_id\"]"]);
    clicks_and_users(&folder);
    folder.write("plain.csv", "id,name\n1,a\n2,b\n");
    folder
        .streamjoin(&["init", "--streams", "clicks.csv", "plain.csv", "--force"])
        .fails(2, &["plain.csv has no column that can be read as an event time"]);
}

#[test]
fn times_of_two_streams_become_timestamps() {
    for time in [
        |at: u64| (1_709_251_200 + at).to_string(),
        |at| format!("{}.25", clock(at)).replace(' ', "T") + "Z",
    ] {
        let folder = Folder::small();
        impressions_and_clicks(&folder, time);
        let text = proposed(&folder, &["impressions.csv", "clicks.csv"]);
        says(&text, &["[join]"]);
        let rows = std::fs::read_to_string(folder.path("rows.csv")).unwrap();
        assert_eq!(rows.lines().count(), 501, "{text}");
    }
}

#[test]
fn times_in_text_have_a_bound_too() {
    let folder = Folder::small();
    impressions_and_clicks(&folder, |at| {
        format!("01.03.2024 {:02}:{:02}:{:02}", at / 3600, at / 60 % 60, at % 60)
    });
    let text = proposed(&folder, &["impressions.csv", "clicks.csv"]);
    says(
        &text,
        &[
            "select = [\"*\", \"to_timestamp(imp_ts, 'dd.MM.yyyy HH:mm:ss[.SSSSSSSSS]') AS event_time\"]",
            "on = \"impressions.imp_id = clicks.imp_id AND clicks.event_time BETWEEN impressions.event_time AND impressions.event_time + INTERVAL '2 minutes'\"",
        ],
    );
    let rows = std::fs::read_to_string(folder.path("rows.csv")).unwrap();
    assert_eq!(rows.lines().count(), 501);
    // Without leading zeros.
    impressions_and_clicks(&folder, |at| {
        format!("1/3/2024 {}:{}:{}", at / 3600, at / 60 % 60, at % 60)
    });
    let text = proposed(&folder, &["impressions.csv", "clicks.csv", "--force"]);
    assert!(text.contains("to_timestamp(imp_ts, 'M/d/yyyy H:m:s"), "{text}");
    let rows = std::fs::read_to_string(folder.path("rows.csv")).unwrap();
    assert_eq!(rows.lines().count(), 501);
}

#[test]
fn one_wrong_clock_does_not_count() {
    let numbers = |at: u64| (1_709_251_200_000 + at * 1000).to_string();
    for (time, wrong, condition) in [
        (
            &clock as &dyn Fn(u64) -> String,
            "2230-01-02 00:00:00",
            "imp_ts < timestamp_micros(8204889600000000)",
        ),
        (&numbers, "8204889600000", "imp_ts < 8204889600000"),
    ] {
        let folder = Folder::small();
        impressions_and_clicks(&folder, time);
        let path = folder.path("impressions.csv");
        let text = std::fs::read_to_string(&path).unwrap();
        let right = text.lines().nth(1301).unwrap();
        let (start, _) = right.rsplit_once(',').unwrap();
        std::fs::write(&path, text.replace(right, &format!("{start},{wrong}"))).unwrap();
        let ran = folder.streamjoin(&["init", "--streams", "impressions.csv", "clicks.csv"]);
        let exception = "1 row is far ahead of all others and left out: row 1,301 of impressions.csv, `imp_ts` ";
        assert!(ran.stderr.contains(exception), "{}{}", ran.stdout, ran.stderr);
        let text = proposed(&folder, &["--streams", "impressions.csv", "clicks.csv", "--force"]);
        says(
            &text,
            &[
                &format!("# {exception}"),
                &format!("where = \"{condition} OR imp_ts IS NULL\""),
                "watermark = \"1 second\"",
            ],
        );
        let rows = std::fs::read_to_string(folder.path("rows.csv")).unwrap();
        assert_eq!(rows.lines().count(), 500, "{text}");
        assert!(!text.contains(" days"), "{text}");
    }
}

#[test]
fn suggested_commands_are_quoted() {
    let folder = Folder::small();
    clicks_and_users(&folder);
    folder.write("my levels.csv", "level,word\n0.5,low\n1.5,high\n");
    folder
        .streamjoin(&["init", "clicks.csv", "my levels.csv"])
        .fails(2, &["run --stream clicks.csv --table 'my levels.csv' --on"]);
    folder
        .streamjoin(&["init", "my levels.csv"])
        .fails(2, &["`streamjoin data inspect 'my levels.csv'`"]);
}

#[test]
fn folders_globs_and_odd_names() {
    let folder = Folder::small();
    clicks_and_users(&folder);
    let clicks = std::fs::read_to_string(folder.path("clicks.csv")).unwrap();
    let (first, second) = clicks.split_at(clicks.find("c200").unwrap());
    let header = clicks.lines().next().unwrap();
    folder.write("my clicks/dt=2024-03-01/a.csv", first);
    folder.write("my clicks/dt=2024-03-02/a.csv", format!("{header}\n{second}"));
    let users = std::fs::read_to_string(folder.path("users.csv")).unwrap();
    folder.write("select.csv", users.replacen("id,name,signup_date", "user_id,größe (cm),ts", 1));
    for path in ["my clicks", "my clicks/*/*.csv"] {
        let text = proposed(&folder, &[path, "select.csv", "--force"]);
        says(&text, &["[stream.my_clicks]", "using = [\"user_id\"]"]);
        says(&text, &["    \"select.`größe (cm)`\",", "    \"select.ts AS select_ts\","]);
    }
}

#[test]
fn tables_may_hang_on_tables() {
    let folder = Folder::small();
    clicks_and_users(&folder);
    let users: String = (1..39).map(|n| format!("{n},n{n},C{:02}\n", n % 25)).collect();
    folder.write("users.csv", format!("id,name,country_code\n{users}"));
    let countries: String = (0..25).map(|n| format!("C{n:02},{n}\n")).collect();
    folder.write("countries.csv", format!("code,population\n{countries}"));
    let text = proposed(&folder, &["clicks.csv", "countries.csv", "users.csv"]);
    says(
        &text,
        &["on = \"clicks.user_id = users.id\"", "on = \"users.country_code = countries.code\""],
    );
    // A column that a later table is joined by keeps its own name.
    folder.write("a.csv", "k,x\n1,1\n2,2\n1,3\n");
    folder.write("b.csv", "k,y\n1,1\n2,2\n");
    folder.write("c.csv", "k,z\n1,1\n2,2\n3,3\n");
    proposed(&folder, &["a.csv", "b.csv", "c.csv", "--force"]);
}
