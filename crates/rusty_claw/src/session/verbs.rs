//! Every request of the control protocol, as a method.
//!
//! All of them may be called at any time, also while a turn runs. They fail alike: the session is
//! over, the CLI refuses, or it does not answer in time; see [`SessionError`]. Dropping their
//! futures tells the CLI that nobody waits any more; what it has begun it may still do.

mod files;
mod mcp;
mod settings;
mod tasks;
mod undeclared;

/// Writes methods that send one request each and return its answer.
///
/// The documentation of each ends with what is the same for all, so that nobody has to look it up.
macro_rules! verbs {
    ($(
        $(#[$doc:meta])*
        $name:ident($($argument:ident: $kind:ty),*) -> $response:ty = $request:expr;
    )+) => {
        impl super::super::Session {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// The session is over, the CLI refuses, or it does not answer in time.
                ///
                /// Dropping the future tells the CLI that nobody waits any more.
                pub async fn $name(
                    &self,
                    $($argument: $kind),*
                ) -> Result<$response, $crate::SessionError> {
                    self.request($request).await
                }
            )+
        }
    };
}
use verbs;
