//! What every store must do.

use futures_util::future::join_all;

use super::{CheckFn, Miss, Scope, Verdict, expect, expect_none};
use crate::future::BoxFuture;
use crate::store::{Batch, SessionKey, SessionStore};

pub(super) const ALL: &[(&str, CheckFn)] = &[
    (
        "lines are loaded in the order in which they were appended",
        in_order,
    ),
    ("a key that was never written loads nothing", unknown_key),
    ("keys do not mix", keys_do_not_mix),
    ("a line with a known uuid is not appended again", known_uuid),
    ("the same uuid may be in two keys", uuid_in_two_keys),
    ("equal lines without a uuid are all kept", equal_lines),
    (
        "a batch that comes again is not appended again",
        retried_batch,
    ),
    (
        "a batch that comes again behind a later one is not appended again",
        late_batch,
    ),
    ("batches of two writers are both kept", two_writers),
    ("an empty batch changes nothing", empty_batch),
    ("a line of 5 MB is kept", big_entry),
    ("2,000 lines in one batch are kept in order", many_entries),
    ("text is kept as it came", text_is_kept),
    (
        "appends to different keys can run at the same time",
        concurrent_keys,
    ),
    (
        "a key that looks like a path leads nowhere else",
        hostile_keys,
    ),
];

const ONE: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000001","n":1}"#;
const ONE_AGAIN: &str = r#"{"type":"user","uuid":"c0c0c0c0-0000-4000-8000-000000000001","n":2}"#;
const TWO: &str = r#"{"type":"assistant","uuid":"c0c0c0c0-0000-4000-8000-000000000002"}"#;
const MODE: &str = r#"{"type":"mode","mode":"normal"}"#;
const TITLE: &str = r#"{"type":"custom-title","customTitle":"t"}"#;

fn in_order<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        store.append(&key, &scope.batch(&[ONE, MODE])?).await?;
        expect(store, &key, &[ONE, MODE]).await?;
        store.append(&key, &scope.batch(&[TITLE])?).await?;
        store.append(&key, &scope.batch(&[TWO])?).await?;
        expect(store, &key, &[ONE, MODE, TITLE, TWO]).await
    })
}

fn unknown_key<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        expect_none(store, &scope.key()).await?;
        store.append(&scope.key(), &scope.batch(&[ONE])?).await?;
        expect_none(store, &scope.other_key()).await?;
        expect_none(store, &scope.other_project()).await?;
        expect_none(store, &scope.key().with_subpath("subagents/agent-1")).await
    })
}

fn keys_do_not_mix<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let keys = [
            scope.key(),
            scope.other_key(),
            scope.other_project(),
            scope.key().with_subpath("subagents/agent-1"),
            scope.key().with_subpath("subagents/agent-2"),
        ];
        let line =
            |round: usize, at: usize| format!(r#"{{"type":"x","round":{round},"key":{at}}}"#);
        for round in 0..3 {
            for (at, key) in keys.iter().enumerate() {
                let batch = scope.batch(&[&line(round, at)])?;
                store.append(key, &batch).await?;
            }
        }
        for (at, key) in keys.iter().enumerate() {
            let lines = [line(0, at), line(1, at), line(2, at)];
            expect(store, key, &lines.each_ref().map(String::as_str)).await?;
        }
        Ok(())
    })
}

fn known_uuid<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        store.append(&key, &scope.batch(&[ONE])?).await?;
        store
            .append(&key, &scope.batch(&[ONE_AGAIN, TWO, TWO])?)
            .await?;
        store.append(&key, &scope.batch(&[TWO, ONE])?).await?;
        expect(store, &key, &[ONE, TWO]).await
    })
}

fn uuid_in_two_keys<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        // A fork of a session has the lines of the other, uuids and all.
        let keys = [
            scope.key(),
            scope.other_key(),
            scope.other_project(),
            scope.key().with_subpath("subagents/agent-1"),
        ];
        for key in &keys {
            store.append(key, &scope.batch(&[ONE, TWO])?).await?;
        }
        for key in &keys {
            expect(store, key, &[ONE, TWO]).await?;
        }
        Ok(())
    })
}

fn equal_lines<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        store.append(&key, &scope.batch(&[MODE, MODE])?).await?;
        store.append(&key, &scope.batch(&[MODE])?).await?;
        expect(store, &key, &[MODE, MODE, MODE]).await
    })
}

fn retried_batch<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        let batch = scope.batch(&[MODE, ONE, TITLE])?;
        store.append(&key, &batch).await?;
        store.append(&key, &batch).await?;
        expect(store, &key, &[MODE, ONE, TITLE]).await
    })
}

fn late_batch<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        let first = scope.batch(&[MODE])?;
        store.append(&key, &first).await?;
        store.append(&key, &scope.batch(&[TITLE])?).await?;
        store.append(&key, &first).await?;
        expect(store, &key, &[MODE, TITLE]).await
    })
}

fn two_writers<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        // The number of the second is not above that of the first: it counts for itself.
        let other = Scope::new();
        store.append(&key, &scope.batch(&[MODE])?).await?;
        store.append(&key, &scope.batch(&[TITLE])?).await?;
        store.append(&key, &other.batch(&[MODE])?).await?;
        expect(store, &key, &[MODE, TITLE, MODE]).await
    })
}

fn empty_batch<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        store.append(&key, &scope.batch(&[ONE])?).await?;
        store.append(&key, &scope.batch(&[])?).await?;
        expect(store, &key, &[ONE]).await
    })
}

fn big_entry<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        let big = format!(
            r#"{{"type":"user","text":"{}ü"}}"#,
            "0123456789".repeat(500_000)
        );
        store.append(&key, &scope.batch(&[ONE, &big, TWO])?).await?;
        expect(store, &key, &[ONE, &big, TWO]).await
    })
}

fn many_entries<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
        let lines: Vec<String> = (0..2000)
            .map(|n| format!(r#"{{"type":"x","n":{n}}}"#))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        store.append(&key, &scope.batch(&lines)?).await?;
        expect(store, &key, &lines).await
    })
}

fn text_is_kept<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = scope.key();
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
        store.append(&key, &scope.batch(&lines)?).await?;
        expect(store, &key, &lines).await
    })
}

fn concurrent_keys<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let key = |at: usize| scope.key().with_subpath(format!("subagents/agent-{at}"));
        let line = |at: usize, n: usize| format!(r#"{{"type":"x","key":{at},"n":{n}}}"#);
        let writing = join_all((0..16).map(|at| async move {
            for n in 0..10 {
                let batch = scope.batch(&[&line(at, n)])?;
                store.append(&key(at), &batch).await?;
            }
            Ok(())
        }));
        writing.await.into_iter().collect::<Verdict>()?;
        // Only now: what one has written, another may have overwritten behind it.
        for at in 0..16 {
            let lines: Vec<String> = (0..10).map(|n| line(at, n)).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            expect(store, &key(at), &lines).await?;
        }
        Ok(())
    })
}

fn hostile_keys<'a>(store: &'a dyn SessionStore, scope: &'a Scope) -> BoxFuture<'a, Verdict> {
    Box::pin(async move {
        let good = scope.key();
        let other = scope.other_key();
        store.append(&good, &scope.batch(&[ONE])?).await?;
        store.append(&other, &scope.batch(&[ONE])?).await?;
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
            refused_or_apart(store, key, &scope.batch(&[TWO])?).await?;
        }
        expect(store, &good, &[ONE]).await?;
        expect(store, &other, &[ONE]).await
    })
}

/// A store may refuse a key that cannot be a name, or keep it beside all others.
async fn refused_or_apart(store: &dyn SessionStore, key: &SessionKey, batch: &Batch) -> Verdict {
    if store.append(key, batch).await.is_err() {
        return Ok(());
    }
    let found = store.load(key).await?;
    // Not to be left behind, but this is no check of deletion.
    let _ = store.delete(key).await;
    if found.is_some_and(|entries| entries == batch.entries) {
        Ok(())
    } else {
        Err(Miss::Wrong(format!(
            "{key:?} was accepted and is not a list of its own"
        )))
    }
}
