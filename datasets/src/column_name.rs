//! Finding columns by their names.

use arrow::datatypes::FieldRef;

/// The position of `name`: as it is written, or else in any case where only one fits.
pub(crate) fn position_of<'a>(
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Option<usize> {
    if let Some(exact) = names.clone().position(|known| known == name) {
        return Some(exact);
    }
    let wanted = name.to_lowercase();
    let mut alike = names.enumerate().filter(|(_, known)| known.to_lowercase() == wanted);
    let (first, _) = alike.next()?;
    alike.next().is_none().then_some(first)
}

/// Where each field of `new` stands among `known`: under its name, or else under the same
/// name in another case. No two stand in the same place.
pub(crate) fn matching(known: &[FieldRef], new: &[FieldRef]) -> Vec<Option<usize>> {
    let mut taken = vec![false; known.len()];
    let mut places = vec![None; new.len()];
    let exactly = |a: &str, b: &str| a == b;
    let in_any_case = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    for is_same in [exactly, in_any_case] {
        for (place, field) in places.iter_mut().zip(new).filter(|(place, _)| place.is_none()) {
            let fits = |&at: &usize| !taken[at] && is_same(known[at].name(), field.name());
            let Some(at) = (0..known.len()).find(fits) else { continue };
            taken[at] = true;
            *place = Some(at);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::position_of;

    #[test]
    fn exactly_or_else_in_any_case() {
        let of = |name, names: &[&str]| position_of(name, names.iter().copied());
        assert_eq!(of("id", &["ID", "id"]), Some(1));
        assert_eq!(of("Id", &["x", "ID"]), Some(1));
        assert_eq!(of("Id", &["ID", "id"]), None);
        assert_eq!(of("id", &["x"]), None);
    }
}
