//! Every trait of the library, implemented by somebody who means no good or made a
//! mistake: it lies, it panics, it calls back. Then an answer may be wrong, or an
//! error names the culprit; nothing is undefined, loops, or takes the process along.
//! `scripts/memory-safety.sh --test hostile` runs this under AddressSanitizer.

mod columns;
mod cursors;
mod hostile_index;
mod inputs;
mod joins;
mod key_tables;
mod keys;
mod pairs;
mod predicates;
mod reservations;
mod stores;
