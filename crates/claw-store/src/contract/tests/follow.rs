//! Tests 13 to 18: followers.

use std::time::Instant;

use super::bench::*;

/// 13: Of 10,000 followers that attach while events are appended, each sees every event once.
pub(super) async fn history_and_live_events_join_without_a_gap(bench: Bench) -> Check {
    const SESSIONS: usize = 8;
    let benches = [&bench, &bench.other().await?];
    let owned = try_join_all((0..SESSIONS).map(|_| bench.owned())).await?;
    let heads: Vec<AtomicU64> = owned.iter().map(|_| AtomicU64::new(0)).collect();
    let is_done = AtomicBool::new(false);
    let write = async |index: usize| {
        let mut last = 0;
        while !is_done.load(Ordering::Relaxed) {
            last = bench.write(&owned[index].1, last, 1 + last % 3).await?;
            heads[index].store(last, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Check::Ok(())
    };
    let follow = async |number: usize| {
        let (index, bench) = (number % SESSIONS, benches[number % 3 % 2]);
        let head = heads[index].load(Ordering::Relaxed);
        let after = head.saturating_sub(number as u64 % 17);
        // Two events are newer than the start.
        let mut follower = bench.follow(&owned[index].0, after).await?;
        expect_numbered(&mut follower, after, head + 2).await
    };
    let follow_all = async {
        let all = stream::iter(0..10_000).map(follow).buffer_unordered(64);
        let result = all.try_collect::<()>().await;
        is_done.store(true, Ordering::Relaxed);
        result
    };
    let (written, followed) = tokio::join!(try_join_all((0..SESSIONS).map(write)), follow_all);
    written.and(followed)
}

/// 14: A slow follower gets `Behind` and then every event. Deltas arrive in the order of their
/// numbers.
pub(super) async fn slow_follower_gets_behind_and_every_event(bench: Bench) -> Check {
    const LAST: u64 = 3000;
    let (key, claim) = bench.owned().await?;
    let mut follower = bench.follow(&key, 0).await?;
    ensure_eq!(next(&mut follower).await? => Live::Head { last: 0 });
    let mut last = 0;
    while last < LAST {
        last = bench.write(&claim, last, 10).await?;
    }
    let (mut behind, mut expected) = (0, 1);
    while expected <= LAST {
        match next(&mut follower).await? {
            Live::Behind => behind += 1,
            Live::Event(event) => {
                ensure_eq!(event.sequence => expected);
                expected += 1;
            }
            _ => {}
        }
    }
    ensure!(behind > 0; "the follower is not notified that it was behind");
    let mut numbers = Vec::new();
    for _ in 0..100 {
        bench.publish_delta(&claim, bytes("delta"));
        let wait = tokio::time::timeout(Duration::from_millis(100), follower.next()).await;
        if let Ok(Some(Ok(Live::Delta(delta)))) = wait {
            ensure!(delta.epoch == claim.epoch() && delta.body == "delta"; "{delta:?}");
            numbers.push(delta.number);
        }
    }
    ensure!(numbers.is_sorted_by(|one, next| one < next); "deltas out of order: {numbers:?}");
    ensure!(!numbers.is_empty(); "no delta of 100 arrives");
    Ok(())
}

/// 15: Lost live messages are noticed within 2 s, with and without later events.
pub(super) async fn lost_live_messages_are_noticed(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    let mut follower = bench.other().await?.follow(&key, 0).await?;
    ensure_eq!(next(&mut follower).await? => Live::Head { last: 0 });
    let mut last = 0;
    for is_followed_by_event in [true, false] {
        let mut fastest = Duration::MAX;
        // A busy machine may delay one round.
        for _ in 0..3 {
            bench.harness.lose_live(true).await?;
            let after = last;
            last = bench.write(&claim, last, 3).await?;
            bench.harness.lose_live(false).await?;
            let start = Instant::now();
            if is_followed_by_event {
                last = bench.write(&claim, last, 1).await?;
            }
            expect_numbered(&mut follower, after, last).await?;
            fastest = fastest.min(start.elapsed());
        }
        ensure!(fastest <= Duration::from_secs(2); "lost events arrive after {fastest:?}");
    }
    Ok(())
}

/// 16: 1,000 followers of a session on a handle have one subscription of the engine.
pub(super) async fn followers_share_one_subscription(bench: Bench) -> Check {
    let other = bench.other().await?;
    let (key, claim) = bench.owned().await?;
    let mut followers = try_join_all((0..1000).map(|_| bench.follow(&key, 0))).await?;
    ensure_eq!(bench.harness.subscriptions(&key).await? => 1);
    followers.push(other.follow(&key, 0).await?);
    ensure_eq!(bench.harness.subscriptions(&key).await? => 2);
    bench.write(&claim, 0, 3).await?;
    for follower in &mut followers {
        expect_numbered(follower, 0, 3).await?;
    }
    drop(followers);
    let end = async {
        while bench.harness.subscriptions(&key).await? > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Check::Ok(())
    };
    within("the end of the subscriptions", end).await?
}

/// 17: A rejected append never reaches a follower, and a new owner is announced before its events.
pub(super) async fn rejected_append_is_never_followed(bench: Bench) -> Check {
    let other = bench.other().await?;
    let key = bench.session().await?;
    let mut followers = [bench.follow(&key, 0).await?, other.follow(&key, 0).await?];
    let rejected = Batch::from(vec![bytes("rejected")]);
    let mut last = 0;
    for round in 0..20 {
        let old = bench.own(&key).await?;
        last = bench.write(&old, last, 2).await?;
        ensure_err!(Conflict: bench.append(&old, last - 1, &rejected));
        let new = other.own_as(&key, &node(&format!("other-{round}"))).await?;
        let stale = bench.append(&old, last, &rejected);
        let (stale, written) = tokio::join!(stale, other.write(&new, last, 1));
        ensure_matches!(stale => Err(StoreError::Fenced { .. }));
        last = written?;
    }
    // A claim alone is announced too.
    let claim = bench.own_as(&key, &node("last")).await?;
    for follower in &mut followers {
        let (mut events, mut epoch) = (Vec::new(), 0);
        while epoch < claim.epoch() {
            match next(follower).await? {
                Live::Event(event) => {
                    ensure!(epoch <= event.epoch; "{event:?} follows the owner {epoch}");
                    events.push(event);
                    check_numbered(&events, 0)?;
                }
                Live::Moved(owner) => epoch = owner.epoch,
                _ => {}
            }
        }
        ensure_eq!(events.len() as u64 => last);
    }
    Ok(())
}

/// 18: A follower survives a change of the leader and a restart of the engine.
pub(super) async fn follower_survives_leader_change_and_restart(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    let mut follower = bench.other().await?.follow(&key, 0).await?;
    let mut last = bench.write(&claim, 0, 5).await?;
    expect_numbered(&mut follower, 0, last).await?;
    for is_restart in [false, true] {
        let is_over = AtomicBool::new(false);
        let fault = async {
            let result = match is_restart {
                false => bench.harness.change_leader().await,
                true => bench.harness.restart().await,
            };
            is_over.store(true, Ordering::Relaxed);
            result
        };
        let write = async {
            let mut last = last;
            while !is_over.load(Ordering::Relaxed) {
                last = bench.write(&claim, last, 2).await?;
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            bench.write(&claim, last, 2).await
        };
        let (written, fault) = tokio::join!(write, fault);
        fault?;
        let after = std::mem::replace(&mut last, written?);
        expect_numbered(&mut follower, after, last).await?;
        let mut new = bench.other().await?.follow(&key, 0).await?;
        expect_numbered(&mut new, 0, last).await?;
    }
    Ok(())
}
