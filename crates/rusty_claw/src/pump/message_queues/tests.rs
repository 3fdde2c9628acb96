use std::future::poll_fn;
use std::sync::Arc;

use bytes::Bytes;

use super::*;
use crate::stream::MessageStream;

fn lines(from: u64, to: u64, size: usize) -> Vec<Unread> {
    lines_of(SESSION, from, to, size)
}

fn lines_of(turn: TurnNumber, from: u64, to: u64, size: usize) -> Vec<Unread> {
    (from..to)
        .map(|number| Unread {
            raw: Bytes::from(format!(
                "{}{number}",
                " ".repeat(size - number.to_string().len())
            )),
            offset: number,
            turn,
        })
        .collect()
}

/// Reads a queue line by line.
#[derive(Default)]
struct Reader(TurnNumber);

impl Reader {
    async fn next(&mut self, queues: &MessageQueues) -> Option<u64> {
        loop {
            match poll_fn(|cx| queues.poll_front(self.0, cx)).await {
                Front::Line(line) => {
                    let text = String::from_utf8(line.raw.to_vec()).expect("text");
                    assert_eq!(text.trim().parse(), Ok(line.offset));
                    return Some(line.offset);
                }
                Front::Refill(from) => {
                    let (lines, taken) = from.read().expect("the file is there");
                    queues.refilled(self.0, &from, lines, taken);
                }
                Front::End => return None,
            }
        }
    }

    /// All remaining lines.
    async fn rest(&mut self, queues: &MessageQueues) -> Vec<u64> {
        let mut rest = Vec::new();
        while let Some(number) = self.next(queues).await {
            rest.push(number);
        }
        rest
    }
}

#[tokio::test]
async fn order_is_kept_through_memory_and_file_and_back() {
    let queues = MessageQueues::new(100, 1 << 20);
    let mut reader = Reader::default();
    let mut expected = 0;
    // 10 bytes each: the first ten stay in memory, the rest goes to a file; then the reader
    // catches up by half, more comes, it catches up wholly, and memory is used again.
    queues.push(&mut lines(0, 50, 10)).await;
    assert_eq!(queues.counts().spilled, 40);
    for _ in 0..25 {
        assert_eq!(reader.next(&queues).await, Some(expected));
        expected += 1;
    }
    queues.push(&mut lines(50, 60, 10)).await;
    for _ in 25..60 {
        assert_eq!(reader.next(&queues).await, Some(expected));
        expected += 1;
    }
    let spilled = queues.counts().spilled;
    queues.push(&mut lines(60, 65, 10)).await;
    assert_eq!(queues.counts().spilled, spilled, "memory is used again");
    queues.close();
    for _ in 60..65 {
        assert_eq!(reader.next(&queues).await, Some(expected));
        expected += 1;
    }
    assert_eq!(reader.next(&queues).await, None);
    assert_eq!(queues.counts().delivered, 65);
}

#[tokio::test]
async fn a_line_longer_than_everything_passes() {
    let queues = MessageQueues::new(10, 1 << 20);
    let mut reader = Reader::default();
    queues.push(&mut lines(0, 1, 5_000)).await;
    // Longer than what is read back at once.
    queues.push(&mut lines(1, 3, 3 << 20)).await;
    queues.close();
    for number in 0..3 {
        assert_eq!(reader.next(&queues).await, Some(number));
    }
    assert_eq!(reader.next(&queues).await, None);
}

#[tokio::test]
async fn full_queues_say_so_and_has_room_once_it_is_read() {
    let queues = MessageQueues::new(10, 200);
    let mut reader = Reader::default();
    queues.push(&mut lines(0, 10, 10)).await;
    assert!(queues.is_full());
    for number in 0..10 {
        assert_eq!(reader.next(&queues).await, Some(number));
    }
    assert!(!queues.is_full());
    queues.room().await;
}

#[tokio::test]
async fn without_a_reader_nothing_is_kept() {
    let queues = Arc::new(MessageQueues::new(10, 200));
    queues.push(&mut lines(0, 10, 10)).await;
    drop(MessageStream::new(Arc::clone(&queues), 0));
    assert!(!queues.is_full());
    queues.push(&mut lines(10, 30, 10)).await;
    assert_eq!(queues.counts().delivered, 10);
    assert_eq!(
        queues.counts().unwanted,
        21,
        "one in memory and twenty that came later"
    );
    assert_eq!(queues.lock().session.in_memory(), 0);
}

#[tokio::test]
async fn what_the_disk_does_not_take_waits_in_memory_in_order() {
    let queues = MessageQueues::new(20, 1 << 20);
    let mut reader = Reader::default();
    queues.push(&mut lines(0, 2, 10)).await;
    // Simulates a disk that refused.
    queues.lock().session.refused.extend(lines(2, 4, 10));
    assert!(queues.is_full());
    queues.push(&mut lines(4, 5, 10)).await;
    queues.close();
    for number in 0..5 {
        assert_eq!(reader.next(&queues).await, Some(number));
    }
    assert_eq!(reader.next(&queues).await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_when_reading_and_writing_meet() {
    let queues = Arc::new(MessageQueues::new(1_000, 1 << 30));
    let writer = tokio::spawn({
        let queues = Arc::clone(&queues);
        async move {
            for batch in 0..400 {
                queues
                    .push(&mut lines(batch * 50, (batch + 1) * 50, 100))
                    .await;
            }
            queues.close();
        }
    });
    let mut stream = MessageStream::new(Arc::clone(&queues), 0);
    let mut expected = 0;
    while let Some(line) = stream.next().await {
        let number: u64 = line.raw().to_text().trim().parse().expect("a number");
        assert_eq!(number, expected);
        expected += 1;
    }
    writer.await.expect("written");
    assert_eq!(expected, 20_000);
    assert!(queues.counts().spilled > 0, "the edge was met");
}

#[tokio::test]
async fn late_stream_gets_lines_from_memory_files_and_failed_writes() {
    let queues = MessageQueues::new(100, 1 << 20);
    let (one, two) = (queues.add_turn(), queues.add_turn());
    // Ten lines fit in memory; the rest is spilled to a file in runs of one turn each.
    for begin in (0..60).step_by(6) {
        queues
            .push(&mut lines_of(SESSION, begin, begin + 2, 10))
            .await;
        queues
            .push(&mut lines_of(one, begin + 2, begin + 4, 10))
            .await;
        queues
            .push(&mut lines_of(two, begin + 4, begin + 6, 10))
            .await;
    }
    queues
        .lock()
        .session
        .refused
        .extend(lines_of(one, 60, 61, 10));
    queues.take_turn(one);
    queues.push(&mut lines_of(one, 61, 63, 10)).await;
    queues.push(&mut lines_of(two, 63, 64, 10)).await;
    queues.close();
    let of_one: Vec<u64> = (0..60).filter(|n| n % 6 / 2 == 1).chain(60..63).collect();
    let others: Vec<u64> = (0..60).filter(|n| n % 6 / 2 != 1).chain([63]).collect();
    assert_eq!(Reader(one).rest(&queues).await, of_one);
    assert_eq!(Reader(SESSION).rest(&queues).await, others);
}

#[tokio::test]
async fn lines_that_move_while_they_are_read_back_are_delivered_once() {
    let queues = MessageQueues::new(1, 1 << 20);
    let turn = queues.add_turn();
    queues.push(&mut lines_of(SESSION, 0, 1, 10)).await;
    queues.push(&mut lines_of(turn, 1, 4, 10)).await;
    queues.push(&mut lines_of(SESSION, 4, 5, 10)).await;
    let mut session = Reader(SESSION);
    assert_eq!(session.next(&queues).await, Some(0));
    let Poll::Ready(Front::Refill(from)) =
        poll_fn(|cx| Poll::Ready(queues.poll_front(SESSION, cx))).await
    else {
        panic!("the lines of the turn are in a file");
    };
    let (lines, taken) = from.read().expect("the file is there");
    queues.take_turn(turn);
    queues.refilled(SESSION, &from, lines, taken);
    queues.close();
    assert_eq!(session.rest(&queues).await, [4]);
    assert_eq!(Reader(turn).rest(&queues).await, [1, 2, 3]);
}

#[tokio::test]
async fn a_turn_is_kept_for_its_stream_until_it_is_awaited() {
    let queues = Arc::new(MessageQueues::new(20, 1 << 20));
    let (kept, awaited) = (queues.add_turn(), queues.add_turn());
    queues.push(&mut lines_of(kept, 0, 5, 10)).await;
    queues.push(&mut lines_of(awaited, 5, 9, 10)).await;
    drop(MessageStream::new(Arc::clone(&queues), 0));
    queues.push(&mut lines_of(kept, 9, 11, 10)).await;
    queues.leave_turn(awaited);
    queues.push(&mut lines_of(awaited, 11, 13, 10)).await;
    queues.take_turn(kept);
    queues.close();
    assert_eq!(Reader(kept).rest(&queues).await, [0, 1, 2, 3, 4, 9, 10]);
    assert!(Reader(SESSION).rest(&queues).await.is_empty());
}

#[tokio::test]
async fn a_dropped_stream_discards_its_turn_and_leaves_nothing_behind() {
    let queues = MessageQueues::new(20, 50);
    let turn = queues.add_turn();
    queues.take_turn(turn);
    queues.push(&mut lines_of(turn, 0, 9, 10)).await;
    assert!(queues.is_full(), "streams of turns have the same limit");
    queues.forget_turn(turn);
    assert!(!queues.is_full());
    queues.push(&mut lines_of(turn, 9, 12, 10)).await;
    queues.push(&mut lines_of(SESSION, 12, 13, 10)).await;
    queues.end_turn(turn);
    assert!(queues.lock().turns.is_empty());
    queues.close();
    assert_eq!(Reader(SESSION).rest(&queues).await, [12]);
}
