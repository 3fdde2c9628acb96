//! Tests 36 to 42: the engine.

use super::bench::*;

impl Bench {
    /// Fails unless a session has the acknowledged events and can be continued.
    async fn check_survived(&self, key: &SessionKey, acked: u64) -> Check {
        let claim = self.own(key).await?;
        let last = self.all(key, 0).await?.len() as u64;
        ensure!(last >= acked; "{} of {acked} acknowledged events are lost", acked - last);
        self.check(key, 0, claim.last()).await?;
        self.write(&claim, last, 1).await?;
        Ok(())
    }
}

/// 36: Acknowledged events survive SIGKILL.
pub(super) async fn acknowledged_events_survive_a_kill(bench: Bench) -> Check {
    for _ in 0..3 {
        let key = bench.session().await?;
        let acked = bench.harness.kill(&key).await?;
        ensure!(acked > 0; "nothing was appended before the kill");
        bench.other().await?.check_survived(&key, acked).await?;
    }
    Ok(())
}

/// 37: Acknowledged events survive a power cut, if the store reports so.
pub(super) async fn acknowledged_events_survive_a_power_cut(bench: Bench) -> Check {
    let key = bench.session().await?;
    let level = bench.durability().await.level;
    let acked = bench.harness.cut_power(&key).await?;
    ensure!(acked > 0; "nothing was appended before the power cut");
    if level >= DurabilityLevel::PowerLoss {
        bench.other().await?.check_survived(&key, acked).await?;
    }
    Ok(())
}

/// 38: With a full disk, writes get `Full` and reads work; afterwards writes work without a
/// restart.
pub(super) async fn full_disk_stops_writes_only(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    bench.write(&claim, 0, 3).await?;
    let mut follower = bench.follow(&key, 0).await?;
    bench.harness.set_disk_full(true).await?;
    let batch = Batch::from(vec![Bytes::from(vec![b'x'; 256 * 1024])]);
    let fill = async {
        let mut last = 3;
        loop {
            match bench.append(&claim, last, &batch).await {
                Ok(appended) => last = appended.last,
                Err(error) => return (last, error),
            }
        }
    };
    let (last, error) = within("a full disk", fill).await?;
    ensure_matches!(error => StoreError::Full { .. });
    ensure_eq!(bench.all(&key, 0).await?.len() as u64 => last);
    ensure_eq!(bench.get(&key).await?.last => last);
    expect_events(&mut follower, 0, last).await?;
    bench.harness.set_disk_full(false).await?;
    bench.retry(&claim, last, &batch).await?;
    expect_events(&mut follower, last, last + 1).await?;
    ensure_eq!(bench.all(&key, last).await?.len() => 1);
    Ok(())
}

/// 39: The copy of the transcript survives a takeover and a restart byte for byte; so do blobs and
/// the checkpoint.
pub(super) async fn transcript_survives_byte_for_byte(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    let mut lines: Vec<Bytes> = (0..50)
        .map(|line| bytes(format!("{{\"line\":{line}}}")))
        .collect();
    lines[0] = Bytes::new();
    lines[1] = Bytes::from_static(b"\xff\x00 \r");
    lines[2] = Bytes::from(vec![b'l'; 1_500_000]);
    let files = [
        ("agents/one *.jsonl", &lines[3..]),
        ("main.jsonl", &lines[..]),
    ];
    for (file, lines) in files {
        let mut last = 0;
        for part in lines.chunks(20) {
            let mirrored = bench.mirror(&claim, file, last, part).await?;
            ensure_eq!(mirrored => last + part.len() as u64);
            ensure_eq!(bench.mirror(&claim, file, last, part).await? => mirrored);
            last = mirrored;
        }
        ensure_err!(Conflict: bench.mirror(&claim, file, 7, &lines[..1]));
    }
    let large = &lines[2];
    let blob = bench.put_blob(&claim, large.clone()).await?;
    ensure_eq!(bench.put_blob(&claim, large.clone()).await? => blob);
    for sequence in [1, 9] {
        let checkpoint = checkpoint(sequence, large.clone());
        bench.save_checkpoint(&claim, &checkpoint).await?;
    }
    let other = bench.other().await?;
    let claim = other.own(&key).await?;
    for bench in [&bench, &other, &bench.restarted().await?] {
        let listed = files.map(|(file, lines)| (file.to_owned(), lines.len() as u64));
        ensure_eq!(bench.mirrored_files(&key).await? => listed);
        for (file, lines) in files {
            let mut read = Vec::new();
            while read.len() < lines.len() {
                let (events, bytes) = (7, 100_000);
                let limit = ReadLimit { events, bytes };
                let page = bench.mirrored(&key, file, read.len() as u64, limit).await?;
                ensure!((1..=7).contains(&page.len()); "a page has {} lines", page.len());
                read.extend(page);
            }
            ensure!(read == lines; "the lines of {file} differ");
        }
        let (start, hash) = (1_400_000, &blob.hash);
        let part = bench.get_blob(&key, hash, start..u64::MAX).await?;
        ensure!(part == large[start as usize..]; "a part of the blob differs");
        ensure_eq!(bench.get_blob(&key, hash, 2 * start..3 * start).await? => "");
        let checkpoint = bench.checkpoint(&key).await?;
        ensure_eq!(checkpoint.map(|checkpoint| checkpoint.sequence) => Some(9));
    }
    ensure_eq!(other.mirror(&claim, "main.jsonl", 50, &lines[..1]).await? => 51);
    Ok(())
}

/// 40: A restored backup has the same sequences, epochs, commands, interactions and blobs.
pub(super) async fn restored_backup_is_complete(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    bench.write(&claim, 0, 3).await?;
    let claim = bench.own(&key).await?;
    bench.write(&claim, 3, 4).await?;
    let blob = bench.put_blob(&claim, bytes("blob")).await?;
    let command = command("key", bytes("command"));
    let submitted = bench.submit(&key, command.clone()).await?;
    let ask = new_interaction("id", None);
    bench.open_interaction(&claim, ask).await?;
    let (row, events) = (bench.get(&key).await?, bench.all(&key, 0).await?);

    let store = bench.harness.restore_backup().await?;
    let restored = Bench {
        store,
        ..bench.clone()
    };
    ensure_eq!(restored.get(&key).await? => row);
    ensure_eq!(restored.all(&key, 0).await? => events);
    ensure_eq!(restored.get_blob(&key, &blob.hash, 0..99).await? => "blob");
    ensure_eq!(restored.submit(&key, command).await?.position => submitted.position);
    let pending = of_session(&key, true);
    ensure_eq!(restored.interactions(&pending).await?.len() => 1);
    let mut follower = restored.follow(&key, 5).await?;
    let claim = restored.own(&key).await?;
    ensure_eq!((claim.epoch(), claim.last()) => (3, 7));
    restored.write(&claim, 7, 1).await?;
    expect_numbered(&mut follower, 5, 8).await?;
    // The original is not changed.
    ensure_eq!(bench.get(&key).await?.last => 7);
    Ok(())
}

/// 41: Data of the previous schema can be read and continued.
pub(super) async fn old_data_is_migrated(bench: Bench) -> Check {
    let old = bench.harness.open_old_data().await?;
    let (key, store) = (old.key, old.store);
    let migrated = Bench { store, ..bench };
    migrated.check(&key, 0, old.last).await?;
    let claim = migrated.own(&key).await?;
    ensure!(claim.epoch() > old.epoch && claim.last() == old.last; "{claim:?}");
    let mut follower = migrated.follow(&key, 0).await?;
    let last = migrated.write(&claim, old.last, 2).await?;
    expect_numbered(&mut follower, 0, last).await
}

/// 42: `durability()` reports less when a setting is weak, with the evidence.
pub(super) async fn durability_reports_weak_settings(bench: Bench) -> Check {
    let normal = bench.durability().await;
    ensure!(!normal.evidence.is_empty(); "there is no evidence of {:?}", normal.level);
    let weak = bench.harness.misconfigured().await?;
    ensure!(!weak.is_empty(); "the harness has no weak setting");
    for case in weak {
        let (setting, found) = (case.setting, case.store.durability().await);
        let is_true = found.level <= case.at_most && !found.evidence.is_empty();
        ensure!(is_true; "{setting}: {found:?}, but {:?} is true", case.at_most);
        // It runs nevertheless.
        let store = case.store;
        let weak = Bench {
            store,
            ..bench.clone()
        };
        let (_, claim) = weak.owned().await?;
        weak.write(&claim, 0, 1).await?;
    }
    Ok(())
}
