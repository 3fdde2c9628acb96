//! Several processes on one file.

use std::collections::HashMap;

use claw_store::contract::numbered_body;
use claw_store::{Live, Log as _};
use futures_util::StreamExt as _;

use super::child::{self, Acks};
use super::fixture::{Fixture, append, claim, create, open, owned, read_all};

#[tokio::test(flavor = "multi_thread")]
async fn racing_processes_lose_and_double_nothing() {
    let fixture = Fixture::new().await;
    let store = &fixture.store;
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let key = create(store, "tenant").await.unwrap();
        sessions.push((key, HashMap::new()));
    }
    for _ in 0..5 {
        // On each session, two processes and this one claim and append at the same time.
        let mut children = Vec::new();
        for index in [0, 1, 0, 1] {
            let command = child::command(&[], &fixture.path(), &sessions[index].0, 2000);
            children.push((index, Acks::start(command)));
        }
        for (index, child) in &mut children {
            // A process that was fenced at once has none.
            sessions[*index].1.extend(child.take(10));
        }
        for (key, acks) in &mut sessions {
            let claim = claim(store, key).await;
            append(store, &claim, claim.last(), 3).await;
            acks.insert(claim.last() + 3, claim.epoch());
        }
        for (index, child) in children {
            for (sequence, epoch) in child {
                let earlier = sessions[index].1.insert(sequence, epoch);
                assert_eq!(earlier, None, "two processes have appended {sequence}");
            }
        }
    }
    for (key, acks) in &sessions {
        let events = read_all(store, key).await;
        assert!(acks.len() > 50, "{} appends", acks.len());
        for (sequence, epoch) in acks {
            let event = &events[*sequence as usize - 1];
            assert_eq!(event.epoch, *epoch, "the owner of event {sequence}");
        }
        assert!(events.iter().is_sorted_by_key(|event| event.epoch));
        for event in &events {
            assert_eq!(event.body, numbered_body(event.sequence));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn follower_sees_the_events_and_owners_of_another_process() {
    let fixture = Fixture::new().await;
    let (key, first) = owned(&fixture.store).await;
    append(&fixture.store, &first, 0, 2).await;
    let mut follower = fixture.store.follow(&key, 0).await.unwrap();
    let other = open(&fixture.path()).await;
    let second = claim(&other, &key).await;
    append(&other, &second, 2, 2).await;
    let mut seen = Vec::new();
    while seen.last() != Some(&Some(4)) {
        seen.push(match follower.next().await.unwrap().unwrap() {
            Live::Event(event) => Some(event.sequence),
            Live::Moved(owner) => {
                assert_eq!(owner.epoch, second.epoch());
                None
            }
            _ => continue,
        });
    }
    assert_eq!(seen, [Some(1), Some(2), None, Some(3), Some(4)]);
}
