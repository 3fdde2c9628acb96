//! A session that is in the document's dialect already: its lines stay as they are.

use std::collections::HashMap;

use crate::entry::{Dialect, Kind, KindGroup};
use crate::error::TranscriptError;
use crate::export::job::Job;
use crate::export::losses::Losses;
use crate::export::object::write_object;
use crate::export::outline::Step;
use crate::export::raw_lines::each_chosen;
use crate::export::soft_deletes::HIDDEN;
use crate::facts::{Facts, Member};
use crate::lines::{LineReader, readable};
use crate::members::Members;

/// Returns whether all messages are in one file, and in the document's dialect.
pub(super) fn is_in_dialect(job: &Job<'_>) -> Result<bool, TranscriptError> {
    let mut files = job.tree.files();
    let (Some(Some(path)), None) = (files.next(), files.next()) else {
        return Ok(false);
    };
    let mut lines = LineReader::open(path)?;
    let mut any = false;
    while let Some((_, raw)) = lines.next_line()? {
        match Facts::read(&readable(raw)) {
            Some(line) if line.dialect == Dialect::Document => any = true,
            Some(line) if line.kind.group() == KindGroup::Chain => return Ok(false),
            _ => {}
        }
    }
    Ok(any)
}

/// The parents of excluded lines, by uuid.
type Excluded = HashMap<String, Option<String>>;

/// Writes the chosen lines as they are. The children of an excluded line get its parent.
pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    let mut losses = Losses::default();
    let mut excluded = Excluded::new();
    job.report.subagents += job.outline.all_agents().len() as u64;
    let is_open = |step: &&Step| matches!(step, Step::Open(_));
    job.report.branches += steps.iter().filter(is_open).count() as u64;
    each_chosen(job, steps, |job, line, is_chosen| {
        let text = line.text();
        let line = &match Facts::read(&text) {
            Some(line) if line.dialect == Dialect::Document => line,
            other => {
                if is_chosen {
                    let kind = other.map(|line| line.string(Member::Type).unwrap_or_default());
                    losses.add("line", kind.as_deref().unwrap_or("unreadable"), 1);
                }
                return;
            }
        };
        let is_thinking = line.string(Member::Subtype).as_deref() == Some("thinking");
        let parent = line.parent().id();
        if !is_chosen || (is_thinking && !job.options.thinking) {
            let uuid = line.id(Member::Uuid).unwrap_or_default().into_owned();
            excluded.insert(uuid, parent.map(|parent| parent.into_owned()));
            return;
        }
        let is_orphan = parent.is_some_and(|parent| excluded.contains_key(&*parent));
        job.report.deleted += u64::from(job.is_deleted(line));
        if is_orphan || job.is_marked(line) {
            rewrite(job, line, &excluded);
        } else {
            job.put_line(line.text);
        }
    })?;
    job.report.losses = losses.list();
    Ok(())
}

/// Writes a line with another parent, or with the flag that it is deleted.
fn rewrite(job: &mut Job<'_>, line: &Facts<'_>, excluded: &Excluded) {
    let is_marked = job.is_marked(line);
    let is_hidden = is_marked && !job.options.deleted_text;
    // The message of a compaction is one of a few fixed words.
    let hides_text = is_hidden && line.kind != Kind::CompactSystem;
    let members = Members::read(line.text).unwrap_or_default();
    write_object(&mut job.buffer, |object| {
        for (name, value) in members.all() {
            match &**name {
                "parentUuid" => object.string_or_null(name, parent(line, excluded).as_deref()),
                "isDeleted" if is_marked => {}
                "message" | "toolName" if hides_text => object.string(name, Some(HIDDEN)),
                "toolArguments" if hides_text => object.raw(name, "{}"),
                "type" | "uuid" | "timestamp" | "sessionId" | "subtype" | "metadata"
                | "message" | "isSidechain" | "isMeta" | "isError" | "isAborted" | "isDeleted"
                | "userType" => object.raw(name, value),
                // Other members may repeat the hidden text.
                _ if is_hidden => {}
                _ => object.raw(name, value),
            }
        }
        object.flag("isDeleted", is_marked);
    });
    job.buffer.push(b'\n');
}

/// The nearest ancestor that is not excluded.
fn parent(line: &Facts<'_>, excluded: &Excluded) -> Option<String> {
    let mut parent = line.parent().id().map(|parent| parent.into_owned());
    // The parents of a broken file may form a cycle.
    for _ in 0..=excluded.len() {
        match parent.as_ref().and_then(|parent| excluded.get(parent)) {
            Some(above) => parent = above.clone(),
            None => break,
        }
    }
    parent
}
