//! Everything written as HTML.

use anyhow::Result;

use crate::peers::HTML_PEER;
use crate::speed::{joined, times, with_table};
use crate::{Inputs, claw};
use claw_testkit::figure::{Bar, Figure};

const PEER_BAR: f64 = 10.0;
/// MB/s.
const QUICK_BAR: f64 = 150.0;
/// The peer takes tens of seconds for a round.
const ROUNDS: usize = 7;

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let corpus = inputs.corpora.medium()?;
    let folder = tempfile::tempdir()?;
    let mut tasks = Vec::new();
    let peers = inputs.peers()?;
    if let Some(peers) = peers {
        tasks.push(peers.html(&corpus.source, &folder.path().join("theirs")));
    }
    let ours = inputs
        .claw()
        .map(|program| program.html(&corpus.source, &folder.path().join("ours")));
    let missing = joined(inputs, ours, &mut tasks).err();
    let rounds = inputs.runner.rounds(&tasks, ROUNDS)?;
    let figure = Figure::new(
        "HTML export of everything, against the fastest peer",
        "≥ 10× its MB/s",
    );
    let figure = match (missing, peers) {
        (Some(missing), _) => figure.measured(missing, false),
        (None, Some(_)) => {
            let ratio = rounds.ratio(HTML_PEER, claw::NAME)?;
            figure.judged(
                format!("{} the speed of {HTML_PEER}", times(ratio)),
                ratio,
                Bar::AtLeast(PEER_BAR),
            )
        }
        // Ten times what the peer did where it was studied.
        (None, None) => {
            let wall = rounds.spread(claw::NAME, |took| took.wall)?.median;
            let speed = corpus.truth.bytes as f64 / wall / 1e6;
            figure.measured(
                format!(
                    "{speed:.0} MB/s, for which 150 will do: the peer runs in the full proof only"
                ),
                speed >= QUICK_BAR,
            )
        }
    };
    Ok(vec![with_table(figure, &rounds, corpus)?])
}
