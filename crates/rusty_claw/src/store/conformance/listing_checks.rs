//! Checks for stores that can list and delete.

use super::check::{CheckFn, CheckResult, Miss, Scope, checks};
use crate::Str;

pub(super) const ALL: &[(&str, CheckFn)] = checks! {
    "the sessions of a project are listed" => sessions;
    "projects are listed" => projects;
    "what is below a session is listed" => subkeys;
    "a deleted session is gone with everything below it" => delete_session;
    "a deleted subpath leaves the rest" => delete_subpath;
    "what is not there can be deleted" => delete_unknown;
    "a deleted key can be written anew" => write_after_delete;
};

const LINE: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000009"}"#;

async fn sessions(scope: &Scope<'_>) -> CheckResult {
    let project = scope.key().project_key;
    let listed = async || {
        let listed = scope.store.list_sessions(&project).await?;
        Ok::<_, Miss>(listed.into_iter().map(|it| it.session_id))
    };
    same("sessions", listed().await?, &[])?;
    for key in &scope.keys() {
        scope.append(key, &[LINE]).await?;
    }
    let expected = [scope.key().session_id, scope.other_key().session_id];
    same(
        "sessions",
        listed().await?,
        &expected.each_ref().map(|it| &**it),
    )
}

async fn projects(scope: &Scope<'_>) -> CheckResult {
    let ours = [scope.key(), scope.other_key(), scope.other_project()];
    let listed = async || {
        let mut listed = scope.store.list_projects().await?;
        // Others may be using the store.
        listed.retain(|project| ours.iter().any(|key| key.project_key == *project));
        Ok::<_, Miss>(listed)
    };
    same("projects", listed().await?, &[])?;
    for key in &ours {
        scope.append(key, &[LINE]).await?;
    }
    let expected = [&*ours[0].project_key, &*ours[2].project_key];
    same("projects", listed().await?, &expected)
}

async fn subkeys(scope: &Scope<'_>) -> CheckResult {
    let key = scope.key();
    scope.append(&key, &[LINE]).await?;
    same("subpaths", scope.store.list_subkeys(&key).await?, &[])?;
    let subpaths = [
        "subagents/agent-1",
        "subagents/agent-2",
        "subagents/workflows/wf/journal",
    ];
    for subpath in subpaths {
        let key = key.with_subpath(subpath);
        // Twice, for a store that lists batches instead of keys.
        scope.append(&key, &[LINE]).await?;
        scope.append(&key, &[r#"{"type":"mode"}"#]).await?;
    }
    let elsewhere = scope.other_key().with_subpath("subagents/agent-3");
    scope.append(&elsewhere, &[LINE]).await?;
    same("subpaths", scope.store.list_subkeys(&key).await?, &subpaths)
}

async fn delete_session(scope: &Scope<'_>) -> CheckResult {
    let gone = [scope.key(), scope.below()];
    let others = [
        scope.other_key(),
        scope.other_project(),
        scope.other_key().with_subpath("subagents/agent-1"),
    ];
    for key in gone.iter().chain(&others) {
        scope.append(key, &[LINE]).await?;
    }
    scope.store.delete(&gone[0]).await?;
    for key in &gone {
        scope.expect_none(key).await?;
    }
    for other in &others {
        scope.expect(other, &[LINE]).await?;
    }
    match scope.store.list_subkeys(&gone[0]).await.map_err(Miss::from) {
        Ok(listed) => same("subpaths", listed, &[]),
        // Another check covers whether this is supported.
        Err(Miss::Unsupported(_)) => Ok(()),
        Err(wrong) => Err(wrong),
    }
}

async fn delete_subpath(scope: &Scope<'_>) -> CheckResult {
    let (key, below) = (scope.key(), scope.below());
    let other = key.with_subpath("subagents/agent-2");
    for key in [&key, &below, &other] {
        scope.append(key, &[LINE]).await?;
    }
    scope.store.delete(&below).await?;
    scope.expect_none(&below).await?;
    scope.expect(&other, &[LINE]).await?;
    scope.expect(&key, &[LINE]).await
}

async fn delete_unknown(scope: &Scope<'_>) -> CheckResult {
    scope.store.delete(&scope.key()).await?;
    scope.store.delete(&scope.below()).await?;
    Ok(())
}

async fn write_after_delete(scope: &Scope<'_>) -> CheckResult {
    let key = scope.key();
    scope.append(&key, &[LINE]).await?;
    scope.store.delete(&key).await?;
    scope.append(&key, &[LINE]).await?;
    scope.expect(&key, &[LINE]).await
}

/// Compares two lists in any order.
fn same(what: &str, listed: impl IntoIterator<Item = Str>, expected: &[&str]) -> CheckResult {
    let mut listed: Vec<Str> = listed.into_iter().collect();
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
