//! Searches with several threads and returns the hits in order.

use std::collections::VecDeque;
use std::fs::File;
use std::num::NonZero;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::results;
use super::scan::{self, Question, SearchHit};
use super::tasks::{self, Task};
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::library::is_absent;
use crate::lines::Buffer;

/// An iterator over the hits, and the errors of files that could not be read.
///
/// Threads read ahead by a bounded number of hits. Dropping the iterator stops them. See
/// [`SearchQuery::run`](super::SearchQuery::run) for the order.
#[derive(Debug)]
pub struct Hits {
    tasks: std::vec::IntoIter<Task>,
    work: Arc<Work>,
    /// Closing it ends the threads when no job is left.
    jobs: Option<Sender<Job>>,
    /// The tasks of the threads, in order: the file and the output.
    running: VecDeque<(Arc<SessionFile>, Receiver<Output>)>,
    threads: Vec<JoinHandle<()>>,
    /// Number of lines of the current file before the first task.
    lines_before: u64,
    left: usize,
}

/// Number of tasks that are started before the first one is done.
const TASKS_AHEAD: usize = 64;

/// Number of unread hits of a task; then its thread waits.
const HITS_AHEAD: usize = 64;

/// A task, and where its output goes.
type Job = (Task, SyncSender<Output>);

#[derive(Debug)]
enum Output {
    Found(Box<SearchHit>),
    Failed(TranscriptError),
    /// The number of lines of the task, which is done.
    Lines(u64),
}

impl Hits {
    pub(super) fn start(
        files: &[Arc<SessionFile>],
        question: Question,
        limit: Option<usize>,
        threads: Option<NonZero<usize>>,
    ) -> Self {
        let tasks = tasks::of(files);
        let threads = threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.map_or(1, NonZero::get).min(tasks.len());
        let (jobs, taken) = channel();
        let work = Arc::new(Work {
            question,
            jobs: Mutex::new(taken),
        });
        let spawn = |_| {
            let work = Arc::clone(&work);
            std::thread::spawn(move || work.run())
        };
        let mut hits = Self {
            threads: (0..threads).map(spawn).collect(),
            tasks: tasks.into_iter(),
            work,
            jobs: Some(jobs),
            running: VecDeque::new(),
            lines_before: 0,
            left: limit.unwrap_or(usize::MAX),
        };
        for _ in 0..TASKS_AHEAD {
            hits.start_next();
        }
        hits
    }

    fn start_next(&mut self) {
        if let (Some(jobs), Some(task)) = (&self.jobs, self.tasks.next()) {
            let (out, output) = sync_channel(HITS_AHEAD);
            self.running.push_back((Arc::clone(&task.file), output));
            // It fails only if all threads panicked, which `halt` reports.
            let _ = jobs.send((task, out));
        }
    }

    /// Removes the first task and starts another one. Returns whether the next one is of the same
    /// file.
    fn end_task(&mut self) -> bool {
        let ended = self.running.pop_front();
        self.start_next();
        let next = self.running.front();
        let both = ended.zip(next);
        both.is_some_and(|((ended, _), (next, _))| Arc::ptr_eq(&ended, next))
    }

    /// Stops the threads, and panics if one of them did.
    fn halt(&mut self) {
        self.work.question.stop.store(true, Ordering::Relaxed);
        self.jobs = None;
        self.running.clear();
        for thread in self.threads.drain(..) {
            let ended = thread.join();
            if let Err(panic) = ended
                && !std::thread::panicking()
            {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

impl Iterator for Hits {
    type Item = Result<SearchHit, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.left > 0
            && let Some((_, output)) = self.running.front()
        {
            match output.recv() {
                Ok(Output::Found(mut hit)) => {
                    self.left -= 1;
                    hit.line += self.lines_before;
                    return Some(Ok(*hit));
                }
                Ok(Output::Failed(error)) => {
                    // The line numbers of the rest of the file are unknown, so it is skipped.
                    while self.end_task() {}
                    self.lines_before = 0;
                    return Some(Err(error));
                }
                Ok(Output::Lines(lines)) => {
                    let same = self.end_task();
                    self.lines_before = if same { self.lines_before + lines } else { 0 };
                }
                // The thread panicked.
                Err(_) => break,
            }
        }
        self.halt();
        None
    }
}

impl Drop for Hits {
    fn drop(&mut self) {
        self.halt();
    }
}

/// The state that the threads share.
#[derive(Debug)]
struct Work {
    question: Question,
    jobs: Mutex<Receiver<Job>>,
}

impl Work {
    fn run(&self) {
        let mut buffer = Buffer::default();
        while !self.question.is_stopped() {
            let job = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
            let Ok((task, out)) = job.recv() else {
                return;
            };
            drop(job);
            let output = match self.search(&task, &mut buffer, &out) {
                Ok(lines) => Output::Lines(lines),
                // A file that was removed has no hits.
                Err(error) if is_absent(&error) => Output::Lines(0),
                Err(error) => Output::Failed(TranscriptError::io("read", &task.file.path)(error)),
            };
            // It fails if the iterator was dropped.
            let _ = out.send(output);
        }
    }

    /// Returns the number of lines.
    fn search(
        &self,
        Task { file, bytes }: &Task,
        buffer: &mut Buffer,
        out: &SyncSender<Output>,
    ) -> std::io::Result<u64> {
        let mut opened = File::open(&file.path)?;
        let each = |hit: SearchHit| out.send(Output::Found(Box::new(hit))).is_ok();
        if file.role == FileRole::ToolResult && !self.question.raw {
            results::scan(&mut opened, file, &self.question, each)?;
            return Ok(0);
        }
        scan::scan(buffer, &mut opened, file, bytes, &self.question, each)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::super::pattern::{Pattern, Wanted};
    use super::*;

    fn question() -> Question {
        Question {
            pattern: Pattern::new(&Wanted::Regex("x".into()), false, true).unwrap(),
            roles: Vec::new(),
            raw: true,
            context: 5,
            since_ms: None,
            until_ms: None,
            stop: AtomicBool::new(false),
        }
    }

    fn file(content: &str) -> (tempfile::NamedTempFile, Arc<SessionFile>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        let session = SessionFile::at(file.path()).unwrap();
        (file, Arc::new(session))
    }

    #[test]
    fn a_dropped_search_reads_no_further_files() {
        // The only thread waits in the first file, because no hit is received.
        let (_first, first) = file(&"x\n".repeat(2 * HITS_AHEAD));
        let (_other, other) = file("x\n");
        let files = [first, Arc::clone(&other), other];
        let mut hits = Hits::start(&files, question(), None, NonZero::new(1));
        assert!(hits.next().is_some_and(|hit| hit.is_ok()));
        let work = Arc::clone(&hits.work);
        drop(hits);
        assert_eq!(work.jobs.lock().unwrap().try_iter().count(), 2);
        // Nor does a thread go on in its file.
        let all = 0..u64::MAX;
        let mut opened = File::open(&files[0].path).unwrap();
        let each = |_| panic!("a hit");
        let mut buffer = Buffer::default();
        let lines = scan::scan(
            &mut buffer,
            &mut opened,
            &files[0],
            &all,
            &work.question,
            each,
        );
        assert_eq!(lines.unwrap(), 0);
    }

    #[test]
    fn the_rest_of_a_file_that_cannot_be_read_is_skipped() {
        let mut hits = Hits::start(&[], question(), None, None);
        let (_broken, broken) = file("");
        let (_other, other) = file("x\n");
        let error = || std::io::Error::other("a broken disk");
        let outputs = [
            (&broken, Output::Lines(7)),
            (
                &broken,
                Output::Failed(TranscriptError::io("read", &broken.path)(error())),
            ),
            (&broken, Output::Lines(5)),
        ];
        for (file, output) in outputs {
            let (out, running) = sync_channel(1);
            out.send(output).unwrap();
            hits.running.push_back((Arc::clone(file), running));
        }
        let (out, running) = sync_channel(2);
        hits.running.push_back((Arc::clone(&other), running));
        Hits::start(&[other], question(), None, None).for_each(|hit| {
            out.send(Output::Found(Box::new(hit.unwrap()))).unwrap();
        });
        out.send(Output::Lines(1)).unwrap();
        assert!(hits.next().is_some_and(|hit| hit.is_err()));
        let hit = hits.next().and_then(Result::ok).unwrap();
        assert_eq!(hit.line, 0);
        assert!(hits.next().is_none());
    }
}
