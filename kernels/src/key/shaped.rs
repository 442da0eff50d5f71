//! What holds keys of one shape, and how it views those of a batch.

use std::fmt;

use super::KeyView;

/// Something that holds keys of one shape and compares them with keys of a batch.
pub(crate) trait Shaped: fmt::Debug + Send + Sync + 'static {
    /// The keys of a batch.
    type Keys<'a>: Copy;

    /// Views the keys of a batch.
    ///
    /// # Panics
    /// If they have another shape.
    fn keys(keys: KeyView<'_>) -> Self::Keys<'_>;

    /// Number of keys of a batch.
    fn len_of(keys: Self::Keys<'_>) -> usize;
}

/// `shaped!(Holder: Variant, keys)`: `Holder` holds keys of that variant of [`KeyView`].
macro_rules! shaped {
    ($holder:ty: $variant:ident, $keys:ty) => {
        impl crate::key::Shaped for $holder {
            type Keys<'a> = &'a $keys;

            #[inline(always)]
            fn keys(keys: crate::key::KeyView<'_>) -> Self::Keys<'_> {
                let crate::key::KeyView::$variant(keys) = keys else { crate::key::wrong_shape() };
                keys
            }

            #[inline(always)]
            fn len_of(keys: Self::Keys<'_>) -> usize {
                keys.len()
            }
        }
    };
}
pub(crate) use shaped;

#[cold]
pub(crate) fn wrong_shape() -> ! {
    panic!("keys of another shape than the table or store was built for")
}
