//! The time from the CLI's write to the client's read, over the bare commit.

use std::time::Duration;

use claw_testkit::figure::{Bar, Figure, Spread, quick};
use tokio::time::sleep;

use crate::Failure;
use crate::bare;
use crate::client::{Clients, Transport, Window};
use crate::percentiles::Percentiles;
use crate::processors::{Shares, Snapshot};
use crate::served::{DELTAS, EVENTS, Served, steady};

/// The most that the gateway may add to the commit, in milliseconds.
const P50_BAR: f64 = 2.0;
const P99_BAR: f64 = 15.0;

fn sessions() -> usize {
    if quick() { 10 } else { 100 }
}

fn rounds() -> usize {
    if quick() { 1 } else { 5 }
}

fn window() -> Duration {
    Duration::from_secs(if quick() { 2 } else { 10 })
}

/// One run of the gateway.
struct Round {
    bare: Percentiles,
    durable: Percentiles,
    deltas: Percentiles,
    /// Durable events over SSE, and over WebSocket.
    by_transport: [Percentiles; 2],
    shares: Shares,
}

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let mut rounds_done = Vec::new();
    for _ in 0..rounds() {
        rounds_done.push(round().await?);
    }
    let spread = |value: &dyn Fn(&Round) -> f64| {
        let values: Vec<f64> = rounds_done.iter().map(value).collect();
        Spread::of(&values).ok_or("no rounds")
    };
    let over_p50 = spread(&|round| round.durable.p50 - round.bare.p50)?;
    let over_p99 = spread(&|round| round.durable.p99 - round.bare.p99)?;
    let name = |which: &str| {
        format!(
            "latency, CLI line → client's socket, over the bare commit, 100 sessions with {EVENTS} durable events/s and {DELTAS} deltas/s each: {which}"
        )
    };
    let over =
        |Spread { median, min, max }: Spread| format!("{median:+.2} ms ({min:+.2} to {max:+.2})");
    let p50 = Figure::new(name("durable, p50"), "≤ +2 ms").judged(
        over(over_p50),
        over_p50,
        Bar::AtMost(P50_BAR),
    );
    let mut p99 = Figure::new(name("durable, p99"), "≤ +15 ms").judged(
        over(over_p99),
        over_p99,
        Bar::AtMost(P99_BAR),
    );
    let deltas_p50 = spread(&|round| round.deltas.p50)?;
    let deltas_p99 = spread(&|round| round.deltas.p99)?;
    let deltas = Figure::new(name("deltas, not over anything"), "printed").measured(
        format!(
            "p50 {:.2} ms, p99 {:.2} ms",
            deltas_p50.median, deltas_p99.median
        ),
        true,
    );
    for (number, round) in (1..).zip(&rounds_done) {
        let [sse, socket] = &round.by_transport;
        p99 = p99
            .note(format!("round {number}: durable {}", round.durable))
            .note(format!("round {number}: bare commit {}", round.bare))
            .note(format!("round {number}: deltas {}", round.deltas))
            .note(format!(
                "round {number}: SSE p50 {:.2} / p99 {:.2} ms, WebSocket p50 {:.2} / p99 {:.2} ms; {}",
                sse.p50, sse.p99, socket.p50, socket.p99, round.shares
            ));
    }
    Ok(vec![
        p50.note(format!(
            "{} sessions with one client each, half on SSE, half on WebSocket; {} rounds of {:?}; the gateway, the CLIs (fake-claude) and the clients share the processors",
            sessions(),
            rounds(),
            window()
        ))
        .note("bare commit: the store appends events of the same size to as many sessions at the same rate, in turns with the gateway"),
        p99,
        deltas,
    ])
}

async fn round() -> Result<Round, Failure> {
    let folder = tempfile::tempdir()?;
    let bare = bare::commits(folder.path(), sessions(), EVENTS, window()).await?;
    let served = Served::start([steady()])?;
    let mut clients = Clients::default();
    start_sessions(&served, &mut clients, sessions()).await?;
    // Caches fill, and the processes of the start end.
    sleep(Duration::from_secs(1)).await;
    let before = Snapshot::take(served.process())?;
    let window = Window::wait(window()).await;
    let shares = before.until(Snapshot::take(served.process())?);
    clients.check()?;
    check_rate(window, &clients)?;
    Ok(Round {
        bare,
        durable: window.durable(&clients, None),
        deltas: window.deltas(&clients, None),
        by_transport: [Transport::Sse, Transport::WebSocket]
            .map(|transport| window.durable(&clients, Some(transport))),
        shares,
    })
}

/// Starts sessions at the rate of the figures with a client each. Returns when all of them stream.
pub(crate) async fn start_sessions(
    served: &Served,
    clients: &mut Clients,
    count: usize,
) -> Result<(), Failure> {
    for index in 0..count {
        let session = served.session().await?;
        let transport = match index % 2 {
            0 => Transport::Sse,
            _ => Transport::WebSocket,
        };
        clients.follow(served, transport, &session, 0).await?;
        served.prompt(&session).await?;
    }
    clients.wait_until_active().await
}

/// Fails if clients received less than was to be written: the CLIs were late, or events are lost.
fn check_rate(window: Window, clients: &Clients) -> Result<(), Failure> {
    let expected = window.seconds() * f64::from(EVENTS) * clients.count() as f64;
    let durable = window.durable(clients, None).count;
    match durable as f64 >= 0.95 * expected {
        true => Ok(()),
        false => Err(format!("{durable} durable events instead of {expected:.0}").into()),
    }
}
