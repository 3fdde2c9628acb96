//! The lines of messages again, when somebody wants to see them.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Cursor, Read, Seek, SeekFrom};

use super::SessionTree;
use super::node::{FoldedLine, LineSpan, NodeId, NodeKind, Phase};
use crate::entry::{Entry, Kind, Part};
use crate::error::TranscriptError;
use crate::script_text::is_unseen;

/// How long a preview is at most, in characters.
const PREVIEW: usize = 80;

/// Reads the lines of messages where the tree says they are.
///
/// Opens each file once, when it is first needed. Only the lines asked for are in memory.
#[derive(Debug)]
pub struct TreeReader<'t> {
    tree: &'t SessionTree,
    sources: Vec<Source<'t>>,
}

#[derive(Debug)]
enum Source<'t> {
    Closed,
    File(BufReader<File>),
    Bytes(Cursor<&'t [u8]>),
}

impl<'t> TreeReader<'t> {
    /// Reads from the files that the tree was read from.
    pub fn new(tree: &'t SessionTree) -> Self {
        let sources = tree.files.iter().map(|_| Source::Closed).collect();
        Self { tree, sources }
    }

    /// Reads from the bytes that the tree was read from.
    pub fn of_bytes(tree: &'t SessionTree, bytes: &'t [u8]) -> Self {
        let sources = vec![Source::Bytes(Cursor::new(bytes))];
        Self { tree, sources }
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
        self.with(line.file(), |source| {
            source.seek(SeekFrom::Start(line.offset))?;
            let mut bytes = Vec::new();
            BufReader::new(source).read_until(b'\n', &mut bytes)?;
            while matches!(bytes.last(), Some(b'\n' | b'\r')) {
                bytes.pop();
            }
            Ok(bytes)
        })
    }

    fn span(&mut self, file: usize, span: LineSpan) -> Result<Vec<u8>, TranscriptError> {
        self.with(file, |source| {
            source.seek(SeekFrom::Start(span.offset))?;
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
        read: impl FnOnce(&mut dyn ReadSeek) -> io::Result<T>,
    ) -> Result<T, TranscriptError> {
        let known = self.tree.files.get(file);
        let path = known.and_then(|file| file.path.clone()).unwrap_or_default();
        let Some(source) = self.sources.get_mut(file) else {
            let missing = io::Error::from(io::ErrorKind::NotFound);
            return Err(TranscriptError::io("read", &path)(missing));
        };
        if matches!(source, Source::Closed) {
            let opened = File::open(&path).map_err(TranscriptError::io("open", &path))?;
            *source = Source::File(BufReader::new(opened));
        }
        let done = match source {
            Source::File(file) => read(file),
            Source::Bytes(bytes) => read(bytes),
            Source::Closed => Err(io::ErrorKind::NotConnected.into()),
        };
        done.map_err(TranscriptError::io("read", &path))
    }

    /// A message in at most 80 characters of one line: the words said, the tools called, what they
    /// returned. Without control characters, so that a terminal can show it.
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
                let prompt = queued
                    .get("prompt")
                    .map(Part::of_content)
                    .unwrap_or_default();
                words(&prompt)
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

trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// What is said, then what is called; what was thought only when there is nothing else.
fn words(parts: &[Part<'_>]) -> String {
    let mut out: Vec<String> = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => out.push(start_of(text)),
            Part::Call { name, .. } => {
                let name = name.as_deref().unwrap_or("?");
                let about = part.about().unwrap_or_default();
                out.push(format!("{name}({})", shorten(&about, 40)));
            }
            Part::Answer { content, .. } => {
                let content = content.map(Part::of_content).unwrap_or_default();
                // Results hold text and pictures, never calls.
                let texts = content.iter().filter_map(|part| match part {
                    Part::Text(text) => Some(start_of(text)),
                    Part::Image { .. } => Some("[image]".to_owned()),
                    Part::Other { kind, .. } => Some(format!("[{kind}]")),
                    _ => None,
                });
                out.extend(texts.take(1));
            }
            Part::Image { .. } => out.push("[image]".to_owned()),
            Part::Other { kind, .. } => out.push(format!("[{kind}]")),
            Part::Thinking { .. } => {}
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

/// Which task is done, and how.
fn task(text: &str) -> String {
    let Some(task) = inside(text, "task-id") else {
        return text.to_owned();
    };
    let told = inside(text, "summary").or_else(|| inside(text, "status"));
    match told {
        Some(told) => format!("{task}: {told}"),
        None => task.to_owned(),
    }
}

/// What the CLI says; for a failed request, how it failed.
fn notice(entry: &Entry<'_>) -> String {
    let text = words(&entry.parts());
    if !text.is_empty() {
        return text;
    }
    let error = entry.object("error").unwrap_or_default();
    let status = error.get("status").filter(|status| *status != "null");
    let attempt = entry.get("retryAttempt");
    let mut told = entry.subtype().map(String::from).unwrap_or_default();
    for (word, value) in [("", status), (" attempt", attempt)] {
        if let Some(value) = value {
            told = format!("{told}{word} {value}");
        }
    }
    told
}

/// What stands between a tag and its end; up to the end of the text when that was cut.
fn inside<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let end = rest.find(&format!("</{tag}>")).unwrap_or(rest.len());
    Some(rest[..end].trim())
}

/// A text without a tag that the CLI puts around all of it.
fn unwrapped(text: &str) -> &str {
    for tag in [
        "local-command-stdout",
        "local-command-stderr",
        "tool_use_error",
        "bash-stdout",
    ] {
        let start = text
            .strip_prefix('<')
            .and_then(|text| text.strip_prefix(tag));
        if start.is_some_and(|rest| rest.starts_with('>')) {
            return inside(text, tag).unwrap_or(text);
        }
    }
    text
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
        (data.get("preTokens"), data.get("postTokens"), "tokens")
    } else {
        (
            data.get("totalMessages"),
            data.get("preservedMessages"),
            "messages",
        )
    };
    match (from, to) {
        (Some(from), Some(to)) => format!("{word}: {from} to {to} {unit}"),
        (Some(from), None) => format!("{word}: {from} {unit}"),
        _ => word.to_owned(),
    }
}

/// As much of a text as a preview can need.
fn start_of(text: &str) -> String {
    let text = unwrapped(text.trim_start());
    text.chars().take(4 * PREVIEW).collect()
}

/// One line of so many characters: white space becomes one blank, control characters vanish.
fn shorten(text: &str, most: usize) -> String {
    let visible = |c: &char| c.is_whitespace() || !is_unseen(*c);
    let text: String = text.chars().filter(visible).collect();
    let mut line = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let gap = usize::from(count > 0);
        let len = word.chars().count();
        if count + gap + len > most {
            let room = most.saturating_sub(count + gap + 1);
            if gap == 1 && room > 0 {
                line.push(' ');
            }
            line.extend(word.chars().take(room));
            line.push('…');
            return line;
        }
        if gap == 1 {
            line.push(' ');
        }
        line.push_str(word);
        count += gap + len;
    }
    line
}
