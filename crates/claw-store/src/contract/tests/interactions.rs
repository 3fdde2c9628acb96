//! Tests 24 to 27: interactions.

use super::bench::*;

impl Bench {
    async fn ask(&self, claim: &Claim, name: &str, expires_at_ms: Option<i64>) -> Check {
        let new = new_interaction(name, expires_at_ms);
        Ok(self.open_interaction(claim, new).await?)
    }

    async fn answer_as(&self, key: &SessionKey, name: &str, by: impl ToString) -> Check<Verdict> {
        Ok(self.answer(key, &interaction_id(name), answer(by)).await?)
    }

    async fn close(&self, claim: &Claim, name: &str, closing: Closing) -> Check<InteractionState> {
        let id = interaction_id(name);
        let closed = self.close_interaction(claim, &id, closing).await?;
        ensure_eq!(closed.request => format!("request {name}"));
        Ok(closed.state)
    }

    async fn states(&self, filter: &InteractionFilter) -> Check<Vec<(String, InteractionState)>> {
        let all = self.interactions(filter).await?.into_iter();
        Ok(all.map(|one| (one.id.to_string(), one.state)).collect())
    }
}

/// 24: Of 100 answers from four nodes one wins, and all others get the same winner.
pub(super) async fn one_of_100_answers_wins(bench: Bench) -> Check {
    let others = try_join_all((0..4).map(|_| bench.other())).await?;
    let (key, claim) = bench.owned().await?;
    for round in 0..5 {
        let name = format!("interaction {round}.*>");
        bench.ask(&claim, &name, None).await?;
        let answers = (0..100).map(|by| others[by % 4].answer_as(&key, &name, by));
        let verdicts = try_join_all(answers).await?;
        let won: Vec<usize> = (0..100)
            .filter(|by| verdicts[*by] == Verdict::Won)
            .collect();
        ensure_eq!(won.len() => 1);
        let lost = Verdict::Lost(answer(won[0]));
        let losers = verdicts.iter().filter(|verdict| **verdict == lost);
        ensure_eq!(losers.count() => 99);
        // Repeated answers get the stored results.
        ensure_eq!(bench.answer_as(&key, &name, won[0]).await? => Verdict::Won);
        ensure_eq!(bench.answer_as(&key, &name, "late").await? => lost);
        let mut changed = answer(won[0]);
        changed.body = bytes("another body under the same key");
        let verdict = bench.answer(&key, &interaction_id(&name), changed).await?;
        ensure_eq!(verdict => lost);
        let states = others[0].states(&of_session(&key, false)).await?;
        let answered = InteractionState::Answered(answer(won[0]));
        ensure_eq!(states.last() => Some(&(name.clone(), answered.clone())));
        let one = others[0].interaction(&key, &interaction_id(&name)).await?;
        ensure_eq!((one.id, one.state) => (interaction_id(&name), answered));
    }
    Ok(())
}

/// 25: An answer after the end of an interaction gets `Closed`, and the end after an answer keeps
/// the answer.
pub(super) async fn closed_interaction_is_not_answered(bench: Bench) -> Check {
    let other = bench.other().await?;
    let (key, claim) = bench.owned().await?;
    bench.ask(&claim, "closed", None).await?;
    for closing in [Closing::Withdrawn, Closing::Expired] {
        let state = bench.close(&claim, "closed", closing).await?;
        ensure_eq!(state => InteractionState::Closed(Closing::Withdrawn));
    }
    let verdict = other.answer_as(&key, "closed", "late").await?;
    ensure_eq!(verdict => Verdict::Closed(Closing::Withdrawn));
    bench.ask(&claim, "answered", None).await?;
    ensure_eq!(other.answer_as(&key, "answered", "first").await? => Verdict::Won);
    let kept = bench.close(&claim, "answered", Closing::Expired).await?;
    ensure_eq!(kept => InteractionState::Answered(answer("first")));
    let missing = interaction_id("missing");
    ensure_err!(NotFound: bench
        .answer(&key, &missing, answer("x"))
        .close_interaction(&claim, &missing, Closing::Expired)
        .interaction(&key, &missing)
    );
    // The same interaction again does nothing; another one under its id is rejected.
    bench.ask(&claim, "answered", None).await?;
    ensure_err!(Conflict: bench.open_interaction(&claim, new_interaction("answered", Some(1))));
    Ok(())
}

/// 26: The list of pending interactions is right after a takeover and a restart.
pub(super) async fn pending_interactions_survive(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    let (second, second_claim) = bench.owned().await?;
    for name in ["z", "b", "c", "a"] {
        bench.ask(&claim, name, None).await?;
    }
    bench.ask(&second_claim, "second", None).await?;
    bench.answer_as(&key, "z", "by").await?;
    bench.close(&claim, "b", Closing::Expired).await?;
    let check = async |bench: &Bench| {
        let named = |name: &str, state| (name.to_owned(), state);
        let [c, a, other] = ["c", "a", "second"].map(|name| named(name, InteractionState::Pending));
        let z = named("z", InteractionState::Answered(answer("by")));
        let b = named("b", InteractionState::Closed(Closing::Expired));
        let pending = [c.clone(), a.clone()];
        ensure_eq!(bench.states(&of_session(&key, true)).await? => pending);
        ensure_eq!(bench.states(&of_session(&key, false)).await? => [z, b, c.clone(), a.clone()]);
        let of_tenant = InteractionFilter::pending(key.tenant.clone());
        let mut states = bench.states(&of_tenant).await?;
        states.sort_by(|one, next| one.0.cmp(&next.0));
        ensure_eq!(states => [a, c, other]);
        let of_second = bench.interactions(&of_session(&second, true)).await?;
        ensure!(of_second.len() == 1 && of_second[0].session == second; "{of_second:?}");
        Check::Ok(())
    };
    check(&bench).await?;
    let other = bench.other().await?;
    let claim = other.own(&key).await?;
    check(&other).await?;
    check(&bench.restarted().await?).await?;
    let state = other.close(&claim, "c", Closing::Withdrawn).await?;
    ensure_eq!(state => InteractionState::Closed(Closing::Withdrawn));
    Ok(())
}

/// 27: Interactions are listed by the time at which they expire; the owner closes them.
pub(super) async fn expired_interactions_are_listed_and_closed(bench: Bench) -> Check {
    let (key, claim) = bench.owned().await?;
    for (name, expires) in [("late", Some(2000)), ("soon", Some(1000)), ("never", None)] {
        bench.ask(&claim, name, expires).await?;
    }
    let expired = async |at: i64| {
        let mut filter = InteractionFilter::pending(key.tenant.clone());
        filter.expired_at_ms = Some(at);
        let states = bench.states(&filter).await?.into_iter();
        Check::Ok(states.map(|(name, _)| name).collect::<Vec<_>>())
    };
    ensure_eq!(expired(999).await? => [""; 0]);
    ensure_eq!(expired(1000).await? => ["soon"]);
    ensure_eq!(expired(i64::MAX - 1).await? => ["late", "soon"]);
    bench.close(&claim, "soon", Closing::Expired).await?;
    ensure_eq!(expired(1000).await? => [""; 0]);
    let verdict = bench.answer_as(&key, "soon", "x").await?;
    ensure_eq!(verdict => Verdict::Closed(Closing::Expired));
    // The store has no clock: the owner decides.
    ensure_eq!(bench.answer_as(&key, "late", "x").await? => Verdict::Won);
    Ok(())
}
