//! Reads the lines of messages again, and previews them.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read as _, Seek};

use super::node::{FoldedLine, LineSpan, NodeId, NodeKind, Phase};
use super::session_tree::SessionTree;
use crate::entry::{Entry, Kind, Part};
use crate::error::TranscriptError;
use crate::script_text::is_unseen;

/// Maximum length of a preview, in characters.
const PREVIEW: usize = 80;

/// Reads the lines of messages from the files of their tree.
///
/// Opens each file once, when it is first needed, and keeps no lines in memory.
#[derive(Debug)]
pub struct TreeReader<'t> {
    tree: &'t SessionTree,
    /// By file; `None` until it is opened.
    sources: Vec<Option<Box<dyn Source + 't>>>,
}

trait Source: BufRead + Seek + Debug {}

impl<S: BufRead + Seek + Debug> Source for S {}

impl<'t> TreeReader<'t> {
    /// Reads from the files that the tree was read from.
    pub fn new(tree: &'t SessionTree) -> Self {
        let sources = tree.files.iter().map(|_| None).collect();
        Self { tree, sources }
    }

    /// Reads from the bytes that the tree was read from.
    pub fn of_bytes(tree: &'t SessionTree, bytes: &'t [u8]) -> Self {
        let source: Box<dyn Source + 't> = Box::new(Cursor::new(bytes));
        Self {
            tree,
            sources: vec![Some(source)],
        }
    }

    /// The lines of a message, in the order of its blocks.
    ///
    /// # Errors
    /// The file is gone, cannot be read, or is shorter than it was.
    pub fn lines(&mut self, id: NodeId) -> Result<Vec<Vec<u8>>, TranscriptError> {
        let (tree, file) = (self.tree, self.tree.node(id).file());
        let spans = tree.spans(id).iter();
        spans.map(|span| self.span(file, *span)).collect()
    }

    /// A line that is folded between messages, without its newline.
    ///
    /// # Errors
    /// As for [`TreeReader::lines`].
    pub fn folded(&mut self, line: &FoldedLine) -> Result<Vec<u8>, TranscriptError> {
        self.with(line.file(), line.offset, |source| {
            let mut bytes = Vec::new();
            source.read_until(b'\n', &mut bytes)?;
            while matches!(bytes.last(), Some(b'\n' | b'\r')) {
                bytes.pop();
            }
            Ok(bytes)
        })
    }

    fn span(&mut self, file: usize, span: LineSpan) -> Result<Vec<u8>, TranscriptError> {
        self.with(file, span.offset, |source| {
            let mut bytes = Vec::new();
            source.take(span.len).read_to_end(&mut bytes)?;
            if (bytes.len() as u64) < span.len {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Ok(bytes)
        })
    }

    fn with<T>(
        &mut self,
        file: usize,
        offset: u64,
        read: impl FnOnce(&mut dyn BufRead) -> io::Result<T>,
    ) -> Result<T, TranscriptError> {
        let known = self.tree.files.get(file);
        let path = known.and_then(|file| file.path.clone()).unwrap_or_default();
        let Some(source) = self.sources.get_mut(file) else {
            let missing = io::Error::from(io::ErrorKind::NotFound);
            return Err(TranscriptError::io("read", &path)(missing));
        };
        let source = match source {
            Some(source) => source,
            none => {
                let opened = File::open(&path).map_err(TranscriptError::io("open", &path))?;
                none.insert(Box::new(BufReader::new(opened)))
            }
        };
        // Messages mostly follow each other, so that the buffer has the next one.
        let done = source
            .stream_position()
            .and_then(|here| source.seek_relative(offset as i64 - here as i64))
            .and_then(|()| read(source));
        done.map_err(TranscriptError::io("read", &path))
    }

    /// Describes a message in at most 80 characters on one line: its text, the tools called, their
    /// results. Control characters are removed, so that a terminal can show it.
    ///
    /// # Errors
    /// As for [`TreeReader::lines`].
    pub fn preview(&mut self, id: NodeId) -> Result<String, TranscriptError> {
        let lines = self.lines(id)?;
        let entries: Vec<Entry<'_>> = lines.iter().filter_map(|line| Entry::read(line)).collect();
        let node = self.tree.node(id);
        let text = match (node.kind(), entries.first()) {
            (NodeKind::Compaction, Some(entry)) => compaction(entry, node.phase()),
            (NodeKind::Queued, Some(entry)) => {
                let queued = entry.object("attachment").unwrap_or_default();
                let prompt = queued.get("prompt").map(Part::of_content);
                words(&prompt.unwrap_or_default())
            }
            (NodeKind::Command, Some(entry)) => command(&words(&entry.parts())),
            (NodeKind::Notification, Some(entry)) => task(&words(&entry.parts())),
            (NodeKind::Notice, Some(entry)) => notice(entry),
            _ => {
                let parts: Vec<Part<'_>> = entries.iter().flat_map(Entry::parts).collect();
                words(&parts)
            }
        };
        Ok(shorten(&text, PREVIEW))
    }
}

/// Texts, calls and results; thinking only if there is nothing else.
fn words(parts: &[Part<'_>]) -> String {
    let mut out: Vec<String> = Vec::new();
    for part in parts {
        match part {
            Part::Call { name, .. } => {
                let name = name.as_deref().unwrap_or("?");
                let about = part.about().unwrap_or_default();
                out.push(format!("{name}({})", shorten(&about, 40)));
            }
            Part::Answer { content, .. } => {
                let content = content.map(Part::of_content).unwrap_or_default();
                out.extend(content.iter().find_map(plain));
            }
            part => out.extend(plain(part)),
        }
        if out.iter().map(String::len).sum::<usize>() > 4 * PREVIEW {
            break;
        }
    }
    out.retain(|text| !text.trim().is_empty());
    if out.is_empty() {
        let thought = parts.iter().find_map(|part| match part {
            Part::Thinking { text, .. } => Some(format!("(thinking) {}", start_of(text))),
            _ => None,
        });
        out.extend(thought);
    }
    out.join(" ")
}

/// A text, or a placeholder for other content.
fn plain(part: &Part<'_>) -> Option<String> {
    match part {
        Part::Text(text) => Some(start_of(text)),
        Part::Image { .. } => Some("[image]".to_owned()),
        Part::Other { kind, .. } => Some(format!("[{kind}]")),
        _ => None,
    }
}

fn command(text: &str) -> String {
    if let Some(shell) = inside(text, "bash-input") {
        return format!("! {shell}");
    }
    match (inside(text, "command-name"), inside(text, "command-args")) {
        (Some(name), Some(arguments)) => format!("{name} {arguments}"),
        (Some(name), None) => name.to_owned(),
        _ => text.to_owned(),
    }
}

/// The task of a notification, and its status.
fn task(text: &str) -> String {
    let Some(task) = inside(text, "task-id") else {
        return text.to_owned();
    };
    let outcome = inside(text, "summary").or_else(|| inside(text, "status"));
    outcome.map_or_else(|| task.to_owned(), |outcome| format!("{task}: {outcome}"))
}

/// The text of a notice; for a failed request, its status.
fn notice(entry: &Entry<'_>) -> String {
    let text = words(&entry.parts());
    if !text.is_empty() {
        return text;
    }
    let error = entry.object("error").unwrap_or_default();
    let status = error.get("status").filter(|status| *status != "null");
    let attempt = entry.get("retryAttempt");
    let mut text = entry.subtype().map(String::from).unwrap_or_default();
    for (word, value) in [("", status), (" attempt", attempt)] {
        if let Some(value) = value {
            text = format!("{text}{word} {value}");
        }
    }
    text
}

/// The text between a tag and its end tag, or the end of the text.
fn inside<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let end = rest.find(&format!("</{tag}>")).unwrap_or(rest.len());
    Some(rest[..end].trim())
}

/// Removes a tag that the CLI puts around the whole text.
fn unwrapped(text: &str) -> &str {
    const TAGS: [&str; 4] = [
        "local-command-stdout",
        "local-command-stderr",
        "tool_use_error",
        "bash-stdout",
    ];
    let tag = TAGS
        .iter()
        .find(|tag| text.starts_with(&format!("<{tag}>")));
    tag.and_then(|tag| inside(text, tag)).unwrap_or(text)
}

fn compaction(entry: &Entry<'_>, phase: Option<Phase>) -> String {
    let word = match phase {
        Some(Phase::Started) => "compacting",
        Some(Phase::Completed) => "compacted",
        Some(Phase::Restoring) => "restoring",
        Some(Phase::Restored) => "restored",
        None => return words(&entry.parts()),
    };
    let disk = entry.kind() == Kind::System;
    let data = entry.object(if disk { "compactMetadata" } else { "metadata" });
    let data = data.unwrap_or_default();
    let (from, to, unit) = if disk {
        ("preTokens", "postTokens", "tokens")
    } else {
        ("totalMessages", "preservedMessages", "messages")
    };
    match (data.get(from), data.get(to)) {
        (Some(from), Some(to)) => format!("{word}: {from} to {to} {unit}"),
        (Some(from), None) => format!("{word}: {from} {unit}"),
        _ => word.to_owned(),
    }
}

/// As much of a text as a preview needs.
fn start_of(text: &str) -> String {
    let text = unwrapped(text.trim_start());
    text.chars().take(4 * PREVIEW).collect()
}

/// Shortens a text to one line: white space becomes one blank, control characters are removed.
fn shorten(text: &str, most: usize) -> String {
    let visible = |c: &char| c.is_whitespace() || !is_unseen(*c);
    let text: String = text.chars().filter(visible).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= most {
        return text;
    }
    let start: String = text.chars().take(most - 1).collect();
    format!("{}…", start.trim_end())
}
