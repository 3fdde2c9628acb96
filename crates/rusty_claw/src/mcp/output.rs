//! Selects how the code of `#[tool]` converts the output of a function.

use std::marker::PhantomData;

use serde::Serialize;

use super::{IntoToolResult, Structured};

/// The type of a function's output, as a value on which methods can be looked up.
///
/// `(&&&&OutputType::of(&output)).wrap(output)` takes the first implementation of [`WrapOutput`]
/// that applies, from the one with the most references to the one with none: method lookup removes
/// one reference after the other. One blanket implementation of `IntoToolResult` for `Serialize`
/// cannot do this, because text and [`ToolResult`](super::ToolResult) implement both.
#[derive(Debug)]
pub struct OutputType<T>(PhantomData<T>);

impl<T> OutputType<T> {
    /// The type of this value.
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// Wraps an output in [`Structured`] if it only implements `Serialize`.
pub trait WrapOutput {
    /// The output.
    type Value;
    /// A type that implements `IntoToolResult`.
    type Wrapped;

    /// Wraps the output.
    fn wrap(&self, value: Self::Value) -> Self::Wrapped;
}

impl<T: IntoToolResult> WrapOutput for &&&OutputType<T> {
    type Value = T;
    type Wrapped = T;

    fn wrap(&self, value: T) -> T {
        value
    }
}

// Before the next one, and for every `E`: a `Result` is `Serialize` itself if `E` is, and an error
// written as structured content would be a success.
impl<T: Serialize, E> WrapOutput for &&OutputType<Result<T, E>> {
    type Value = Result<T, E>;
    type Wrapped = Result<Structured<T>, E>;

    fn wrap(&self, value: Result<T, E>) -> Result<Structured<T>, E> {
        value.map(Structured)
    }
}

impl<T: Serialize> WrapOutput for &OutputType<T> {
    type Value = T;
    type Wrapped = Structured<T>;

    fn wrap(&self, value: T) -> Structured<T> {
        Structured(value)
    }
}

// The output cannot be converted: the error is the one of `IntoToolResult`, not of a method lookup.
impl<T> WrapOutput for OutputType<T> {
    type Value = T;
    type Wrapped = T;

    fn wrap(&self, value: T) -> T {
        value
    }
}
