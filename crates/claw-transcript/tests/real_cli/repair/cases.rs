//! Damages of session files.

use anyhow::{Context, Result};

use crate::resume::OtherFile;
use crate::sent::{Mark, results_first};
use crate::sessions::{Made, member};

/// One damage.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
    /// The files next to the main file.
    pub(super) others: Vec<OtherFile>,
    /// The marks that it destroyed.
    pub(super) destroyed: &'static [&'static str],
    /// Marks that it added, each after another one.
    added: &'static [(&'static str, &'static str)],
}

impl Case {
    /// The marks that must still reach the model, in the order and the roles of the whole session.
    pub(super) fn expected(&self, baseline: &[Mark]) -> Vec<Mark> {
        let mut expected = Vec::new();
        for mark in baseline {
            expected.extend(mark.clone().without(self.destroyed));
            let behind = |(before, _): &&(&str, &str)| *before == mark.mark();
            let added = self.added.iter().filter(behind);
            expected.extend(added.map(|(_, new)| mark.with_mark(new)));
        }
        results_first(&mut expected);
        expected
    }

    /// All marks that can arrive.
    pub(super) fn marks(&self, made: &Made) -> Vec<&'static str> {
        let added = self.added.iter().map(|(_, mark)| *mark);
        let made = made.marks.iter().chain(&made.of_agents);
        made.copied().chain(added).collect()
    }
}

/// Lines to damage.
struct Damaged<'a> {
    made: &'a Made,
    lines: Vec<Vec<u8>>,
}

impl<'a> Damaged<'a> {
    fn of(made: &'a Made) -> Self {
        let lines = made.lines.iter().map(|line| line.clone().into_bytes());
        Self {
            made,
            lines: lines.collect(),
        }
    }

    /// The line of this kind with this mark.
    fn at(&self, kind: &str, mark: &str) -> Result<usize> {
        let kind = format!("\"type\":\"{kind}\"");
        let is_it = |line: &String| {
            line.starts_with("{\"parentUuid\"") && line.contains(&kind) && line.contains(mark)
        };
        let found = self.made.lines.iter().position(is_it);
        found.with_context(|| format!("no line {kind} with {mark}"))
    }

    fn cut(mut self, at: usize) -> Self {
        let half = self.lines[at].len() / 2;
        self.lines[at].truncate(half);
        self
    }

    fn without(mut self, at: usize) -> Self {
        self.lines.remove(at);
        self
    }

    fn replace(mut self, at: usize, old: &str, new: &str) -> Result<Self> {
        let text = String::from_utf8(std::mem::take(&mut self.lines[at]))?;
        anyhow::ensure!(text.contains(old), "{old:?} is not in the line");
        self.lines[at] = text.replacen(old, new, 1).into_bytes();
        Ok(self)
    }

    fn parent(self, at: usize, parent: &str) -> Result<Self> {
        let old = member(&self.made.lines[at], "parentUuid")?;
        self.replace(at, &old, parent)
    }

    fn uuid(&self, at: usize) -> Result<String> {
        member(&self.made.lines[at], "uuid")
    }

    fn case(
        self,
        name: &'static str,
        destroyed: &'static [&'static str],
        added: &'static [(&'static str, &'static str)],
    ) -> Case {
        let mut bytes = self.lines.join(&b"\n"[..]);
        bytes.push(b'\n');
        Case {
            name,
            bytes,
            others: self.made.others.clone(),
            destroyed,
            added,
        }
    }
}

const NOBODY: &str = "99999999-9999-4999-8999-999999999999";

pub(super) fn of_long(made: &Made) -> Result<Vec<Case>> {
    let new = || Damaged::of(made);
    let at = |kind: &str, mark: &str| new().at(kind, mark);
    let (p3, r3) = (at("user", "saidP3")?, at("assistant", "saidR3")?);
    let (p4, r4b) = (at("user", "saidP4")?, at("assistant", "saidR4b")?);
    let (p5, r5) = (at("user", "saidP5")?, at("assistant", "saidR5")?);
    let r2b = at("assistant", "saidR2b")?;
    let (call, result) = (at("assistant", "callA1")?, at("user", "resa1")?);
    let (call2, result2) = (at("assistant", "callB2")?, at("user", "resb2")?);
    let mut cases = Vec::new();

    let mut torn = new().cut(r5);
    torn.lines.truncate(r5 + 1);
    let mut torn = torn.case("the last line is torn", &["saidR5"], &[]);
    torn.bytes.pop();
    cases.push(torn);
    cases.push(
        new()
            .cut(r3)
            .case("a line in the middle is torn", &["saidR3"], &[]),
    );

    let mut glued = new();
    let joined = glued.lines.drain(p3..=r3).collect::<Vec<_>>().concat();
    glued.lines.insert(p3, joined);
    cases.push(glued.case("lines are glued together", &[], &[]));
    let mut glued = new().cut(r3);
    let next = glued.lines.remove(p4);
    glued.lines[r3].extend(next);
    cases.push(glued.case("a torn line has a whole one glued to it", &["saidR3"], &[]));

    cases.push(
        new()
            .parent(p4, NOBODY)?
            .case("a parent is not there", &[], &[]),
    );
    let uuid = new().uuid(r4b)?;
    cases.push(
        new()
            .parent(p3, &uuid)?
            .case("parents go in a circle", &[], &[]),
    );
    let uuid = new().uuid(r2b)?;
    cases.push(
        new()
            .parent(r2b, &uuid)?
            .case("a line is its own parent", &[], &[]),
    );

    let mut nul = new();
    nul.lines[r3].splice(0..0, [0; 512]);
    nul.lines.push(vec![0; 4096]);
    cases.push(nul.case("NUL bytes before a line and at the end", &[], &[]));
    cases.push(
        new()
            .replace(r3, "🦀", "\\ud83e")?
            .case("half an emoji", &[], &[]),
    );
    let mut bytes = new().replace(r3, "🦀", "XXXX")?;
    let place = memchr_of(&bytes.lines[r3], b"XXXX").context("no place")?;
    bytes.lines[r3].splice(place..place + 4, [0xFF, 0xFE]);
    bytes.lines[p4].splice(0..0, [0; 8]);
    cases.push(bytes.case("bytes that are not UTF-8, then NUL bytes", &[], &[]));

    cases.push(
        new()
            .without(result)
            .case("the result of a call is lost", &["resa1"], &[]),
    );
    cases.push(
        new()
            .without(result2)
            .case("one of three results is lost", &["resb2"], &[]),
    );
    cases.push(
        new()
            .without(call)
            .case("a call is lost, its result not", &["callA1"], &[]),
    );
    cases.push(
        new()
            .without(call2)
            .case("one of three calls is lost", &["callB2"], &[]),
    );

    let mut twice = new();
    let copy = twice.lines[r3].clone();
    twice.lines.insert(r3 + 1, copy.clone());
    twice.lines.push(copy);
    cases.push(twice.case("a line is there three times", &[], &[]));
    let mut twice = new();
    let other = made.lines[p3].replace("saidP3", "saidAGAIN");
    twice.lines.insert(p3 + 1, other.into_bytes());
    cases.push(twice.case("two lines have one uuid", &[], &[("saidP3", "saidAGAIN")]));

    cases.push(new().without(p3).case("a prompt is lost", &["saidP3"], &[]));
    let mut crlf = new();
    crlf.lines[0].splice(0..0, *b"\xEF\xBB\xBF");
    for line in &mut crlf.lines {
        line.push(b'\r');
    }
    cases.push(
        crlf.cut(r3)
            .case("BOM, CRLF and a torn line", &["saidR3"], &[]),
    );
    let (old, flag) = ("\"isSidechain\":false", "\"isSidechain\":true");
    cases.push(new().replace(r5, old, flag)?.case(
        "the last line says that it is a subagent's",
        &[],
        &[],
    ));
    let mut swapped = new();
    swapped.lines.swap(p5, r5);
    cases.push(
        swapped
            .parent(p4, NOBODY)?
            .case("lines swapped, and a lost parent", &[], &[]),
    );
    let empty = new().replace(p3, "\"saidP3\"", "\"\"")?;
    cases.push(empty.case("an empty prompt", &["saidP3"], &[]));
    let worst = new().parent(r4b, NOBODY)?.cut(r3).without(result2);
    cases.push(worst.case(
        "a torn line, a lost result and a lost parent",
        &["saidR3", "resb2"],
        &[],
    ));
    Ok(cases)
}

pub(super) fn of_compacted(made: &Made) -> Result<Vec<Case>> {
    let new = || Damaged::of(made);
    let at = |kind: &str, mark: &str| new().at(kind, mark);
    let boundary = at("system", "compact_boundary")?;
    let summary = at("user", "isCompactSummary")?;
    let (p3, r3) = (at("user", "saidP3")?, at("assistant", "saidR3a")?);
    let kept = at("assistant", "saidR2")?;
    Ok(vec![
        new()
            .without(p3)
            .case("a prompt behind a compaction is lost", &["saidP3"], &[]),
        new()
            .cut(r3)
            .case("a torn line behind a compaction", &["saidR3a"], &[]),
        new()
            .cut(summary)
            .case("a compaction's summary is torn", &["saidSUM"], &[]),
        // Only this line names the messages that the compaction kept.
        new()
            .cut(boundary)
            .case("a compaction's own line is torn", &["saidR2"], &[]),
        new()
            .cut(kept)
            .case("what a compaction kept is torn", &["saidR2"], &[]),
    ])
}

/// Damages of a main file that contains the lines of a subagent.
pub(super) fn of_inline(made: &Made, names: [&'static str; 3]) -> Result<Vec<Case>> {
    let new = || Damaged::of(made);
    let at = |kind: &str, mark: &str| new().at(kind, mark);
    let (r3, r5) = (at("assistant", "saidR3")?, at("assistant", "saidR5")?);
    let (inside, p5) = (at("assistant", "callS1")?, at("user", "saidP5")?);
    let mut torn = new().cut(r5);
    torn.lines.truncate(r5 + 1);
    Ok(vec![
        torn.case(names[0], &["saidR5"], &[]),
        new()
            .cut(r3)
            .parent(p5, NOBODY)?
            .case(names[1], &["saidR3"], &[]),
        new().cut(inside).case(names[2], &["callS1"], &[]),
    ])
}

/// Damages of a session whose subagent has its own file.
pub(super) fn of_agents(made: &Made, names: [&'static str; 2]) -> Result<Vec<Case>> {
    let new = || Damaged::of(made);
    let r3 = new().at("assistant", "saidR3")?;
    let mut torn = new().cut(r3).case(names[1], &["saidR3", "callS1"], &[]);
    let agent = torn.others.iter_mut().find(|(inside, bytes)| {
        inside.extension().is_some_and(|ending| ending == "jsonl")
            && memchr_of(bytes, b"callS1").is_some()
    });
    let (_, bytes) = agent.context("the subagent has no file")?;
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let calls = |line: &Vec<u8>| memchr_of(line, b"callS1").is_some();
    let call = lines.iter().position(calls).context("no call")?;
    let half = lines[call].len() / 2;
    lines[call].truncate(half);
    *bytes = lines.join(&b'\n');
    Ok(vec![new().cut(r3).case(names[0], &["saidR3"], &[]), torn])
}

pub(super) fn of_fork(made: &Made) -> Result<Vec<Case>> {
    let new = || Damaged::of(made);
    let at = |kind: &str, mark: &str| new().at(kind, mark);
    let (copied, r4) = (at("assistant", "saidR1b")?, at("assistant", "saidR4")?);
    let (p3, result) = (at("user", "saidP3")?, at("user", "resc1")?);
    let mut torn = new().cut(r4);
    torn.lines.truncate(r4 + 1);
    Ok(vec![
        torn.case("a fork, the last line is torn", &["saidR4"], &[]),
        // The original has the uuid too, but the CLI does not read it.
        new()
            .without(copied)
            .case("a fork, a line that it copied is lost", &["saidR1b"], &[]),
        new().parent(p3, NOBODY)?.without(result).case(
            "a fork, a lost parent and a lost result",
            &["resc1"],
            &[],
        ),
    ])
}

fn memchr_of(line: &[u8], part: &[u8]) -> Option<usize> {
    line.windows(part.len()).position(|window| window == part)
}
