//! Messages of turns on their own streams.

use std::time::Duration;

use anyhow::Result;
use claw_testkit::Turn;
use claw_testkit::figure::{Figure, quick};
use claw_testkit::real_cli::World;
use rusty_claw::messages::Message;
use rusty_claw::{Session, TextAssembler};

use crate::stage::options;

/// The pause of the reader after each message.
const PAUSE: Duration = Duration::from_millis(1);

fn answer(number: usize) -> String {
    format!("Answer {number}. {}", "It goes on and on. ".repeat(20))
}

/// A conversation in which almost every message is spilled. Half of the streams are taken before
/// the prompt is sent, the others after.
pub(crate) async fn figure() -> Result<Figure> {
    let turns = if quick() { 20 } else { 200 };
    let world = World::with((0..turns).map(|number| Turn::text(answer(number)))).await?;
    let options = options(&world).include_partial_messages(true);
    let (session, mut messages) = Session::start(options.unread_in_memory(1)).await?;
    let (mut lost, mut foreign, mut count) = (0, 0, 0_u64);
    for number in 0..turns {
        let prompt = format!("Question {number}");
        let mut turn = match number % 2 {
            0 => session.chat(prompt).await?,
            _ => session.send(prompt).await?.messages(),
        };
        let mut assembler = TextAssembler::new();
        let mut text = String::new();
        while let Some(received) = turn.next_message().await {
            count += 1;
            let pieces = assembler.feed(&received);
            text.extend(pieces.iter().filter_map(|piece| piece.text()));
            tokio::time::sleep(PAUSE).await;
        }
        let is_answered = turn.outcome().await.text() == Some(&*answer(number));
        let rest = text.replace(&answer(number), "");
        lost += usize::from(rest.len() == text.len() || !is_answered);
        foreign += usize::from(!rest.is_empty());
    }
    let spilled = session.lane_counts().spilled;
    session.close().await;
    let mut late = 0;
    while let Some(received) = messages.next_message().await {
        let is_text = matches!(
            received.message,
            Message::Assistant(_) | Message::StreamEvent(_) | Message::Result(_)
        );
        late += usize::from(is_text);
    }
    let is_forced = spilled * 2 > count;
    Ok(Figure::new(
        format!("a turn's messages on its own stream over {turns} turns, spilling forced, slow reader: lost, foreign, late"),
        "0",
    )
    .measured(
        format!("{lost}, {foreign}, {late}"),
        lost + foreign + late == 0 && is_forced,
    )
    .note(format!("{count} messages, {spilled} of them spilled to a file; the reader sleeps {PAUSE:?} after each"))
    .note("lost: turns without their whole answer or outcome; foreign: turns with other text; late: messages of turns in the session's stream"))
}
