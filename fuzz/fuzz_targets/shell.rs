//! Compares the commands and words of an allowed line with those of bash.
//!
//! Bash runs only for lines that a rule for `cat` covers, because a process takes milliseconds. The
//! module `referee` restricts what it can do.
#![no_main]

/// The files of the crate, without its dependencies, which take minutes to build with a sanitizer.
#[path = "../../crates/rusty_claw/src/permission"]
#[allow(dead_code)]
mod permission {
    mod fit;
    mod glob;
    mod path;
    mod path_context;
    mod plain_path;
    mod protected;
    mod shell;

    use path_context::PathContext;
    use shell::{Budget, CommandRule, Script};

    /// The words of each command behind its program, if a rule for `cat` covers the line and the
    /// words do not depend on files.
    pub fn covered(line: &str) -> Option<Vec<Vec<String>>> {
        let script = Script::read(line);
        let rules = [CommandRule::starting("cat")];
        script
            .check(&rules, &PathContext::default(), &Budget::default())
            .ok()?;
        let commands = script.settled_words()?.into_iter();
        let arguments = |words: Vec<&str>| words.into_iter().skip(1).map(str::to_owned).collect();
        Some(commands.map(arguments).collect())
    }
}

#[path = "../../crates/rusty_claw/src/permission/shell/referee.rs"]
mod referee;

use libfuzzer_sys::fuzz_target;

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
        referee::assert_same_words(&line, expected, &rusty_claw_fuzz::scratch::folder());
    }
});
