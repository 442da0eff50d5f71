use super::*;
use crate::table::IndexKind;

#[derive(Debug)]
struct NoAccount;

impl MemoryReservation for NoAccount {
    fn try_grow(&self, _: usize) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn shrink(&self, _: usize) {}
}

/// The pattern has every field, so that a new one is missed here.
#[test]
fn every_field_has_a_method() {
    let hasher = KeyHasher::with_seed(Isa::Portable, 3);
    let cancellation = Cancellation::default();
    let options = Options::default()
        .with_layout(Layout::Partitioned)
        .with_broadcast_limit(BroadcastLimit::new(1, Beyond::Note))
        .with_index(IndexKind::Linear)
        .with_hasher(hasher)
        .with_caches(CacheSizes::TYPICAL.with_l1(2))
        .with_probe_rows(3)
        .with_output_order(OutputOrder::Stream)
        .with_max_output_rows(4)
        .with_max_output_bytes(5)
        .with_partition_bits(6)
        .with_memory(Arc::new(NoAccount))
        .with_cancellation(cancellation.clone());
    #[cfg(feature = "rayon")]
    let options = options.with_pool(Arc::new(rayon::ThreadPoolBuilder::new().build().unwrap()));
    cancellation.cancel();
    let Options {
        layout: Layout::Partitioned,
        broadcast_limit: Some(BroadcastLimit { bytes: 1, beyond: Beyond::Note }),
        index: IndexChoice::Kind(IndexKind::Linear),
        hasher,
        caches: CacheSizes { l1: 2, .. },
        probe_rows: 3,
        output_order: OutputOrder::Stream,
        max_output_rows: 4,
        max_output_bytes: 5,
        partition_bits: Some(6),
        memory: Some(_),
        cancellation,
        #[cfg(feature = "rayon")]
            pool: Some(_),
    } = options
    else {
        panic!("{options:?}")
    };
    assert!(hasher.isa() == Isa::Portable && cancellation.is_cancelled());
}
