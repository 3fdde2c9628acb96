//! Tokens and dollars over a corpus whose true totals are known.

use anyhow::Result;

use crate::corpora::Corpus;
use crate::peers::{USAGE_PEERS, spare_the_wait};
use crate::{Inputs, claw};
use claw_testkit::figure::Figure;

/// How far the dollars may be off, as a share.
pub(crate) const COST_TOLERANCE: f64 = 1e-4;

pub(crate) fn truth(inputs: &Inputs) -> Result<Vec<Figure>> {
    let corpus = inputs.corpora.largest(inputs.quick)?;
    let ours = inputs
        .claw()
        .and_then(|program| inputs.runner.output(&program.usage(&corpus.source)))
        .and_then(|(printed, _)| claw::totals(&printed));
    let figure = Figure::new(
        "tokens and cost of a corpus against the truth",
        "exact tokens; cost within 0.01 %",
    );
    let mut figure = match ours {
        Ok(found) => figure.measured(
            found.beside(&corpus.truth.totals),
            found.is(&corpus.truth.totals, COST_TOLERANCE) && found.cost.is_some(),
        ),
        Err(error) => figure.measured(format!("missing: {error:#}"), false),
    };
    figure = figure.note(described(corpus));
    if let Some(peers) = inputs.peers()? {
        spare_the_wait(&corpus.source)?;
        for peer in USAGE_PEERS {
            let found = inputs
                .runner
                .output(&(peer.task)(peers, &corpus.source))
                .and_then(|(printed, _)| (peer.totals)(&printed));
            figure = figure.note(match found {
                Ok(found) => format!("{}: {}", peer.name, found.beside(&corpus.truth.totals)),
                Err(error) => format!("{}: {error:#}", peer.name),
            });
        }
    }
    Ok(vec![figure])
}

/// What is in a corpus, for the notes.
pub(crate) fn described(corpus: &Corpus) -> String {
    let truth = &corpus.truth;
    format!(
        "{:.0} MB in {} files, {} lines, {} messages; true totals: input {}, output {}, cache write {}, cache read {}, ${:.2}",
        truth.bytes as f64 / 1e6,
        truth.files,
        truth.lines,
        truth.messages,
        truth.totals.input,
        truth.totals.output,
        truth.totals.cache_write,
        truth.totals.cache_read,
        truth.totals.cost.unwrap_or_default(),
    )
}
