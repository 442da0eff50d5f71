//! Every type of Arrow in every role that a column can have: the right value, or a
//! refusal before the first row.

mod matrix;
mod page;
mod random;
mod recorded;
mod roles;
mod scenario;
mod types;
mod value;
