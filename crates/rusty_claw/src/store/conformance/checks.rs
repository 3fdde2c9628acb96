//! Checks for every store.

use super::check::{CheckFn, CheckResult, Miss, Names, Scope, checks};
use crate::store::SessionKey;

pub(super) const ALL: &[(&str, CheckFn)] = checks! {
    "lines are loaded in the order in which they were appended" => in_order;
    "a key that was never written loads nothing" => unknown_key;
    "keys do not mix" => keys_do_not_mix;
    "a line with a known uuid is not appended again" => known_uuid;
    "the same uuid may be in two keys" => uuid_in_two_keys;
    "equal lines without a uuid are all kept" => equal_lines;
    "a batch that comes again is not appended again" => retried_batch;
    "a batch that comes again behind a later one is not appended again" => late_batch;
    "batches of two writers are both kept" => two_writers;
    "an empty batch changes nothing" => empty_batch;
    "a line of 5 MB is kept" => big_entry;
    "2,000 lines in one batch are kept in order" => many_entries;
    "text is kept as it came" => text_is_kept;
    "appends to different keys can run at the same time" => concurrent_keys;
    "a key that looks like a path leads nowhere else" => hostile_keys;
};

const ONE: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000001","n":1}"#;
const ONE_AGAIN: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000001","n":2}"#;
const TWO: &str = r#"{"type":"assistant","uuid":"c0c0c0c0-0000-4000-8000-000000000002"}"#;
const MODE: &str = r#"{"type":"mode","mode":"normal"}"#;
const TITLE: &str = r#"{"type":"custom-title","customTitle":"t"}"#;

async fn in_order(scope: &Scope<'_>) -> CheckResult {
    let key = scope.key();
    scope.append(&key, &[ONE, MODE]).await?;
    scope.expect(&key, &[ONE, MODE]).await?;
    scope.append(&key, &[TITLE]).await?;
    scope.append(&key, &[TWO]).await?;
    scope.expect(&key, &[ONE, MODE, TITLE, TWO]).await
}

async fn unknown_key(scope: &Scope<'_>) -> CheckResult {
    let [key, others @ ..] = scope.keys();
    scope.expect_none(&key).await?;
    scope.append(&key, &[ONE]).await?;
    for other in &others {
        scope.expect_none(other).await?;
    }
    Ok(())
}

async fn keys_do_not_mix(scope: &Scope<'_>) -> CheckResult {
    let mut keys = scope.keys().to_vec();
    keys.push(scope.key().with_subpath("subagents/agent-2"));
    let line = |round: usize, at: usize| format!(r#"{{"type":"x","round":{round},"key":{at}}}"#);
    for round in 0..3 {
        for (at, key) in keys.iter().enumerate() {
            scope.append(key, &[&line(round, at)]).await?;
        }
    }
    for (at, key) in keys.iter().enumerate() {
        let lines = [line(0, at), line(1, at), line(2, at)];
        let lines = lines.each_ref().map(String::as_str);
        scope.expect(key, &lines).await?;
    }
    Ok(())
}

async fn known_uuid(scope: &Scope<'_>) -> CheckResult {
    let key = scope.key();
    scope.append(&key, &[ONE]).await?;
    scope.append(&key, &[ONE_AGAIN, TWO, TWO]).await?;
    scope.append(&key, &[TWO, ONE]).await?;
    scope.expect(&key, &[ONE, TWO]).await
}

/// A fork of a session has the same lines, including their uuids.
async fn uuid_in_two_keys(scope: &Scope<'_>) -> CheckResult {
    for key in &scope.keys() {
        scope.append(key, &[ONE, TWO]).await?;
    }
    for key in &scope.keys() {
        scope.expect(key, &[ONE, TWO]).await?;
    }
    Ok(())
}

async fn equal_lines(scope: &Scope<'_>) -> CheckResult {
    let key = scope.key();
    scope.append(&key, &[MODE, MODE]).await?;
    scope.append(&key, &[MODE]).await?;
    scope.expect(&key, &[MODE, MODE, MODE]).await
}

async fn retried_batch(scope: &Scope<'_>) -> CheckResult {
    let key = scope.key();
    let batch = scope.names.batch(&[MODE, ONE, TITLE])?;
    scope.store.append(&key, &batch).await?;
    scope.store.append(&key, &batch).await?;
    scope.expect(&key, &[MODE, ONE, TITLE]).await
}

async fn late_batch(scope: &Scope<'_>) -> CheckResult {
    let key = scope.key();
    let first = scope.names.batch(&[MODE])?;
    scope.store.append(&key, &first).await?;
    scope.append(&key, &[TITLE]).await?;
    scope.store.append(&key, &first).await?;
    scope.expect(&key, &[MODE, TITLE]).await
}

async fn two_writers(scope: &Scope<'_>) -> CheckResult {
    let key = scope.key();
    // The numbers of the second writer are independent of those of the first.
    let other = Names::new();
    scope.append(&key, &[MODE]).await?;
    scope.append(&key, &[TITLE]).await?;
    scope.store.append(&key, &other.batch(&[MODE])?).await?;
    scope.expect(&key, &[MODE, TITLE, MODE]).await
}

async fn empty_batch(scope: &Scope<'_>) -> CheckResult {
    let key = scope.key();
    scope.append(&key, &[ONE]).await?;
    scope.append(&key, &[]).await?;
    scope.expect(&key, &[ONE]).await
}

async fn big_entry(scope: &Scope<'_>) -> CheckResult {
    let text = "0123456789".repeat(500_000);
    let big = format!(r#"{{"type":"user","text":"{text}ü"}}"#);
    scope.append(&scope.key(), &[ONE, &big, TWO]).await?;
    scope.expect(&scope.key(), &[ONE, &big, TWO]).await
}

async fn many_entries(scope: &Scope<'_>) -> CheckResult {
    let lines = (0..2000).map(|n| format!(r#"{{"type":"x","n":{n}}}"#));
    let lines: Vec<String> = lines.collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    scope.append(&scope.key(), &lines).await?;
    scope.expect(&scope.key(), &lines).await
}

async fn text_is_kept(scope: &Scope<'_>) -> CheckResult {
    let lines = [
        "{\"type\":\"user\",\"text\":\"ü 漢字 🦀 \u{2028}\u{2029}\u{85}\u{feff}\"}",
        r#"{"type":"user","half":"\ud83d","other half":"\ude00","pair":"\ud83d\ude00"}"#,
        r#"{"type":"user","escapes":"\n\r\t\u0000\/\\\""}"#,
        r#"{"z":1,"a":2,"type":"order"}"#,
        r#"{"type":"numbers","n":[1.50,1e400,-0,123456789012345678901234567890]}"#,
        r#"{"type":"twice","a":1,"a":2}"#,
        r#"{"type":"empty","":"","o":{},"l":[],"nul":null}"#,
        r#"{"type":"quotes","text":"'; drop table lines; -- %s $1 {}"}"#,
    ];
    scope.append(&scope.key(), &lines).await?;
    scope.expect(&scope.key(), &lines).await
}

async fn concurrent_keys(scope: &Scope<'_>) -> CheckResult {
    let key = |at: usize| scope.key().with_subpath(format!("subagents/agent-{at}"));
    let line = |at: usize, n: usize| format!(r#"{{"type":"x","key":{at},"n":{n}}}"#);
    let write = async |at: usize| -> CheckResult {
        for n in 0..10 {
            scope.append(&key(at), &[&line(at, n)]).await?;
        }
        Ok(())
    };
    #[rustfmt::skip] // One line per four keys.
    tokio::try_join!(
        write(0), write(1), write(2), write(3),
        write(4), write(5), write(6), write(7),
        write(8), write(9), write(10), write(11),
        write(12), write(13), write(14), write(15),
    )?;
    // Only now: a later append to another key may have overwritten it.
    for at in 0..16 {
        let lines: Vec<String> = (0..10).map(|n| line(at, n)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        scope.expect(&key(at), &lines).await?;
    }
    Ok(())
}

async fn hostile_keys(scope: &Scope<'_>) -> CheckResult {
    let (good, other) = (scope.key(), scope.other_key());
    scope.append(&good, &[ONE]).await?;
    scope.append(&other, &[ONE]).await?;
    let (project, session) = (&*good.project_key, &*good.session_id);
    let keys = [
        SessionKey::new(format!("{project}/../{project}"), session),
        SessionKey::new(project, format!("x/../{session}")),
        SessionKey::new(project, format!("./{session}")),
        other.with_subpath(format!("../{session}")),
        other.with_subpath(""),
        SessionKey::new("..", format!("{project}/{session}")),
        SessionKey::new(project, format!("{session}\0")),
    ];
    for key in &keys {
        refused_or_apart(scope, key).await?;
    }
    scope.expect(&good, &[ONE]).await?;
    scope.expect(&other, &[ONE]).await
}

/// Checks that a store rejects a key that cannot be a name, or keeps it separate from all others.
async fn refused_or_apart(scope: &Scope<'_>, key: &SessionKey) -> CheckResult {
    let batch = scope.names.batch(&[TWO])?;
    if scope.store.append(key, &batch).await.is_err() {
        return Ok(());
    }
    let found = scope.store.load(key).await?;
    // Cleans up; this is not a check of deletion.
    let _ = scope.store.delete(key).await;
    if found.is_some_and(|entries| entries == batch.entries) {
        Ok(())
    } else {
        Err(Miss::Wrong(format!(
            "{key:?} was accepted and is not a list of its own"
        )))
    }
}
