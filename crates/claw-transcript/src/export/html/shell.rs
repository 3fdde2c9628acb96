//! What stands around the messages of a page.

use super::{escape, message, number};
use crate::entry::Entry;
use crate::error::TranscriptError;
use crate::export::facts::short_model;
use crate::export::{Job, Step, Theme};
use crate::time::{from_ms, to_iso};
use crate::tree::NodeKind;

pub(super) const STYLE: &str = include_str!("page.css");
pub(super) const SCRIPT: &str = include_str!("page.js");

/// By which the page lets only its own style and script act. A test says what they must be.
const STYLE_HASH: &str = "kqzMh6PzKb6bCim9J7iIZIdUP8Pu0j1sM15DoCAH2ZM=";
const SCRIPT_HASH: &str = "e1me4AYFoy8Em+7nKrKBUMWgLUcz3pEOAxcGLyy96Qo=";

/// The title that was asked for, else the session's, else its first prompt.
pub(in crate::export) fn title(
    job: &mut Job<'_>,
    steps: &[Step],
) -> Result<String, TranscriptError> {
    let own = job.facts.title(!job.deleted.is_empty());
    if let Some(title) = job.export.title.as_ref().or(own) {
        return Ok(title.clone());
    }
    let tree = job.tree;
    let prompts = steps.iter().filter_map(|step| match step {
        Step::Node(id) if tree.node(*id).kind() == NodeKind::Prompt => Some(*id),
        _ => None,
    });
    let mut buffers = Vec::new();
    for prompt in prompts {
        let lines = job.source.lines(tree, prompt, &mut buffers)?;
        let entry = lines.first().and_then(|line| Entry::read(line));
        let Some(entry) = entry.filter(|entry| !job.is_deleted(entry)) else {
            continue;
        };
        let about = message::preview_of(&entry, 100);
        if !about.is_empty() {
            return Ok(about);
        }
    }
    Ok("A session of Claude Code".to_owned())
}

/// The start of a page, up to its body.
pub(super) fn open(title: &str, theme: Theme, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<!doctype html>\n<html lang=\"en\"");
    out.extend_from_slice(match theme {
        Theme::Auto => b"",
        Theme::Light => b" data-theme=\"light\"",
        Theme::Dark => b" data-theme=\"dark\"",
    });
    out.extend_from_slice(
        format!(
            "><head><meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             img-src data:; style-src 'sha256-{STYLE_HASH}'; script-src 'sha256-{SCRIPT_HASH}'; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>"
        )
        .as_bytes(),
    );
    escape::text(title, out);
    out.extend_from_slice(b"</title>\n<style>");
    out.extend_from_slice(STYLE.as_bytes());
    out.extend_from_slice(b"</style></head>\n<body>\n");
}

/// The end of a page.
pub(super) fn close(out: &mut Vec<u8>) {
    out.extend_from_slice(b"<script>");
    out.extend_from_slice(SCRIPT.as_bytes());
    out.extend_from_slice(b"</script>\n</body></html>\n");
}

/// The head of a session's page.
pub(super) fn head(job: &mut Job<'_>, title: &str) -> Result<(), TranscriptError> {
    let mut models = job.facts.models.clone();
    if models.is_empty() {
        models.extend(first_model(job)?);
    }
    let out = &mut job.out.buffer;
    open(title, job.export.theme, out);
    out.extend_from_slice(b"<header class=\"top\"><h1>");
    escape::text(title, out);
    out.extend_from_slice(b"</h1>\n<ul class=\"facts\">");
    let facts = job.facts;
    let mut fact = |name: &str, value: &str, code: bool| {
        out.extend_from_slice(format!("<li><span>{name}</span>").as_bytes());
        out.extend_from_slice(if code { b"<code>" } else { b"" });
        escape::text(value, out);
        out.extend_from_slice(if code { b"</code></li>" } else { b"</li>" });
    };
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    let (mut prompts, mut replies, mut calls) = (0, 0, 0);
    for (_, node) in job.tree.nodes() {
        if let Some(ms) = node.time_ms() {
            (first, last) = (first.min(ms), last.max(ms));
        }
        prompts += u64::from(node.kind() == NodeKind::Prompt && !node.is_sidechain());
        replies += u64::from(node.kind() == NodeKind::Reply);
        calls += node.calls() as u64;
    }
    if let Some(cwd) = &facts.cwd {
        fact("in", cwd, true);
    }
    if let Some(branch) = facts.git_branch.as_ref().filter(|branch| *branch != "HEAD") {
        fact("on", branch, true);
    }
    if first <= last {
        let date = to_iso(from_ms(first)).replace('T', " ");
        fact(
            "began",
            &format!("{} UTC", date.get(..16).unwrap_or_default()),
            false,
        );
        fact("took", &number::duration(last - first), false);
    }
    let names: Vec<&str> = models.iter().map(|model| short_model(model)).collect();
    if !names.is_empty() {
        fact("model", &names.join(", "), false);
    }
    let mut counts = vec![
        number::count(prompts, "prompt", "prompts"),
        number::count(replies, "reply", "replies"),
        number::count(calls, "tool call", "tool calls"),
    ];
    let branches = job.outline.branches.len() as u64;
    let agents = job.tree.sidechains().len() as u64;
    if branches > 1 {
        counts.push(number::count(branches, "branch", "branches"));
    }
    if agents > 0 {
        counts.push(number::count(agents, "subagent", "subagents"));
    }
    fact("has", &counts.join(" · "), false);
    if let Some(cost) = facts.cost_usd.filter(|cost| *cost > 0.0) {
        fact(
            "cost",
            &format!("{}, says the CLI", number::dollars(cost)),
            false,
        );
    }
    if let Some(version) = &facts.version {
        fact("CLI", version, false);
    }
    if let Some(session) = &facts.session {
        fact("session", session, true);
    }
    out.extend_from_slice(b"</ul></header>\n");
    out.extend_from_slice(
        b"<div class=\"bar\"><label><input type=\"checkbox\" id=\"f-t\" checked> Tools</label>",
    );
    if job.export.thinking {
        out.extend_from_slice(
            b"<label><input type=\"checkbox\" id=\"f-k\" checked> Thinking</label>",
        );
    }
    if branches > 1 {
        out.extend_from_slice(
            b"<label><input type=\"checkbox\" id=\"f-b\" checked> Branches</label>",
        );
    }
    out.extend_from_slice(b"<span id=\"js\"></span></div>\n<main>\n");
    Ok(())
}

/// The model of the first reply.
fn first_model(job: &mut Job<'_>) -> Result<Option<String>, TranscriptError> {
    let reply = job
        .tree
        .nodes()
        .find(|(_, node)| node.kind() == NodeKind::Reply);
    let Some((id, _)) = reply else {
        return Ok(None);
    };
    let mut buffers = Vec::new();
    let lines = job.source.lines(job.tree, id, &mut buffers)?;
    let entry = lines.first().and_then(|line| Entry::read(line));
    Ok(entry
        .and_then(|entry| entry.model())
        .filter(|model| model != "<synthetic>"))
}

/// The end of a session's page, with the list of prompts.
pub(super) fn foot(job: &mut Job<'_>, prompts: &[u8]) {
    let out = &mut job.out.buffer;
    out.extend_from_slice(b"</main>\n");
    if !prompts.is_empty() {
        out.extend_from_slice(b"<nav><details open><summary>Prompts</summary><ol>\n");
        out.extend_from_slice(prompts);
        out.extend_from_slice(b"</ol></details></nav>\n");
    }
    out.extend_from_slice(b"<footer>Times are UTC; each is the address of its message. j and k go from prompt to prompt, f folds. Made by <b>claw</b> from a session file; nothing on this page is loaded from anywhere.</footer>\n");
    close(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_this_style_and_this_script() {
        assert_eq!(STYLE_HASH, sha256_base64(STYLE.as_bytes()), "of page.css");
        assert_eq!(SCRIPT_HASH, sha256_base64(SCRIPT.as_bytes()), "of page.js");
    }

    #[test]
    fn nothing_ends_the_style_or_the_script_early() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }

    #[test]
    fn paper_shows_what_is_folded() {
        let (_, print) = STYLE
            .split_once("@media print{")
            .expect("a style for paper");
        assert!(print.contains("details::details-content{content-visibility:visible"));
        for event in ["beforeprint", "afterprint"] {
            assert!(SCRIPT.contains(event), "{event}");
        }
    }

    #[test]
    fn no_address_stops_the_script() {
        // It throws for addresses such as `#%`, and the rest of the script would never run.
        assert!(!SCRIPT.contains("decodeURI"));
    }

    /// SHA-256 as FIPS 180-4 defines it, in Base64.
    fn sha256_base64(bytes: &[u8]) -> String {
        let primes: Vec<u32> = (2u32..)
            .filter(|n| (2..*n).all(|d| n % d != 0))
            .take(64)
            .collect();
        let fraction = |root: f64| ((root - root.floor()) * 4_294_967_296.0) as u32;
        let k: Vec<u32> = primes
            .iter()
            .map(|p| fraction(f64::from(*p).cbrt()))
            .collect();
        let mut h: Vec<u32> = primes[..8]
            .iter()
            .map(|p| fraction(f64::from(*p).sqrt()))
            .collect();
        let mut padded = bytes.to_vec();
        padded.push(0x80);
        while padded.len() % 64 != 56 {
            padded.push(0);
        }
        padded.extend_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
        for block in padded.chunks(64) {
            let mut w: Vec<u32> = block
                .chunks(4)
                .map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]))
                .collect();
            for t in 16..64 {
                let (a, b) = (w[t - 15], w[t - 2]);
                let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
                let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
                w.push(
                    w[t - 16]
                        .wrapping_add(s0)
                        .wrapping_add(w[t - 7])
                        .wrapping_add(s1),
                );
            }
            let mut v = h.clone();
            for t in 0..64 {
                let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
                let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
                let one = [s1, choice, k[t], w[t]]
                    .into_iter()
                    .fold(v[7], u32::wrapping_add);
                let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
                let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
                v.rotate_right(1);
                v[4] = v[4].wrapping_add(one);
                v[0] = one.wrapping_add(s0).wrapping_add(majority);
            }
            for (sum, value) in h.iter_mut().zip(v) {
                *sum = sum.wrapping_add(value);
            }
        }
        let digest: Vec<u8> = h.iter().flat_map(|word| word.to_be_bytes()).collect();
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for three in digest.chunks(3) {
            let n =
                three.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - three.len()));
            for at in 0..4 {
                let letter = letters[(n >> (18 - 6 * at) & 63) as usize];
                text.push(if at <= three.len() {
                    char::from(letter)
                } else {
                    '='
                });
            }
        }
        text
    }
}
