//! `claw sessions hide` and `unhide`

use std::collections::HashMap;
use std::fs::File;

use anyhow::Context as _;
use clap::Args;
use claw_transcript::{Entry, Lines, NodeId, SessionFile, SessionTree, SoftDeletes, TreeReader};
use serde::Serialize;

use super::scope::{OwnFolder, Scope, files_of, refuse_inside};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words;

/// What to hide.
#[derive(Debug, Args)]
#[command(after_help = "\
A hidden message is left out of exports, with the results of its tools and the work of its
subagents, and wherever Claude Code repeats it: in generated titles, and in the lines of --jsonl
that hold prompts and requests. This includes copies of the message in repaired sessions and forks.
--document keeps its position, without its text.

Still exported: other messages that quote it, summaries of compactions, the title that you gave,
titles of forks that end in \"(fork) (2)\", the output of a hidden slash command, notes about the
time that you were away (in --json, --jsonl and --document), and subagents that only a line of
progress links to their call. list, show, tree and search still show the message. claw only writes a
mark, in its own folder; the session file is not changed, and Claude Code still sees the message. To
remove text from a copy, see claw sessions redact.

Find the uuid of a message on an exported page, where the time beside a message links to it
(#m-UUID), or as id in claw sessions export --json.

Examples:
  claw sessions hide 4f0c 7a1e93   a message
  claw sessions hide 4f0c          list the hidden messages
  claw sessions unhide 4f0c 7a1e93")]
pub(super) struct HideArgs {
    /// A session, by its id or the start of it, or a file.
    session: String,
    /// Messages, by their uuid or the start of it; without any, lists the hidden messages.
    messages: Vec<String>,
    #[command(flatten)]
    own: OwnFolder,
}

/// What to show again.
#[derive(Debug, Args)]
pub(super) struct UnhideArgs {
    /// A session, by its id or the start of it, or a file.
    session: String,
    /// Messages, by their uuid or the start of it.
    #[arg(required_unless_present = "all")]
    messages: Vec<String>,
    /// All hidden messages.
    #[arg(long, conflicts_with = "messages")]
    all: bool,
    #[command(flatten)]
    own: OwnFolder,
}

/// The uuid, also from the address of a message on a page.
pub(super) fn uuid_of(name: &str) -> &str {
    let name = name.rsplit_once('#').map_or(name, |(_, name)| name);
    name.strip_prefix("m-").unwrap_or(name)
}

pub(super) fn hide(
    scope: &Scope,
    args: &HideArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let mut marked = Marked::open(scope, &args.session, &args.own)?;
    if args.messages.is_empty() {
        return list(scope, &marked, printer);
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
        marked.say(scope, "hidden", lines, &what, printer)?;
    }
    marked.finish(scope, printer)
}

pub(super) fn unhide(
    scope: &Scope,
    args: &UnhideArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let mut marked = Marked::open(scope, &args.session, &args.own)?;
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
        marked.say(scope, "shown again", lines, "all hidden messages", printer)?;
        return marked.finish(scope, printer);
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
        marked.say(scope, "shown again", lines, &what, printer)?;
    }
    marked.finish(scope, printer)
}

/// A session and its marks.
struct Marked {
    session: String,
    files: Vec<SessionFile>,
    tree: SessionTree,
    marks: SoftDeletes,
    /// Marks of other sessions, which may contain copies of the same messages.
    others: Vec<SoftDeletes>,
    /// The uuids of messages that a fork copied, by the uuids of the originals.
    copies: HashMap<String, String>,
}

/// What a name refers to.
enum Found {
    Message(NodeId),
    /// A line that is not part of the conversation.
    Line(String),
}

/// A mark, for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Mark<'a> {
    /// The uuid of the line in this session.
    uuid: &'a str,
    since: &'a str,
    /// The session in which it was hidden, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    /// The uuid of the line in that session.
    #[serde(skip)]
    set_on: &'a str,
}

/// The hidden messages, for programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Marks<'a> {
    session_id: &'a str,
    hidden: Vec<Mark<'a>>,
}

impl Marked {
    fn open(scope: &Scope, session: &str, own: &OwnFolder) -> anyhow::Result<Self> {
        let library = scope.library()?;
        let files = files_of(&library, session)?;
        let folder = own.folder().context(
            "there is no folder for marks: set HOME or CLAW_DATA_DIR, or give --data-dir",
        )?;
        refuse_inside(&folder, library.config_dir())?;
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

    /// Removes the marks of a message, including those set in other sessions.
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

    /// The marks that apply to this session.
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

    /// Resolves a uuid or a prefix of one.
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
        scope: &Scope,
        done: &str,
        lines: usize,
        what: &str,
        printer: &mut Printer,
    ) -> anyhow::Result<()> {
        // Programs get one document, at the end.
        if scope.json {
            return Ok(());
        }
        let (good, faint) = (style::GOOD, style::FAINT);
        let what = words::cut(what, 70);
        if lines == 0 {
            printer.line(format_args!("{faint}nothing to do{faint:#}: {what}"))?;
            return Ok(());
        }
        let lines = words::several(lines as u64, "line");
        printer.line(format_args!(
            "{good}{done}{good:#}: {what} {faint}({lines}){faint:#}"
        ))?;
        Ok(())
    }

    /// Prints the hidden messages for programs.
    fn finish(&self, scope: &Scope, printer: &mut Printer) -> anyhow::Result<Status> {
        if scope.json {
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

fn list(scope: &Scope, marked: &Marked, printer: &mut Printer) -> anyhow::Result<Status> {
    if scope.json {
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

/// The session that the lines name, for a copy with another file name.
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
