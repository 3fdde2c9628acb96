//! The lines of a session as they are.

use std::collections::HashSet;
use std::fs::File;

use super::facts::is_of_a_fork;
use super::{Job, Step};
use crate::entry::{Entry, Kind, KindGroup};
use crate::error::TranscriptError;
use crate::lines::{Line, Lines};
use crate::tree::NodeId;

/// The lines of the chosen branches, in the order of the main file.
pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    each_chosen(job, steps, |job, line, chosen| {
        if chosen && !is_left_out(job, line.raw) {
            job.out.buffer.extend_from_slice(line.raw);
            job.out.buffer.extend_from_slice(line.end.bytes());
        }
    })
}

/// Every line of the main file, and whether it is one of the chosen branches.
pub(super) fn each_chosen(
    job: &mut Job<'_>,
    steps: &[Step],
    mut see: impl FnMut(&mut Job<'_>, &Line<'_>, bool),
) -> Result<(), TranscriptError> {
    let tree = job.tree;
    let marked = job.deleted.iter().filter_map(|(uuid, _)| tree.find(uuid));
    let marked: HashSet<NodeId> = marked.collect();
    let agents = job.outline.all_agents().into_iter();
    let beside = agents.flat_map(|agent| job.outline.agent(agent));
    let mut offsets = Vec::new();
    for step in steps.iter().copied().chain(beside) {
        // Subagents in files of their own have their lines there.
        if let Step::Node(id) = step
            && tree.node(id).file() == 0
        {
            job.report.messages += 1;
            offsets.extend(tree.spans(id).iter().map(|span| span.offset));
            for line in tree.folded(id).iter().filter(|line| line.file() == 0) {
                // What the CLI gave the model with a message belongs to it.
                if marked.contains(&id) && line.kind.group() == KindGroup::Chain {
                    job.report.quoting += 1;
                } else {
                    offsets.push(line.offset);
                }
            }
        }
    }
    let folded = tree
        .folded_at_start()
        .iter()
        .filter(|line| line.file() == 0);
    offsets.extend(folded.map(|line| line.offset));
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
        let mut found = false;
        while wanted.next_if(|offset| *offset < end).is_some() {
            found = true;
        }
        see(job, &line, found);
        job.out.flush()?;
    }
    Ok(())
}

/// Whether a line is deleted softly, or may quote one that is.
fn is_left_out(job: &mut Job<'_>, raw: &[u8]) -> bool {
    if job.deleted.is_empty() {
        return false;
    }
    let Some(entry) = Entry::read(raw) else {
        // Several lines in one, of which one is deleted.
        let named = |uuid: &str| memchr::memmem::find(raw, uuid.as_bytes()).is_some();
        let deleted = job.deleted.iter().any(|(uuid, _)| named(uuid));
        job.report.deleted += u64::from(deleted);
        return deleted;
    };
    let deleted = job.is_deleted(&entry);
    let quotes = !deleted && may_quote(&entry);
    job.report.deleted += u64::from(deleted);
    job.report.quoting += u64::from(quotes);
    deleted || quotes
}

/// Whether a line may repeat what messages say. Those of kinds that are not known may.
fn may_quote(entry: &Entry<'_>) -> bool {
    let kind = entry.kind();
    if kind == Kind::CustomTitle {
        return is_of_a_fork(&entry.string("customTitle").unwrap_or_default());
    }
    let quotes_nothing = matches!(
        kind,
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
            | Kind::ForkContextRef
    );
    kind.group() != KindGroup::Chain && !quotes_nothing
}
