//! The store against the plain one, and what it must not do: alias numbers that
//! came round, look at rows that are nobody's business, keep what left.

mod draw;
mod growth;
mod heaps;
mod hot;
mod lines;
mod outliers;
mod profile;
mod random;
mod removal;
mod small;
mod twin;
mod work;
mod wrap;

/// How many random cases: `STATE_CASES` times as many, if that is set.
fn cases(cases: u64) -> u64 {
    let times = std::env::var("STATE_CASES").ok().and_then(|times| times.parse().ok());
    cases * times.unwrap_or(1)
}
