//! The figures of the log, on SQLite and on JetStream.

mod append;
mod followers;
mod loader;
mod long_session;
mod nats;
mod open;
mod raw;
mod replay;
mod scale;
pub(crate) mod sessions;
mod visible;

use crate::tasks::block_on;
use crate::{Group, Program};

/// The groups of figures.
pub const GROUPS: &[Group] = &[
    ("open", || block_on(open::figures())),
    ("append-sqlite", append::on_sqlite),
    ("visible-sqlite", visible::on_sqlite),
    ("replay-sqlite", || block_on(replay::on_sqlite())),
    ("scale-sqlite", || block_on(scale::on_sqlite())),
    ("followers", || block_on(followers::figures())),
    ("append-jetstream", append::on_jetstream),
    ("visible-jetstream", visible::on_jetstream),
    ("scale-jetstream", || block_on(scale::on_jetstream())),
];

/// The programs that groups start.
pub const PROGRAMS: &[Program] = &[
    (visible::PROGRAM, |args| block_on(visible::follow(args))),
    (scale::PROGRAM, |args| block_on(scale::attach(args))),
];
