/// Implements `Debug` so that only these fields are printed: the others may be secret, are part of
/// a conversation, or cannot be printed.
macro_rules! debug_fields {
    ($type:ident, |$this:ident| $($name:ident: $value:expr),+) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                f.debug_struct(stringify!($type))
                    $(.field(stringify!($name), &$value))+
                    .finish_non_exhaustive()
            }
        }
    };
}
