//! Which row comes next, and where batches end.

use proptest::prelude::*;

use super::support::{Folder, HEAD, csv};

/// One row per batch, so that the batches tell the order; keys never match, and
/// every row comes out alone at once, its side's condition failing.
fn order(folder: &Folder, head: &str, replay: &str) -> Vec<String> {
    let text = format!(
        "{head}[join]\nleft = \"l\"\nright = \"r\"\ntype = \"full\"\non = \"l.k = r.k AND l.at = r.at AND l.id < 0 AND r.id < 0\"\n[output]\nselect = [\"coalesce(l.id, r.id) AS id\"]\n[replay]\ntrigger = {{ rows = 1 }}\n{replay}\n"
    );
    let ran = folder.run(&text);
    ran.batches.iter().flat_map(|(_, rows)| rows.clone()).collect()
}

fn rows(times: &[Option<i64>], from: i64) -> String {
    let rows = times.iter().enumerate().map(|(i, at)| (from + i as i64, Some(1), *at));
    csv(&rows.collect::<Vec<_>>())
}

fn no_watermark() -> String {
    // Nothing is late, whatever the order.
    HEAD.replacen("watermark = \"0 s\"\n", "", 1).replace("\"0 s\"", "\"1000000 days\"")
}

#[test]
fn the_smaller_event_time_is_next_and_left_wins_ties() {
    let left = rows(&[Some(10), Some(10), None, Some(5), Some(30)], 10);
    let right = rows(&[None, Some(10), Some(20), Some(40)], 20);
    let folder = Folder::new(&[("l.csv", &left), ("r.csv", &right)]);
    // A null comes with the row before it in its file, the first of a file before all.
    let found = order(&folder, &no_watermark(), "");
    assert_eq!(found, ["20", "10", "11", "12", "13", "21", "22", "14", "23"]);
}

#[test]
fn a_null_does_not_take_a_time_from_another_file() {
    let folder = Folder::new(&[
        ("l/1.csv", &rows(&[Some(50)], 10)),
        ("l/2.csv", &rows(&[None, Some(60)], 11)),
        ("r.csv", &rows(&[Some(20), Some(55)], 20)),
    ]);
    let head = no_watermark().replace("l.csv", "l/*.csv");
    assert_eq!(order(&folder, &head, ""), ["20", "10", "11", "21", "12"]);
}

#[test]
fn streams_are_merged_in_proportion_to_their_rows() {
    let left = rows(&[Some(9); 6], 10);
    let right = rows(&[Some(1); 3], 20);
    let folder = Folder::new(&[("l.csv", &left), ("r.csv", &right)]);
    let found = order(&folder, &no_watermark(), "merge = \"file-order\"");
    assert_eq!(found, ["10", "20", "11", "12", "21", "13", "14", "22", "15"]);
}

#[test]
fn arrival_times_order_and_a_decreasing_one_counts_as_the_maximum() {
    let with = |rows: &[(i64, i64)]| {
        let mut text = "id,k,at,got\n".to_owned();
        for (id, got) in rows {
            text += &format!("{id},1,2024-01-01 00:00:10,{got}\n");
        }
        text
    };
    let left = with(&[(10, 100), (11, 50), (12, 300)]);
    let right = with(&[(20, 100), (21, 150), (22, 310)]);
    let folder = Folder::new(&[("l.csv", &left), ("r.csv", &right)]);
    let head = no_watermark()
        .replace("at = \"timestamp\" }", "at = \"timestamp\", got = \"bigint\" }")
        .replace("event_time", "arrival = \"got\"\nevent_time");
    let found = order(&folder, &head, "merge = \"arrival\"");
    assert_eq!(found, ["10", "11", "20", "21", "12", "22"]);
    let text = format!(
        "{head}[join]\nleft = \"l\"\nright = \"r\"\non = \"l.k = r.k AND l.at = r.at\"\n[replay]\nend = \"hold\"\nmerge = \"arrival\"\ntrigger = {{ arrival = \"100 us\" }}\n"
    );
    let ran = folder.run(&text);
    // [100, 200), then [300, 400).
    assert_eq!(ran.sizes(), [4, 2]);
    assert_eq!(ran.warnings.len(), 1, "{:?}", ran.warnings);
    assert!(ran.warnings[0].contains("1 rows have an arrival time before"), "{:?}", ran.warnings);
}

#[test]
fn triggers_count_in_merged_order() {
    let left = rows(&[Some(1), Some(11), Some(12), Some(35)], 10);
    let right = rows(&[Some(2), Some(9), Some(10), Some(36)], 20);
    let folder = Folder::new(&[("l.csv", &left), ("r.csv", &right)]);
    let sizes = |trigger: &str| {
        let text = format!(
            "{}[join]\nleft = \"l\"\nright = \"r\"\non = \"l.k = r.k\"\n[replay]\nend = \"hold\"\ntrigger = {trigger}\n",
            no_watermark()
        );
        folder.run(&text).sizes()
    };
    assert_eq!(sizes("{ rows = 3 }"), [3, 3, 2]);
    assert_eq!(sizes("{ event_time = \"10 s\" }"), [3, 3, 2]);
    assert_eq!(sizes("\"once\""), [8]);
    assert_eq!(sizes("\"file\""), [8]);
    // The column's value differs from that of the row before, of either stream.
    assert_eq!(sizes("{ column = \"at\" }"), [1; 8]);
    assert_eq!(sizes("{ column = \"k\" }"), [8]);
}

#[test]
fn a_batch_goes_on_to_the_next_file_with_either_stream() {
    let folder = Folder::new(&[
        ("l/1.csv", &rows(&[Some(1), Some(2)], 10)),
        ("l/2.csv", &rows(&[Some(20)], 12)),
        ("r/1.csv", &rows(&[Some(3), Some(21)], 20)),
        ("r/2.csv", &rows(&[Some(22)], 22)),
        ("r/3.csv", &rows(&[Some(23)], 23)),
    ]);
    let head = no_watermark().replace("l.csv", "l/*.csv").replace("r.csv", "r/*.csv");
    let text = format!(
        "{head}[join]\nleft = \"l\"\nright = \"r\"\non = \"l.k = r.k\"\n[replay]\nend = \"hold\"\ntrigger = \"file\"\n"
    );
    assert_eq!(folder.run(&text).sizes(), [3, 3, 1]);
}

#[test]
fn a_limit_counts_both_streams() {
    let folder = Folder::new(&[
        ("l.csv", &rows(&[Some(1), Some(3), Some(5)], 10)),
        ("r.csv", &rows(&[Some(2), Some(4), Some(6)], 20)),
    ]);
    let found = order(&folder, &no_watermark(), "limit = 3");
    assert_eq!(found, ["10", "20", "11"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Rows are held back by no more than is said; none is lost, none repeated;
    /// the same seed holds back the same rows, whatever the trigger.
    #[test]
    fn disorder_is_bounded_and_repeats(
        left in prop::collection::vec(0_i64..3000, 1..60),
        right in prop::collection::vec(0_i64..3000, 1..60),
        share in prop::sample::select(vec![0.0, 0.1, 0.5, 1.0]),
        seed in 0_u64..1000,
    ) {
        let (mut left, mut right) = (left, right);
        left.sort_unstable();
        right.sort_unstable();
        let times = |times: &[i64]| times.iter().map(|at| Some(*at)).collect::<Vec<_>>();
        let (l, r) = (rows(&times(&left), 0), rows(&times(&right), 1000));
        let folder = Folder::new(&[("l.csv", &l), ("r.csv", &r)]);
        let replay = format!("disorder = {{ share = {share:?}, max = \"60 s\", seed = {seed} }}");
        let found = order(&folder, &no_watermark(), &replay);
        prop_assert_eq!(&found, &order(&folder, &no_watermark(), &replay));
        let mut ids: Vec<i64> = found.iter().map(|id| id.parse().unwrap()).collect();
        for (stream, from) in [(&left, 0), (&right, 1000)] {
            let of = |id: &i64| (from..from + 1000).contains(id).then(|| stream[(*id - from) as usize]);
            let mut max = 0;
            for time in ids.iter().filter_map(of) {
                prop_assert!(max - time <= 60, "{} behind {}", time, max);
                max = max.max(time);
            }
        }
        if share == 0.0 {
            prop_assert_eq!(&found, &order(&folder, &no_watermark(), ""));
        }
        ids.sort_unstable();
        let all = (0..left.len() as i64).chain(1000..1000 + right.len() as i64);
        prop_assert!(ids.into_iter().eq(all));
    }
}
