//! Models of programs.
//!
//! For a rule that allows, they decide which further arguments of a covered program are harmless.
//! An open rule covers arguments that only select what a program reads. It does not cover running
//! other programs, writing files, choosing other code or destroying work, and many programs do so
//! by an option or an operand. Therefore further arguments are allowed only for programs in one of
//! these tables:
//!
//! - **known** programs have a list of harmless options and a role for their operands;
//! - **carriers** run another program (`sudo`, `timeout`, `python3 -m`): the rule must name that
//!   program, and further arguments are checked as its arguments;
//! - **subcommands** are harmless parts of larger programs (`docker ps`), if the rule names them.
//!
//! For every other program only the rule's own words are allowed.

mod call;
mod carriers;
mod git;
mod git_table;
mod judge;
mod known;
mod known_table;
mod options;
mod scripts;
mod subcommands;

pub(super) use carriers::{changes_files, handed_by_xargs, takes_code};
pub(super) use judge::judge;
