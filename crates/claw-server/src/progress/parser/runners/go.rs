//! Go's own runner.

use super::Found;
use crate::progress::ProgressKind;
use crate::progress::parser::page::{Page, PageLine};
use crate::progress::parser::reading::{KNOWN_FORM, ended, label, update};

/// `ok example.com/cart 0.412s`, `FAIL example.com/cart 0.3s`, `--- FAIL: TestTotal`.
pub(super) fn go(page: &Page<'_>) -> Option<Found> {
    fn package(line: &PageLine<'_>) -> Option<(String, bool)> {
        let mut parts = line.text.split_whitespace();
        let verdict = parts.next()?;
        let name = parts.next()?;
        let time = parts.next()?;
        let timed = time == "(cached)"
            || (time.ends_with('s') && time.starts_with(|c: char| c.is_ascii_digit()))
            || time.starts_with("[build")
            || time.starts_with("[setup");
        if line.text.ends_with("[no tests to run]") {
            return None;
        }
        let named = name.contains(['/', '.']) || line.text.contains('\t');
        let known = matches!(verdict, "ok" | "FAIL");
        (timed && named && known).then(|| (name.to_owned(), verdict == "FAIL"))
    }
    if let Some(found) = go_json(page) {
        return Some(found);
    }
    let single = page.last(|line| {
        let name = line
            .text
            .strip_prefix("--- FAIL: ")
            .or_else(|| line.text.strip_prefix("--- PASS: "))
            .or_else(|| line.text.strip_prefix("=== RUN "))?;
        name.trim()
            .starts_with(|c: char| c.is_ascii_uppercase())
            .then(|| label(name.trim().split(" (").next().unwrap_or(name)))
    });
    if let Some((at, (name, _))) = page.last(package) {
        let failed = page.read().any(|(_, line)| {
            package(line).is_some_and(|(_, failed)| failed) || line.text == "FAIL"
        });
        let mut found = update(ProgressKind::TestRun, KNOWN_FORM);
        found.label = label(&name);
        found.state = ended(failed);
        let end = page
            .lines
            .iter()
            .rposition(|line| line.text == "FAIL")
            .unwrap_or(at);
        if single.as_ref().is_none_or(|(single, _)| *single < at) {
            return Some(Found::new(end.max(at), found));
        }
    }
    let (at, label) = single?;
    let mut found = update(ProgressKind::TestRun, KNOWN_FORM);
    found.label = label;
    let last = page
        .last(|line| matches!(line.text, "PASS" | "FAIL").then_some(line.text == "FAIL"))
        .filter(|(end, _)| *end > at);
    let verbose = page
        .read()
        .any(|(_, line)| line.text.starts_with("=== RUN") || line.text.starts_with("--- PASS: "));
    if let Some((_, failed)) = last {
        found.state = ended(failed);
    } else if !verbose {
        // Failures alone are printed when all tests of the package have run.
        found.state = ended(true);
    }
    Some(Found::new(last.map_or(at, |(end, _)| end), found))
}

/// `{"Time":"…","Action":"pass","Package":"example.com/cart","Elapsed":0.41}`: without a test it is
/// the verdict of the package.
fn go_json(page: &Page<'_>) -> Option<Found> {
    let field = |text: &str, name: &str| {
        let rest = text.split(&format!("\"{name}\":\"")).nth(1)?;
        Some(rest.split('"').next()?.to_owned())
    };
    let is_event = |line: &PageLine<'_>| {
        line.text.starts_with("{\"Time\":\"2") && line.text.contains("\",\"Action\":\"")
    };
    let at = page.lines.iter().rposition(is_event)?;
    let package = field(page.lines[at].text, "Package")?;
    let ends = |line: &PageLine<'_>| {
        let action = field(line.text, "Action").filter(|_| is_event(line));
        action.filter(|_| !line.text.contains("\"Test\":\""))
    };
    let mut found = update(ProgressKind::TestRun, KNOWN_FORM);
    match ends(&page.lines[at]).as_deref() {
        Some("pass" | "fail") => {
            let failed = page
                .lines
                .iter()
                .any(|line| ends(line).as_deref() == Some("fail"));
            found.state = ended(failed);
            found.label = label(&package);
        }
        Some("skip") => return None,
        _ => found.label = field(page.lines[at].text, "Test").or(Some(package)),
    }
    Some(Found::new(at, found))
}
