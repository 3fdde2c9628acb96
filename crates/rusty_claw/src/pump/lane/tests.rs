use std::future::poll_fn;
use std::sync::Arc;

use super::*;
use crate::stream::MessageStream;

fn lines(from: u64, to: u64, size: usize) -> Vec<Unread> {
    (from..to)
        .map(|number| Unread {
            raw: Bytes::from(format!(
                "{}{number}",
                " ".repeat(size - number.to_string().len())
            )),
            offset: number,
        })
        .collect()
}

/// Reads a lane line by line.
#[derive(Default)]
struct Reader(VecDeque<Unread>);

impl Reader {
    async fn next(&mut self, lane: &Lane) -> Option<u64> {
        loop {
            if let Some(line) = self.0.pop_front() {
                let text = String::from_utf8(line.raw.to_vec()).expect("text");
                assert_eq!(text.trim().parse(), Ok(line.offset));
                return Some(line.offset);
            }
            match poll_fn(|cx| lane.poll_front(cx)).await {
                Front::Lines(lines) => self.0 = lines,
                Front::Refill(from) => {
                    let (lines, taken) = from.read().expect("the file is there");
                    lane.refilled(lines, taken);
                }
                Front::End => return None,
            }
        }
    }
}

#[tokio::test]
async fn order_is_kept_through_memory_and_file_and_back() {
    let lane = Lane::new(100, 1 << 20);
    let mut reader = Reader::default();
    let mut expected = 0;
    // 10 bytes each: the first ten stay in memory, the rest goes to a file; then the reader
    // catches up by half, more comes, it catches up wholly, and memory is used again.
    lane.push(&mut lines(0, 50, 10)).await;
    assert_eq!(lane.counts().spilled, 40);
    for _ in 0..25 {
        assert_eq!(reader.next(&lane).await, Some(expected));
        expected += 1;
    }
    lane.push(&mut lines(50, 60, 10)).await;
    for _ in 25..60 {
        assert_eq!(reader.next(&lane).await, Some(expected));
        expected += 1;
    }
    let spilled = lane.counts().spilled;
    lane.push(&mut lines(60, 65, 10)).await;
    assert_eq!(lane.counts().spilled, spilled, "memory is used again");
    lane.close();
    for _ in 60..65 {
        assert_eq!(reader.next(&lane).await, Some(expected));
        expected += 1;
    }
    assert_eq!(reader.next(&lane).await, None);
    assert_eq!(lane.counts().delivered, 65);
}

#[tokio::test]
async fn a_line_longer_than_everything_passes() {
    let lane = Lane::new(10, 1 << 20);
    let mut reader = Reader::default();
    lane.push(&mut lines(0, 1, 5_000)).await;
    // Longer than what is read back at once.
    lane.push(&mut lines(1, 3, 3 << 20)).await;
    lane.close();
    for number in 0..3 {
        assert_eq!(reader.next(&lane).await, Some(number));
    }
    assert_eq!(reader.next(&lane).await, None);
}

#[tokio::test]
async fn a_full_lane_says_so_and_has_room_once_it_is_read() {
    let lane = Lane::new(10, 200);
    let mut reader = Reader::default();
    lane.push(&mut lines(0, 10, 10)).await;
    assert!(lane.is_full());
    for number in 0..10 {
        assert_eq!(reader.next(&lane).await, Some(number));
    }
    assert!(!lane.is_full());
    lane.room().await;
}

#[tokio::test]
async fn without_a_reader_nothing_is_kept() {
    let lane = Arc::new(Lane::new(10, 200));
    lane.push(&mut lines(0, 10, 10)).await;
    drop(MessageStream::new(Arc::clone(&lane), 0));
    assert!(!lane.is_full());
    lane.push(&mut lines(10, 30, 10)).await;
    assert_eq!(lane.counts().delivered, 10);
    assert_eq!(
        lane.counts().unwanted,
        21,
        "one in memory and twenty that came later"
    );
    assert_eq!(lane.lock().memory.len(), 0);
}

#[tokio::test]
async fn what_the_disk_does_not_take_waits_in_memory_in_order() {
    let lane = Lane::new(20, 1 << 20);
    let mut reader = Reader::default();
    lane.push(&mut lines(0, 2, 10)).await;
    // As if the disk had refused.
    lane.lock().refused.extend(lines(2, 4, 10));
    assert!(lane.is_full());
    lane.push(&mut lines(4, 5, 10)).await;
    lane.close();
    for number in 0..5 {
        assert_eq!(reader.next(&lane).await, Some(number));
    }
    assert_eq!(reader.next(&lane).await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_when_reading_and_writing_meet() {
    let lane = Arc::new(Lane::new(1_000, 1 << 30));
    let writer = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move {
            for batch in 0..400 {
                lane.push(&mut lines(batch * 50, (batch + 1) * 50, 100))
                    .await;
            }
            lane.close();
        }
    });
    let mut stream = MessageStream::new(Arc::clone(&lane), 0);
    let mut expected = 0;
    while let Some(line) = stream.next().await {
        let number: u64 = line.raw().to_text().trim().parse().expect("a number");
        assert_eq!(number, expected);
        expected += 1;
    }
    writer.await.expect("written");
    assert_eq!(expected, 20_000);
    assert!(lane.counts().spilled > 0, "the edge was met");
}
