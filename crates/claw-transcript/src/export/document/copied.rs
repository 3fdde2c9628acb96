//! A session that is in the document's dialect already: its lines stay what they are.

use std::collections::HashMap;

use super::{HIDDEN, Object};
use crate::entry::{Dialect, Entry, Kind, KindGroup};
use crate::error::TranscriptError;
use crate::export::{Job, Step, lines};
use crate::lines::Lines;

/// Whether all messages are in one file, and in the document's dialect.
pub(super) fn is_of_the_dialect(job: &Job<'_>) -> Result<bool, TranscriptError> {
    let mut files = job.tree.files();
    let (Some(Some(path)), None) = (files.next(), files.next()) else {
        return Ok(false);
    };
    let file = std::fs::File::open(path).map_err(TranscriptError::io("open", path))?;
    let mut lines = Lines::new(file);
    let mut any = false;
    while let Some(line) = lines
        .next_line()
        .map_err(TranscriptError::io("read", path))?
    {
        let Some(entry) = Entry::read(line.raw) else {
            continue;
        };
        if entry.dialect() == Dialect::Document {
            any = true;
        } else if entry.kind().group() == KindGroup::Chain {
            return Ok(false);
        }
    }
    Ok(any)
}

/// Writes the chosen lines as they are. Where a line is left out, what hung under it hangs under
/// the one above.
pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    let mut losses = crate::export::losses::Losses::default();
    let mut left_out: HashMap<String, Option<String>> = HashMap::new();
    job.report.subagents += job.outline.all_agents().len() as u64;
    let opened = |step: &&Step| matches!(step, Step::Open(_));
    job.report.branches += steps.iter().filter(opened).count() as u64;
    lines::each_chosen(job, steps, |job, line, chosen| {
        let Some(entry) = Entry::read(line.raw) else {
            if chosen {
                losses.line("unreadable");
            }
            return;
        };
        if entry.dialect() != Dialect::Document {
            if chosen {
                losses.line(&entry.kind_text());
            }
            return;
        }
        let subtype = entry.subtype();
        let thinking = subtype.as_deref() == Some("thinking");
        if !chosen || (thinking && !job.export.thinking) {
            let uuid = entry.uuid().unwrap_or_default().into_owned();
            left_out.insert(uuid, entry.parent().id().map(|parent| parent.into_owned()));
            return;
        }
        let marked = entry.uuid().is_some_and(|uuid| job.deleted.contains(&uuid));
        job.report.deleted += u64::from(marked || entry.is_true("isDeleted"));
        let hung = entry
            .parent()
            .id()
            .is_some_and(|parent| left_out.contains_key(&*parent));
        if !marked && !hung {
            job.out.buffer.extend_from_slice(entry.text().as_bytes());
            job.out.buffer.push(b'\n');
            return;
        }
        rewritten(job, &entry, marked, &left_out);
    })?;
    job.report.losses = losses.list();
    Ok(())
}

fn rewritten(
    job: &mut Job<'_>,
    entry: &Entry<'_>,
    marked: bool,
    left_out: &HashMap<String, Option<String>>,
) {
    let hidden = marked && !job.export.deleted_text;
    // The operation of a compaction says nothing about anybody.
    let hides_text = hidden && entry.kind() != Kind::CompactSystem;
    let out = &mut job.out.buffer;
    out.push(b'{');
    let mut object = Object { out, first: true };
    for (name, value) in entry.members() {
        match name {
            "parentUuid" => {
                let mut parent = entry.parent().id().map(|parent| parent.into_owned());
                // A file may say anything, so no way is longer than what there is.
                for _ in 0..=left_out.len() {
                    match parent.as_ref().and_then(|parent| left_out.get(parent)) {
                        Some(above) => parent = above.clone(),
                        None => break,
                    }
                }
                match parent {
                    Some(parent) => object.string(name, Some(parent.into())),
                    None => object.raw(name, "null"),
                }
            }
            "isDeleted" if marked => {}
            "message" | "toolName" if hides_text => object.string(name, Some(HIDDEN.into())),
            "toolArguments" if hides_text => object.raw(name, "{}"),
            "type" | "uuid" | "timestamp" | "sessionId" | "subtype" | "metadata" | "message"
            | "isSidechain" | "isMeta" | "isError" | "isAborted" | "isDeleted" | "userType" => {
                object.raw(name, value);
            }
            // What else is in a hidden line may say what is hidden.
            _ if hidden => {}
            _ => object.raw(name, value),
        }
    }
    if marked {
        object.raw("isDeleted", "true");
    }
    out.extend_from_slice(b"}\n");
}
