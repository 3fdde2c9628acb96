//! The unchanged lines of a session.

use std::collections::HashSet;
use std::fs::File;

use super::job::Job;
use super::metadata::is_fork_title;
use super::outline::Step;
use crate::entry::{Kind, KindGroup};
use crate::error::TranscriptError;
use crate::facts::{Facts, Member};
use crate::lines::{Line, Lines};
use crate::tree::{FoldedLine, NodeId};

/// Writes the lines of the chosen branches in the order of the main file.
pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    each_chosen(job, steps, |job, line, chosen| {
        if chosen && !is_excluded(job, line) {
            job.buffer.extend_from_slice(line.raw);
            job.buffer.extend_from_slice(line.end.bytes());
        }
    })
}

/// Calls `see` for every line of the main file, with whether it is on the chosen branches.
pub(super) fn each_chosen(
    job: &mut Job<'_>,
    steps: &[Step],
    mut see: impl FnMut(&mut Job<'_>, &Line<'_>, bool),
) -> Result<(), TranscriptError> {
    let tree = job.tree;
    let marked = job.deleted.iter().filter_map(|(uuid, _)| tree.find(uuid));
    let marked: HashSet<NodeId> = marked.collect();
    let is_main = |line: &&FoldedLine| line.file() == 0;
    let start = tree.folded_at_start().iter().filter(is_main);
    let mut offsets: Vec<u64> = start.map(|line| line.offset).collect();
    let steps = job.outline.with_agents(steps);
    let nodes = steps.iter().filter_map(Step::node);
    for id in nodes.filter(|id| tree.node(*id).file() == 0) {
        job.report.messages += 1;
        offsets.extend(tree.spans(id).iter().map(|span| span.offset));
        for line in tree.folded(id).iter().filter(is_main) {
            // Attachments of a deleted message may quote it.
            if marked.contains(&id) && line.kind.group() == KindGroup::Chain {
                job.report.quoting += 1;
            } else {
                offsets.push(line.offset);
            }
        }
    }
    offsets.sort_unstable();
    let Some(path) = tree.files().next().flatten() else {
        return Ok(());
    };
    let file = File::open(path).map_err(TranscriptError::io("open", path))?;
    let mut lines = Lines::new(file);
    let mut wanted = offsets.into_iter().peekable();
    while let Some(line) = lines
        .next_line()
        .map_err(TranscriptError::io("read", path))?
    {
        let end = line.offset + line.len_with_end();
        let found = std::iter::from_fn(|| wanted.next_if(|offset| *offset < end)).count();
        see(job, &line, found > 0);
        job.flush()?;
    }
    Ok(())
}

/// Returns whether a line is soft-deleted, or may quote a line that is.
fn is_excluded(job: &mut Job<'_>, line: &Line<'_>) -> bool {
    if job.deleted.is_empty() {
        return false;
    }
    let text = line.text();
    let Some(facts) = Facts::read(&text) else {
        // Several lines in one, of which one may be deleted.
        let is_named = |uuid: &str| memchr::memmem::find(line.raw, uuid.as_bytes()).is_some();
        let is_deleted = job.deleted.iter().any(|(uuid, _)| is_named(uuid));
        job.report.deleted += u64::from(is_deleted);
        return is_deleted;
    };
    let is_deleted = job.is_deleted(&facts);
    let is_quoting = !is_deleted && may_quote(&facts);
    job.report.deleted += u64::from(is_deleted);
    job.report.quoting += u64::from(is_quoting);
    is_deleted || is_quoting
}

/// Returns whether a line outside of the conversation may repeat messages. Unknown kinds may.
fn may_quote(line: &Facts<'_>) -> bool {
    match line.kind {
        Kind::CustomTitle => {
            let title = line.string(Member::CustomTitle);
            is_fork_title(&title.unwrap_or_default())
        }
        Kind::Mode
        | Kind::PermissionMode
        | Kind::AgentName
        | Kind::AgentColor
        | Kind::AgentSetting
        | Kind::Tag
        | Kind::PrLink
        | Kind::WorktreeState
        | Kind::Relocated
        | Kind::DerivedFrom
        | Kind::ToolsUsed
        | Kind::CostState
        | Kind::MemoryMode
        | Kind::ForkContextRef => false,
        kind => kind.group() != KindGroup::Chain,
    }
}
