use super::*;

/// The pattern has every field, so that a new one is missed here.
#[test]
fn every_field_has_a_method() {
    let options = Options::default()
        .with_store(StoreKind::FullScan)
        .with_blocks(BlockOptions::default().with_rows(1).with_first_row(2))
        .with_hasher(KeyHasher::with_seed(Isa::Portable, 3))
        .with_max_output_rows(3)
        .with_max_output_bytes(4)
        .with_limit(StateLimit::default().with_rows(5).with_bytes(6))
        .with_partitions(7);
    #[cfg(feature = "rayon")]
    let options = options.with_pool(Arc::new(rayon::ThreadPoolBuilder::new().build().unwrap()));
    let Options {
        store: StoreKind::FullScan,
        blocks: BlockOptions { rows: 1, first_row: 2 },
        hasher,
        max_output_rows: 3,
        max_output_bytes: 4,
        limit: StateLimit { rows: Some(5), bytes: Some(6) },
        memory: None,
        partitions: Some(7),
        #[cfg(feature = "rayon")]
            pool: Some(_),
    } = options
    else {
        panic!("{options:?}")
    };
    assert_eq!(hasher.isa(), Isa::Portable);
}
