use claw_testkit::processes::cpu_time;

use super::super::sighting::{BlockShare, Marks};
use super::super::tables::{Class, Context};
use super::*;
use crate::requests::Mark;

/// Two files with a session each, and two models. The second file ends later.
fn tables() -> (Tables, Vec<Span>) {
    let mut tables = Tables::default();
    for file in 0..2 {
        let session = tables.names.number(&format!("session {file}"));
        tables.contexts.push(Context {
            file,
            session,
            cwd: None,
            git_branch: None,
            agent: None,
            agent_type: None,
            sidechain: false,
            near: 0,
        });
    }
    for model in ["m", "n"] {
        let model = tables.names.number(model);
        let manner = Default::default();
        tables.class(Class { model, manner });
    }
    let span = |last| Span {
        born: 0,
        first: 10,
        last,
    };
    (tables, vec![span(50), span(90)])
}

fn seen(context: u32, time: i64, output: u64) -> Sighting {
    Sighting {
        context,
        time,
        tokens: Tokens {
            output,
            input: 10,
            ..Tokens::default()
        },
        ..Sighting::default()
    }
}

/// Deduplicates in every order, and returns the one result.
fn settled(sightings: &[Sighting]) -> Vec<Sighting> {
    let (tables, spans) = tables();
    settled_in(sightings, &tables, &spans)
}

fn settled_in(sightings: &[Sighting], tables: &Tables, spans: &[Span]) -> Vec<Sighting> {
    let mut results = Vec::new();
    permute(&mut sightings.to_vec(), 0, &mut |order| {
        let (mut messages, _) = dedup(order, tables, spans);
        messages.sort_by_key(|message| (message.tokens, message.context));
        // The request is that of any line.
        for message in &mut messages {
            message.request = RequestMark::None;
        }
        results.push(messages);
    });
    results.dedup();
    assert_eq!(results.len(), 1, "the order matters: {results:#?}");
    results.remove(0)
}

fn permute(items: &mut Vec<Sighting>, from: usize, each: &mut impl FnMut(&[Sighting])) {
    if from == items.len() {
        return each(items);
    }
    for other in from..items.len() {
        items.swap(from, other);
        permute(items, from + 1, each);
        items.swap(from, other);
    }
}

fn with(sighting: Sighting, change: impl FnOnce(&mut Sighting)) -> Sighting {
    let mut changed = sighting;
    change(&mut changed);
    changed
}

#[test]
fn the_largest_output_wins_and_the_first_time_counts() {
    let messages = settled(&[seen(0, 30, 3), seen(0, 20, 137), seen(0, 40, 3)]);
    assert_eq!(messages.len(), 1);
    assert_eq!((messages[0].tokens.output, messages[0].time), (137, 20));
}

#[test]
fn a_copy_belongs_to_its_original() {
    // Only the times of the files differ.
    assert_eq!(settled(&[seen(0, 20, 5), seen(1, 20, 5)])[0].context, 0);
    // A later time on a copy.
    assert_eq!(settled(&[seen(0, 80, 5), seen(1, 20, 5)])[0].context, 1);
    // A mark precedes times, and the request precedes all.
    let marked = with(seen(0, 20, 5), |s| s.marks.forked = true);
    assert_eq!(settled(&[marked, seen(1, 30, 5)])[0].context, 1);
    let home = with(seen(1, 20, 3), |s| {
        s.marks = Marks {
            forked: true,
            at_home: true,
            ..s.marks
        }
    });
    let messages = settled(&[home, seen(0, 10, 5)]);
    assert_eq!((messages[0].context, messages[0].tokens.output), (1, 5));
}

#[test]
fn a_file_that_was_there_when_a_reply_was_made_has_the_original() {
    let (tables, mut spans) = tables();
    let copies = [seen(0, 20, 5), seen(1, 20, 5)];
    // The first file ends sooner, which is weak evidence: the original may have continued.
    let message = &settled_in(&copies, &tables, &spans)[0];
    assert_eq!((message.context, message.marks.guessed), (0, true));
    // It was created after the reply, and the other one before.
    (spans[0].born, spans[1].born) = (40, 9);
    let message = &settled_in(&copies, &tables, &spans)[0];
    assert_eq!((message.context, message.marks.guessed), (1, false));
    // Both were created long after, when the folder was copied; that is no evidence.
    (spans[0].born, spans[1].born) = (400, 399);
    let message = &settled_in(&copies, &tables, &spans)[0];
    assert_eq!((message.context, message.marks.guessed), (0, true));
    // Lines of one file are not a guess.
    let lines = [seen(0, 20, 5), seen(0, 20, 9)];
    assert!(!settled_in(&lines, &tables, &spans)[0].marks.guessed);
    // A marked copy is not a guess either.
    let marked = with(seen(1, 20, 5), |s| s.marks.forked = true);
    assert!(
        !settled_in(&[seen(0, 20, 5), marked], &tables, &spans)[0]
            .marks
            .guessed
    );
}

#[test]
fn one_id_for_very_many_requests_takes_no_square() {
    let (tables, spans) = tables();
    let mut sightings = Vec::new();
    for request in 0..60_000 {
        sightings.push(with(seen(0, 20, 5), |s| {
            s.request = RequestMark::Own(Mark::of(request));
        }));
    }
    let start = cpu_time();
    let (messages, _) = dedup(&sightings, &tables, &spans);
    assert_eq!(messages.len(), 60_000);
    // Quadratic time would take minutes.
    let used = cpu_time() - start;
    assert!(used.as_secs() < 20, "{used:?}");
}

#[test]
fn requests_split_an_id_only_if_they_differ_in_truth() {
    let by = |request, output, input| {
        with(seen(0, 20, output), |s| {
            s.request = request;
            s.tokens.input = input;
        })
    };
    use RequestMark::None as No;
    let own = |id| RequestMark::Own(Mark::of(id));
    let service = |id| RequestMark::Service(Mark::of(id));
    // Different for each line, or missing on some: one message.
    let lines = [by(service(1), 3, 10), by(service(2), 9, 10), by(No, 9, 10)];
    assert_eq!(settled(&lines).len(), 1);
    // Another prompt: another message. A line without a request joins the message it fits.
    let lines = [by(service(1), 3, 10), by(service(2), 9, 11), by(No, 12, 11)];
    let messages = settled(&lines);
    let outputs: Vec<u64> = messages.iter().map(|m| m.tokens.output).collect();
    assert_eq!(outputs, [3, 12]);
    // The CLI's own request ids need no other evidence.
    assert_eq!(settled(&[by(own(1), 20, 10), by(own(2), 20, 10)]).len(), 2);
    assert_eq!(
        settled(&[by(own(1), 20, 10), by(service(2), 20, 10)]).len(),
        1
    );
    // Unfinished lines of one request have less usage, and are still one message.
    assert_eq!(
        settled(&[by(service(1), 3, 8), by(service(1), 9, 10)]).len(),
        1
    );
}

#[test]
fn equal_usage_of_two_models_is_settled_by_their_names() {
    let messages = settled(&[seen(0, 20, 5), with(seen(0, 20, 5), |s| s.class = 1)]);
    assert_eq!(messages[0].class, 1);
}

#[test]
fn blocks_of_copies_are_the_same_blocks() {
    let block = |identity, bytes| BlockShare {
        identity,
        tool: None,
        bytes,
    };
    let first = with(seen(0, 20, 5), |s| {
        s.blocks = vec![block(1, 9), block(2, 7)];
    });
    let copy = with(seen(1, 20, 5), |s| {
        s.blocks = vec![block(2, 7), block(3, 1)];
    });
    let blocks = &settled(&[first, copy])[0].blocks;
    assert_eq!(blocks.len(), 3);
}
