//! Checks for stores that outlive the process.

use super::check::{CheckFn, CheckResult, Names, Scope, checks};

/// The requirement, and what runs before and after the store is reopened.
pub(super) const ALL: &[(&str, CheckFn, CheckFn)] = checks! {
    "lines are there when the store is opened again" => write, read;
    "a line with a uuid is not appended again after that" => write, write_again;
};

const ONE: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000011"}"#;
const TWO: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000012"}"#;
const MODE: &str = r#"{"type":"mode"}"#;

async fn write(scope: &Scope<'_>) -> CheckResult {
    scope.append(&scope.key(), &[ONE, MODE]).await?;
    scope.append(&scope.below(), &[ONE]).await
}

async fn read(scope: &Scope<'_>) -> CheckResult {
    scope.expect(&scope.key(), &[ONE, MODE]).await?;
    scope.expect(&scope.below(), &[ONE]).await
}

async fn write_again(scope: &Scope<'_>) -> CheckResult {
    let again = Names::new().batch(&[ONE, TWO])?;
    scope.store.append(&scope.key(), &again).await?;
    scope.expect(&scope.key(), &[ONE, MODE, TWO]).await
}
