//! Every index against a nested loop, over keys, hashes and limits that the
//! fuzzer chooses.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use streamjoin_kernels::{IndexKind, Isa, NO_ROW, Pairs};
use streamjoin_kernels::key::{ByteKeys, Keys};
use streamjoin_kernels::table::{BuildInput, FilteredBuilder, FindCursor, IndexBuilder, Probe};

#[derive(Arbitrary, Debug)]
struct Input {
    build: Vec<(Vec<u8>, u8)>,
    probe: Vec<(Vec<u8>, bool)>,
    /// Hashes are a function of the key: of its length if set, else of a byte.
    by_length: bool,
    bytes: bool,
    /// Keys of 16 bytes, if they are not byte strings.
    wide: bool,
    /// A Bloom filter in front of each index.
    filtered: bool,
    limit: u8,
}

impl Input {
    fn hash(&self, key: &[u8]) -> u64 {
        if self.by_length { key.len() as u64 } else { key.first().map_or(0, |&b| u64::from(b) << 32) }
    }

    fn keys(&self, keys: &[&[u8]]) -> Keys {
        if self.bytes {
            let mut offsets = vec![0i64];
            let mut values = Vec::new();
            for key in keys {
                values.extend_from_slice(key);
                offsets.push(values.len() as i64);
            }
            return Keys::Bytes(ByteKeys::new(offsets.into(), values.into()).unwrap());
        }
        if self.wide {
            return Keys::Wide(keys.iter().map(|key| i128::from(word(key)) << 60).collect());
        }
        Keys::Words(keys.iter().map(|key| word(key)).collect())
    }
}

fn word(key: &[u8]) -> u64 {
    key.iter().take(8).fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fuzz_target!(|input: Input| {
    let build: Vec<&[u8]> = input.build.iter().map(|(key, _)| &key[..]).collect();
    let probe: Vec<&[u8]> = input.probe.iter().map(|(key, _)| &key[..]).collect();
    let hash = |key: &[u8]| {
        if input.bytes { input.hash(key) } else { input.hash(&word(key).to_le_bytes()) }
    };
    let build_hashes: Vec<u64> = build.iter().map(|key| hash(key)).collect();
    let probe_hashes: Vec<u64> = probe.iter().map(|key| hash(key)).collect();
    let (build_keys, probe_keys) = (input.keys(&build), input.keys(&probe));
    let matchable = input.probe.iter().map(|&(_, matchable)| matchable).collect();
    let rows = Probe::new(&probe_keys, &probe_hashes, Some(&matchable));
    let same = |a: &[u8], b: &[u8]| if input.bytes { a == b } else { word(a) == word(b) };
    let mut expected = Vec::new();
    for (p, key) in probe.iter().enumerate().filter(|&(p, _)| matchable.value(p)) {
        for (b, _) in build.iter().enumerate().filter(|(_, other)| same(key, other)) {
            expected.push((p as u32, b as u32));
        }
    }
    for kind in IndexKind::ALL {
        let input_rows = BuildInput::new(&build_keys, &build_hashes, Isa::detect()).unwrap();
        let filter = FilteredBuilder::new(kind);
        let builder: &dyn IndexBuilder = if input.filtered { &filter } else { &kind };
        let built = builder.build(input_rows).unwrap();
        let index = &*built.index;
        let (mut cursor, mut pairs, mut found) = (FindCursor::default(), Pairs::default(), vec![]);
        while !cursor.is_done(probe.len()) {
            index.find(rows, &mut cursor, &mut pairs, usize::from(input.limit) + 1);
            built.rows_at(pairs.build_rows_mut()).unwrap();
            found.extend(pairs.iter());
            pairs.clear();
        }
        found.sort_unstable();
        assert_eq!(found, expected, "{kind}");
        let mut first = vec![0; probe.len()];
        index.first_match(rows, &mut first);
        built.rows_at(&mut first).unwrap();
        for (row, &first) in first.iter().enumerate() {
            let any = expected.iter().any(|&(p, _)| p == row as u32);
            assert!(if any { expected.contains(&(row as u32, first)) } else { first == NO_ROW });
        }
    }
});
