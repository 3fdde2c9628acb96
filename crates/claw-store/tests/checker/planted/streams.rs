//! Bugs of reads and followers.

use claw_store::{BoxStream, Event, Live, Result, SessionKey};
use futures_util::{StreamExt as _, future, stream};
use tokio::sync::broadcast;

use super::store::Bug;

/// Returns what the followers of a store with a bug receive.
pub(super) fn plant(
    bug: Bug,
    events: BoxStream<'static, Result<Live>>,
    taps: broadcast::Receiver<(SessionKey, Event)>,
    key: &SessionKey,
) -> BoxStream<'static, Result<Live>> {
    match bug {
        Bug::TappedIngest => tapped(events, taps, key.clone()),
        Bug::DoubleDelivery => Box::pin(events.enumerate().flat_map(|(index, item)| {
            let times = if index % 20 == 19 { 2 } else { 1 };
            stream::iter(vec![item; times])
        })),
        // The first event after the history.
        Bug::GapAtTheSeam => {
            let mut is_seam = false;
            Box::pin(events.filter(move |item| {
                let was_seam = std::mem::take(&mut is_seam);
                let is_event = matches!(item, Ok(Live::Event(_)));
                is_seam = matches!(item, Ok(Live::Head { .. })) || was_seam && !is_event;
                future::ready(!(was_seam && is_event))
            }))
        }
        Bug::ReorderedDelivery => Box::pin(events.ready_chunks(2).flat_map(|mut pair| {
            if pair.iter().all(|item| matches!(item, Ok(Live::Event(_)))) {
                pair.reverse();
            }
            stream::iter(pair)
        })),
        // Sleeps for ever after some live events.
        Bug::LostWakeUp => {
            let mut live = None;
            let awake = events.take_while(move |item| {
                match item {
                    Ok(Live::Head { .. }) => live = Some(0),
                    _ => live = live.map(|count| count + 1),
                }
                future::ready(live.is_none_or(|count| count < 50))
            });
            Box::pin(awake.chain(stream::pending()))
        }
        _ => events,
    }
}

/// Numbers the first event of each owner as the last one of the owner before.
pub(super) fn renumber(events: &mut [Event]) {
    for index in 1..events.len() {
        let before = (events[index - 1].epoch, events[index - 1].sequence);
        if events[index].epoch != before.0 {
            events[index].sequence = before.1;
        }
    }
}

/// Returns the history of a session, and then what owners try to append.
fn tapped(
    events: BoxStream<'static, Result<Live>>,
    taps: broadcast::Receiver<(SessionKey, Event)>,
    key: SessionKey,
) -> BoxStream<'static, Result<Live>> {
    let history = events.take_while(|item| {
        let is_history = !matches!(item, Ok(Live::Head { .. }));
        future::ready(is_history)
    });
    let live = stream::unfold((taps, key), |(mut taps, key)| async move {
        loop {
            let (session, event) = taps.recv().await.ok()?;
            if session == key {
                return Some((Ok(Live::Event(event)), (taps, key)));
            }
        }
    });
    // What was stored while the history was read is in both.
    let mut last = 0;
    Box::pin(history.chain(live).filter(move |item| {
        let is_new = match item {
            Ok(Live::Event(event)) => event.sequence > last,
            _ => true,
        };
        if let Ok(Live::Event(event)) = item {
            last = last.max(event.sequence);
        }
        future::ready(is_new)
    }))
}
