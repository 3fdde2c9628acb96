//! Reads files and keeps of each message what is needed to count it.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::time::UNIX_EPOCH;

use memchr::memmem::Finder;

use super::branches::Branches;
use super::facts::{self, Reading, Reply};
use super::ledger::Ledger;
use super::pack::{self, Drawers};
use super::settle::Span;
use super::sighting::{BlockShare, Marks, Sighting, known};
use super::tables::{Class, Name, Place, Tables, hash};
use crate::entry::salvage;
use crate::files::{FileRole, SessionFile};
use crate::lines::{Line, Lines, trim};
use crate::requests::{Mark, RequestMark};
use crate::time;
use crate::tree::Fate;

/// What to look for beyond tokens.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Depth {
    /// What replies are made of, for tools.
    pub(super) blocks: bool,
    /// Which replies lie on branches that were left, which needs a look at every line.
    pub(super) branches: bool,
    /// What kind of agent a subagent is, from the file beside its own.
    pub(super) agent_types: bool,
}

/// What was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// Lines that carry usage.
    pub(super) reply_lines: u64,
    /// Lines that might have, and are not JSON.
    pub(super) broken_lines: u64,
    /// Replies that were taken out of such lines.
    pub(super) recovered: u64,
}

impl Counts {
    pub(super) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.reply_lines += other.reply_lines;
        self.broken_lines += other.broken_lines;
        self.recovered += other.recovered;
    }
}

/// A line of a message that somebody wants explained.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) file: u32,
    pub(super) offset: u64,
    pub(super) ordinal: u64,
    pub(super) message_id: Option<String>,
    pub(super) sighting: Sighting,
}

/// One thread's share of the files.
#[derive(Debug, Default)]
pub(super) struct Worker {
    pub(super) tables: Tables,
    pub(super) drawers: Drawers,
    pub(super) spans: Vec<(u32, Span)>,
    pub(super) ledgers: Vec<Ledger>,
    pub(super) counts: Counts,
    /// Messages on branches that were left, by file, and those of which it is not known.
    pub(super) not_live: Vec<((u32, u64), Fate)>,
    pub(super) watched: Vec<Watched>,
}

/// How many messages of a file may be under way at once. Lines of one message stand near each
/// other; should they not, the parts are put together at the end.
const UNDER_WAY: usize = 16;

impl Worker {
    /// Reads one file. Calls back now and then with the number of bytes that were read since.
    pub(super) fn read(
        &mut self,
        index: u32,
        file: &SessionFile,
        depth: Depth,
        watch: Option<&dyn Fn(u64) -> bool>,
        lines: &mut Option<Lines<File>>,
        progress: &dyn Fn(u64),
    ) -> io::Result<()> {
        let opened = File::open(&file.path)?;
        let born = born(&opened);
        // One buffer for all files of a thread.
        let lines = match lines {
            Some(lines) => {
                lines.restart(opened);
                lines
            }
            None => lines.insert(Lines::new(opened)),
        };
        let mut scan = FileScan::new(self, index, file, depth, watch);
        scan.span.born = born;
        let mut reported = 0;
        let done = loop {
            match lines.next_line() {
                Ok(Some(line)) => {
                    scan.line(&line);
                    let at = line.offset + line.len_with_end();
                    if at - reported >= PROGRESS_STEP {
                        progress(at - reported);
                        reported = at;
                    }
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        // What was read before an error counts.
        scan.finish();
        let end = lines.offset();
        self.counts.bytes += end;
        progress(end - reported);
        done
    }
}

const PROGRESS_STEP: u64 = 4 << 20;

/// The state of reading one file.
struct FileScan<'w, 'f> {
    worker: &'w mut Worker,
    index: u32,
    file: &'f SessionFile,
    depth: Depth,
    watch: Option<&'f dyn Fn(u64) -> bool>,
    usage: Finder<'static>,
    api_error: Finder<'static>,
    cost_state: Finder<'static>,
    api_request: Finder<'static>,
    under_way: Vec<Sighting>,
    /// This file's places, whatever time they are near.
    places: HashMap<Place, u32>,
    last_place: Option<(PlaceText, u32)>,
    agent_type: Option<Name>,
    /// Requests of this file by the hash of their id, and whether a line answers them.
    requests: HashMap<u64, bool>,
    open_request: Option<u64>,
    ledger: Ledger,
    span: Span,
    last_time: i64,
    minute: ([u8; 16], i64),
    branches: Option<Branches>,
}

/// What the place of the last reply was made from, to know the same one again at a glance.
#[derive(Debug, Default, PartialEq, Eq)]
struct PlaceText {
    parts: [Option<Vec<u8>>; 5],
    sidechain: bool,
}

impl PlaceText {
    fn is(&self, reply: &Reply<'_>) -> bool {
        let parts = parts(reply);
        self.sidechain == reply.sidechain
            && self
                .parts
                .iter()
                .zip(parts)
                .all(|(part, new)| part.as_deref() == new)
    }
}

fn parts<'a>(reply: &Reply<'a>) -> [Option<&'a [u8]>; 5] {
    [
        reply.session,
        reply.cwd,
        reply.git_branch,
        reply.agent,
        reply.agent_type,
    ]
}

impl<'w, 'f> FileScan<'w, 'f> {
    fn new(
        worker: &'w mut Worker,
        index: u32,
        file: &'f SessionFile,
        depth: Depth,
        watch: Option<&'f dyn Fn(u64) -> bool>,
    ) -> Self {
        let agent_type = depth
            .agent_types
            .then(|| agent_type(file))
            .flatten()
            .map(|agent_type| worker.tables.names.number(&agent_type));
        Self {
            worker,
            index,
            file,
            depth,
            watch,
            usage: Finder::new(b"\"usage\""),
            api_error: Finder::new(API_ERROR),
            cost_state: Finder::new(b"\"cost-state\""),
            api_request: Finder::new(b"\"api-request\""),
            under_way: Vec::new(),
            places: HashMap::new(),
            last_place: None,
            agent_type,
            requests: HashMap::new(),
            open_request: None,
            ledger: Ledger::of_file(index),
            span: Span::default(),
            last_time: 0,
            minute: ([0; 16], 0),
            branches: depth.branches.then(Branches::new),
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        self.worker.counts.lines += 1;
        if let Some(branches) = &mut self.branches {
            branches.line(line);
        }
        let trimmed = trim(line.raw);
        if self.account(trimmed) {
            return;
        }
        if self.open_request.is_some() && self.api_error.find(line.raw).is_some() {
            self.refuse();
        }
        // Finds too much (text of a tool, another object's usage), and never too little.
        if self.usage.find(line.raw).is_none() {
            return;
        }
        match facts::read(trimmed) {
            Reading::Reply(reply) => self.reply(&reply, line, line.offset, false),
            Reading::Other => {}
            Reading::Broken => {
                self.worker.counts.broken_lines += 1;
                for piece in salvage(line.raw) {
                    let at = line.offset + piece.start as u64;
                    let piece = &line.raw[piece];
                    if is_chained(trimmed) {
                        self.account(piece);
                    }
                    if let Reading::Reply(reply) = facts::read(piece) {
                        self.worker.counts.recovered += 1;
                        self.reply(&reply, line, at, true);
                    }
                }
            }
        }
    }

    /// Takes a line of the CLI's own accounts, and says whether it is one and nothing else.
    ///
    /// As the CLI writes them they are known by how they begin, and so are all lines of the
    /// conversation, which are most of a file: only the rest is searched.
    fn account(&mut self, line: &[u8]) -> bool {
        if is_chained(line) {
            return false;
        }
        if line.starts_with(b"{\"type\":\"api-request\"") {
            // Its end is not looked at, and a reply may be glued to it.
            self.request(facts::read_request(line));
            return false;
        }
        if self.cost_state.find(line).is_some() {
            if let Some(state) = facts::read_cost_state(line) {
                self.ledger.note(state, self.last_time);
                return true;
            }
        } else if self.api_request.find(line).is_none() {
            return false;
        }
        match facts::read_any_request(line) {
            Ok(request) => self.request(request),
            // Glued to something.
            Err(facts::NotJson) => {
                let pieces = salvage(line);
                let whole = |piece: &Range<usize>| piece.len() < line.len();
                for piece in pieces.into_iter().filter(whole) {
                    self.account(&line[piece]);
                }
                false
            }
        }
    }

    fn request(&mut self, request: Option<facts::Request<'_>>) -> bool {
        let Some(request) = request else {
            return false;
        };
        let id = hash(REQUEST, request.id);
        self.requests.entry(id).or_insert(false);
        self.open_request = Some(id);
        true
    }

    /// The request that was sent last was refused, and costs nothing.
    fn refuse(&mut self) {
        if let Some(id) = self.open_request.take()
            && self.requests.remove(&id).is_some()
        {
            self.ledger.refused += 1;
        }
    }

    /// Takes a reply that begins at a byte of the file, in this line.
    fn reply(&mut self, reply: &Reply<'_>, line: &Line<'_>, at: u64, recovered: bool) {
        self.worker.counts.reply_lines += 1;
        let is_synthetic = reply.model == SYNTHETIC.as_bytes();
        if is_synthetic {
            // The CLI says in its own words that there was no answer.
            self.refuse();
        }
        let mut at_home = false;
        let mut request = RequestMark::None;
        if let Some(id) = reply.request_id {
            request = RequestMark::Service(Mark::of(hash(REQUEST, id)));
        }
        if let Some(id) = reply.request_ref {
            let id = hash(REQUEST, id);
            request = RequestMark::Own(Mark::of(id));
            if let Some(answered) = self.requests.get_mut(&id) {
                (at_home, *answered) = (true, true);
            }
            self.open_request = self.open_request.filter(|open| *open != id);
        }
        let key = pack::kept_key(key(reply, self.index, at));
        if let Some(branches) = &mut self.branches {
            branches.reply(at, key);
        }
        let time = reply.timestamp.map_or(0, |text| self.time(text));
        if known(time) < known(self.span.first) {
            self.span.first = time;
        }
        self.span.last = self.span.last.max(time);
        self.last_time = if time == 0 { self.last_time } else { time };
        if self.watch.is_some_and(|watch| !watch(key)) {
            return;
        }
        let place = self.place(reply, time);
        let model = self.worker.tables.names.number_of_json(reply.model);
        let class = self.worker.tables.class(Class {
            model,
            fast: reply.fast,
            us_only: reply.us_only,
        });
        let mut sighting = Sighting {
            key,
            request,
            place,
            time,
            class,
            tokens: reply.tokens,
            marks: Marks {
                forked: reply.forked,
                at_home,
                unfinished: reply.unfinished,
                recovered,
            },
            blocks: Vec::new(),
        };
        if self.depth.blocks
            && let Some(content) = reply.content
        {
            let names = &mut self.worker.tables.names;
            facts::read_blocks(content, |block| {
                sighting.add_blocks(&[BlockShare {
                    identity: (hash(BLOCK, block.identity)
                        ^ hash(TOOL, block.tool.unwrap_or_default()))
                        as u32,
                    tool: block.tool.map(|tool| names.number_of_json(tool)),
                    bytes: u32::try_from(block.bytes).unwrap_or(u32::MAX),
                }]);
            });
        }
        if self.watch.is_some() {
            self.worker.watched.push(Watched {
                file: self.index,
                offset: line.offset,
                ordinal: line.ordinal,
                message_id: reply
                    .message_id
                    .map(|id| String::from_utf8_lossy(id).into_owned()),
                sighting,
            });
            return;
        }
        self.note(sighting);
    }

    /// Puts lines of one message together as long as they stand near each other.
    fn note(&mut self, sighting: Sighting) {
        let same = self
            .under_way
            .iter_mut()
            .rev()
            .find(|known| known.key == sighting.key && known.request == sighting.request);
        if let Some(known) = same {
            known.merge(sighting, &self.worker.tables);
            return;
        }
        if self.under_way.len() == UNDER_WAY {
            let oldest = self.under_way.remove(0);
            self.worker.drawers.put(&oldest, &self.worker.tables);
        }
        self.under_way.push(sighting);
    }

    /// Seconds since 1970; zero when the text is no time. Most times are of the same minute as the
    /// one before.
    fn time(&mut self, text: &[u8]) -> i64 {
        if let Some((minute, rest)) = text.split_first_chunk::<16>()
            && *minute == self.minute.0
            && let [b':', tens @ b'0'..=b'5', ones @ b'0'..=b'9', .., b'Z'] = rest
        {
            return self.minute.1 + i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
        }
        let ms = std::str::from_utf8(text).ok().and_then(time::parse_ms);
        let seconds = ms.map_or(0, |ms| ms.div_euclid(1000));
        if let Some((minute, [b':', _, _, .., b'Z'])) = text.split_first_chunk::<16>()
            && ms.is_some()
        {
            self.minute = (*minute, seconds - seconds.rem_euclid(60));
        }
        seconds
    }

    fn place(&mut self, reply: &Reply<'_>, time: i64) -> u32 {
        if let Some((text, place)) = &self.last_place
            && text.is(reply)
        {
            return *place;
        }
        let names = &mut self.worker.tables.names;
        let session = match (reply.session, &self.file.session_id) {
            (Some(session), _) => names.number_of_json(session),
            (None, Some(session)) => names.number(session),
            (None, None) => names.number(&self.file.path.to_string_lossy()),
        };
        let agent = match (reply.agent, &self.file.role) {
            (Some(agent), _) => Some(names.number_of_json(agent)),
            (None, FileRole::Agent { agent_id }) => Some(names.number(agent_id)),
            (None, _) => None,
        };
        let agent_type = reply.agent_type.map(|name| names.number_of_json(name));
        let place = Place {
            file: self.index,
            session,
            cwd: reply.cwd.map(|cwd| names.number_of_json(cwd)),
            git_branch: reply.git_branch.map(|branch| names.number_of_json(branch)),
            agent,
            agent_type: agent_type.or(self.agent_type),
            sidechain: reply.sidechain || agent.is_some(),
            near: time,
        };
        let places = &mut self.worker.tables.places;
        let number = *self
            .places
            .entry(Place { near: 0, ..place })
            .or_insert_with(|| {
                places.push(place);
                u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
            });
        let text = PlaceText {
            parts: parts(reply).map(|part| part.map(<[u8]>::to_vec)),
            sidechain: reply.sidechain,
        };
        self.last_place = Some((text, number));
        number
    }

    fn finish(self) {
        let worker = self.worker;
        for sighting in &self.under_way {
            worker.drawers.put(sighting, &worker.tables);
        }
        worker.spans.push((self.index, self.span));
        if let Some(branches) = self.branches {
            let fates = branches.not_live();
            let fates = fates.map(|(key, fate)| ((self.index, key), fate));
            worker.not_live.extend(fates);
        }
        let mut ledger = self.ledger;
        let open = self.requests.values().filter(|answered| !**answered);
        ledger.unanswered = open.count() as u64;
        if !ledger.is_empty() {
            worker.ledgers.push(ledger);
        }
    }
}

const API_ERROR: &[u8] = b"\"subtype\":\"api_error\"";

/// The model of lines that the CLI writes itself.
pub(super) const SYNTHETIC: &str = "<synthetic>";

const MESSAGE: u8 = 0;
const REQUEST: u8 = 1;
const LINE: u8 = 2;
const POSITION: u8 = 3;
const BLOCK: u8 = 4;
const TOOL: u8 = 5;

/// The hash of a message's id.
pub(super) fn message_key(id: &[u8]) -> u64 {
    pack::kept_key(hash(MESSAGE, id))
}

/// What a message is known by: its id, or else its request's, or else its line's.
fn key(reply: &Reply<'_>, file: u32, offset: u64) -> u64 {
    match (reply.message_id, reply.request_id, reply.uuid) {
        (Some(id), ..) => hash(MESSAGE, id),
        (None, Some(request), _) => hash(REQUEST, request),
        (None, None, Some(uuid)) => hash(LINE, uuid),
        (None, None, None) => {
            let mut position = [0; 12];
            position[..4].copy_from_slice(&file.to_le_bytes());
            position[4..].copy_from_slice(&offset.to_le_bytes());
            hash(POSITION, &position)
        }
    }
}

/// Whether a line begins as those of the conversation do.
fn is_chained(line: &[u8]) -> bool {
    line.starts_with(b"{\"parentUuid\":")
}

/// When a file was made, in seconds since 1970; zero where the file system does not say.
fn born(file: &File) -> i64 {
    let created = file.metadata().and_then(|about| about.created());
    let since = created
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0))
}

/// What the file beside an agent's says about it.
fn agent_type(file: &SessionFile) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Sidecar {
        #[serde(rename = "agentType")]
        agent_type: String,
    }
    let text = std::fs::read(file.sidecar()?).ok()?;
    let sidecar: Sidecar = serde_json::from_slice(&text).ok()?;
    Some(sidecar.agent_type)
}
