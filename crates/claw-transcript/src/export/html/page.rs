//! The parts of a page around its blocks.

use askama::Template;

use crate::error::TranscriptError;
use crate::export::job::Job;
use crate::export::metadata::short_model;
use crate::export::options::Theme;
use crate::facts::{Facts, Member};
use crate::members;
use crate::time::{from_ms, to_iso};
use crate::tree::NodeKind;

use super::numbers;

pub(super) const STYLE: &str = include_str!("page.css");
pub(super) const SCRIPT: &str = include_str!("page.js");

/// The page's policy only allows this style and this script. A test compares the hashes.
pub(super) const STYLE_HASH: &str = "kqzMh6PzKb6bCim9J7iIZIdUP8Pu0j1sM15DoCAH2ZM=";
pub(super) const SCRIPT_HASH: &str = "e1me4AYFoy8Em+7nKrKBUMWgLUcz3pEOAxcGLyy96Qo=";

/// A page up to its first message.
#[derive(Debug, Template)]
#[template(path = "start.html")]
pub(super) struct Start<'p> {
    title: &'p str,
    theme: Theme,
    /// Names and values, and whether a value is code.
    facts: [(&'static str, Option<String>, bool); 9],
    thinking: bool,
    branches: bool,
}

impl<'p> Start<'p> {
    pub(super) fn new(job: &mut Job<'_>, title: &'p str) -> Result<Self, TranscriptError> {
        let models = match &job.metadata.models[..] {
            [] => first_model(job)?.into_iter().collect(),
            models => models.to_vec(),
        };
        let (tree, metadata) = (job.tree, job.metadata);
        let (mut first, mut last) = (i64::MAX, i64::MIN);
        let (mut prompts, mut replies, mut calls) = (0, 0, 0);
        for (_, node) in tree.nodes() {
            if let Some(ms) = node.time_ms() {
                (first, last) = (first.min(ms), last.max(ms));
            }
            prompts += u64::from(node.kind() == NodeKind::Prompt && !node.is_sidechain());
            replies += u64::from(node.kind() == NodeKind::Reply);
            calls += node.calls() as u64;
        }
        let branches = job.outline.branches.len() as u64;
        let agents = tree.sidechains().len() as u64;
        let counts = [
            Some(numbers::count(prompts, "prompt", "prompts")),
            Some(numbers::count(replies, "reply", "replies")),
            Some(numbers::count(calls, "tool call", "tool calls")),
            (branches > 1).then(|| numbers::count(branches, "branch", "branches")),
            (agents > 0).then(|| numbers::count(agents, "subagent", "subagents")),
        ];
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        let models: Vec<&str> = models.iter().map(|model| short_model(model)).collect();
        let model = Some(models.join(", ")).filter(|models| !models.is_empty());
        let git_branch = metadata.git_branch.clone();
        let git_branch = git_branch.filter(|branch| branch != "HEAD");
        let has_times = first <= last;
        let began = has_times.then(|| date_and_time(first) + " UTC");
        let took = has_times.then(|| numbers::duration(last - first));
        let cost = metadata.cost_usd.filter(|cost| *cost > 0.0);
        let cost = cost.map(|cost| format!("{}, says the CLI", numbers::dollars(cost)));
        let facts = [
            ("in", metadata.cwd.clone(), true),
            ("on", git_branch, true),
            ("began", began, false),
            ("took", took, false),
            ("model", model, false),
            ("has", Some(counts.join(" · ")), false),
            ("cost", cost, false),
            ("CLI", metadata.version.clone(), false),
            ("session", metadata.session.clone(), true),
        ];
        Ok(Self {
            title,
            theme: job.options.theme,
            facts,
            thinking: job.options.thinking,
            branches: branches > 1,
        })
    }
}

fn first_model(job: &mut Job<'_>) -> Result<Option<String>, TranscriptError> {
    let mut nodes = job.tree.nodes();
    let Some((id, _)) = nodes.find(|(_, node)| node.kind() == NodeKind::Reply) else {
        return Ok(None);
    };
    let texts = job.texts(id)?;
    let first = texts.first().and_then(|text| Facts::read(text));
    Ok(first.as_ref().and_then(model))
}

/// The model that wrote a line; `None` if the CLI did.
pub(super) fn model(line: &Facts<'_>) -> Option<String> {
    let model = members::string(line.message.as_ref()?.model?)?;
    (model != "<synthetic>").then(|| model.into_owned())
}

/// A page after its last message.
#[derive(Debug, Template)]
#[template(path = "end.html")]
pub(super) struct End {
    pub(super) prompts: Vec<PromptLink>,
}

#[derive(Debug)]
pub(super) struct PromptLink {
    pub(super) anchor: String,
    pub(super) about: String,
    /// Whether it is on an abandoned branch.
    pub(super) is_abandoned: bool,
}

/// The start of a message.
#[derive(Debug, Template)]
#[template(path = "article.html")]
pub(super) struct Article {
    /// The date, if it is another one than before.
    pub(super) day: Option<String>,
    pub(super) class: &'static str,
    pub(super) is_error: bool,
    pub(super) anchor: String,
    /// `None` if the speaker has not changed.
    pub(super) speaker: Option<&'static str>,
    pub(super) model: Option<String>,
    pub(super) time: String,
}

#[derive(Debug, Template)]
#[template(path = "group.html")]
pub(super) struct Group<'p> {
    pub(super) class: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: Option<&'p str>,
    pub(super) about: &'p str,
    pub(super) size: String,
}

#[derive(Debug, Template)]
#[template(path = "cut.html")]
pub(super) struct Cut {
    pub(super) anchor: String,
    pub(super) text: String,
}

/// The id of a line as an anchor; empty if it has none.
pub(super) fn anchor(line: &Facts<'_>) -> String {
    let id = line.id(Member::Uuid).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let plain = |c: char| if plain(c) { c } else { '_' };
    id.chars().take(80).map(plain).collect()
}

pub(crate) fn date_and_time(ms: i64) -> String {
    let time = to_iso(from_ms(ms)).replace('T', " ");
    time.get(..16).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_policy_names_this_style_and_this_script() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/export/html");
        for (name, hash) in [("page.css", STYLE_HASH), ("page.js", SCRIPT_HASH)] {
            let mut command = std::process::Command::new("sha256sum");
            let output = command.arg(name).current_dir(folder).output().unwrap();
            let sum = String::from_utf8(output.stdout).unwrap();
            assert_eq!(hex(hash), sum[..64], "{name}");
        }
    }

    /// The 256 bits of a Base64 text.
    #[cfg(target_os = "linux")]
    fn hex(base64: &str) -> String {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let values = base64.chars().filter_map(|c| letters.find(c));
        let bits: String = values.map(|value| format!("{value:06b}")).collect();
        let digits = (0..64).map(|at| u8::from_str_radix(&bits[4 * at..][..4], 2).unwrap());
        digits.map(|digit| format!("{digit:x}")).collect()
    }

    #[test]
    fn the_style_and_the_script_are_safe_on_any_page() {
        // Nothing ends them early or loads anything.
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
        // It throws for addresses such as `#%`, and the rest of the script would never run.
        assert!(!SCRIPT.contains("decodeURI"));
    }

    #[test]
    fn paper_shows_what_is_folded() {
        let (_, print) = STYLE.split_once("@media print{").unwrap();
        assert!(print.contains("details::details-content{content-visibility:visible"));
        for event in ["beforeprint", "afterprint"] {
            assert!(SCRIPT.contains(event), "{event}");
        }
    }
}
