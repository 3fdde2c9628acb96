//! Assertions that print the value.

/// Fails unless the value matches the pattern.
macro_rules! assert_matches {
    ($value:expr, $($pattern:tt)+) => {{
        let value = &$value;
        assert!(matches!(value, $($pattern)+), "{value:?}");
    }};
}
