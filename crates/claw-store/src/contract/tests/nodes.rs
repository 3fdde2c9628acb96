//! Tests 32 to 35: nodes.

use std::sync::mpsc;

use tokio::time::Instant;

use super::bench::*;
use crate::lease::{LeaseState, NodeLease, hold};

type Orphans = BoxStream<'static, (SessionKey, Owner)>;

fn record(name: &str) -> NodeRecord {
    let (node, body, revision) = (node(name), bytes("address"), Revision(0));
    NodeRecord {
        node,
        counter: 0,
        is_leaving: false,
        body,
        revision,
    }
}

impl Bench {
    async fn hold(&self, name: &str, term: Duration) -> Check<NodeLease> {
        Ok(hold(self.store.clone(), record(name), term).await?)
    }

    /// Returns a session that a node owns.
    async fn session_of_node(&self, lease: &NodeLease) -> Check<SessionKey> {
        let key = self.session().await?;
        self.own_as(&key, lease.node()).await?;
        Ok(key)
    }

    /// Fails unless a node owns these sessions under this incarnation and earlier ones.
    async fn expect_owned(&self, node: &NodeRef, keys: &[&SessionKey]) -> Check {
        let owned = self.sessions_of(&node.node, node.incarnation + 1).await?;
        let are_all = keys
            .iter()
            .all(|key| owned.iter().any(|(owned, _)| owned == *key));
        ensure!(owned.len() == keys.len() && are_all; "{owned:?}");
        Ok(())
    }
}

async fn expect_orphan(orphans: &mut Orphans, key: &SessionKey) -> Check {
    let orphan = within("a session that needs an owner", orphans.next()).await?;
    ensure_eq!(orphan.as_ref().map(|(key, _)| key) => Some(key));
    Ok(())
}

/// Fails if a session needs an owner within a time.
async fn expect_none(orphans: &mut Orphans, time: Duration) -> Check {
    let orphan = tokio::time::timeout(time, orphans.next()).await;
    ensure!(orphan.is_err(); "{orphan:?} needs an owner, but its node is not dead");
    Ok(())
}

/// 32: The sessions of a dead node need an owner within its term and 1 s; those of a node that
/// leaves and of an earlier incarnation at once.
pub(super) async fn sessions_of_a_dead_node_need_an_owner(bench: Bench) -> Check {
    const TERM: Duration = Duration::from_secs(3);
    let one = bench.hold("one", TERM).await?;
    let key = bench.session_of_node(&one).await?;
    let observer = bench.other().await?.hold("observer", TERM).await?;
    let mut orphans = observer.orphans();
    expect_none(&mut orphans, TERM / 2).await?;
    bench.expect_owned(one.node(), &[&key]).await?;

    let death = Instant::now();
    drop(one);
    expect_orphan(&mut orphans, &key).await?;
    let waited = death.elapsed();
    ensure!(waited > TERM / 2; "the node is dead after {waited:?}");
    // If the observer's own renewals were late, the count started again.
    let counted = observer
        .steady_since()
        .map(|steady| steady.max(death).elapsed());
    let limit = TERM + Duration::from_secs(1);
    ensure!(counted.is_none_or(|time| time <= limit); "a takeover starts after {waited:?}");
    bench.own_as(&key, observer.node()).await?;
    ensure_eq!(bench.sessions_of(&node_id("one"), u64::MAX).await? => []);

    let leaving = bench.hold("leaving", TERM).await?;
    let key = bench.session_of_node(&leaving).await?;
    leaving.leave().await?;
    expect_orphan(&mut orphans, &key).await?;
    bench.own_as(&key, observer.node()).await?;

    let old = bench.hold("again", TERM).await?;
    let key = bench.session_of_node(&old).await?;
    let new = bench.other().await?.hold("again", TERM).await?;
    ensure!(new.node().incarnation > old.node().incarnation; "the incarnation is used again");
    let second = bench.session_of_node(&new).await?;
    bench.expect_owned(old.node(), &[&key]).await?;
    bench.expect_owned(new.node(), &[&key, &second]).await?;
    expect_orphan(&mut orphans, &key).await?;
    expect_orphan(&mut new.orphans(), &key).await?;
    let mut states = old.watch();
    let dead = states.wait_for(|state| *state == LeaseState::Dead);
    within("the end of the old incarnation", dead)
        .await?
        .map_err(Failure::new)?;
    ensure_err!(Conflict: bench.put_node(record("again"), Revision(0)));
    Ok(())
}

/// 33: During and after an outage of the engine, no node is declared dead.
pub(super) async fn outage_kills_no_node(bench: Bench) -> Check {
    const TERM: Duration = Duration::from_millis(1500);
    let one = bench.hold("one", TERM).await?;
    let two = bench.other().await?.hold("two", TERM).await?;
    let (mut first, mut second) = (one.orphans(), two.orphans());
    for lease in [&one, &two] {
        bench.session_of_node(lease).await?;
    }
    for terms in [1.2, 3.0] {
        for (is_out, time) in [(true, TERM.mul_f64(terms)), (false, TERM)] {
            bench.harness.set_outage(is_out).await?;
            let nobody = expect_none(&mut first, time);
            let (one, two) = tokio::join!(nobody, expect_none(&mut second, time));
            one.and(two)?;
        }
    }
    Ok(())
}

/// 34: A paused node is in doubt when it resumes, before it does anything else, and its claim is
/// void; after three terms it is dead.
pub(super) async fn paused_node_is_in_doubt_and_then_dead(bench: Bench) -> Check {
    const TERM: Duration = Duration::from_secs(1);
    let other = bench.other().await?;
    let key = bench.session().await?;
    let observer = other.hold("observer", TERM).await?;
    let mut orphans = observer.orphans();
    let (paused, mut is_paused) = tokio::sync::mpsc::channel(1);
    let (wake, wait) = mpsc::channel::<()>();
    let (node, session) = (bench.clone(), key.clone());
    // A node whose thread blocks does nothing at all, as after SIGSTOP.
    let life = async move {
        let lease = node.hold("paused", TERM).await?;
        let claim = node.own_as(&session, lease.node()).await?;
        node.write(&claim, 0, 1).await?;
        tokio::time::sleep(TERM / 2).await;
        let mut states = Vec::new();
        for _ in 0..2 {
            let _ = paused.send(Instant::now()).await;
            let _ = wait.recv();
            states.push(lease.state());
            ensure_err!(Fenced: node.append(&claim, 1, &numbered(1, 1)));
            tokio::time::sleep(TERM / 2).await;
        }
        states.push(*lease.watch().borrow());
        Check::Ok(states)
    };
    let thread = tokio::task::spawn_blocking(move || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().map_err(Failure::new)?;
        runtime.block_on(life)
    });
    let start = within("the pause of the node", is_paused.recv()).await?;
    expect_orphan(&mut orphans, &key).await?;
    let claim = other.own_as(&key, observer.node()).await?;
    other.write(&claim, 1, 1).await?;
    let was_short = start.is_some_and(|start| start.elapsed() < 2 * TERM);
    let _ = wake.send(());
    within("the second pause of the node", is_paused.recv()).await?;
    tokio::time::sleep(3 * TERM).await;
    let _ = wake.send(());
    let states = thread.await.map_err(Failure::new)??;
    ensure!(states[0] == LeaseState::Doubt || !was_short; "it resumes as {:?}", states[0]);
    ensure_eq!(states[1..] => [LeaseState::Dead; 2]);
    bench.check(&key, 0, 2).await
}

/// 35: Wall clocks that are set forward or back have no effect.
pub(super) async fn wall_clocks_have_no_effect(bench: Bench) -> Check {
    const TERM: Duration = Duration::from_secs(2);
    let one = bench.hold("one", TERM).await?;
    let two = bench.other().await?.hold("two", TERM).await?;
    bench.session_of_node(&one).await?;
    let mut orphans = two.orphans();
    for hours in [1, -2, 1] {
        bench.harness.shift_clock(hours).await?;
        expect_none(&mut orphans, TERM * 2 / 3).await?;
        let states = [one.state(), two.state()];
        ensure!(!states.contains(&LeaseState::Dead); "the states are {states:?}");
    }
    Ok(())
}
