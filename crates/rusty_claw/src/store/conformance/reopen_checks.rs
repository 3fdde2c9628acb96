//! What a store must do that outlives the process.

use super::{CheckFn, Scope, Verdict, expect};
use crate::future::BoxFuture;
use crate::store::SessionStore;

/// What must be, what is done before the store is opened again, and what after.
pub(super) const ALL: &[(&str, CheckFn, CheckFn)] = &[
    (
        "lines are there when the store is opened again",
        write,
        read,
    ),
    (
        "a line with a uuid is not appended again after that",
        write,
        write_again,
    ),
];

const ONE: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000011"}"#;
const TWO: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000012"}"#;
const MODE: &str = r#"{"type":"mode"}"#;
const BELOW: &str = "subagents/agent-1";

fn write<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        store
            .append(&scope.key(), &scope.batch(&[ONE, MODE])?)
            .await?;
        let below = scope.key().with_subpath(BELOW);
        store.append(&below, &scope.batch(&[ONE])?).await?;
        Ok(())
    })
}

fn read<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        expect(store, &scope.key(), &[ONE, MODE]).await?;
        expect(store, &scope.key().with_subpath(BELOW), &[ONE]).await
    })
}

fn write_again<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let again = Scope::new().batch(&[ONE, TWO])?;
        store.append(&scope.key(), &again).await?;
        expect(store, &scope.key(), &[ONE, MODE, TWO]).await
    })
}
