use super::*;
use crate::arch::{Isa, mix};
use crate::hash::KeyHasher;
use crate::key::KeyShape;
use crate::table::{BuildInput, IndexBuilder, IndexKind};

fn point(index: IndexKind, filtered: bool, rows: f64, figures: [f64; 4]) -> CostPoint {
    let [build_ns, hit_ns, miss_ns, gather_ns] = figures;
    CostPoint {
        candidate: Candidate { index, filtered },
        shape: KeyShape::Word,
        rows,
        rows_per_key: 1.0,
        build_ns,
        hit_ns,
        miss_ns,
        exists_ns: hit_ns,
        gather_ns,
        bytes: 16.0,
    }
}

fn points() -> Vec<CostPoint> {
    let mut points = vec![
        point(IndexKind::Chained, false, 1e3, [1.0, 3.0, 2.0, 1.0]),
        point(IndexKind::Chained, false, 1e7, [6.0, 16.0, 10.0, 5.0]),
        point(IndexKind::Chained, true, 1e7, [9.0, 18.0, 3.0, 5.0]),
        point(IndexKind::Perfect, false, 1e3, [30.0, 1.5, 1.5, 1.0]),
        point(IndexKind::Perfect, false, 1e7, [60.0, 6.0, 6.0, 5.0]),
        point(IndexKind::Direct, false, 1e6, [1.5, 1.0, 0.8, 1.0]),
    ];
    for shape in [KeyShape::Wide, KeyShape::Bytes] {
        points.push(CostPoint { shape, ..points[0] });
    }
    points
}

fn best(keys: KeysAtHand, expected: Expected) -> Candidate {
    CostModel::new(points()).unwrap().rank(keys, expected)[0].candidate
}

const KEYS: KeysAtHand =
    KeysAtHand { shape: KeyShape::Word, rows: 10_000_000, rows_per_key: 1.0, dense: false };

#[test]
fn the_choice_follows_reuse_density_duplicates_and_hit_rate() {
    let plain = |index| Candidate { index, filtered: false };
    let expected = |probes: f64, hit_rate| Expected {
        probe_rows: probes * KEYS.rows as f64,
        hit_rate,
        existence: false,
        gathers: true,
    };
    assert_eq!(best(KEYS, expected(0.5, 1.0)), plain(IndexKind::Chained));
    assert_eq!(best(KEYS, expected(20.0, 1.0)), plain(IndexKind::Perfect));
    let filtered = Candidate { index: IndexKind::Chained, filtered: true };
    assert_eq!(best(KEYS, expected(2.0, 0.0)), filtered);
    assert_eq!(
        best(KeysAtHand { dense: true, ..KEYS }, expected(20.0, 1.0)),
        plain(IndexKind::Direct)
    );
    let repeated = KeysAtHand { rows_per_key: 1.5, ..KEYS };
    assert_eq!(best(repeated, expected(20.0, 1.0)), plain(IndexKind::Chained));
}

#[test]
fn costs_that_make_no_model_are_refused() {
    let mut without_bytes = points();
    without_bytes.pop();
    assert!(CostModel::new(without_bytes).unwrap_err().to_string().contains("Bytes"));
    let mut negative = points();
    negative[0].hit_ns = -1.0;
    assert!(CostModel::new(negative).unwrap_err().to_string().contains("chained at 1000 rows"));
    assert!(CostModel::new(Vec::new()).is_err());
}

#[test]
fn the_shipped_model_is_one_and_ranks_every_shape() {
    let model = CostModel::shipped();
    assert_eq!(CostModel::new(model.points().to_vec()).unwrap(), *model);
    for shape in [KeyShape::Word, KeyShape::Wide, KeyShape::Bytes] {
        for rows in [0, 1, 1000, 1_000_000, 4_000_000_000] {
            for rows_per_key in [1.0, 3.0, 1e6] {
                let keys = KeysAtHand { shape, rows, rows_per_key, dense: false };
                let ranked = model.rank(keys, Expected::of_rows(rows));
                assert!(!ranked.is_empty() && ranked.iter().all(|e| e.total_ns.is_finite()));
                assert!(ranked.is_sorted_by(|a, b| a.total_ns <= b.total_ns));
            }
        }
    }
}

#[test]
fn what_is_chosen_is_what_is_built() {
    let hasher = KeyHasher::with_seed(Isa::detect(), 1);
    let sparse: Vec<u64> = (0..5000).map(mix).collect();
    let dense: Vec<u64> = (0..5000).collect();
    for words in [&sparse, &dense] {
        let mut hashes = Vec::new();
        hasher.hash(&words[..], &mut hashes);
        let input = BuildInput::new(&words[..], &hashes, Isa::detect()).unwrap();
        for probe_rows in [0.0, 1e9] {
            let auto = AutoIndex { probe_rows: Some(probe_rows), ..AutoIndex::default() };
            let chosen = auto.rank(input)[0].candidate;
            let built = auto.build(input).unwrap();
            assert_eq!(built.fallback, None);
            let plain = chosen.builder().build(input).unwrap();
            assert_eq!(built.index.name(), plain.index.name());
            assert_eq!(built.index.rows(), 5000);
        }
    }
}
