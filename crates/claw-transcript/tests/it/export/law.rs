//! From the disk's dialect to the document's and back: ids, order, text and pairing stay.

use claw_transcript::{
    Branches, Dialect, Entry, Export, Format, Kind, NodeKind, Part, SessionFile, SessionTree,
    TreeReader,
};

use super::{all_recorded, export};

/// What the law is about, for one line of either dialect.
#[derive(Debug, PartialEq)]
struct Said {
    id: String,
    what: &'static str,
    text: String,
    /// For a result: how many calls back its call is.
    pairs: Option<usize>,
}

#[derive(Default)]
struct View {
    said: Vec<Said>,
    calls: Vec<String>,
    /// Lines without text: the document describes the event instead.
    silent: Vec<String>,
    /// Queued prompts, which are no parts on disk.
    queued: Vec<String>,
}

impl View {
    fn add(&mut self, entry: &Entry<'_>) {
        let uuid = entry.uuid().unwrap_or_default().into_owned();
        let mut pieces = 0;
        for part in entry.parts() {
            let (what, text, pairs) = match &part {
                Part::Text(text) => ("text", text.to_string(), None),
                Part::Thinking { text, .. } => ("thinking", text.to_string(), None),
                Part::Call {
                    id, name, input, ..
                } => {
                    self.calls.push(id.clone().unwrap_or_default().into_owned());
                    let name = name.clone().unwrap_or_default();
                    ("call", format!("{name} {}", input.unwrap_or("{}")), None)
                }
                Part::Answer { call, content, .. } => {
                    let call = call.clone().unwrap_or_default();
                    let pairs = self.calls.iter().rev().position(|known| *known == call);
                    ("answer", flat(content.unwrap_or("\"\"")), pairs)
                }
                _ => continue,
            };
            pieces += 1;
            // The document has a line for each part, and a number in its id.
            let id = match pieces {
                1 => uuid.clone(),
                piece => format!("{uuid}#{piece}"),
            };
            self.said.push(Said {
                id,
                what,
                text,
                pairs,
            });
        }
        if pieces == 0 {
            self.silent.push(uuid);
        }
    }
}

fn flat(content: &str) -> String {
    let parts = Part::of_content(content).into_iter();
    let texts = parts.filter_map(|part| match part {
        Part::Text(text) => Some(text.into_owned()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn of_the_disk(files: &[SessionFile]) -> View {
    let tree = SessionTree::read(files).unwrap();
    let mut reader = TreeReader::new(&tree);
    let mut view = View::default();
    for id in tree.live() {
        for line in reader.lines(id).unwrap() {
            let entry = Entry::read(&line).unwrap();
            match tree.node(id).kind() {
                // Boundaries have their own form in the document.
                NodeKind::Compaction => {}
                NodeKind::Queued => view.queued.extend(entry.uuid().map(|id| id.into_owned())),
                _ => view.add(&entry),
            }
        }
    }
    view
}

#[test]
fn the_document_keeps_ids_order_text_and_pairing() {
    let mut pairs = 0;
    for files in all_recorded() {
        let form = Export::new(Format::Document).branches(Branches::Live);
        let (text, report) = export(&form.sidechains(false), &files);
        let mut view = View::default();
        let disk = of_the_disk(&files);
        for line in text.lines() {
            let entry = Entry::read(line.as_bytes()).unwrap();
            assert_eq!(entry.dialect(), Dialect::Document, "{line}");
            let uuid = entry.uuid().unwrap();
            if disk.silent.iter().any(|id| *id == uuid) {
                assert_ne!(entry.string("message").as_deref().unwrap_or_default(), "");
            } else if entry.kind() != Kind::CompactSystem
                && !disk.queued.iter().any(|id| uuid.starts_with(&**id))
            {
                view.add(&entry);
            }
        }
        pairs += disk.said.iter().filter(|said| said.pairs.is_some()).count();
        assert_eq!(view.said, disk.said, "{}", files[0].path.display());
        assert!(!report.losses.is_empty());
    }
    assert!(pairs > 30, "only {pairs} results have a call");
}
