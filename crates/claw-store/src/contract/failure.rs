//! Why a test fails.

use std::fmt;
use std::panic::Location;

use crate::error::StoreError;

/// Why an operation of a harness fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HarnessError {
    /// The engine has no such operation.
    #[error("the harness cannot do what the test needs")]
    Unsupported,
    /// The operation failed.
    #[error("the harness failed: {0}")]
    Failed(String),
}

impl From<StoreError> for HarnessError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Why a test fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The store misbehaves. Includes the line of the test.
    #[error("{0}")]
    Store(String),
    /// The harness failed.
    #[error(transparent)]
    Harness(#[from] HarnessError),
}

impl Failure {
    #[track_caller]
    pub(super) fn new(why: impl fmt::Display) -> Self {
        let place = Location::caller();
        Self::Store(format!("{why}, at {}:{}", place.file(), place.line()))
    }
}

impl From<StoreError> for Failure {
    #[track_caller]
    fn from(error: StoreError) -> Self {
        Self::new(format_args!("unexpected error: {error} ({error:?})"))
    }
}

/// Fails the test unless a condition holds.
macro_rules! ensure {
    ($condition:expr; $($message:tt)+) => {
        if !$condition {
            return Err($crate::contract::Failure::new(format_args!($($message)+)));
        }
    };
}

/// Fails the test unless the first value is equal to the second one.
macro_rules! ensure_eq {
    ($found:expr => $expected:expr) => {
        match (&$found, &$expected) {
            (found, expected) => $crate::contract::failure::ensure!(
                found == expected; "{} is {found:?}, expected {expected:?}", stringify!($found)
            ),
        }
    };
}

/// Fails the test unless a value has a pattern.
macro_rules! ensure_matches {
    ($found:expr => $expected:pat) => {
        match &$found {
            $expected => {}
            found => $crate::contract::failure::ensure!(
                false; "{} is {found:?}, expected {}", stringify!($found), stringify!($expected)
            ),
        }
    };
}

/// Fails the test unless calls of a store return an error of this kind.
macro_rules! ensure_err {
    ($error:ident: $store:ident $(.$call:ident($($argument:expr),*))+) => {$(
        let error = $store.$call($($argument),*).await.err();
        $crate::contract::failure::ensure!(
            matches!(error, Some($crate::StoreError::$error { .. }));
            "{} returns {error:?}, expected {}", stringify!($call), stringify!($error)
        );
    )+};
}

pub(super) use {ensure, ensure_eq, ensure_err, ensure_matches};
