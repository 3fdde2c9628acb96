//! The lines of one file.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem::Finder;

use super::clock::Clock;
use super::key::{BLOCK, REQUEST, SYNTHETIC, TOOL, key};
use super::place::Places;
use super::{Depth, Watched, Worker};
use crate::entry::salvage;
use crate::files::SessionFile;
use crate::lines::{Line, trim};
use crate::requests::{Mark, RequestMark};
use crate::usage::branches::Branches;
use crate::usage::facts::{self, Reading, Reply};
use crate::usage::ledger::Ledger;
use crate::usage::pack;
use crate::usage::settle::Span;
use crate::usage::sighting::{BlockShare, Marks, Sighting, known};
use crate::usage::tables::{Class, hash};

/// How many messages of a file may be under way at once. Lines of one message stand near each
/// other; should they not, the parts are put together at the end.
const UNDER_WAY: usize = 16;

/// The state of reading one file.
pub(super) struct FileScan<'w, 'f> {
    worker: &'w mut Worker,
    index: u32,
    depth: Depth,
    watch: Option<&'f dyn Fn(u64) -> bool>,
    usage: Finder<'static>,
    api_error: Finder<'static>,
    cost_state: Finder<'static>,
    api_request: Finder<'static>,
    under_way: Vec<Sighting>,
    places: Places<'f>,
    /// Requests of this file by the hash of their id, and whether a line answers them.
    requests: HashMap<u64, bool>,
    open_request: Option<u64>,
    ledger: Ledger,
    span: Span,
    last_time: i64,
    clock: Clock,
    branches: Option<Branches>,
}

impl<'w, 'f> FileScan<'w, 'f> {
    pub(super) fn new(
        worker: &'w mut Worker,
        index: u32,
        file: &'f SessionFile,
        depth: Depth,
        watch: Option<&'f dyn Fn(u64) -> bool>,
    ) -> Self {
        let places = Places::new(index, file, depth.agent_types, &mut worker.tables);
        Self {
            worker,
            index,
            depth,
            watch,
            usage: Finder::new(b"\"usage\""),
            api_error: Finder::new(API_ERROR),
            cost_state: Finder::new(b"\"cost-state\""),
            api_request: Finder::new(b"\"api-request\""),
            under_way: Vec::new(),
            places,
            requests: HashMap::new(),
            open_request: None,
            ledger: Ledger::of_file(index),
            span: Span::default(),
            last_time: 0,
            clock: Clock::default(),
            branches: depth.branches.then(Branches::new),
        }
    }

    /// Notes when the file was made.
    pub(super) fn born(&mut self, born: i64) {
        self.span.born = born;
    }

    pub(super) fn line(&mut self, line: &Line<'_>) {
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
        self.worker.counts.odd_counts += reply.odd_counts;
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
        let time = reply.timestamp.map_or(0, |text| self.clock.seconds(text));
        if known(time) < known(self.span.first) {
            self.span.first = time;
        }
        self.span.last = self.span.last.max(time);
        self.last_time = if time == 0 { self.last_time } else { time };
        if self.watch.is_some_and(|watch| !watch(key)) {
            return;
        }
        let place = self.places.number(reply, time, &mut self.worker.tables);
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

    pub(super) fn finish(self) {
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

/// Whether a line begins as those of the conversation do.
fn is_chained(line: &[u8]) -> bool {
    line.starts_with(b"{\"parentUuid\":")
}
