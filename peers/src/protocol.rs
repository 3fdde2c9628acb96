//! The speed of decoding, beside the crate `claude-codes`.

use claude_codes::{ClaudeOutput, Protocol};
use claw_bench::Group;
use claw_bench::lines::{self, Contender, Recorded, each};
use claw_bench::protocol::DECODE;
use claw_bench::rounds::times;
use claw_testkit::figure::{Bar, Figure};

pub(crate) const GROUPS: &[Group] = &[("decode-peers", decode_peers)];

/// What its guide shows for one line.
const GUIDE: Contender = ("guide", |lines| {
    each(lines, |line| {
        Protocol::deserialize::<ClaudeOutput>(&line.text)
    });
});
/// What its own clients call.
const CLIENTS: Contender = ("clients", |lines| {
    each(lines, |line| ClaudeOutput::parse_json_tolerant(&line.text));
});

fn decode_peers() -> anyhow::Result<Vec<Figure>> {
    let accepts = |line: &Recorded| Protocol::deserialize::<ClaudeOutput>(&line.text).is_ok();
    let lines = lines::recordings(accepts)?;
    let rounds = lines::measure(&lines, &[DECODE, GUIDE, CLIENTS])?;
    let guide = rounds.ratio("decode", "guide")?;
    let clients = rounds.ratio("decode", "clients")?;
    // The faster one decides, whichever it is.
    let is_guide_faster = guide.median <= clients.median;
    let faster = if is_guide_faster { guide } else { clients };
    let (guide, clients, count) = (times(guide), times(clients), lines::rounds());
    let shown = format!(
        "{guide} as its guide reads a line; {clients} as its clients read a line; {count} rounds"
    );
    let figure = Figure::new(
        "decode to typed + raw, recorded corpus, one core, same run, over the lines both parsers accept: against `claude-codes`",
        "≥ 5×",
    )
    .judged(shown, faster, Bar::AtLeast(5.0))
    .note("the verdict is by the faster of its two ways to read a line")
    .note("ours checks UTF-8 and keeps the raw line, claude-codes gets text that is already checked")
    .note(lines::speeds(&lines, &rounds));
    Ok(vec![figure.timed()])
}
