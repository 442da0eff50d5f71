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

/// It counts, and panics when something is given back.
#[derive(Debug, Default)]
struct Panicking(Mutex<usize>);

impl MemoryReservation for Panicking {
    fn try_grow(&self, bytes: usize) -> std::result::Result<(), Box<dyn Error + Send + Sync>> {
        *self.0.lock().unwrap() += bytes;
        Ok(())
    }

    fn shrink(&self, bytes: usize) {
        *self.0.lock().unwrap() -= bytes;
        panic!("the account is broken");
    }
}

#[test]
fn no_sum_of_bytes_wraps_and_no_more_is_given_back_than_is_held() {
    let account = Arc::new(Limited(Mutex::new(usize::MAX)));
    let mut memory = Reserved::new(Some(Arc::clone(&account) as _));
    memory.grow(100, "keys").unwrap();
    for bytes in [usize::MAX, usize::MAX - 99] {
        let refused = memory.grow(bytes, "the index").unwrap_err();
        assert!(matches!(refused, JoinError::MemoryRefused { wanted, .. } if wanted == bytes));
    }
    assert_eq!((memory.held(), *account.0.lock().unwrap()), (100, usize::MAX - 100));
    memory.shrink(usize::MAX);
    memory.settle(usize::MAX, 0, "the index").unwrap();
    assert_eq!((memory.held(), *account.0.lock().unwrap()), (0, usize::MAX));
    assert!(Reserved::new(None).grow(usize::MAX, "keys").is_ok());
}

#[test]
fn an_account_that_panics_is_told_once_and_does_not_end_the_process() {
    let account = Arc::new(Panicking::default());
    let unwound = catch_unwind(|| {
        let mut memory = Reserved::new(Some(Arc::clone(&account) as _));
        memory.grow(100, "keys").unwrap();
        memory.shrink(30);
    });
    assert!(unwound.is_err());
    assert_eq!(*account.0.lock().unwrap(), 0);
}
