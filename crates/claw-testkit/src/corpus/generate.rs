//! Makes a whole corpus.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::damage::Damage;
use super::line::Line;
use super::session::{ForkKind, Session, Source, Style};
use super::shapes::Shapes;
use super::text::word;
use super::truth::{Ledger, Truth};
use crate::calendar::{DAY_MS, system_time};
use crate::dice::Dice;

/// 2026-08-01T08:00:00Z.
const FIRST_START_MS: i64 = 1_785_571_200_000;
/// The days over which sessions start.
const DAYS: usize = 100;
/// The maximum number of lines of a session.
const ENOUGH_LINES: usize = 6000;
/// The maximum share of the corpus, so that a small corpus also has several sessions.
const ENOUGH_PART: u64 = 24;
/// One of so many sessions is a fork.
const FORK_EVERY: u64 = 14;
/// How many sessions are kept for forks, and how large they may be.
const KEPT: usize = 20;
const KEPT_BYTES: u64 = 3_000_000;

/// A corpus of sessions like those that the CLI writes, with known totals.
///
/// Seven of ten sessions have the shape of version 2.1.325, the others that of 1.x and 2.0. There
/// are subagents, forks in the three ways there are, compactions, edits, interrupts, parallel
/// calls, images, lines without a request id, and some files are damaged. The same seed gives the
/// same bytes on every machine.
///
/// ```
/// use claw_testkit::corpus::SessionCorpus;
///
/// let folder = tempfile::tempdir()?;
/// let truth = SessionCorpus::of_megabytes(1.0).seed(7).write(folder.path())?;
/// assert!(truth.bytes >= 1_000_000);
/// assert!(folder.path().join(".claude/projects").is_dir());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct SessionCorpus {
    size: Size,
    seed: u64,
    damage_every: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Size {
    Bytes(u64),
    Sessions(u64),
}

impl SessionCorpus {
    /// A corpus of so many million bytes, a little more with the last session.
    pub fn of_megabytes(megabytes: f64) -> Self {
        Self::of(Size::Bytes((megabytes * 1e6) as u64))
    }

    /// A corpus of so many sessions, all small: for measuring what depends on their number.
    pub fn of_sessions(sessions: u64) -> Self {
        Self::of(Size::Sessions(sessions))
    }

    fn of(size: Size) -> Self {
        Self {
            size,
            seed: 1,
            damage_every: Some(50),
        }
    }

    /// Sets the seed; 1 by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Damages one file of each kind of damage among so many sessions, at least 8. Without it, 50.
    pub fn damage_every(mut self, sessions: usize) -> Self {
        self.damage_every = Some(sessions.max(8));
        self
    }

    /// Leaves all lines whole and all tool calls answered, for readers that must not complain.
    pub fn clean(mut self) -> Self {
        self.damage_every = None;
        self
    }

    /// Writes `.claude/projects` into a folder.
    ///
    /// # Errors
    /// A file or folder cannot be written.
    pub fn write(self, out: &Path) -> io::Result<Truth> {
        let small = matches!(self.size, Size::Sessions(_));
        let shapes = if small {
            Shapes::small()
        } else {
            Shapes::recorded()
        };
        let shapes = shapes.ok_or_else(|| io::Error::other("a shape is missing"))?;
        let mut dice = Dice::new(self.seed);
        let projects = match self.size {
            Size::Bytes(bytes) => bytes / 25_000_000,
            Size::Sessions(sessions) => sessions / 50,
        };
        let projects: Vec<_> = (0..projects.max(4))
            .map(|_| format!("{}-{}", word(&mut dice), word(&mut dice)))
            .collect();
        let mut writer = Writer {
            folder: out.join(".claude").join("projects"),
            ledger: Ledger::default(),
        };
        let mut sources: Vec<Source> = Vec::new();
        let mut number = 0;
        loop {
            let done = match self.size {
                Size::Bytes(bytes) => writer.ledger.truth.bytes >= bytes,
                Size::Sessions(sessions) => number >= sessions,
            };
            if done {
                break;
            }
            let style = Style {
                modern: dice.per_mille(700),
                clean: self.damage_every.is_none(),
                small,
            };
            let own_dice = Dice::new(dice.number());
            let is_fork = number % FORK_EVERY == FORK_EVERY / 2 && !sources.is_empty();
            let mut session = if is_fork {
                let source = dice.pick(&sources);
                let kind = ForkKind::ALL[(number / FORK_EVERY % 3) as usize];
                writer.ledger.truth.forks += 1;
                Session::fork(source, kind, own_dice, &shapes, style)
            } else {
                let start = dice.between(0, DAYS * DAY_MS as usize / 60_000) as i64 * 60_000;
                let project = dice.pick(&projects);
                Session::new(own_dice, &shapes, project, FIRST_START_MS + start, style)
            };
            let enough_bytes = match self.size {
                Size::Bytes(bytes) => bytes / ENOUGH_PART,
                Size::Sessions(_) => u64::MAX,
            };
            converse(&mut session, &mut dice, enough_bytes);
            let damage = Damage::of(number as usize, self.damage_every);
            writer.write(&session, damage, &mut dice)?;
            number += 1;
            if !is_fork && session.size() < KEPT_BYTES {
                sources.push(session.into_source());
                if sources.len() > KEPT {
                    sources.remove(0);
                }
            }
        }
        Ok(writer.ledger.close())
    }
}

/// Fills a session with turns.
fn converse(session: &mut Session<'_>, dice: &mut Dice, enough_bytes: u64) {
    let turns = if session.style.small {
        dice.between(1, 3)
    } else {
        dice.size(7, 1.0, 1, 80)
    };
    for _ in 0..turns {
        let before = session.leaf;
        session.take_turn();
        if before.is_some() && dice.per_mille(30) {
            // The user replaces the last prompt: the next one has the same parent.
            session.leaf = before;
        }
        if session.is_full() {
            session.compact();
        }
        if session.lines.len() > ENOUGH_LINES || session.size() > enough_bytes {
            break;
        }
    }
    if !session.style.modern {
        session.add_summary();
    } else if dice.per_mille(400) {
        session.add_title();
    }
}

/// Puts sessions into files, and counts them.
struct Writer {
    folder: PathBuf,
    ledger: Ledger,
}

impl Writer {
    fn write(&mut self, session: &Session<'_>, damage: Damage, dice: &mut Dice) -> io::Result<()> {
        let project = self.folder.join(format!("-home-u-src-{}", session.project));
        let main = project.join(format!("{}.jsonl", session.id));
        self.lines(&main, &session.lines, damage, session.now_ms, dice)?;
        self.ledger.truth.main_files += 1;
        self.ledger.hidden_price += session.hidden_price;
        self.ledger.truth.interrupted += session.interrupted;
        for agent in &session.subagents {
            let folder = if session.style.modern {
                project.join(&session.id).join("subagents")
            } else {
                project.clone()
            };
            let path = folder.join(format!("agent-{}.jsonl", agent.id));
            let own = &agent.session;
            self.lines(&path, &own.lines, Damage::None, own.now_ms, dice)?;
            self.ledger.truth.agent_files += 1;
            if session.style.modern {
                let sidecar = format!(
                    r#"{{"agentType":"general-purpose","isBuiltIn":true,"description":"a task","toolUseId":"{}","spawnDepth":1,"requestShape":"foreground","finished":true}}"#,
                    agent.call
                );
                fs::write(path.with_extension("meta.json"), sidecar)?;
            }
        }
        Ok(())
    }

    fn lines(
        &mut self,
        path: &Path,
        lines: &[Line],
        damage: Damage,
        now_ms: i64,
        dice: &mut Dice,
    ) -> io::Result<()> {
        let file = damage.apply(lines, dice, &mut self.ledger.truth);
        let truth = &mut self.ledger.truth;
        truth.files += 1;
        truth.bytes += file.bytes.len() as u64;
        truth.lines += file.lines;
        for (at, line) in lines.iter().enumerate() {
            if file.lost != Some(at) {
                self.ledger.count(line);
            }
        }
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let mut out = File::create(path)?;
        out.write_all(&file.bytes)?;
        // Lists are sorted by it.
        out.set_modified(system_time(now_ms))
    }
}
