//! Tests 1 to 8: appends and fences.

use tokio::task::JoinSet;

use super::bench::*;

/// 1: Appends return dense sequences from 1, and the directory has the last one.
pub(super) async fn append_returns_dense_sequences(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    ensure_eq!((claim.epoch(), claim.last()) => (1, 0));
    let mut last = 0;
    for count in [1, 3, 1, 200, 2] {
        last = bench.write(&claim, last, count).await?;
    }
    ensure_err!(Conflict: bench.append(&claim, 5, &numbered(5, 1)));
    bench.check(&key, 0, last).await?;
    ensure!(bench.all(&key, 0).await?.iter().all(|event| event.epoch == 1); "another epoch");
    ensure_eq!(bench.get(&key).await?.last => last);
    Ok(())
}

/// 2: A batch is stored whole or not at all, also if the call is dropped or one event is too large.
pub(super) async fn batch_is_stored_whole_or_not_at_all(bench: Bench) -> Check {
    let (key, mut claim) = bench.owned().await?;
    for round in 0..40 {
        let batch = numbered(claim.last(), 10);
        let append = bench.append(&claim, claim.last(), &batch);
        let _dropped = tokio::time::timeout(Duration::from_micros(round * 50), append).await;
        // The claim ends a write that may still be under way.
        claim = bench.own(&key).await?;
        ensure!(claim.last() % 10 == 0; "a part of a batch is stored: {}", claim.last());
    }
    let too_large = Batch::from(vec![Bytes::new(), Bytes::from(vec![0; MAX_EVENT + 1])]);
    ensure_err!(TooLarge: bench.append(&claim, claim.last(), &too_large));
    let last = bench.write(&claim, claim.last(), 10).await?;
    bench.check(&key, 0, last).await
}

/// 3: After another claim, every call with the old one returns `Fenced` and stores nothing.
pub(super) async fn stale_claim_stores_nothing(bench: Bench) -> Check {
    let other = bench.other().await?;
    let (key, old) = bench.owned().await?;
    let before = new_interaction("before", None);
    bench.open_interaction(&old, before.clone()).await?;
    bench.write(&old, 0, 2).await?;
    let claim = other.own_as(&key, &node("other")).await?;
    ensure_eq!((claim.epoch(), claim.last()) => (2, 2));
    let (late, body, lines) = (
        new_interaction("late", None),
        bytes("late"),
        [bytes("late")],
    );
    ensure_err!(Fenced: bench
        .append(&old, 2, &numbered(2, 1))
        .save_checkpoint(&old, &checkpoint(2, body.clone()))
        .inbox(&old)
        .open_interaction(&old, late.clone())
        .close_interaction(&old, &before.id, Closing::Withdrawn)
        .put_blob(&old, body.clone())
        .mirror(&old, "file", 0, &lines)
    );
    bench.release(&old, SessionState::Ended).await?;
    let row = bench.get(&key).await?;
    ensure_eq!((row.last, row.owner.as_ref()) => (2, Some(claim.owner())));
    bench.check(&key, 0, 2).await?;
    ensure_eq!(bench.checkpoint(&key).await? => None);
    ensure_eq!(bench.mirrored_files(&key).await? => []);
    other.write(&claim, 2, 1).await?;
    other.release(&claim, SessionState::Asleep).await?;
    ensure_err!(Fenced: other.append(&claim, 3, &numbered(3, 1)));
    Ok(())
}

/// 4: An append that is repeated after a cut connection is stored once.
pub(super) async fn repeated_append_stores_once(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    let mut last = 0;
    for round in 0..60 {
        let batch = numbered(last, 1 + round % 3);
        let append = bench.append(&claim, last, &batch);
        let _dropped = tokio::time::timeout(Duration::from_micros(round * 25), append).await;
        bench.retry(&claim, last, &batch).await?;
        last = bench.retry(&claim, last, &batch).await?;
    }
    // Another body is not the same batch.
    ensure_err!(Conflict: bench.append(&claim, last - 1, &Batch::from(vec![bytes("other")])));
    bench.check(&key, 0, last).await
}

/// 5: 1,000 sessions that are written at the same time do not mix.
pub(super) async fn concurrent_sessions_do_not_mix(bench: Bench) -> Check {
    let body = |number: usize, sequence: u64| bytes(format!("{number} {sequence}"));
    let write = async |number: usize| {
        let (key, claim) = bench.owned().await?;
        for after in [0, 2, 4] {
            let batch = Batch::from(vec![body(number, after + 1), body(number, after + 2)]);
            bench.retry(&claim, after, &batch).await?;
        }
        Check::Ok((number, key))
    };
    let sessions = stream::iter(0..1000).map(write).buffer_unordered(100);
    for (number, key) in sessions.try_collect::<Vec<_>>().await? {
        let events = bench.all(&key, 0).await?;
        ensure_eq!(events.len() => 6);
        for event in events {
            ensure_eq!(event.body => body(number, event.sequence));
        }
    }
    Ok(())
}

/// 6: Of 16 racing claims, the one with the highest epoch is valid, and epochs are unique.
pub(super) async fn one_of_16_racing_claims_is_valid(bench: Bench) -> Check {
    let others = try_join_all((0..4).map(|_| bench.other())).await?;
    let key = bench.session().await?;
    let mut highest = 0;
    for last in 0..10 {
        let claims = (0..16).map(|index| others[index % 4].own(&key));
        let claims = try_join_all(claims).await?;
        let mut epochs: Vec<u64> = claims.iter().map(Claim::epoch).collect();
        epochs.sort_unstable();
        epochs.dedup();
        ensure!(epochs.len() == 16 && epochs[0] > highest; "{epochs:?} after {highest}");
        highest = epochs[15];
        let batch = numbered(last, 1);
        let appends = claims.iter().map(|claim| bench.append(claim, last, &batch));
        for (claim, result) in claims.iter().zip(join_all(appends).await) {
            let epoch = claim.epoch();
            ensure!(result.is_ok() == (epoch == highest); "{epoch} of {highest}: {result:?}");
        }
        ensure_eq!(bench.get(&key).await?.epoch => highest);
    }
    Ok(())
}

/// 7: An owner that appends without a pause while it is fenced, 200 times, stores nothing after
/// the fence.
pub(super) async fn zombie_stores_nothing_after_200_claims(bench: Bench) -> Check {
    let other = bench.other().await?;
    let key = bench.session().await?;
    // The first event that each owner may have.
    let mut starts = Vec::new();
    for round in 0..200 {
        let benches = [&bench, &other];
        let (old, new) = (benches[round % 2].clone(), benches[(round + 1) % 2]);
        let claim = old.own(&key).await?;
        starts.push((claim.epoch(), claim.last() + 1));
        let is_fenced = Arc::new(AtomicBool::new(false));
        let fenced = is_fenced.clone();
        // A set ends its tasks if the test fails.
        let mut zombie = JoinSet::new();
        zombie.spawn(async move {
            let mut last = claim.last();
            loop {
                let is_late = is_fenced.load(Ordering::SeqCst);
                match old.append(&claim, last, &numbered(last, 1)).await {
                    Ok(_) if is_late => return None,
                    Ok(appended) => last = appended.last,
                    Err(StoreError::Unavailable { .. }) => {}
                    Err(error) => return Some(error),
                }
            }
        });
        tokio::time::sleep(Duration::from_micros(round as u64 * 10)).await;
        let claim = new.own(&key).await?;
        fenced.store(true, Ordering::SeqCst);
        starts.push((claim.epoch(), claim.last() + 1));
        new.write(&claim, claim.last(), 1).await?;
        let end = within("the end of the old owner", zombie.join_next()).await?;
        ensure_matches!(end => Some(Ok(Some(StoreError::Fenced { .. }))));
    }
    let events = bench.all(&key, 0).await?;
    check_numbered(&events, 0)?;
    for event in &events {
        let mut owners = starts.iter().rev();
        let owner = owners.find(|(_, start)| *start <= event.sequence);
        ensure!(owner.is_some_and(|(epoch, _)| *epoch == event.epoch); "{event:?} of {owner:?}");
    }
    Ok(())
}

/// 8: Frames that were written behind the store with a stale epoch or a used sequence are counted,
/// and no reader sees them.
pub(super) async fn void_frames_are_invisible_and_counted(bench: Bench) -> Check {
    let (key, old) = bench.owned().await?;
    bench.write(&old, 0, 1).await?;
    let claim = bench.own(&key).await?;
    bench.write(&claim, 1, 2).await?;
    let mut follower = bench.follow(&key, 0).await?;
    for (epoch, sequence) in [(old.epoch(), 4), (claim.epoch(), 3), (claim.epoch(), 7)] {
        bench.harness.plant_frame(&key, epoch, sequence).await?;
    }
    let claim = bench.own(&key).await?;
    ensure_eq!(claim.last() => 3);
    bench.write(&claim, 3, 2).await?;
    for bench in [&bench, &bench.other().await?] {
        bench.check(&key, 0, 5).await?;
    }
    expect_numbered(&mut follower, 0, 5).await?;
    let voids = bench.harness.void_frames(&key).await?;
    ensure!(voids >= 3; "{voids} of 3 void frames were counted");
    Ok(())
}
