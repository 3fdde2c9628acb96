//! Messages of a turn on its own stream.

use std::time::Duration;

use claw_testkit::{FakeScript, FakeTurn, Step, fake_claude_path};
use futures_util::FutureExt as _;
use rusty_claw::messages::{ContentBlock, Message};
use rusty_claw::{
    Line, MessageStream, Options, Received, Session, SessionError, TurnEvent, TurnLimit,
    TurnOutcome, TurnStream,
};
use serde_json::{Value, json};

use crate::peer::{Peer, result};

/// The text of an assistant message.
fn text(received: &Received) -> Option<String> {
    let Message::Assistant(assistant) = &received.message else {
        return None;
    };
    let texts = assistant
        .message
        .content
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
    Some(texts.collect())
}

/// The texts of a turn, and its outcome.
async fn read(mut turn: TurnStream) -> (Vec<String>, TurnOutcome) {
    let mut texts = Vec::new();
    while let Some(event) = turn.next().await {
        match event {
            TurnEvent::Message(received) => texts.extend(text(&received)),
            TurnEvent::Outcome(outcome) => {
                assert!(turn.next().await.is_none(), "the outcome is the last event");
                return (texts, outcome);
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("a stream without an outcome");
}

/// The texts in the session's stream at the end of the session.
async fn rest(mut messages: MessageStream) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(line) = messages.next().await {
        if let Line::Message(received) = line {
            texts.extend(text(&received));
        }
    }
    texts
}

impl Peer {
    /// Ends the turns of these prompts together.
    async fn end(&mut self, prompts: &[&Value]) {
        let ids: Vec<&Value> = prompts.iter().map(|prompt| &prompt["uuid"]).collect();
        let mut ending = result("");
        ending["user_message_uuid"] = ids[0].clone();
        ending["user_message_uuids"] = json!(ids);
        self.write(ending).await;
        for id in ids {
            self.lifecycle(id, "completed").await;
        }
    }

    /// A turn with these texts.
    async fn play(&mut self, texts: &[&str]) {
        let prompt = self.read().await;
        self.lifecycle(&prompt["uuid"], "queued").await;
        self.lifecycle(&prompt["uuid"], "started").await;
        for text in texts {
            self.say(text).await;
        }
        self.end(&[&prompt]).await;
    }
}

/// Waits until this many messages are spilled.
async fn spilled(session: &Session, count: u64) {
    let written = async {
        while session.lane_counts().spilled < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let written = tokio::time::timeout(Duration::from_secs(20), written).await;
    written.expect("the messages come");
}

#[tokio::test]
async fn text_of_a_spilled_turn_stays_in_its_turn() {
    let options = Options::new().unread_in_memory(1024);
    let (session, messages, mut peer) = Peer::session(options).await;
    for number in 1..=2_u64 {
        let texts: Vec<String> = (0..50)
            .map(|part| format!("turn {number}, part {part}, {}", "x".repeat(50)))
            .collect();
        let said: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (turn, ()) = tokio::join!(session.send("Hi"), peer.play(&said));
        // The reader is late: the turn is over, and most of it is in a file.
        spilled(&session, number * 45).await;
        let (seen, outcome) = read(turn.expect("sent").messages()).await;
        assert_eq!(seen, texts);
        assert!(outcome.is_success(), "{outcome}");
    }
    drop((session, peer));
    assert!(rest(messages).await.is_empty(), "delivered twice");
}

/// Forces spilling, with a slow reader and a CLI that runs as a process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_message_is_lost_or_mixed_up_in_200_turns() {
    const TURNS: usize = 200;
    const TEXTS: usize = 12;
    let steps = (0..TEXTS).map(|part| Step::text(format!("$prompt part {part}")));
    let turn = steps.fold(FakeTurn::new(), |turn, step| turn.step(step));
    let (name, script) = FakeScript::new()
        .turn(turn)
        .repeat_last()
        .env()
        .expect("a script");
    let options = Options::new()
        .cli_path(fake_claude_path().expect("the stand-in is built"))
        .env(name, script)
        .persist_session(false)
        .unread_in_memory(1);
    let (session, messages) = Session::start(options).await.expect("started");
    let (mut lost, mut foreign) = (0, 0);
    for number in 0..TURNS {
        let prompt = format!("prompt {number},");
        let mut turn = match number % 2 {
            0 => session.chat(&*prompt).await.expect("sent"),
            _ => session.send(&*prompt).await.expect("sent").messages(),
        };
        let mut expected = 0;
        while let Some(received) = turn.next_message().await {
            let Some(text) = text(&received) else {
                continue;
            };
            if text == format!("{prompt} part {expected}") {
                expected += 1;
            } else {
                foreign += 1;
            }
            tokio::time::sleep(Duration::from_millis(u64::from(expected == 1))).await;
        }
        lost += TEXTS - expected;
        let outcome = turn.outcome().await;
        assert!(outcome.is_success(), "{outcome}");
    }
    let spilled = session.lane_counts().spilled;
    session.close().await;
    let late = rest(messages).await.len();
    assert_eq!((lost, foreign, late), (0, 0, 0));
    assert!(spilled > TURNS as u64, "{spilled} messages were spilled");
}

#[tokio::test]
async fn the_first_of_merged_prompts_carries_the_messages() {
    let (session, messages, mut peer) = Peer::session(Options::new()).await;
    let mut turns = Vec::new();
    let mut prompts = Vec::new();
    for prompt in ["one", "two", "three"] {
        let (turn, prompt) = tokio::join!(session.chat(prompt), peer.read());
        peer.lifecycle(&prompt["uuid"], "queued").await;
        turns.push(turn.expect("sent"));
        prompts.push(prompt);
    }
    peer.lifecycle(&prompts[0]["uuid"], "started").await;
    peer.say("for one").await;
    peer.end(&[&prompts[0]]).await;
    for prompt in [&prompts[2], &prompts[1]] {
        peer.lifecycle(&prompt["uuid"], "started").await;
    }
    peer.say("for both").await;
    peer.end(&[&prompts[1], &prompts[2]]).await;
    let mut seen = Vec::new();
    for mut turn in turns {
        let mut events = Vec::new();
        while let Some(event) = turn.next().await {
            events.push(match event {
                TurnEvent::Message(received) => match text(&received) {
                    Some(text) => text,
                    None => received.message.message_type().to_owned(),
                },
                TurnEvent::Outcome(outcome) => outcome.name().to_owned(),
                other => panic!("{other:?}"),
            });
        }
        seen.push(events);
    }
    let whole = |text: &str| {
        ["command_lifecycle", text, "result", "succeeded"]
            .map(str::to_owned)
            .to_vec()
    };
    assert_eq!(seen[0], whole("for one"));
    assert_eq!(seen[1], ["succeeded"]);
    assert_eq!(seen[2], whole("for both"), "it was started first");
    drop((session, peer));
    assert!(rest(messages).await.is_empty());
}

#[tokio::test]
async fn a_folded_prompt_has_only_its_outcome_and_unasked_turns_go_to_the_session() {
    let (session, mut messages, mut peer) = Peer::session(Options::new()).await;
    let (first, prompt) = tokio::join!(session.chat("one"), peer.read());
    peer.lifecycle(&prompt["uuid"], "started").await;
    peer.say("a").await;
    let (second, folded) = tokio::join!(session.send("two"), peer.read());
    peer.lifecycle(&folded["uuid"], "started").await;
    peer.say("b").await;
    peer.lifecycle(&folded["uuid"], "completed").await;
    peer.say("c").await;
    peer.end(&[&prompt, &folded]).await;
    peer.say("unasked").await;
    peer.write(
        json!({"type": "result", "subtype": "success", "is_error": false,
        "result": "unasked", "origin": {"kind": "task-notification"}}),
    )
    .await;
    let (texts, outcome) = read(first.expect("sent")).await;
    assert_eq!(
        (texts.join(""), outcome.name()),
        ("abc".to_owned(), "succeeded")
    );
    let (texts, outcome) = read(second.expect("sent").messages()).await;
    assert!(texts.is_empty() && outcome.is_success(), "{texts:?}");
    loop {
        let received = messages.next_message().await.expect("a message");
        if let Some(text) = text(&received) {
            break assert_eq!(text, "unasked");
        }
    }
}

#[tokio::test]
async fn without_the_sessions_stream_a_turns_messages_are_kept_until_it_is_awaited() {
    let (session, messages, mut peer) = Peer::session(Options::new().unread_in_memory(1)).await;
    drop(messages);
    let (turn, ()) = tokio::join!(session.send("Hi"), peer.play(&["a", "b", "c"]));
    spilled(&session, 3).await;
    let (texts, _) = read(turn.expect("sent").messages()).await;
    assert_eq!(texts, ["a", "b", "c"]);
    // An awaited turn keeps no messages, so it never fills the disk.
    let (turn, prompt) = tokio::join!(session.send("Hi"), peer.read());
    let mut turn = turn.expect("sent");
    assert!((&mut turn).now_or_never().is_none());
    let unwanted = session.lane_counts().unwanted;
    peer.answer_prompt(&prompt).await;
    assert!(turn.await.is_success());
    assert!(session.lane_counts().unwanted >= unwanted + 3);
}

#[tokio::test]
async fn a_dropped_stream_discards_its_own_turn_and_no_other() {
    let (session, messages, mut peer) = Peer::session(Options::new()).await;
    let (turn, prompt) = tokio::join!(session.chat("one"), peer.read());
    peer.lifecycle(&prompt["uuid"], "started").await;
    peer.say("read").await;
    let mut turn = turn.expect("sent");
    while let Some(received) = turn.next_message().await {
        if text(&received).is_some() {
            break;
        }
    }
    drop(turn);
    peer.say("discarded").await;
    peer.end(&[&prompt]).await;
    let (turn, ()) = tokio::join!(session.chat("two"), peer.play(&["next"]));
    let (texts, _) = read(turn.expect("sent")).await;
    assert_eq!(texts, ["next"]);
    drop((session, peer));
    assert!(rest(messages).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn messages_of_a_prompt_that_was_not_taken_in_time_go_to_the_session() {
    let options = Options::new().control_timeout(Duration::from_secs(1));
    let (session, messages, mut peer) = Peer::session(options).await;
    // More than fits into a pipe that is not read.
    let sent = session.chat("x".repeat(1 << 20)).await;
    assert!(matches!(sent, Err(SessionError::TimedOut { .. })));
    peer.play(&["late"]).await;
    drop(peer);
    assert_eq!(rest(messages).await, ["late"]);
}

#[tokio::test]
async fn messages_of_a_cancelled_chat_go_to_the_session_in_order() {
    let (session, mut messages, mut peer) = Peer::session(Options::new().unread_in_memory(1)).await;
    let mut chat = Box::pin(session.chat("Hi"));
    assert!((&mut chat).now_or_never().is_none());
    peer.play(&["a", "b"]).await;
    peer.say("c").await;
    spilled(&session, 5).await;
    // Until the call is over, the turn's messages may still be those of its stream.
    let receipt = messages.next().await.expect("the session goes on");
    let text = String::from_utf8_lossy(receipt.raw().as_bytes()).into_owned();
    assert!(text.contains("queued"), "{text}");
    let more = tokio::time::timeout(Duration::from_millis(100), messages.next()).await;
    assert!(more.is_err(), "{more:?}");
    drop(chat);
    drop(peer);
    assert_eq!(rest(messages).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn messages_that_come_before_chat_returns_are_the_turns() {
    let (session, messages, mut peer) = Peer::session(Options::new().unread_in_memory(1)).await;
    let reading = tokio::spawn(rest(messages));
    let mut chat = Box::pin(session.chat("Hi"));
    assert!((&mut chat).now_or_never().is_none());
    peer.play(&["a", "b"]).await;
    peer.say("c").await;
    spilled(&session, 4).await;
    let (texts, _) = read(chat.await.expect("sent")).await;
    assert_eq!(texts, ["a", "b"]);
    drop(peer);
    assert_eq!(reading.await.expect("read"), ["c"]);
}

#[tokio::test(start_paused = true)]
async fn messages_after_a_timeout_are_not_the_turns() {
    let options = Options::new().turn_timeout(Duration::from_secs(1));
    let (session, messages, mut peer) = Peer::session(options).await;
    let (turn, prompt) = tokio::join!(session.chat("Hi"), peer.read());
    peer.lifecycle(&prompt["uuid"], "started").await;
    peer.say("in time").await;
    let (texts, outcome) = read(turn.expect("sent")).await;
    assert_eq!(texts, ["in time"]);
    let limit = |outcome| matches!(outcome, TurnOutcome::TimedOut { limit, .. } if limit == TurnLimit::Turn);
    assert!(limit(outcome));
    let stop = peer.read().await;
    peer.succeed(&stop, json!({"still_queued": []})).await;
    peer.say("too late").await;
    peer.end(&[&prompt]).await;
    drop(peer);
    assert_eq!(rest(messages).await, ["too late"]);
}

#[tokio::test]
async fn lost_process_outcome_follows_the_messages() {
    let (session, _messages, mut peer) = Peer::session(Options::new().unread_in_memory(1)).await;
    let (turn, prompt) = tokio::join!(session.chat("Hi"), peer.read());
    peer.lifecycle(&prompt["uuid"], "started").await;
    for number in 0..20 {
        peer.say(&number.to_string()).await;
    }
    drop(peer);
    session.ended().await;
    let (texts, outcome) = read(turn.expect("sent")).await;
    assert_eq!(texts.len(), 20);
    assert_eq!(outcome.name(), "process lost");
}

#[tokio::test]
async fn the_offset_of_a_turn_is_behind_its_last_line() {
    let (session, mut messages, mut peer) = Peer::session(Options::new()).await;
    let mut ends = Vec::new();
    for _ in 0..2 {
        let (turn, ()) = tokio::join!(session.chat("Hi"), peer.play(&["a"]));
        let mut turn = turn.expect("sent");
        assert_eq!(turn.offset(), 0);
        while turn.next_message().await.is_some() {}
        ends.push(turn.offset());
    }
    // Before each turn is the receipt that its prompt was queued, behind it one that it is done.
    for (end, is_behind) in ends.into_iter().flat_map(|end| [(end, false), (end, true)]) {
        messages.next().await.expect("a receipt");
        assert_eq!(messages.offset() > end, is_behind);
    }
}

#[tokio::test]
async fn a_turn_can_be_polled_by_reference_and_streamed_later() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let (turn, prompt) = tokio::join!(session.send("Hi"), peer.read());
    let mut turn = turn.expect("sent");
    tokio::select! {
        biased;
        outcome = &mut turn => panic!("{outcome}"),
        () = std::future::ready(()) => {}
    }
    peer.answer_prompt(&prompt).await;
    assert!((&mut turn).await.is_success());
    let (texts, outcome) = read(turn.messages()).await;
    assert_eq!(texts, ["Hello!"]);
    assert!(outcome.is_success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn next_is_cancel_safe() {
    let (session, _messages, mut peer) = Peer::session(Options::new().unread_in_memory(1)).await;
    let texts: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let play = {
        let texts = texts.clone();
        tokio::spawn(async move {
            peer.play(&texts.iter().map(String::as_str).collect::<Vec<_>>())
                .await;
            peer
        })
    };
    let mut turn = session.chat("Hi").await.expect("sent");
    let mut seen = Vec::new();
    loop {
        // Drop the future whenever it is not ready at once.
        match turn.next().now_or_never() {
            Some(Some(TurnEvent::Message(received))) => seen.extend(text(&received)),
            Some(Some(TurnEvent::Outcome(_))) => break,
            Some(other) => panic!("{other:?}"),
            None => tokio::task::yield_now().await,
        }
    }
    assert_eq!(seen, texts);
    drop(play.await.expect("played"));
}
