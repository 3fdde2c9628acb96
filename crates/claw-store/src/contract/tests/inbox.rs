//! Tests 19 to 23: the inbox.

use super::bench::*;

impl Bench {
    /// Submits a command whose body is its key.
    async fn send(&self, key: &SessionKey, name: impl ToString) -> Check<Submitted> {
        let name = name.to_string();
        Ok(self.submit(key, command(&name, bytes(&name))).await?)
    }

    /// Receives the commands of a claim, and returns their positions.
    async fn receive(&self, claim: &Claim, names: &[&str]) -> Check<Vec<u64>> {
        let mut inbox = self.inbox(claim).await?;
        let mut positions = Vec::new();
        for name in names {
            let command = next(&mut inbox).await?;
            ensure!(command.key.as_str() == *name && command.body == *name; "{command:?}, not {name}");
            positions.push(command.position);
        }
        Ok(positions)
    }
}

/// 19: A command that is submitted twice is stored once, also after the engine's own window, after
/// it was applied, after a takeover and after a restart.
pub(super) async fn repeated_command_is_stored_once(bench: Bench) -> Check {
    let other = bench.other().await?;
    let key = bench.session().await?;
    let find = async |bench: &Bench| {
        let found = bench.find_command(&key, command("one", bytes("one")));
        Check::Ok(found.await?.map(|found| (found.position, found.is_repeat)))
    };
    // Looking for a command does not store it.
    for _ in 0..2 {
        ensure_eq!(find(&bench).await? => None);
    }
    let first = bench.send(&key, "one").await?;
    ensure!(!first.is_repeat; "the first command is a repeat");
    let check = async |bench: &Bench| {
        let again = bench.send(&key, "one").await?;
        ensure_eq!((again.position, again.is_repeat) => (first.position, true));
        ensure_eq!(find(bench).await? => Some((first.position, true)));
        Check::Ok(())
    };
    check(&bench).await?;
    check(&other).await?;
    bench.harness.pass_window().await?;
    check(&bench).await?;
    let claim = bench.own(&key).await?;
    bench.send(&key, "two").await?;
    ensure_eq!(bench.receive(&claim, &["one", "two"]).await?[0] => first.position);
    bench
        .append(&claim, 0, &applying(0, 1, first.position))
        .await?;
    check(&bench).await?;
    let claim = other.own(&key).await?;
    check(&other).await?;
    let new = bench.restarted().await?;
    check(&new).await?;
    bench.harness.pass_window().await?;
    check(&new).await?;
    new.send(&key, "three").await?;
    other.receive(&claim, &["two", "three"]).await?;
    ensure_err!(Conflict: new
        .submit(&key, command("one", bytes("other")))
        .find_command(&key, command("one", bytes("other")))
    );
    Ok(())
}

/// 20: Commands of two nodes arrive in the order in which they were submitted.
pub(super) async fn commands_of_two_nodes_keep_their_order(bench: Bench) -> Check {
    let other = bench.other().await?;
    let (key, claim) = bench.owned().await?;
    let names = ["a1", "b1", "a2", "b2", "b3", "a3"];
    let mut positions = Vec::new();
    for name in names {
        let bench = if name.starts_with('a') {
            &bench
        } else {
            &other
        };
        positions.push(bench.send(&key, name).await?.position);
    }
    ensure_eq!(bench.receive(&claim, &names).await? => positions);
    let mut inbox = bench.inbox(&claim).await?;
    let send = async |bench: &Bench, node: &str| {
        for number in 10..60 {
            bench.send(&key, format!("{node}{number}")).await?;
        }
        Check::Ok(())
    };
    let (one, two) = tokio::join!(send(&bench, "a"), send(&other, "b"));
    one.and(two)?;
    let mut commands = Vec::new();
    while commands.len() < 106 {
        commands.push(next(&mut inbox).await?);
    }
    ensure!(commands.is_sorted_by(|one, next| one.position < next.position); "{commands:?}");
    for node in ["a", "b"] {
        let keys = commands.iter().map(|command| command.key.as_str());
        let own: Vec<_> = keys.filter(|key| key.starts_with(node)).skip(3).collect();
        ensure!(own.is_sorted() && own.len() == 50; "{own:?}");
    }
    Ok(())
}

/// 21: A command that was submitted while the session had no owner is delivered after a claim.
pub(super) async fn command_waits_for_an_owner(bench: Bench) -> Check {
    let other = bench.other().await?;
    let (key, claim) = bench.owned().await?;
    bench.release(&claim, SessionState::Asleep).await?;
    other.send(&key, "waiting").await?;
    let claim = bench.own(&key).await?;
    let mut inbox = bench.inbox(&claim).await?;
    ensure_eq!(next(&mut inbox).await?.body => "waiting");
    other.send(&key, "later").await?;
    ensure_eq!(next(&mut inbox).await?.body => "later");
    Ok(())
}

/// 22: After a crash, commands that were not applied are delivered again, and those that were
/// applied are not.
pub(super) async fn unapplied_commands_are_delivered_again(bench: Bench) -> Check {
    let other = bench.other().await?;
    let (key, claim) = bench.owned().await?;
    for name in ["one", "two", "three"] {
        bench.send(&key, name).await?;
    }
    let positions = bench.receive(&claim, &["one", "two", "three"]).await?;
    let mut old = bench.inbox(&claim).await?;
    bench
        .append(&claim, 0, &applying(0, 1, positions[0]))
        .await?;
    // The owner crashes after the first command was applied.
    let new = other.own(&key).await?;
    ensure_eq!((new.applied(), new.submitted()) => (positions[0], positions[2]));
    ensure_err!(Fenced: bench.append(&claim, 1, &applying(1, 1, positions[2])));
    let end = async { while let Some(Ok(_)) = old.next().await {} };
    within("the end of the old inbox", end).await?;
    other.receive(&new, &["two", "three"]).await?;
    // Also without an event, and twice.
    for _ in 0..2 {
        let appended = other.append(&new, 1, &applying(1, 0, positions[1])).await?;
        ensure_eq!(appended.last => 1);
    }
    other.receive(&new, &["three"]).await?;
    let last = bench.restarted().await?;
    let claim = last.own(&key).await?;
    ensure_eq!((claim.applied(), claim.last()) => (positions[1], 1));
    ensure_eq!(claim.submitted() => positions[2]);
    last.receive(&claim, &["three"]).await?;
    Ok(())
}

/// 23: An inbox with 1,000 commands or 1 MiB is full until commands are applied, and has some space
/// for urgent ones.
pub(super) async fn inbox_is_bounded(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    let sends = stream::iter(0..1000).map(|number| bench.send(&key, number));
    sends.buffer_unordered(50).try_collect::<Vec<_>>().await?;
    ensure_err!(Full: bench.submit(&key, command("more", bytes(1))));
    ensure!(bench.send(&key, 7).await?.is_repeat; "a repeated command is not recognized");
    let first = next(&mut bench.inbox(&claim).await?).await?;
    bench
        .append(&claim, 0, &applying(0, 1, first.position))
        .await?;
    bench.send(&key, "more").await?;
    ensure_err!(Full: bench.submit(&key, command("too many", bytes(1))));
    let urgent = |number: u32| bench.submit(&key, urgent_command(number + 2000, bytes(number)));
    let urgent: Vec<_> = (0..200).map(urgent).collect();
    let urgent = stream::iter(urgent).buffer_unordered(50);
    urgent.try_collect::<Vec<_>>().await?;
    ensure_err!(Full: bench.submit(&key, urgent_command("too many", bytes(1))));
    let key = bench.session().await?;
    let too_large = Bytes::from(vec![b'x'; 1024 * 1024 + 1]);
    ensure_err!(TooLarge: bench.submit(&key, command("too large", too_large)));
    let large = Bytes::from(vec![b'x'; 256 * 1024]);
    for number in 0..4 {
        bench.submit(&key, command(number, large.clone())).await?;
    }
    ensure_err!(Full: bench.submit(&key, command("too large", large.slice(..1024))));
    bench
        .submit(&key, urgent_command("urgent", large.slice(..1024)))
        .await?;
    ensure_err!(Full: bench.submit(&key, urgent_command("more", large.slice(..64 * 1024))));
    Ok(())
}
