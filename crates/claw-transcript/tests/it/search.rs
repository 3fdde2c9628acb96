//! Search, over files.

mod escapes;
mod found;

use claw_transcript::{SearchHit, SearchQuery};

use crate::scratch::Scratch;

/// All hits of a query.
fn hits(scratch: &Scratch, query: &SearchQuery) -> Vec<SearchHit> {
    let hits = query.run(&scratch.library()).expect("a library");
    hits.collect::<Result<_, _>>().expect("files can be read")
}

fn count(scratch: &Scratch, query: SearchQuery) -> usize {
    hits(scratch, &query).len()
}

/// The marked texts of all hits.
fn marked(hits: &[SearchHit]) -> Vec<&str> {
    let ranges = hits.iter().flat_map(|hit| {
        let snippet = &hit.snippet;
        snippet
            .matches
            .iter()
            .map(|range| &snippet.text[range.clone()])
    });
    ranges.collect()
}
