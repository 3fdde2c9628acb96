//! Reads the lines of one file.

use std::collections::HashMap;

use memchr::memmem::Finder;

use super::contexts::Contexts;
use crate::entry::{Kind, salvage};
use crate::facts::{Facts, Member};
use crate::files::SessionFile;
use crate::lines::{Line, readable, trim};
use crate::requests::{Mark, RequestMark};
use crate::time;
use crate::usage::branches::Branches;
use crate::usage::buckets;
use crate::usage::cli_totals::CliTotals;
use crate::usage::dedup::Span;
use crate::usage::reply::{self, CostState, Reply, request_id};
use crate::usage::sighting::{BlockShare, Marks, Sighting, known};
use crate::usage::tables::{Class, hash};
use crate::usage::worker::{Depth, Watch, Watched, Worker};

/// Maximum number of messages of a file that are merged at a time. Lines of one message are usually
/// close to each other; if not, they are merged at the end.
const RECENT: usize = 16;

/// The state while one file is read.
pub(super) struct FileScan<'w, 'f> {
    worker: &'w mut Worker,
    index: u32,
    depth: Depth,
    usage: Finder<'static>,
    api_error: Finder<'static>,
    cost_state: Finder<'static>,
    api_request: Finder<'static>,
    recent: Vec<Sighting>,
    contexts: Contexts<'f>,
    /// By the hash of a request's id: whether a line answers it.
    requests: HashMap<u64, bool>,
    open_request: Option<u64>,
    cli_totals: CliTotals,
    span: Span,
    last_time: i64,
    branches: Option<Branches>,
}

impl<'w, 'f> FileScan<'w, 'f> {
    pub(super) fn new(
        worker: &'w mut Worker,
        index: u32,
        file: &'f SessionFile,
        depth: Depth,
        born: i64,
    ) -> Self {
        let contexts = Contexts::new(index, file, depth.agent_types, &mut worker.tables);
        Self {
            worker,
            index,
            depth,
            usage: Finder::new(b"\"usage\""),
            api_error: Finder::new(API_ERROR),
            cost_state: Finder::new(b"\"cost-state\""),
            api_request: Finder::new(b"\"api-request\""),
            recent: Vec::new(),
            contexts,
            requests: HashMap::new(),
            open_request: None,
            cli_totals: CliTotals::default(),
            span: Span {
                born,
                ..Span::default()
            },
            last_time: 0,
            branches: depth.branches.then(Branches::new),
        }
    }

    pub(super) fn line(&mut self, line: &Line<'_>) {
        self.worker.summary.lines += 1;
        if let Some(branches) = &mut self.branches {
            branches.tree.line(line);
        }
        let trimmed = trim(line.raw);
        if self.account(trimmed) {
            return;
        }
        if self.open_request.is_some() && self.api_error.find(line.raw).is_some() {
            self.drop_request();
        }
        // A fast filter; it also matches other objects and texts.
        if self.usage.find(line.raw).is_none() {
            return;
        }
        let text = readable(trimmed);
        if let Some(facts) = Facts::read_lenient(&text) {
            if let Some(reply) = Reply::read(&facts) {
                self.reply(&reply, line, line.offset, false);
            }
            return;
        }
        self.worker.summary.broken_lines += 1;
        for piece in salvage(line.raw) {
            let at = line.offset + piece.start as u64;
            let piece = &line.raw[piece];
            if is_chained(trimmed) {
                self.account(piece);
            }
            let text = readable(piece);
            let facts = Facts::read_lenient(&text);
            if let Some(reply) = facts.as_ref().and_then(Reply::read) {
                self.worker.summary.recovered_lines += 1;
                self.reply(&reply, line, at, true);
            }
        }
    }

    /// Handles a line of the CLI's own accounts. Returns whether it is one and nothing else.
    ///
    /// Requests, and lines of the conversation, which are most of a file, are recognized by how
    /// they begin. Only other lines are searched.
    fn account(&mut self, line: &[u8]) -> bool {
        if is_chained(line) {
            return false;
        }
        if line.starts_with(b"{\"type\":\"api-request\"") {
            // Its end is not parsed, and a reply may be concatenated to it.
            self.request(request_id(line).as_deref());
            return false;
        }
        if self.cost_state.find(line).is_none() && self.api_request.find(line).is_none() {
            return false;
        }
        let text = readable(line);
        let Some(facts) = Facts::read_lenient(&text) else {
            // Concatenated with another line.
            let pieces = salvage(line).into_iter();
            for piece in pieces.filter(|piece| piece.len() < line.len()) {
                self.account(&line[piece]);
            }
            return false;
        };
        match facts.kind {
            Kind::CostState => {
                self.cli_totals
                    .note(CostState::read(&facts), self.last_time);
                true
            }
            Kind::ApiRequest => self.request(reply::text(facts.get(Member::Id))),
            _ => false,
        }
    }

    fn request(&mut self, id: Option<&str>) -> bool {
        let Some(id) = id else {
            return false;
        };
        let id = hash(REQUEST, id.as_bytes());
        self.requests.entry(id).or_insert(false);
        self.open_request = Some(id);
        true
    }

    /// Removes the last request. It was refused and costs nothing.
    fn drop_request(&mut self) {
        if let Some(id) = self.open_request.take() {
            self.requests.remove(&id);
        }
    }

    /// Adds a reply that starts at an offset of the file.
    fn reply(&mut self, reply: &Reply<'_>, line: &Line<'_>, at: u64, recovered: bool) {
        self.worker.summary.reply_lines += 1;
        self.worker.summary.odd_counts += reply.usage.odd_counts;
        if reply.model() == SYNTHETIC {
            // The CLI writes these in place of a reply.
            self.drop_request();
        }
        let mut at_home = false;
        let mut request = RequestMark::None;
        if let Some(id) = reply.get(Member::RequestId) {
            request = RequestMark::Service(Mark::of(hash(REQUEST, id.as_bytes())));
        }
        if let Some(id) = reply.get(Member::RequestRef) {
            let id = hash(REQUEST, id.as_bytes());
            request = RequestMark::Own(Mark::of(id));
            if let Some(answered) = self.requests.get_mut(&id) {
                (at_home, *answered) = (true, true);
            }
            self.open_request = self.open_request.filter(|open| *open != id);
        }
        let key = buckets::kept_key(key(reply, self.index, at));
        if let Some(branches) = &mut self.branches {
            branches.replies.push((at, key));
        }
        let ms = reply.get(Member::Timestamp).and_then(time::parse_ms);
        let time = ms.map_or(0, |ms| ms.div_euclid(1000));
        if known(time) < known(self.span.first) {
            self.span.first = time;
        }
        self.span.last = self.span.last.max(time);
        self.last_time = if time == 0 { self.last_time } else { time };
        if matches!(self.depth.watch, Some(Watch::One(only)) if only != key) {
            return;
        }
        let tables = &mut self.worker.tables;
        let context = self.contexts.number(reply, time, tables);
        let model = tables.names.number_of_json(reply.model());
        let manner = reply.usage.manner;
        let class = tables.class(Class { model, manner });
        let mut sighting = Sighting {
            key,
            request,
            context,
            time,
            class,
            tokens: reply.usage.tokens,
            marks: Marks {
                forked: reply.is_forked(),
                at_home,
                unfinished: reply.is_unfinished(),
                recovered,
                guessed: false,
            },
            blocks: Vec::new(),
        };
        if self.depth.blocks {
            for block in reply.blocks() {
                let tool = block.tool.unwrap_or_default();
                let identity = hash(BLOCK, block.identity.as_bytes()) ^ hash(TOOL, tool.as_bytes());
                sighting.add_blocks(&[BlockShare {
                    identity: identity as u32,
                    tool: block.tool.map(|tool| tables.names.number_of_json(tool)),
                    bytes: u32::try_from(block.bytes).unwrap_or(u32::MAX),
                }]);
            }
        }
        if self.depth.watch.is_some() {
            self.worker.watched.push(Watched {
                file: self.index,
                offset: line.offset,
                ordinal: line.ordinal,
                message_id: reply.message_id().map(str::to_owned),
                sighting,
            });
            return;
        }
        self.note(sighting);
    }

    /// Merges lines of one message that are close to each other.
    fn note(&mut self, sighting: Sighting) {
        let same = self
            .recent
            .iter_mut()
            .rev()
            .find(|known| known.key == sighting.key && known.request == sighting.request);
        if let Some(known) = same {
            known.merge(sighting, &self.worker.tables);
            return;
        }
        if self.recent.len() == RECENT {
            let oldest = self.recent.remove(0);
            self.worker.buckets.put(&oldest, &self.worker.tables);
        }
        self.recent.push(sighting);
    }

    pub(super) fn finish(self) {
        let worker = self.worker;
        for sighting in &self.recent {
            worker.buckets.put(sighting, &worker.tables);
        }
        worker.spans.push((self.index, self.span));
        if let Some(branches) = self.branches {
            let messages = branches.not_live();
            let messages = messages.map(|(key, liveness)| ((self.index, key), liveness));
            worker.not_live.extend(messages);
        }
        let mut totals = self.cli_totals;
        totals.file = self.index;
        let open = self.requests.values().filter(|answered| !**answered);
        totals.unanswered = open.count() as u64;
        if !totals.is_empty() {
            worker.cli_totals.push(totals);
        }
    }
}

const API_ERROR: &[u8] = b"\"subtype\":\"api_error\"";

/// Returns whether a line starts like those of the conversation.
fn is_chained(line: &[u8]) -> bool {
    line.starts_with(b"{\"parentUuid\":")
}

/// The model of lines that the CLI writes itself.
pub(crate) const SYNTHETIC: &str = "<synthetic>";

const MESSAGE: u8 = 0;
const REQUEST: u8 = 1;
const LINE: u8 = 2;
const POSITION: u8 = 3;
const BLOCK: u8 = 4;
const TOOL: u8 = 5;

/// The hash of a message's id.
pub(crate) fn message_key(id: &[u8]) -> u64 {
    buckets::kept_key(hash(MESSAGE, id))
}

/// The key of a message: the hash of its id, else of its request's, else of its line's.
fn key(reply: &Reply<'_>, file: u32, offset: u64) -> u64 {
    let (request, uuid) = (reply.get(Member::RequestId), reply.get(Member::Uuid));
    match (reply.message_id(), request, uuid) {
        (Some(id), ..) => hash(MESSAGE, id.as_bytes()),
        (None, Some(request), _) => hash(REQUEST, request.as_bytes()),
        (None, None, Some(uuid)) => hash(LINE, uuid.as_bytes()),
        (None, None, None) => {
            let mut position = [0; 12];
            position[..4].copy_from_slice(&file.to_le_bytes());
            position[4..].copy_from_slice(&offset.to_le_bytes());
            hash(POSITION, &position)
        }
    }
}
