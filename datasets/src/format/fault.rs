//! A mapped file that is cut between two checks: the system answers an access to
//! a page that is gone with SIGBUS, which ends the process without a message.
//! [`report_cut_files`] makes it name the file.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Maps that are known at a time; a file beyond them is not named.
const KNOWN: usize = 256;

/// Where a map lies, and the file's name. A slot is free while `start` is 0.
struct Slot {
    start: AtomicUsize,
    end: AtomicUsize,
    name: AtomicPtr<libc::c_char>,
}

static SLOTS: [Slot; KNOWN] = [const {
    Slot {
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        name: AtomicPtr::new(ptr::null_mut()),
    }
}; KNOWN];

/// A map that the handler knows, for as long as this lives.
#[derive(Debug)]
pub(super) struct Known(Option<usize>);

impl Known {
    /// Notes where the file at `path` is mapped.
    pub(super) fn note(path: &Path, map: &[u8]) -> Known {
        let start = map.as_ptr() as usize;
        let Ok(name) = CString::new(path.as_os_str().as_bytes()) else { return Known(None) };
        let taken = SLOTS.iter().position(|slot| {
            // No map has the address 1: the slot is taken, but not filled in yet.
            slot.start.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        });
        if let Some(slot) = taken.map(|at| &SLOTS[at]) {
            slot.end.store(start + map.len(), Ordering::SeqCst);
            // Names are few, and the handler may read one at any time: none is freed.
            slot.name.store(name.into_raw(), Ordering::SeqCst);
            slot.start.store(start, Ordering::SeqCst);
        }
        Known(taken)
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        if let Some(at) = self.0 {
            SLOTS[at].start.store(0, Ordering::SeqCst);
        }
    }
}

/// Makes a process that accesses a page of a mapped file which is gone end with
/// exit code 1 and a message that names the file, instead of by SIGBUS alone.
///
/// For programs, not for libraries: it sets a signal handler for the process.
pub fn report_cut_files() {
    // SAFETY: `action` is zeroed, a valid value of this plain C struct, before
    // its fields are set; `handler` has the signature that SA_SIGINFO asks for
    // and calls only what is async-signal-safe. A failure leaves things as they were.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESETHAND;
        libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
    }
}

extern "C" fn handler(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system passes a valid `siginfo_t` to a handler with SA_SIGINFO,
    // and for SIGBUS it holds an address.
    let address = unsafe { (*info).si_addr() } as usize;
    let found = SLOTS.iter().find(|slot| {
        let start = slot.start.load(Ordering::SeqCst);
        start > 1 && (start..slot.end.load(Ordering::SeqCst)).contains(&address)
    });
    // Not a map of ours: the handler is reset, so that returning ends the process
    // as it would have ended.
    let Some(slot) = found else { return };
    say(b"error: ");
    // SAFETY: a filled slot's name is a C string that is never freed.
    let name = unsafe { std::ffi::CStr::from_ptr(slot.name.load(Ordering::SeqCst)) };
    say(name.to_bytes());
    say(b" was cut or written to while it was read: read a copy that nobody writes to, or use `mmap = false`\n");
    // SAFETY: `_exit` is async-signal-safe and takes any code.
    unsafe { libc::_exit(1) }
}

/// Writes to standard error as a signal handler may.
fn say(text: &[u8]) {
    // SAFETY: the pointer and length are those of a live slice; what is not
    // written cannot be reported anywhere else.
    let _ = unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
}
