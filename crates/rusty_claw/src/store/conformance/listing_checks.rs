//! What a store must do that can list and delete.

use super::{CheckFn, Miss, Scope, Verdict, expect, expect_none};
use crate::future::BoxFuture;
use crate::store::SessionStore;

pub(super) const ALL: &[(&str, CheckFn)] = &[
    ("the sessions of a project are listed", sessions),
    ("projects are listed", projects),
    ("what is below a session is listed", subkeys),
    (
        "a deleted session is gone with everything below it",
        delete_session,
    ),
    ("a deleted subpath leaves the rest", delete_subpath),
    ("what is not there can be deleted", delete_unknown),
    ("a deleted key can be written anew", write_after_delete),
];

const LINE: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000009"}"#;

fn sessions<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let project = scope.key().project_key;
        let none = store.list_sessions(&project).await?;
        same("sessions", none.iter().map(|it| &*it.session_id), &[])?;
        let keys = [
            scope.key(),
            scope.other_key(),
            scope.other_project(),
            scope.key().with_subpath("subagents/agent-1"),
        ];
        for key in &keys {
            store.append(key, &scope.batch(&[LINE])?).await?;
        }
        let listed = store.list_sessions(&project).await?;
        let expected = [&*scope.key().session_id, &*scope.other_key().session_id];
        same(
            "sessions",
            listed.iter().map(|it| &*it.session_id),
            &expected,
        )
    })
}

fn projects<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let ours = [scope.key(), scope.other_key(), scope.other_project()];
        let listed = async || {
            let mut listed = store.list_projects().await?;
            // Others may be using the store.
            listed.retain(|project| ours.iter().any(|key| key.project_key == *project));
            Ok::<_, Miss>(listed)
        };
        same("projects", listed().await?.iter().map(|it| &**it), &[])?;
        for key in &ours {
            store.append(key, &scope.batch(&[LINE])?).await?;
        }
        let expected = [&*ours[0].project_key, &*ours[2].project_key];
        let listed = listed().await?;
        same("projects", listed.iter().map(|it| &**it), &expected)
    })
}

fn subkeys<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        store.append(&key, &scope.batch(&[LINE])?).await?;
        let none = store.list_subkeys(&key).await?;
        same("subpaths", none.iter().map(|it| &**it), &[])?;
        let subpaths = [
            "subagents/agent-1",
            "subagents/agent-2",
            "subagents/workflows/wf/journal",
        ];
        for subpath in subpaths {
            let key = key.with_subpath(subpath);
            // Twice, for a store that lists batches instead of keys.
            store.append(&key, &scope.batch(&[LINE])?).await?;
            store
                .append(&key, &scope.batch(&[r#"{"type":"mode"}"#])?)
                .await?;
        }
        let elsewhere = scope.other_key().with_subpath("subagents/agent-3");
        store.append(&elsewhere, &scope.batch(&[LINE])?).await?;
        let listed = store.list_subkeys(&key).await?;
        same("subpaths", listed.iter().map(|it| &**it), &subpaths)
    })
}

fn delete_session<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        let below = key.with_subpath("subagents/agent-1");
        let others = [
            scope.other_key(),
            scope.other_project(),
            scope.other_key().with_subpath("subagents/agent-1"),
        ];
        for key in [&key, &below].into_iter().chain(&others) {
            store.append(key, &scope.batch(&[LINE])?).await?;
        }
        store.delete(&key).await?;
        expect_none(store, &key).await?;
        expect_none(store, &below).await?;
        for other in &others {
            expect(store, other, &[LINE]).await?;
        }
        match store.list_subkeys(&key).await {
            Ok(listed) => same("subpaths", listed.iter().map(|it| &**it), &[])?,
            // It is asked elsewhere whether it can.
            Err(error) => match Miss::from(error) {
                Miss::Unsupported(_) => {}
                wrong => return Err(wrong),
            },
        }
        Ok(())
    })
}

fn delete_subpath<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        let below = ["subagents/agent-1", "subagents/agent-2"].map(|it| key.with_subpath(it));
        for key in [&key].into_iter().chain(&below) {
            store.append(key, &scope.batch(&[LINE])?).await?;
        }
        store.delete(&below[0]).await?;
        expect_none(store, &below[0]).await?;
        expect(store, &below[1], &[LINE]).await?;
        expect(store, &key, &[LINE]).await
    })
}

fn delete_unknown<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        store.delete(&scope.key()).await?;
        let below = scope.key().with_subpath("subagents/agent-1");
        store.delete(&below).await?;
        Ok(())
    })
}

fn write_after_delete<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        store.append(&key, &scope.batch(&[LINE])?).await?;
        store.delete(&key).await?;
        store.append(&key, &scope.batch(&[LINE])?).await?;
        expect(store, &key, &[LINE]).await
    })
}

/// Compares two lists in any order.
fn same<'l>(what: &str, listed: impl Iterator<Item = &'l str>, expected: &[&str]) -> Verdict {
    let mut listed: Vec<&str> = listed.collect();
    let mut expected = expected.to_vec();
    listed.sort_unstable();
    expected.sort_unstable();
    if listed == expected {
        Ok(())
    } else {
        Err(Miss::Wrong(format!(
            "the {what} {listed:?} are listed instead of {expected:?}"
        )))
    }
}
