//! Limits how many sessions are awake. Sessions above the limit wait in a queue, first come, first
//! served. While one waits, the sessions that have been idle longest are asked to make room.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claw_server::SessionId;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The places of the sessions that are awake in this process, and the queue for them.
#[derive(Debug)]
pub(crate) struct Places {
    limit: usize,
    /// How long a session must have been idle before it is asked to make room.
    min_idle: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Waiting>,
    held: BTreeMap<u64, Held>,
    /// The number of the latest ticket or place.
    last: u64,
}

#[derive(Debug)]
struct Waiting {
    number: u64,
    session_id: SessionId,
    /// Wakes the session when it is the first one, and the places have changed.
    changed: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Held {
    idle_since: Option<Instant>,
    is_asked: bool,
    asked: Arc<Notify>,
}

#[derive(Debug, PartialEq)]
enum Step {
    Enter,
    /// Until the places change, or until this time.
    Wait(Option<Instant>),
}

impl Places {
    pub(crate) fn new(limit: usize, min_idle: Duration) -> Arc<Self> {
        Arc::new(Self {
            limit: limit.max(1),
            min_idle,
            state: Mutex::default(),
        })
    }

    /// Waits for a place. Dropping the future leaves the queue.
    pub(crate) async fn enter(self: &Arc<Self>, session_id: SessionId) -> Place {
        let ticket = self.wait(session_id);
        loop {
            let step = self
                .state()
                .step(ticket.number, self.limit, self.min_idle, Instant::now());
            let until = match step {
                Step::Enter => return self.place(ticket.number),
                Step::Wait(until) => until,
            };
            tokio::select! {
                () = ticket.changed.notified() => {}
                () = at(until) => {}
            }
        }
    }

    /// Gives a place to a session that runs already, also above the limit.
    pub(crate) fn enter_running(self: &Arc<Self>) -> Place {
        let mut state = self.state();
        let number = state.next();
        state.held.insert(number, Held::default());
        drop(state);
        self.place(number)
    }

    /// Returns the positions of the sessions in the queue. The first one has position 1.
    pub(crate) fn positions(&self) -> HashMap<SessionId, u64> {
        let state = self.state();
        let sessions = state.queue.iter().map(|one| one.session_id);
        sessions.zip(1..).collect()
    }

    /// Returns the position of a session in the queue.
    pub(crate) fn position(&self, session_id: SessionId) -> Option<u64> {
        let state = self.state();
        let mut positions = state.queue.iter().zip(1..);
        let found = positions.find(|(one, _)| one.session_id == session_id);
        found.map(|(_, position)| position)
    }

    fn wait(self: &Arc<Self>, session_id: SessionId) -> Ticket {
        let mut state = self.state();
        let number = state.next();
        let changed = Arc::new(Notify::new());
        state.queue.push_back(Waiting {
            number,
            session_id,
            changed: Arc::clone(&changed),
        });
        // More sessions may have to make room.
        state.wake_first();
        drop(state);
        Ticket {
            places: Arc::clone(self),
            number,
            changed,
        }
    }

    fn place(self: &Arc<Self>, number: u64) -> Place {
        let asked = self
            .state()
            .held
            .get(&number)
            .map(|held| &held.asked)
            .cloned();
        Place {
            places: Arc::clone(self),
            number,
            asked: asked.unwrap_or_default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn wake_first(&self) {
        if let Some(first) = self.queue.front() {
            first.changed.notify_one();
        }
    }

    /// Gives a place to the first session of the queue, or asks others to make room for the queue.
    fn step(&mut self, number: u64, limit: usize, min_idle: Duration, now: Instant) -> Step {
        if self
            .queue
            .front()
            .is_none_or(|first| first.number != number)
        {
            return Step::Wait(None);
        }
        if self.held.len() < limit {
            self.queue.pop_front();
            self.held.insert(number, Held::default());
            self.wake_first();
            return Step::Enter;
        }
        let leaving = self.held.values().filter(|held| held.is_asked).count();
        let wanted = (self.held.len() + self.queue.len()).saturating_sub(limit + leaving);
        let idle = self.held.iter().filter(|(_, held)| !held.is_asked);
        let idle = idle.filter_map(|(number, held)| Some((held.idle_since?, *number)));
        let mut idle: Vec<(Instant, u64)> = idle.collect();
        idle.sort_unstable();
        for (since, number) in idle.into_iter().take(wanted) {
            let due = since + min_idle;
            if due > now {
                return Step::Wait(Some(due));
            }
            if let Some(held) = self.held.get_mut(&number) {
                held.is_asked = true;
                held.asked.notify_one();
            }
        }
        Step::Wait(None)
    }
}

/// A session's place in the queue.
struct Ticket {
    places: Arc<Places>,
    number: u64,
    changed: Arc<Notify>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.places.state();
        state.queue.retain(|one| one.number != self.number);
        state.wake_first();
    }
}

/// A place among the sessions that are awake, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    number: u64,
    asked: Arc<Notify>,
}

impl Place {
    /// Records since when the session has been idle, or that it is busy.
    pub(crate) fn set_idle(&self, since: Option<Instant>) {
        let mut state = self.places.state();
        if let Some(held) = state.held.get_mut(&self.number)
            && held.idle_since != since
        {
            held.idle_since = since;
            // A session that became busy cannot make room.
            held.is_asked = false;
            state.wake_first();
        }
    }

    /// Waits until the session is asked to make room.
    pub(crate) async fn asked(&self) {
        loop {
            self.asked.notified().await;
            let state = self.places.state();
            if state
                .held
                .get(&self.number)
                .is_some_and(|held| held.is_asked)
            {
                return;
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.places.state();
        state.held.remove(&self.number);
        state.wake_first();
    }
}

/// Waits until a time; for ever without one.
pub(crate) async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt as _;

    use super::*;

    const MIN_IDLE: Duration = Duration::from_secs(30);

    fn id(number: u128) -> SessionId {
        SessionId::from(number)
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_enter_in_the_order_in_which_they_came() {
        let places = Places::new(2, MIN_IDLE);
        let first = places.enter(id(1)).await;
        let second = places.enter(id(2)).await;
        let mut third = pin!(places.enter(id(3)));
        let mut fourth = pin!(places.enter(id(4)));
        let mut fifth = pin!(places.enter(id(5)));
        assert!((&mut third).now_or_never().is_none());
        assert!((&mut fourth).now_or_never().is_none());
        assert!((&mut fifth).now_or_never().is_none());
        assert_eq!(places.position(id(1)), None);
        assert_eq!(places.position(id(5)), Some(3));
        assert_eq!(places.positions().len(), 3);
        drop(first);
        // A later one does not overtake.
        assert!((&mut fourth).now_or_never().is_none());
        let third = third.await;
        assert_eq!(places.position(id(4)), Some(1));
        drop((second, third));
        let _fourth = fourth.await;
        let _fifth = fifth.await;
        assert!(places.positions().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_stops_waiting_leaves_the_queue() {
        let places = Places::new(1, MIN_IDLE);
        let first = places.enter(id(1)).await;
        let mut second = Box::pin(places.enter(id(2)));
        let mut third = pin!(places.enter(id(3)));
        assert!((&mut second).now_or_never().is_none());
        assert!((&mut third).now_or_never().is_none());
        drop(second);
        assert_eq!(places.position(id(3)), Some(1));
        drop(first);
        let _third = third.await;
    }

    #[tokio::test(start_paused = true)]
    async fn the_session_that_was_idle_longest_makes_room() {
        let places = Places::new(3, MIN_IDLE);
        let begin = Instant::now();
        let [busy, old, new] = [
            places.enter(id(1)).await,
            places.enter(id(2)).await,
            places.enter(id(3)).await,
        ];
        old.set_idle(Some(begin));
        new.set_idle(Some(begin + Duration::from_secs(5)));
        let mut waiting = pin!(places.enter(id(4)));
        tokio::select! {
            _ = &mut waiting => panic!("there is no place"),
            () = busy.asked() => panic!("it is busy"),
            () = new.asked() => panic!("another one has been idle longer"),
            () = old.asked() => {}
        }
        assert!(begin.elapsed() >= MIN_IDLE);
        // It becomes busy before it makes room, so the next one is asked.
        old.set_idle(None);
        tokio::select! {
            _ = &mut waiting => panic!("there is no place"),
            () = old.asked() => panic!("it is busy"),
            () = new.asked() => {}
        }
        assert!(begin.elapsed() >= MIN_IDLE + Duration::from_secs(5));
        drop(new);
        let _waiting = waiting.await;
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_that_run_already_do_not_wait() {
        let places = Places::new(1, MIN_IDLE);
        let [first, second] = [places.enter_running(), places.enter_running()];
        let mut third = pin!(places.enter(id(3)));
        assert!((&mut third).now_or_never().is_none());
        drop(first);
        assert!((&mut third).now_or_never().is_none());
        drop(second);
        let _third = third.await;
    }
}
