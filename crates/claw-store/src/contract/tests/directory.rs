//! Tests 28 to 31: the directory.

use std::collections::BTreeSet;

use super::bench::*;

/// 28: Creating a session again under its key returns the same session.
pub(super) async fn create_is_idempotent(bench: Bench) -> Check {
    let others = try_join_all((0..4).map(|_| bench.other())).await?;
    let new = new_session("tenant", "one", None);
    let calls = (0..16).map(|index| others[index % 4].create(new.clone()));
    let all = try_join_all(calls).await?;
    let keys: BTreeSet<_> = all.iter().map(|created| created.row.key.clone()).collect();
    let first = all.iter().filter(|created| !created.is_repeat).count();
    ensure_eq!((keys.len(), first) => (1, 1));
    let row = &all[0].row;
    ensure_eq!((row.state, row.epoch, row.last, &row.owner) => (SessionState::New, 0, 0, &None));
    ensure!(row.attributes == "one" && row.key.session.as_str().len() == 32; "{row:?}");
    ensure!(row.number > 0 && row.number < 1 << 53; "the number is {}", row.number);

    let same_id = new_session("tenant", "same id", Some(row.key.session.clone()));
    let mut changed = new.clone();
    changed.attributes = bytes("changed");
    ensure_err!(Conflict: bench.create(changed.clone()).create(same_id.clone()));
    let two = new_session("tenant", "two", Some(row.key.session.clone()));
    let two = NewSession {
        session: SessionId::new("chosen_ID-1").ok(),
        ..two
    };
    let created = bench.create(two.clone()).await?.row;
    ensure!(created.key.session.as_str() == "chosen_ID-1" && created.number != row.number; "{created:?}");
    let repeated = bench.restarted().await?.create(two).await?;
    ensure!(repeated.is_repeat && repeated.row == created; "{repeated:?}");
    Ok(())
}

/// 29: Of several updates of a revision one succeeds, and the others change nothing.
pub(super) async fn one_of_several_updates_succeeds(bench: Bench) -> Check {
    let benches = [&bench, &bench.other().await?];
    let key = bench.session().await?;
    let patch = |text: String| SessionPatch {
        attributes: Some(bytes(text)),
    };
    for round in 0..5 {
        let expected = bench.get(&key).await?.revision;
        let update = |number: usize| {
            let patch = patch(format!("{round} {number}"));
            benches[number % 2].update(&key, expected, patch)
        };
        let results = join_all((0..10).map(update)).await;
        let won: Vec<usize> = (0..10).filter(|number| results[*number].is_ok()).collect();
        ensure_eq!(won.len() => 1);
        let is_conflict = |result: &&Result<_>| matches!(result, Err(StoreError::Conflict { .. }));
        ensure_eq!(results.iter().filter(is_conflict).count() => 9);
        let row = benches[1].get(&key).await?;
        let text = format!("{round} {}", won[0]);
        ensure_eq!((Ok(row.revision), row.attributes) => (results[won[0]].clone(), bytes(text)));
    }
    // A claim changes the revision, an append does not.
    let before = bench.get(&key).await?.revision;
    let claim = bench.own(&key).await?;
    let row = bench.get(&key).await?;
    ensure!(row.revision != before && row.owner.as_ref() == Some(claim.owner()); "{row:?}");
    ensure_err!(Conflict: bench.update(&key, before, patch("stale".into())));
    bench.write(&claim, 0, 1).await?;
    let revision = bench
        .update(&key, row.revision, patch("new".into()))
        .await?;
    ensure!(revision != row.revision; "the revision is the same after an update");
    bench.write(&claim, 1, 1).await?;
    bench.release(&claim, SessionState::Asleep).await?;
    let row = bench.get(&key).await?;
    ensure_eq!((row.state, row.owner, row.last) => (SessionState::Asleep, None, 2));
    Ok(())
}

/// 30: A reader that pages while sessions are created, changed and erased sees every other session
/// once, in the order of their numbers.
pub(super) async fn paging_is_stable_under_writes(bench: Bench) -> Check {
    let mut keys = Vec::new();
    for _ in 0..25 {
        keys.push(bench.session().await?);
    }
    let foreign = bench.session_of("foreign").await?;
    let (mut rows, mut from, mut pages) = (Vec::new(), None, 0);
    while pages == 0 || from.is_some() {
        let page = bench.list(&keys[0].tenant, from, 4).await?;
        pages += 1;
        ensure!(page.rows.len() <= 4 && pages < 50; "page {pages}: {:?}", page.rows);
        rows.extend(page.rows);
        from = page.next;
        if pages <= 5 {
            bench.session().await?;
            let claim = bench.own(&keys[pages]).await?;
            bench.write(&claim, 0, 1).await?;
            bench.own(&keys[24 - pages]).await?;
            // Listed already, or not yet.
            bench.erase(&keys[pages % 2 * 24]).await?;
        }
    }
    ensure!(rows.is_sorted_by(|one, next| one.number < next.number); "out of order: {rows:?}");
    let listed: Vec<&SessionKey> = rows.iter().map(|row| &row.key).collect();
    for key in &keys[1..24] {
        ensure_eq!(listed.iter().filter(|listed| **listed == key).count() => 1);
    }
    let is_wrong = listed.contains(&&foreign) || listed.contains(&&keys[24]);
    ensure!(!is_wrong; "a session of another tenant or an erased one is listed");
    Ok(())
}

/// 31: An erased session is gone: nothing of it can be read, late calls get `Deleted`, and its id
/// cannot be used again.
pub(super) async fn erased_session_is_gone(bench: Bench) -> Check {
    let new = new_session("tenant", "first", SessionId::new("erased").ok());
    let again = new_session("tenant", "again", SessionId::new("erased").ok());
    let key = bench.create(new.clone()).await?.row.key;
    let claim = bench.own(&key).await?;
    bench.write(&claim, 0, 3).await?;
    let body = bytes("secret");
    let blob = bench.put_blob(&claim, body.clone()).await?;
    let checkpoint = checkpoint(3, body.clone());
    bench.save_checkpoint(&claim, &checkpoint).await?;
    let lines = [body.clone()];
    bench.mirror(&claim, "file", 0, &lines).await?;
    let ask = new_interaction("id", None);
    bench.open_interaction(&claim, ask.clone()).await?;
    let command = command("key", body.clone());
    bench.submit(&key, command.clone()).await?;
    let other = bench.other().await?;
    let mut inbox = bench.inbox(&claim).await?;
    let followers = [bench.follow(&key, 3).await?, other.follow(&key, 3).await?];

    bench.erase(&key).await?;
    other.erase(&key).await?;
    ensure_err!(Deleted: bench.get(&key));
    for mut follower in followers {
        let end = async { while follower.next().await.is_some() {} };
        within("the end of a follower", end).await?;
    }
    let end = async { while let Some(Ok(_)) = inbox.next().await {} };
    within("the end of the inbox", end).await?;
    let (limit, node) = (ReadLimit::default(), &claim.owner().node);
    for bench in [&bench, &other, &bench.restarted().await?] {
        ensure_err!(Deleted: bench
            .append(&claim, 3, &numbered(3, 1))
            .append(&claim, 0, &numbered(0, 3))
            .create(new.clone())
            .create(again.clone())
            .get(&key)
            .update(&key, Revision(1), SessionPatch::default())
            .claim(&key, node, ClaimReason::Open)
            .release(&claim, SessionState::Ended)
            .read(&key, 0, limit)
            .follow(&key, 0)
            .save_checkpoint(&claim, &checkpoint)
            .checkpoint(&key)
            .submit(&key, command.clone())
            .inbox(&claim)
            .open_interaction(&claim, ask.clone())
            .answer(&key, &ask.id, answer("late"))
            .close_interaction(&claim, &ask.id, Closing::Expired)
            .interactions(&of_session(&key, true))
            .put_blob(&claim, body.clone())
            .get_blob(&key, &blob.hash, 0..9)
            .mirror(&claim, "file", 1, &lines)
            .mirrored_files(&key)
            .mirrored(&key, "file", 0, limit)
        );
        ensure_eq!(bench.list(&key.tenant, None, 10).await?.rows => []);
        let pending = InteractionFilter::pending(key.tenant.clone());
        ensure_eq!(bench.interactions(&pending).await? => []);
        ensure_eq!(bench.sessions_of(&node.node, u64::MAX).await? => []);
    }
    Ok(())
}
