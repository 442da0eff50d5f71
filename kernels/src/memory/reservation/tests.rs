use std::sync::Mutex;

use super::*;

#[derive(Debug)]
struct Limited(Mutex<usize>);

impl MemoryReservation for Limited {
    fn try_grow(&self, bytes: usize) -> std::result::Result<(), Box<dyn Error + Send + Sync>> {
        let mut free = self.0.lock().unwrap();
        *free = free.checked_sub(bytes).ok_or_else(|| format!("{free} bytes are free"))?;
        Ok(())
    }

    fn shrink(&self, bytes: usize) {
        *self.0.lock().unwrap() += bytes;
    }
}

#[test]
fn what_is_taken_is_counted_refused_and_given_back() {
    let account = Arc::new(Limited(Mutex::new(100)));
    let mut memory = Reserved::new(Some(Arc::clone(&account) as _));
    memory.grow(60, "keys").unwrap();
    memory.settle(60, 80, "keys").unwrap();
    memory.settle(80, 30, "keys").unwrap();
    assert_eq!((memory.held(), memory.peak()), (30, 80));
    let error = memory.grow(71, "the index").unwrap_err().to_string();
    for part in ["71", "30", "the index", "70 bytes are free", "chained"] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(memory.held(), 30);
    drop(memory);
    assert_eq!(*account.0.lock().unwrap(), 100);
}
