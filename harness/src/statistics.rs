//! Median and spread of repeated measurements.

/// The median; the mean of the two in the middle of an even number.
pub(crate) fn median(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    sorted.get(middle.checked_sub(1)?).map(|lower| f64::midpoint(*lower, upper))
}

/// The median of counts; the lower of the two in the middle of an even number.
pub(crate) fn lower_median(counts: &mut [u64]) -> Option<u64> {
    counts.sort_unstable();
    counts.get(counts.len().saturating_sub(1) / 2).copied()
}

/// (largest - smallest) / median; `None` for fewer than two samples.
pub(crate) fn spread(samples: &[f64]) -> Option<f64> {
    if samples.len() < 2 {
        return None;
    }
    let most = samples.iter().copied().fold(f64::MIN, f64::max);
    let least = samples.iter().copied().fold(f64::MAX, f64::min);
    median(samples).filter(|median| *median > 0.0).map(|median| (most - least) / median)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_spreads() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(lower_median(&mut [4, 1, 2, 3]), Some(2));
        assert_eq!(spread(&[1.0]), None);
        assert_eq!(spread(&[1.0, 2.0, 4.0]), Some(1.5));
    }
}
