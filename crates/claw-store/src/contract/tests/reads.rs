//! Tests 9 to 12: reads.

use super::bench::*;

/// 9: A read starts at any sequence: in a batch, at the end, beyond it, after a takeover, and where
/// the history was cut.
pub(super) async fn reads_start_at_any_sequence(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    bench.write(&claim, 0, 5).await?;
    let claim = bench.own(&key).await?;
    bench.write(&claim, 5, 5).await?;
    for first in [1, 4, 8] {
        if first > 1 {
            bench.harness.cut_history(&key, first).await?;
        }
        for after in first - 1..=10 {
            bench.check(&key, after, 10).await?;
        }
        for after in [11, 1000, u64::MAX] {
            ensure_eq!(bench.all(&key, after).await? => []);
        }
        for (events, bytes) in [(1, usize::MAX), (usize::MAX, 0), (2, usize::MAX)] {
            let page = bench.read(&key, 7, ReadLimit { events, bytes }).await?;
            ensure!((1..=events).contains(&page.len()); "{} of {events} events", page.len());
            check_numbered(&page, 7)?;
        }
    }
    Ok(())
}

/// 10: A read or a follower that starts before the first stored event gets `Truncated`.
pub(super) async fn truncated_history_is_reported(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    for after in 0..10 {
        bench.write(&claim, after, 1).await?;
    }
    bench.harness.cut_history(&key, 6).await?;
    for bench in [&bench, &bench.other().await?] {
        for after in [0, 4] {
            let read = bench.read(&key, after, ReadLimit::default()).await.err();
            ensure_eq!(read => Some(StoreError::Truncated { first: 6 }));
            ensure_eq!(bench.follow(&key, after).await.err() => read);
        }
        expect_numbered(&mut bench.follow(&key, 5).await?, 5, 10).await?;
    }
    bench.write(&claim, 10, 1).await?;
    Ok(())
}

/// 11: Bodies from 0 bytes to 50 MB and of any content are stored and delivered.
pub(super) async fn bodies_of_any_size_and_content_are_stored(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    let mut follower = bench.follow(&key, 0).await?;
    let fill = |size: usize| Bytes::from((0..size).map(|at| (at * 31) as u8).collect::<Vec<_>>());
    let mut bodies: Vec<Bytes> = [0, 1, 100, 256 * 1024, 1024 * 1024, 50_000_000]
        .map(fill)
        .into();
    bodies.push(Bytes::from_static(b"\xff\xfe\x00\n\r\0"));
    let mut last = 0;
    // Alone, and together with others.
    for body in &bodies {
        let batch = Batch::from(vec![body.clone()]);
        last = bench.retry(&claim, last, &batch).await?;
    }
    let batch = Batch::from(bodies.clone());
    last = bench.retry(&claim, last, &batch).await?;
    let read = bench.all(&key, 0).await?;
    for events in [read, expect_events(&mut follower, 0, last).await?] {
        ensure_eq!(events.len() => 2 * bodies.len());
        for (event, body) in events.iter().zip(bodies.iter().cycle()) {
            ensure!(event.body == body; "the body of event {} differs", event.sequence);
        }
    }
    bench.retry(&claim, last, &Batch::default()).await?;
    Ok(())
}

/// 12: Every reader and follower of every handle sees events in the order of the appends.
pub(super) async fn all_readers_see_the_order_of_appends(bench: Bench) -> Check {
    const LAST: u64 = 300;
    let (key, claim) = bench.owned().await?;
    let write = async {
        let mut last = 0;
        while last < LAST {
            last = bench.write(&claim, last, 1 + last % 4).await?;
            // An engine that never waits would be done before a follower attaches.
            tokio::task::yield_now().await;
        }
        Check::Ok(())
    };
    let others = try_join_all((0..3).map(|_| bench.other())).await?;
    let read = async |other: &Bench| {
        let mut follower = other.follow(&key, 0).await?;
        let read = async {
            let mut last = 0;
            while last < LAST {
                let page = other.read(&key, last, ReadLimit::default()).await?;
                check_numbered(&page, last)?;
                last += page.len() as u64;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok(())
        };
        tokio::try_join!(expect_numbered(&mut follower, 0, LAST), read)?;
        expect_numbered(&mut other.follow(&key, 0).await?, 0, LAST).await
    };
    let (written, read) = tokio::join!(write, try_join_all(others.iter().map(read)));
    written?;
    read.map(|_| ())
}
