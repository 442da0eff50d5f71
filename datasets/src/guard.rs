//! The border to third-party readers and writers: they may panic on corrupt input and
//! on types that they do not know, our callers must not.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

static QUIET: Once = Once::new();

/// Restores the flag however the guarded call ends.
struct Guarded(bool);

impl Drop for Guarded {
    fn drop(&mut self) {
        GUARDED.set(self.0);
    }
}

/// Runs `act`; a panic inside becomes its message. The panic hook stays
/// silent for guarded calls of this thread, and as it was for all others.
///
/// A reader or writer that panicked is in an unknown state: the caller drops it.
pub(crate) fn guarded<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    QUIET.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            if !GUARDED.try_with(Cell::get).unwrap_or(false) {
                previous(info);
            }
        }));
    });
    let _flag = Guarded(GUARDED.replace(true));
    catch_unwind(AssertUnwindSafe(act)).map_err(|payload| {
        payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "it gave up".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(guarded(|| 1), Ok(1));
        let text: Result<(), String> = guarded(|| panic!("bad {}", "page"));
        assert_eq!(text, Err("bad page".to_owned()));
        assert!(!GUARDED.get());
    }
}
