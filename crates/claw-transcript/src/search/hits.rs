//! Threads search, and their hits come out in order.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::SearchRole;
use super::index::Stamp;
use super::results;
use super::scan::{Found, Question, Region, Scanner};
use super::snippet::Snippet;
use super::tasks::Task;
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::library::is_absent;
use crate::time;

/// A message, tool call, result or title that matches.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchHit {
    /// The file that it is in.
    pub file: Arc<SessionFile>,
    /// The session, by the file's name or by what the line says.
    pub session_id: Option<String>,
    /// The number of its line, counted from zero. In a file of one long result, that of the first
    /// match.
    pub line: u64,
    /// Where in the file that line begins.
    pub offset: u64,
    /// The line's id.
    pub uuid: Option<String>,
    /// When it was written, in milliseconds since 1970.
    pub time_ms: Option<i64>,
    /// Whose text it is.
    pub role: SearchRole,
    /// The surroundings of the first match.
    pub snippet: Snippet,
    /// How many matches there are in it.
    pub count: usize,
}

/// Hits as they are found, and files that could not be read.
///
/// Threads read ahead a little and wait; dropping this stops them. See
/// [`SearchQuery::run`](super::SearchQuery::run) for the order.
#[derive(Debug)]
pub struct Hits {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// Taken from the front task.
    ready: VecDeque<Item>,
    /// How many lines of the present file are before the front task.
    lines_before: u64,
    left: usize,
}

type Item = Result<Found, TranscriptError>;

/// How many hits may wait until the next task takes a rest.
const WAITING: usize = 4096;

/// How many hits a thread hands over at once, behind the first ones.
const HANDFUL: usize = 64;

#[derive(Debug)]
struct Shared {
    files: Vec<Arc<SessionFile>>,
    tasks: Vec<Task>,
    question: Question,
    next: AtomicUsize,
    stop: AtomicBool,
    bytes: AtomicU64,
    state: Mutex<State>,
    /// Something was found, or a task is done.
    arrived: Condvar,
    /// There is room again.
    room: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The task whose hits come out now.
    front: usize,
    slots: HashMap<usize, Slot>,
    waiting: usize,
}

#[derive(Debug, Default)]
struct Slot {
    items: VecDeque<Item>,
    /// How many lines the task went over, once it is done.
    done: Option<u64>,
}

impl Hits {
    pub(super) fn start(
        files: Vec<Arc<SessionFile>>,
        tasks: Vec<Task>,
        question: Question,
        limit: Option<usize>,
        threads: Option<NonZero<usize>>,
    ) -> Self {
        let threads = threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.map_or(1, NonZero::get).min(tasks.len());
        let shared = Arc::new(Shared {
            files,
            tasks,
            question,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            bytes: AtomicU64::new(0),
            state: Mutex::default(),
            arrived: Condvar::new(),
            room: Condvar::new(),
        });
        let spawn = |_| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.work())
        };
        Self {
            threads: (0..threads).map(spawn).collect(),
            shared,
            ready: VecDeque::new(),
            lines_before: 0,
            left: limit.unwrap_or(usize::MAX),
        }
    }

    /// How many bytes of files were searched so far. With an index this is less than they have.
    pub fn bytes_read(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }

    /// The next of the front task, once it is there; `None` when all tasks are done.
    fn next_item(&mut self) -> Option<(usize, Item)> {
        let shared = Arc::clone(&self.shared);
        loop {
            let mut state = shared.lock();
            let front = state.front;
            if let Some(item) = self.ready.pop_front() {
                return Some((front, item));
            }
            let task = shared.tasks.get(front)?;
            let slot = state.slots.entry(front).or_default();
            if !slot.items.is_empty() {
                self.ready = std::mem::take(&mut slot.items);
                state.waiting -= self.ready.len();
                shared.room.notify_all();
            } else if let Some(lines) = slot.done {
                state.slots.remove(&front);
                state.front += 1;
                shared.room.notify_all();
                let same = shared.tasks.get(front + 1).map(|next| next.file) == Some(task.file);
                self.lines_before = if same { self.lines_before + lines } else { 0 };
            } else {
                drop(
                    shared
                        .arrived
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner),
                );
            }
        }
    }

    fn halt(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // Taken once, so that nobody goes to sleep between looking and being woken.
        drop(self.shared.lock());
        self.shared.room.notify_all();
        for thread in self.threads.drain(..) {
            let ended = thread.join();
            if let Err(panic) = ended
                && !std::thread::panicking()
            {
                // A thread that panicked had a bug, which is not to be hidden.
                std::panic::resume_unwind(panic);
            }
        }
    }
}

impl Iterator for Hits {
    type Item = Result<SearchHit, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            self.halt();
            return None;
        }
        let Some((task, item)) = self.next_item() else {
            self.halt();
            return None;
        };
        let file = &self.shared.files[self.shared.tasks[task].file];
        Some(item.map(|found| {
            self.left -= 1;
            SearchHit {
                session_id: file.session_id.clone().or(found.session_id),
                file: Arc::clone(file),
                line: self.lines_before + found.line,
                offset: found.offset,
                uuid: found.uuid,
                time_ms: found.time_ms,
                role: found.role,
                snippet: found.snippet,
                count: found.count,
            }
        }))
    }
}

impl Drop for Hits {
    fn drop(&mut self) {
        self.halt();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Searches one task after another. They are taken in order, so that the front one is always
    /// at work or done, and nobody waits for ever.
    fn work(&self) {
        let mut scanner = Scanner::default();
        while !self.stopped() {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(at) else {
                return;
            };
            let mut out = Out {
                shared: self,
                task: at,
                held: VecDeque::new(),
                handed: 0,
                lines: 0,
            };
            let file = &self.files[task.file];
            if let Err(error) = self.search(file, task, &mut scanner, &mut out)
                // A file that went away has nothing to say.
                && !is_absent(&error)
            {
                let error = TranscriptError::io("read", &file.path)(error);
                out.push(Err(error));
            }
        }
    }

    fn search(
        &self,
        file: &SessionFile,
        task: &Task,
        scanner: &mut Scanner,
        out: &mut Out<'_>,
    ) -> std::io::Result<()> {
        if task.regions.is_empty() {
            return Ok(());
        }
        let mut opened = File::open(&file.path)?;
        let written = time::to_ms(file.modified);
        let regions = match task.known {
            // Another file by now than the index was asked about.
            Some(known) if Stamp::of(&opened.metadata()?) != known => &[Region::WHOLE],
            _ => &task.regions[..],
        };
        if file.role == FileRole::ToolResult && !self.question.raw {
            results::scan(&mut opened, file, &self.question, written, |found| {
                out.push(Ok(found));
                !self.stopped()
            })?;
            self.bytes.fetch_add(file.len, Ordering::Relaxed);
            return Ok(());
        }
        for region in regions {
            // Of a region in the middle, the number of its first line is not known here.
            let first = region.first_line.unwrap_or(0);
            let each = |mut found: Found| {
                found.line += first;
                out.push(Ok(found));
                !self.stopped()
            };
            let lines = scanner.scan(&mut opened, region, &self.question, written, each)?;
            if task.known.is_none() {
                out.lines += lines;
            }
            let end = region.bytes.end.min(file.len);
            self.bytes
                .fetch_add(end.saturating_sub(region.bytes.start), Ordering::Relaxed);
            if self.stopped() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Where the hits of one task go. It is done when this is dropped, however that comes.
struct Out<'s> {
    shared: &'s Shared,
    task: usize,
    held: VecDeque<Item>,
    handed: usize,
    lines: u64,
}

impl Out<'_> {
    fn push(&mut self, item: Item) {
        self.held.push_back(item);
        // The first ones at once: somebody is waiting for them.
        if self.held.len() >= self.handed.clamp(1, HANDFUL) {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let shared = self.shared;
        let mut state = shared.lock();
        loop {
            let own = state
                .slots
                .get(&self.task)
                .map_or(0, |slot| slot.items.len());
            // The front task waits only for its own hits to be taken.
            let waiting = if state.front == self.task {
                own
            } else {
                state.waiting
            };
            if waiting < WAITING || shared.stopped() {
                break;
            }
            state = shared
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        self.handed += self.held.len();
        state.waiting += self.held.len();
        let slot = state.slots.entry(self.task).or_default();
        slot.items.append(&mut self.held);
        shared.arrived.notify_one();
    }
}

impl Drop for Out<'_> {
    fn drop(&mut self) {
        self.hand_over();
        let mut state = self.shared.lock();
        state.slots.entry(self.task).or_default().done = Some(self.lines);
        self.shared.arrived.notify_one();
    }
}
