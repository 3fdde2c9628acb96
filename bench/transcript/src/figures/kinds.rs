//! Every kind of line that is known or was recorded is read for what it is, and every example of
//! the document.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use claw_transcript::{Body, Check, Dialect, Entry, Kind, KindGroup, Lines, Part, SessionFile};

use crate::Inputs;
use crate::bytes::session_files;
use crate::workspace_root;
use claw_testkit::figure::Figure;

/// The names that the CLI itself knows, by how their lines work together, and those of older CLIs
/// and other programs.
const NAMES: &[(KindGroup, &str)] = &[
    (
        KindGroup::Chain,
        "user assistant system attachment progress",
    ),
    (
        KindGroup::State,
        "mode permission-mode custom-title ai-title agent-name agent-color agent-setting tag summary \
         last-prompt pr-link worktree-state relocated bridge-session session-owner isolation-latch \
         dev-mods repl-mode history-suppression ended-by-model atis-latch tools-used cost-state \
         attribution-snapshot artifact-autoreact-ledger observer-ref derived-from",
    ),
    (
        KindGroup::Accumulating,
        "content-replacement memory-mode data-flow-records data-flow-incomplete fork-context-ref \
         frame-link artifact-comment-monitor",
    ),
    (KindGroup::Queue, "queue-operation"),
    (
        KindGroup::Checkpoint,
        "file-history-snapshot file-history-delta",
    ),
    (
        KindGroup::Request,
        "api-request-shape api-request-blob api-request",
    ),
    (KindGroup::Foreign, "continued-in resume-head-vouch"),
];
/// How many names those are.
const KNOWN: usize = 47;
const OLDER: &str = "task-summary speculation-accept marble-origami-commit marble-origami-snapshot \
                     started launched result failed cc-session-fork";

/// Files that were broken on purpose: a line of theirs that is no entry, or of no kind, has no shape
/// to be known.
const BROKEN: &[&str] = &["resume_torn_last_line", "made/broken", "made/titles"];
/// The folder of files that no CLI wrote. Some of them test unknown members, so only the kinds of
/// their lines count.
const MADE: &str = "sessions/made";

pub(crate) fn measure(_: &Inputs) -> Result<Vec<Figure>> {
    Ok(vec![recorded()?, named()?, examples()?])
}

/// What was in the recorded lines.
#[derive(Default)]
struct Found {
    lines: u64,
    torn: u64,
    kinds: BTreeMap<String, u64>,
    unknown: Vec<String>,
}

impl Found {
    fn read(&mut self, path: &Path, name: &str) -> Result<()> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
        let on_purpose = BROKEN.iter().any(|part| name.contains(part));
        let mut lines = Lines::new(&bytes[..]);
        while let Some(line) = lines.next_line()? {
            let number = line.ordinal + 1;
            match line.body() {
                Body::Blank => {}
                Body::Entry(entry) if on_purpose && entry.kind() == Kind::Unknown => {
                    self.torn += 1;
                }
                Body::Entry(entry) => {
                    self.lines += 1;
                    *self.kinds.entry(entry.kind_text().into()).or_default() += 1;
                    let what = unknown_in(&entry, name.starts_with(MADE));
                    if let Some(what) = what {
                        self.unknown.push(format!("{name}:{number}: {what}"));
                    }
                }
                Body::Broken(_) if on_purpose => self.torn += 1,
                _ => self.unknown.push(format!("{name}:{number}: not an entry")),
            }
        }
        Ok(())
    }
}

/// What of a line is not known here.
fn unknown_in(entry: &Entry<'_>, only_kind: bool) -> Option<String> {
    if entry.kind() == Kind::Unknown {
        return Some(format!("the kind {:?}", entry.kind_text()));
    }
    entry.parts().iter().find_map(|part| match part {
        Part::Other { kind, .. } if !only_kind => Some(format!("the block {kind:?}")),
        _ => None,
    })
}

fn recorded() -> Result<Figure> {
    let root = workspace_root();
    let testdata = root.join("testdata");
    let mut files = session_files(&testdata.join("cli"))?;
    files.extend(session_files(&testdata.join("sessions"))?);
    // Some of these have lines without a type on purpose.
    let damaged = testdata.join("sessions/review");
    files.retain(|path| !path.starts_with(&damaged));
    ensure!(files.len() >= 57, "only {} recorded files", files.len());
    let mut found = Found::default();
    for path in &files {
        let name = path.strip_prefix(&testdata).unwrap_or(path);
        found.read(path, &name.display().to_string())?;
    }
    // New subtypes, attachments and members would be unreviewed shapes, too.
    let recorded = session_files(&testdata.join("cli"))?;
    let drift = Check::new().files(&opened(&recorded)?).drift;
    let drift = drift.iter().map(|item| {
        let (what, kind, name) = (item.what.as_str(), &item.kind, &item.name);
        format!("{what} {name:?} of {kind}")
    });
    found.unknown.extend(drift);
    let kinds = found
        .kinds
        .iter()
        .map(|(kind, lines)| format!("{kind} {lines}"));
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    Ok(Figure::new(
        "recorded line kinds read without \"unknown shape\"",
        "100 %",
    )
    .measured(
        format!(
            "{} kinds in {} lines of {} files, {} unknown",
            found.kinds.len(),
            found.lines,
            files.len(),
            found.unknown.len()
        ),
        found.unknown.is_empty() && found.lines > 0,
    )
    .note(kinds)
    .note(format!(
        "{} lines were broken on purpose and are not counted",
        found.torn
    ))
    .list("unknown", found.unknown))
}

fn opened(files: &[PathBuf]) -> Result<Vec<SessionFile>> {
    let files = files.iter().map(|path| Ok(SessionFile::at(path)?));
    files.collect()
}

fn named() -> Result<Figure> {
    let mut wrong = Vec::new();
    let known = NAMES
        .iter()
        .flat_map(|(group, names)| names.split_whitespace().map(|name| (name, Some(*group))));
    let older = OLDER.split_whitespace().map(|name| (name, None));
    let all: Vec<(&str, Option<KindGroup>)> = known.chain(older).collect();
    let count = all.iter().filter(|(_, group)| group.is_some()).count();
    ensure!(count == KNOWN, "the table has {count} names");
    for (name, group) in &all {
        let line = format!(r#"{{"type":"{name}","sessionId":"s"}}"#);
        let is_right = match Body::read(line.as_bytes()) {
            Body::Entry(entry) => {
                entry.kind() != Kind::Unknown
                    && entry.kind().as_str() == *name
                    && entry.text() == line
                    && group.is_none_or(|group| entry.kind().group() == group)
            }
            _ => false,
        };
        if !is_right {
            wrong.push((*name).to_owned());
        }
    }
    Ok(Figure::new(
        "names of line kinds that the CLI knows, read as what they are",
        "all 47",
    )
    .measured(
        format!(
            "{} of {} ({KNOWN} of the CLI, {} of older ones and other programs)",
            all.len() - wrong.len(),
            all.len(),
            all.len() - KNOWN
        ),
        wrong.is_empty(),
    )
    .list("not known", wrong))
}

fn examples() -> Result<Figure> {
    let folder = workspace_root().join("testdata/documents/001");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    ensure!(paths.len() >= 8, "only {} examples", paths.len());
    let mut wrong = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Err(error) = example(&text) {
            wrong.push(format!("{name}: {error:#}"));
        }
    }
    Ok(Figure::new(
        "JSON examples of the document read and round-tripped",
        "100 %",
    )
    .measured(
        format!(
            "{} of {}, byte for byte",
            paths.len().saturating_sub(wrong.len()),
            paths.len()
        ),
        wrong.is_empty(),
    )
    .note("each as it stands in the document, and as a line of a session file")
    .list("not the same", wrong))
}

/// Reads an example unchanged, and as a line of a file.
fn example(text: &str) -> Result<()> {
    let entry = Entry::read(text.as_bytes()).context("not an entry")?;
    ensure!(entry.text() == text.trim(), "its text became another");
    let unknown = unknown_in(&entry, false);
    ensure!(unknown.is_none(), "not known: {unknown:?}");
    ensure!(entry.dialect() == Dialect::Document, "not in the dialect");
    let line = on_one_line(text);
    let mut lines = Lines::new(line.as_bytes());
    let read = lines.next_line()?.context("no line")?;
    let back = [read.raw, read.end.bytes()].concat();
    ensure!(back == line.as_bytes(), "its line became another");
    let again = Entry::read(read.raw).context("its line is not an entry")?;
    ensure!(
        again.members().count() == entry.members().count() && again.dialect() == entry.dialect(),
        "its line is read as something else"
    );
    Ok(())
}

/// Without the white space between members, which JSON does not count, and with an end.
fn on_one_line(text: &str) -> String {
    let mut line = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if quoted || !c.is_whitespace() {
            line.push(c);
        }
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_is_named() {
        let unknown = |line: &str| unknown_in(&Entry::read(line.as_bytes()).unwrap(), false);
        assert!(
            unknown(r#"{"type":"telepathy"}"#)
                .unwrap()
                .contains("telepathy")
        );
        let block = r#"{"type":"user","sessionId":"s","message":{"content":[{"type":"smell"}]}}"#;
        assert!(unknown(block).unwrap().contains("smell"));
        assert_eq!(unknown(r#"{"type":"mode","mode":"x"}"#), None);
    }

    #[test]
    fn an_example_is_put_on_one_line_and_its_strings_are_kept() {
        let text = "{\n  \"a b\": \"c \\\" d\",\n  \"e\": [1, 2]\n}\n";
        assert_eq!(on_one_line(text), "{\"a b\":\"c \\\" d\",\"e\":[1,2]}\n");
        assert!(example("{\"type\":\"user\",\"n\"").is_err());
    }
}
