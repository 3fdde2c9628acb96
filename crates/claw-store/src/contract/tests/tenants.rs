//! Test 43: tenants.

use super::bench::*;

/// 43: Every call that names a session, an interaction or a blob of another tenant gets `NotFound`
/// and changes nothing, and a blob belongs to one session.
pub(super) async fn other_tenants_find_nothing(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    let (sibling, sibling_claim) = bench.owned().await?;
    bench.write(&claim, 0, 2).await?;
    let (body, lines) = (bytes("body"), [bytes("line")]);
    let hash = &bench.put_blob(&claim, body.clone()).await?.hash;
    bench.mirror(&claim, "file", 0, &lines).await?;
    let ask = new_interaction("id", None);
    bench.open_interaction(&claim, ask.clone()).await?;
    let checkpoint = checkpoint(2, body.clone());
    bench.save_checkpoint(&claim, &checkpoint).await?;
    let row = bench.get(&key).await?;
    let mut follower = bench.follow(&key, 2).await?;

    // The other tenant has a session of its own, and even a claim that names this one.
    let foreign = bench.session_of("foreign").await?.tenant;
    let wrong = SessionKey::new(foreign.clone(), key.session.clone());
    let owner = claim.owner().clone();
    let forged = Claim::new(wrong.clone(), owner, 2, claim.applied(), 0, 0);
    let (limit, node) = (ReadLimit::default(), &claim.owner().node);
    ensure_err!(NotFound: bench
        .get(&wrong)
        .update(&wrong, row.revision, SessionPatch::default())
        .erase(&wrong)
        .claim(&wrong, node, ClaimReason::Open)
        .release(&forged, SessionState::Ended)
        .append(&forged, 2, &numbered(2, 1))
        .read(&wrong, 0, limit)
        .follow(&wrong, 0)
        .save_checkpoint(&forged, &checkpoint)
        .checkpoint(&wrong)
        .submit(&wrong, command("key", body.clone()))
        .find_command(&wrong, command("key", body.clone()))
        .inbox(&forged)
        .open_interaction(&forged, ask.clone())
        .answer(&wrong, &ask.id, answer("x"))
        .close_interaction(&forged, &ask.id, Closing::Expired)
        .interaction(&wrong, &ask.id)
        .interactions(&of_session(&wrong, true))
        .put_blob(&forged, body.clone())
        .get_blob(&wrong, hash, 0..4)
        .mirror(&forged, "file", 1, &lines)
        .mirrored_files(&wrong)
        .mirrored(&wrong, "file", 0, limit)
    );
    // Another session of the same tenant.
    ensure_err!(NotFound: bench
        .answer(&sibling, &ask.id, answer("x"))
        .close_interaction(&sibling_claim, &ask.id, Closing::Expired)
        .interaction(&sibling, &ask.id)
        .get_blob(&sibling, hash, 0..4)
        .mirrored(&sibling, "file", 0, limit)
    );
    bench.publish_delta(&forged, body.clone());
    let pending = InteractionFilter::pending(foreign.clone());
    ensure_eq!(bench.interactions(&pending).await? => []);
    let listed = bench.list(&foreign, None, 10).await?.rows;
    ensure!(listed.len() == 1 && listed[0].key != wrong; "{listed:?}");

    // Ids and keys of tenants are independent.
    let name = key.session.as_str();
    let same = new_session("foreign", name, Some(key.session.clone()));
    let created = bench.create(same).await?;
    ensure!(!created.is_repeat && created.row.last == 0; "{created:?}");
    bench.erase(&wrong).await?;

    ensure_eq!(bench.get(&key).await? => row);
    bench.check(&key, 0, 2).await?;
    ensure_eq!(bench.mirrored_files(&key).await? => [("file".to_owned(), 1)]);
    let pending = of_session(&key, true);
    ensure_eq!(bench.interactions(&pending).await?.len() => 1);
    bench.write(&claim, 2, 1).await?;
    loop {
        match next(&mut follower).await? {
            Live::Event(event) => return check_numbered(&[event], 2),
            live => ensure!(!matches!(live, Live::Delta(_)); "{live:?} of another tenant"),
        }
    }
}
