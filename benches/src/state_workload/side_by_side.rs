//! Workloads that run at the same time and share nothing.

use streamjoin_kernels::StoreKind;
use streamjoin_kernels::state::StateSize;

use super::load::Load;
use super::meter::Meter;
use super::setting::Setting;
use super::store_load::StoreLoad;

/// Threads that divide the keys among them, each with stores and a source of
/// its own. No row is exchanged: the most that threads could gain on a machine.
#[derive(Debug)]
pub struct SideBySide {
    parts: Vec<StoreLoad>,
}

impl SideBySide {
    /// Empty stores of this many threads, which share the rows of a batch.
    ///
    /// # Errors
    /// What is out of range in the setting.
    pub fn empty(
        setting: &Setting,
        kind: StoreKind,
        batch_rows: usize,
        threads: usize,
    ) -> Result<Self, String> {
        let setting = setting.part(threads);
        let part = |thread| StoreLoad::empty(&setting, kind, batch_rows / threads, thread as u64);
        Ok(Self { parts: (0..threads).map(part).collect::<Result<_, _>>()? })
    }
}

impl Load for SideBySide {
    fn run(&mut self, batches: usize) -> Meter {
        let meters: Vec<Meter> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                self.parts.iter_mut().map(|part| scope.spawn(move || part.run(batches))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let mut all = Meter::default();
        meters.iter().for_each(|meter| all.beside(meter));
        all
    }

    fn size(&self) -> StateSize {
        self.parts.iter().map(StoreLoad::size).fold(StateSize::default(), |all, part| all + part)
    }

    fn check(&mut self) {
        self.parts.iter_mut().for_each(StoreLoad::check);
    }

    fn side_rows(&self) -> usize {
        self.parts.iter().map(StoreLoad::side_rows).sum()
    }
}
