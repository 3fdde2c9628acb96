//! Bash splits what a rule allows into the same commands with the same words.
//!
//! Only lines that a rule for `cat` covers are given to bash: a process takes milliseconds. What
//! bash may do with them is in the module `referee`.
#![no_main]

/// The files themselves: they need nothing of their crate, whose other dependencies take minutes
/// to build with a sanitizer.
#[path = "../../crates/rusty_claw/src/permission"]
#[allow(dead_code)]
mod permission {
    mod glob;
    mod path;
    mod protected;
    mod rule {
        /// As in the file of this name, most of which is about other things.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Fit {
            No,
            Perhaps,
            Yes,
        }
    }
    mod shell;

    use path::Surroundings;
    use shell::{Budget, CommandRule, Script};

    /// The words of each command behind its program, if a rule for `cat` covers the line and the
    /// words do not depend on files.
    pub fn covered(line: &str) -> Option<Vec<Vec<String>>> {
        let script = Script::read(line);
        let rules = [CommandRule::starting("cat")];
        script.check(&rules, &Surroundings::default(), &Budget::default()).ok()?;
        let commands = script.settled_words()?.into_iter();
        let arguments = |words: Vec<&str>| words.into_iter().skip(1).map(str::to_owned).collect();
        Some(commands.map(arguments).collect())
    }
}

#[path = "../../crates/rusty_claw/src/permission/shell/referee.rs"]
mod referee;

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;

thread_local! {
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let line = format!("cat {text}");
    // The second of two joined by `||` does not run, as `cat` does not fail.
    if line.contains("||") {
        return;
    }
    if let Some(expected) = permission::covered(&line) {
        FOLDER.with_borrow_mut(|folder| {
            let folder = folder.get_or_insert_with(|| tempfile::tempdir().expect("a folder"));
            referee::assert_same_words(&line, expected, folder.path());
        });
    }
});
