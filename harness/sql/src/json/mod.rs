//! JSON text as Spark reads and writes it.
//!
//! Spark reads with Jackson: token by token, no further than it needs (what
//! follows the value does not count), with single quotes, NaN and more allowed,
//! and numbers with a fraction as doubles. No JSON library for Rust does the same,
//! so the tokens are read here.

mod cell;
mod emit;
mod path;
mod read;
mod schema;
mod token;
mod write;

pub(crate) use path::{Path, top_level_field};
pub(crate) use read::{Mode, Reader, TimeFormat};
pub(crate) use schema::parse as parse_schema;
pub(crate) use token::Leniency;
pub(crate) use write::{Writer, refused_part};
