//! What serde leaves out.

/// Whether a value is the default, and thus left out of the JSON.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
