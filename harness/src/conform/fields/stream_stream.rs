//! The condition of a join of two streams.

use streamjoin_kernels::Side;
use streamjoin_kernels::spark::CastMode;

use super::{Filter, check_keys, filters};
use crate::conform::case::{StreamStreamQuery, TimeBounds};
use crate::conform::input::Input;
use crate::plan::{BoundStreamStream, BoundStreams};

pub(super) fn check(
    query: &StreamStreamQuery,
    bound: &BoundStreams,
    input: &Input,
) -> Result<(), String> {
    let join = &bound.join;
    let scopes = (&bound.sides.left.relation.scope, &bound.sides.right.relation.scope);
    let keys = join.keys.iter().map(|key| (&key.left, &key.right, key.null_equality));
    check_keys(&query.condition, keys, scopes, |name| query.in_words_of_scenario(name))?;
    check_bounds(query.time_bounds, join)?;
    for batch in input.executed() {
        let left = filters::seen(&bound.sides.left.relation, &input.streams[0].parts[batch])?;
        let right = filters::seen(&bound.sides.right.relation, &input.streams[1].parts[batch])?;
        let filters = bound_filters(join, scopes.0.columns.len());
        filters::check(&query.condition.filters, &filters, (&left, &right), CastMode::Ansi)?;
    }
    Ok(())
}

fn bound_filters(join: &BoundStreamStream, left_columns: usize) -> Vec<Filter<'_>> {
    let sides = [(Side::Left, &join.filters.left), (Side::Right, &join.filters.right)];
    let of_sides = sides.into_iter().filter_map(|(side, filter)| {
        let filter = filter.as_ref()?;
        Some((filter, filter.columns().iter().map(|&column| (side, column)).collect()))
    });
    let place = |&position: &usize| match position.checked_sub(left_columns) {
        None => (Side::Left, position),
        Some(column) => (Side::Right, column),
    };
    let of_both = join.residual.iter();
    let of_both = of_both.map(|filter| (filter, filter.columns().iter().map(place).collect()));
    of_sides.chain(of_both).collect()
}

/// Compares the interval that was bound with the case's fields.
fn check_bounds(wanted: Option<TimeBounds>, join: &BoundStreamStream) -> Result<(), String> {
    let end = |micros: Option<i64>, inclusive| micros.map(|micros| (micros, inclusive));
    let wanted = wanted.map_or((None, None), |bounds| {
        (end(bounds.lower_us, bounds.lower_inclusive), end(bounds.upper_us, bounds.upper_inclusive))
    });
    let interval = join.time.interval;
    let found = (
        interval.lower.map(|bound| (bound.distance.as_micros(), bound.inclusive)),
        interval.upper.map(|bound| (bound.distance.as_micros(), bound.inclusive)),
    );
    if found == wanted {
        return Ok(());
    }
    Err(format!(
        "the parser reads other time bounds than the case has: parsed {found:?}, wanted {wanted:?} (lower, upper: microseconds, inclusive)"
    ))
}
