//! The home of intrinsics: instruction sets, prefetch, cache sizes, and the
//! kernels that exist once per instruction set.
//!
//! Every kernel has a portable twin that is always compiled and tested; the
//! level is a value ([`Isa`]) that each table holds, so one binary runs
//! everywhere and tests force each level. A file here, such as `hash`, checks the
//! arguments and passes them to the file of the same name of a level; adding a
//! level is one folder and one arm in `dispatch`. No other room has intrinsics.
//!
//! ```
//! use streamjoin_kernels::Isa;
//! use streamjoin_kernels::arch::{CacheSizes, hash_words};
//!
//! let keys = [1, 2, 3];
//! let mut hashes = [[0; 3]; 2];
//! hash_words(Isa::Portable, &keys, 42, &mut hashes[0]);
//! hash_words(Isa::detect(), &keys, 42, &mut hashes[1]);
//! assert_eq!(hashes[0], hashes[1]);
//! assert!(CacheSizes::detect().l1 <= CacheSizes::detect().l3);
//! ```

mod bloom;
mod cache;
mod generic;
mod hash;
pub(crate) mod isa;
mod pilot;
mod portable;
mod prefetch;
mod select;
mod walk;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub(crate) use bloom::{bloom_bits, bloom_passing};
pub use cache::CacheSizes;
pub use hash::{hash_wide, hash_words, mix, mix_wide};
pub(crate) use isa::Isa;
pub(crate) use pilot::{Geometry, Hashed, PILOT_PADDING, Strided, pilot_matches, pilot_slots};
pub use prefetch::{prefetch_address, prefetch_read};
pub(crate) use select::{found_bits, select_matches};
pub(crate) use walk::{Active, BlockHead, Blocks, Chains, LinkTime, WALK_ROWS, walk_chains};

/// Calls the kernel of a level: `module::function(arguments)` of `portable` or of
/// the level's own folder.
///
/// The arguments are checked by the caller; where a kernel asks for more than a
/// slice can say, the caller is an `unsafe fn` that asks for it too.
macro_rules! dispatch {
    ($isa:expr, $module:ident::$function:ident($($argument:expr),* $(,)?)) => {{
        let isa = $isa;
        assert!(isa.is_available(), "{isa} is not available here: see Isa::require");
        #[cfg_attr(
            not(target_arch = "x86_64"),
            allow(unused_unsafe, reason = "a portable kernel may ask for nothing")
        )]
        // SAFETY: the assertion above saw that the CPU has the level; what else
        // a kernel needs of its arguments is argued where this is used.
        unsafe {
            match isa {
                #[cfg(target_arch = "x86_64")]
                crate::arch::Isa::Avx2 => {
                    crate::arch::x86_64::avx2::$module::$function($($argument),*)
                }
                #[cfg(target_arch = "x86_64")]
                crate::arch::Isa::Avx512 => {
                    crate::arch::x86_64::avx512::$module::$function($($argument),*)
                }
                _ => crate::arch::portable::$module::$function($($argument),*),
            }
        }
    }};
}
use dispatch;
