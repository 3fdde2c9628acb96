use std::collections::BTreeMap;

use super::*;
use crate::recordings;

fn lines(scenario: &str) -> Vec<Received> {
    recordings::messages(scenario, "stdout.ndjson")
}

/// Applies the pieces, and returns the text of each block.
fn followed<'a>(received: impl IntoIterator<Item = &'a Received>) -> Vec<String> {
    let mut assembler = TextAssembler::new();
    let mut blocks: BTreeMap<u64, String> = BTreeMap::new();
    for received in received {
        for piece in assembler.feed(received) {
            match piece {
                TextPiece::Text { block, text, .. } => {
                    blocks.entry(block).or_default().push_str(&text);
                }
                TextPiece::Retracted { block, bytes } => {
                    let text = blocks.remove(&block).expect("only what was said");
                    assert_eq!(text.len(), bytes);
                }
            }
        }
    }
    blocks.into_values().collect()
}

/// The stored texts that are not retracted later.
fn stored(received: &[Received]) -> Vec<String> {
    let mut texts: Vec<(Option<Str>, String)> = Vec::new();
    let mut gone: Vec<Str> = Vec::new();
    for received in received {
        match &received.message {
            Message::Assistant(message) if message.parent_tool_use_id.is_none() => {
                gone.extend(message.supersedes.iter().flatten().cloned());
                let blocks = message.message.content.iter();
                for text in blocks.filter_map(ContentBlock::as_text) {
                    texts.push((message.uuid.clone(), text.to_owned()));
                }
            }
            Message::System(SystemMessage::ModelRefusalFallback(fallback)) => {
                gone.extend(fallback.retracted_message_uuids.iter().flatten().cloned());
            }
            _ => {}
        }
    }
    texts
        .into_iter()
        .filter(|(line, text)| {
            !text.is_empty() && !line.as_ref().is_some_and(|line| gone.contains(line))
        })
        .map(|(_, text)| text)
        .collect()
}

/// One line for each piece.
fn pieces(scenario: &str) -> String {
    let mut assembler = TextAssembler::new();
    let mut said = vec![format!("# {scenario}")];
    for received in lines(scenario) {
        for piece in assembler.feed(&received) {
            said.push(match piece {
                TextPiece::Text { block, text, .. } => {
                    let beginning: String = text.chars().take(30).collect();
                    format!("{block}: {beginning:?}")
                }
                TextPiece::Retracted { block, bytes } => format!("{block}: -{bytes}"),
            });
        }
    }
    said.join("\n")
}

#[test]
fn recordings_read_like_this() {
    let scenarios = [
        "text_basic",
        "text_partial",
        "text_content_zoo_partial",
        "unicode_split_emoji",
        "err_midstream_sse",
        "err_midstream_drop",
        "interrupt_midstream",
        "stop_refusal_once",
        "stop_refusal_dialog_completed",
    ];
    let table: Vec<String> = scenarios.iter().map(|scenario| pieces(scenario)).collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn the_text_of_every_recording_is_what_is_stored() {
    let mut streamed = 0;
    let mut scenarios = 0;
    for scenario in recordings::names() {
        let received = lines(&scenario);
        let is_whole = |received: &&Received| matches!(received.message, Message::Result(_));
        // A recording that ends in the middle of a turn has text that was never stored.
        let whole = received.iter().rposition(|line| is_whole(&line));
        let until = whole.map_or(0, |at| at + 1);
        let received = &received[..until];
        streamed += received
            .iter()
            .filter(|line| matches!(&line.message, Message::StreamEvent(event) if event.text_delta().is_some()))
            .count();
        scenarios += 1;
        assert_eq!(followed(received), stored(received), "{scenario}");
    }
    assert!(scenarios > 200 && streamed > 30, "{scenarios} {streamed}");
}

#[test]
fn a_delta_that_is_lost_or_comes_twice_changes_nothing_in_the_end() {
    let scenarios = [
        "text_partial",
        "text_content_zoo_partial",
        "unicode_split_emoji",
        "err_midstream_sse",
        "interrupt_midstream",
        "stop_refusal_once",
    ];
    for scenario in scenarios {
        let received = lines(scenario);
        let wanted = stored(&received);
        for at in 0..received.len() {
            if !matches!(received[at].message, Message::StreamEvent(_)) {
                continue;
            }
            let without = received[..at].iter().chain(&received[at + 1..]);
            assert_eq!(followed(without), wanted, "{scenario} without line {at}");
            let twice = received[..=at].iter().chain(&received[at..]);
            assert_eq!(followed(twice), wanted, "{scenario} with line {at} twice");
        }
    }
}

#[test]
fn subagents_are_heard_only_when_asked_for() {
    let line = r#"{"type":"assistant","parent_tool_use_id":"toolu_1","message":{"role":"assistant","content":[{"type":"text","text":"Found it."}]}}"#;
    let received = Received::decode(line).expect("a message");
    assert!(TextAssembler::new().feed(&received).is_empty());
    let pieces = TextAssembler::new().with_subagents().feed(&received);
    let [
        TextPiece::Text {
            parent_tool_use_id, ..
        },
    ] = pieces.as_slice()
    else {
        panic!("{pieces:?}");
    };
    assert_eq!(parent_tool_use_id.as_deref(), Some("toolu_1"));
}

#[test]
fn a_piece_says_where_it_belongs() {
    let delta = |text: &str| {
        let line = format!(
            r#"{{"type":"stream_event","api_message_id":"msg_1","event":{{"type":"content_block_delta","index":2,"delta":{{"type":"text_delta","text":"{text}"}}}}}}"#
        );
        Received::decode(line.as_str()).expect("a message")
    };
    let mut assembler = TextAssembler::new();
    let mut pieces = assembler.feed(&delta("Hé"));
    pieces.extend(assembler.feed(&delta("llo")));
    let places: Vec<_> = pieces
        .iter()
        .map(|piece| match piece {
            TextPiece::Text {
                message_id,
                index,
                offset,
                ..
            } => (message_id.as_deref(), *index, *offset),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        places,
        [(Some("msg_1"), Some(2), 0), (Some("msg_1"), Some(2), 3)]
    );
}
