//! Every request of the control protocol, as a method.
//!
//! All of them can be called at any time, even while a turn runs. They fail alike: the session is
//! over, the CLI refuses, or it does not answer in time; see [`SessionError`]. Dropping their
//! futures sends a cancellation to the CLI, which may still complete what it has begun.

mod files;
mod mcp;
mod settings;
mod tasks;
mod undeclared;

/// Generates methods that send one request each and return its response.
///
/// The documentation of each ends with what is the same for all.
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
                /// Dropping the future sends a cancellation to the CLI.
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
