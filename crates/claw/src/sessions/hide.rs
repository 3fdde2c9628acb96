//! `claw sessions hide` and `unhide`

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use claw_transcript::{Entry, Lines, NodeId, SessionFile, SessionTree, SoftDeletes, TreeReader};
use serde::Serialize;

use super::{Place, check, outside};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to hide.
#[derive(Debug, Args)]
#[command(after_help = "\
A hidden message is left out of exports, with what its tools returned and its subagents did, and
wherever Claude Code repeats it: in titles that it made up, and in the lines of --jsonl that keep
prompts and requests. The same goes for copies of the message in repaired sessions and forks.
--document keeps its place, without its words.

What remains: the messages of others that quote it, summaries of compactions, the title that you
gave, titles of forks that end in \"(fork) (2)\", what a hidden slash command printed, notes about
the time that you were away (in --json, --jsonl and --document), subagents that only a line of
progress ties to their call, and whatever claw shows here (list, show, tree, search). Only a mark
is kept, in a folder of claw's own; the session file stays as it is, and Claude Code still sees the
message. To take something out of a copy for good, see claw sessions redact.

A message is named by its uuid or how it begins: on an exported page, the time beside a message
links to it (#m-UUID); claw sessions export --json prints each as id.

Examples:
  claw sessions hide 4f0c 7a1e93   a message
  claw sessions hide 4f0c          what is hidden
  claw sessions unhide 4f0c 7a1e93")]
pub(super) struct HideArgs {
    /// The session's id, how it begins, or a file.
    session: String,
    /// Messages by uuid or how it begins; without one, lists what is hidden.
    messages: Vec<String>,
    #[command(flatten)]
    own: OwnFolder,
}

/// What to show again.
#[derive(Debug, Args)]
pub(super) struct UnhideArgs {
    /// The session's id, how it begins, or a file.
    session: String,
    /// Messages by uuid or how it begins.
    #[arg(required_unless_present = "all")]
    messages: Vec<String>,
    /// All that is hidden.
    #[arg(long, conflicts_with = "messages")]
    all: bool,
    #[command(flatten)]
    own: OwnFolder,
}

/// Where claw keeps what is its own.
#[derive(Debug, Clone, Args)]
pub(super) struct OwnFolder {
    /// The folder in which claw keeps marks; else claw in the user's data folder.
    #[arg(long, env = "CLAW_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl OwnFolder {
    /// The folder; none when the environment does not say where the user's data are.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        if let Some(folder) = &self.data_dir {
            return Some(folder.clone());
        }
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = |below: &str| Some(PathBuf::from(set("HOME")?).join(below));
        let data = match set("XDG_DATA_HOME") {
            Some(folder) => Some(PathBuf::from(folder)),
            None if cfg!(windows) => set("APPDATA").map(PathBuf::from),
            None if cfg!(target_os = "macos") => home("Library/Application Support"),
            None => home(".local/share"),
        };
        data.map(|data| data.join("claw"))
    }
}

/// A uuid, also when it is given as the address of a message on a page.
pub(super) fn uuid_of(name: &str) -> &str {
    let name = name.rsplit_once('#').map_or(name, |(_, name)| name);
    name.strip_prefix("m-").unwrap_or(name)
}

pub(super) fn hide(
    place: &Place,
    args: &HideArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let mut marked = Marked::open(place, &args.session, &args.own)?;
    if args.messages.is_empty() {
        return list(place, &marked, printer);
    }
    for name in &args.messages {
        let found = marked.find(name)?;
        let (lines, what) = match found {
            Found::Message(id) => {
                let lines = marked.marks.delete_message(&marked.tree, id)?;
                (lines, TreeReader::new(&marked.tree).preview(id)?)
            }
            Found::Line(uuid) => {
                let new = !marked.marks.contains(&uuid);
                marked.marks.delete(uuid.as_str());
                (usize::from(new), uuid)
            }
        };
        marked.marks.save()?;
        marked.say(place, "hidden", lines, &what, printer)?;
    }
    marked.finish(place, printer)
}

pub(super) fn unhide(
    place: &Place,
    args: &UnhideArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let mut marked = Marked::open(place, &args.session, &args.own)?;
    if args.all {
        let all = marked.all().map(|mark| mark.set_on.to_owned());
        let all: Vec<String> = all.collect();
        for marks in std::iter::once(&mut marked.marks).chain(&mut marked.others) {
            let restored = all.iter().filter(|uuid| marks.restore(uuid)).count();
            if restored > 0 {
                marks.save()?;
            }
        }
        let lines = all.len();
        marked.say(place, "shown again", lines, "all that was hidden", printer)?;
        return marked.finish(place, printer);
    }
    for name in &args.messages {
        let (lines, what) = match marked.find(name)? {
            Found::Message(id) => {
                let lines = marked.show_again(id)?;
                (lines, TreeReader::new(&marked.tree).preview(id)?)
            }
            Found::Line(uuid) => (usize::from(marked.marks.restore(&uuid)), uuid),
        };
        marked.marks.save()?;
        marked.say(place, "shown again", lines, &what, printer)?;
    }
    marked.finish(place, printer)
}

/// A session and its marks.
struct Marked {
    session: String,
    files: Vec<SessionFile>,
    tree: SessionTree,
    marks: SoftDeletes,
    /// Those of other sessions, which may have copies of the same messages.
    others: Vec<SoftDeletes>,
    /// What a fork copied has uuids of its own: those, by the uuids of the originals.
    copies: HashMap<String, String>,
}

/// What a name means.
enum Found {
    Message(NodeId),
    /// A line that is no part of the conversation.
    Line(String),
}

/// A mark, for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Mark<'a> {
    /// Of the line in this session.
    uuid: &'a str,
    since: &'a str,
    /// The session that it was hidden in, when that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    /// Of the line in that session.
    #[serde(skip)]
    set_on: &'a str,
}

/// What is hidden, for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Marks<'a> {
    session_id: &'a str,
    hidden: Vec<Mark<'a>>,
}

impl Marked {
    fn open(place: &Place, session: &str, own: &OwnFolder) -> anyhow::Result<Self> {
        let library = place.library()?;
        let mut files = check::files(&library, &[session.to_owned()])?;
        files.sort_by_key(|file| file.companions().is_none());
        let folder = own.folder().context(
            "cannot tell where to keep marks: set HOME or CLAW_DATA_DIR, or give --data-dir",
        )?;
        outside::refuse(&folder, library.config_dir())?;
        let tree = SessionTree::read(&files)?;
        let session = match files.first().and_then(|main| main.session_id.clone()) {
            Some(id) if SoftDeletes::open(&folder, &id).is_ok() => id,
            named => said_session(&files)?.or(named).unwrap_or_default(),
        };
        let mut others = SoftDeletes::open_all(&folder)?;
        others.retain(|marks| marks.session() != session);
        let mut copies = HashMap::new();
        if !others.is_empty() {
            each_line(&files, |entry| {
                let original = entry.forked_from().map(|(_, original)| original);
                if let Some((original, uuid)) = original.zip(entry.uuid()) {
                    copies.insert(original, uuid.into_owned());
                }
            })?;
        }
        Ok(Self {
            marks: SoftDeletes::open(&folder, &session)?,
            others,
            copies,
            session,
            files,
            tree,
        })
    }

    /// Takes away the marks of a message, also those that were set in another session.
    fn show_again(&mut self, id: NodeId) -> anyhow::Result<usize> {
        let mut lines = self.marks.restore_message(&self.tree, id)?;
        for marks in &mut self.others {
            let there = marks.restore_message(&self.tree, id)?;
            if there > 0 {
                marks.save()?;
            }
            lines = lines.max(there);
        }
        Ok(lines)
    }

    /// The marks that count here.
    fn all(&self) -> impl Iterator<Item = Mark<'_>> {
        let own = self.marks.iter().map(|(uuid, since)| Mark {
            uuid,
            since,
            session_id: None,
            set_on: uuid,
        });
        let others = self.others.iter().flat_map(|marks| {
            let anywhere = marks
                .iter()
                .filter(|(uuid, _)| SoftDeletes::counts_anywhere(uuid));
            anywhere.filter_map(|(set_on, since)| {
                let same = self.tree.find(set_on).map(|_| set_on);
                let copy = || self.copies.get(set_on).map(String::as_str);
                Some(Mark {
                    uuid: same.or_else(copy)?,
                    since,
                    session_id: Some(marks.session()),
                    set_on,
                })
            })
        });
        own.chain(others)
    }

    /// What somebody means by a uuid, or by how one begins.
    fn find(&self, name: &str) -> anyhow::Result<Found> {
        let name = uuid_of(name);
        let mut messages: Vec<(NodeId, String)> = Vec::new();
        let mut others = Vec::new();
        each_line(&self.files, |entry| {
            let Some(uuid) = entry.uuid().filter(|uuid| uuid.starts_with(name)) else {
                return;
            };
            match self.tree.find(&uuid) {
                Some(id) if messages.iter().any(|(known, _)| *known == id) => {}
                Some(id) => messages.push((id, uuid.into_owned())),
                None => others.push(uuid.into_owned()),
            }
        })?;
        others.dedup();
        match (&messages[..], &others[..]) {
            ([(id, _)], []) => Ok(Found::Message(*id)),
            ([], [uuid]) => Ok(Found::Line(uuid.clone())),
            ([], []) => anyhow::bail!(
                "session {} has no message {name:?}: claw sessions export --json shows them as id",
                self.session
            ),
            (messages, others) => {
                let some = messages.iter().map(|(_, uuid)| uuid).chain(others).take(10);
                let some: Vec<&str> = some.map(String::as_str).collect();
                anyhow::bail!(
                    "several messages begin with {name:?}: give more of the uuid\n  {}",
                    some.join("\n  ")
                )
            }
        }
    }

    fn say(
        &self,
        place: &Place,
        done: &str,
        lines: usize,
        what: &str,
        printer: &mut Printer,
    ) -> anyhow::Result<()> {
        // Programs get one document, at the end.
        if place.json {
            return Ok(());
        }
        let (good, faint) = (style::GOOD, style::FAINT);
        let what = words::cut(what, 70);
        if lines == 0 {
            printer.line(format_args!("{faint}nothing to do{faint:#}: {what}"))?;
            return Ok(());
        }
        let unit = if lines == 1 { "line" } else { "lines" };
        printer.line(format_args!(
            "{good}{done}{good:#}: {what} {faint}({lines} {unit}){faint:#}"
        ))?;
        Ok(())
    }

    /// Tells programs what is hidden now.
    fn finish(&self, place: &Place, printer: &mut Printer) -> anyhow::Result<Status> {
        if place.json {
            self.json(printer)?;
        }
        Ok(Status::Fine)
    }

    fn json(&self, printer: &mut Printer) -> anyhow::Result<()> {
        printer.json(&Marks {
            session_id: &self.session,
            hidden: self.all().collect(),
        })
    }
}

fn list(place: &Place, marked: &Marked, printer: &mut Printer) -> anyhow::Result<Status> {
    if place.json {
        marked.json(printer)?;
        return Ok(Status::Fine);
    }
    let faint = style::FAINT;
    // In the order of the conversation.
    let marks = marked.all();
    let mut lines: Vec<_> = marks
        .map(|mark| (marked.tree.find(mark.uuid), mark))
        .collect();
    if lines.is_empty() {
        printer.line(format_args!("{faint}nothing is hidden{faint:#}"))?;
        return Ok(Status::Fine);
    }
    lines.sort_by_key(|(id, _)| id.map(NodeId::index));
    let mut reader = TreeReader::new(&marked.tree);
    for (id, mark) in lines {
        let preview = id.map(|id| reader.preview(id)).transpose()?;
        let about = words::cut(preview.as_deref().unwrap_or("not in the conversation"), 60);
        let since = mark.since.get(..10).unwrap_or_default();
        let there = mark.session_id.map(|session| format!("  in {session}"));
        let (uuid, there) = (mark.uuid, there.unwrap_or_default());
        printer.line(format_args!(
            "{uuid}  {faint}{since}{faint:#}  {about}{faint}{there}{faint:#}"
        ))?;
    }
    Ok(Status::Fine)
}

/// The session that the lines name, for a copy with a name of its own.
fn said_session(files: &[SessionFile]) -> anyhow::Result<Option<String>> {
    let mut session = None;
    each_line(files.get(..1).unwrap_or_default(), |entry| {
        if session.is_none() {
            session = entry.session().map(|id| id.into_owned());
        }
    })?;
    Ok(session)
}

fn each_line(files: &[SessionFile], mut see: impl FnMut(&Entry<'_>)) -> anyhow::Result<()> {
    for file in files {
        let failed = || format!("cannot read {}", file.path.display());
        let mut lines = Lines::new(File::open(&file.path).with_context(failed)?);
        while let Some(line) = lines.next_line().with_context(failed)? {
            if let Some(entry) = Entry::read(line.raw) {
                see(&entry);
            }
        }
    }
    Ok(())
}
