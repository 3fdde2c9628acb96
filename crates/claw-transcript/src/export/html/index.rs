//! The page that lists all sessions of a folder.

use askama::Template;

use super::numbers;
use super::page::{SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH};
use crate::export::job::ExportReport;
use crate::export::options::Theme;
use crate::time::to_iso;

#[derive(Debug, Clone)]
pub(crate) struct Listed {
    /// The path relative to the list, with `/`.
    pub(crate) path: String,
    /// The folder that the session ran in, or the name of its project.
    pub(crate) project: String,
    pub(crate) report: ExportReport,
}

impl Listed {
    fn date(&self) -> String {
        let date = self.report.began.map(to_iso).unwrap_or_default();
        date.get(..10).unwrap_or_default().to_owned()
    }

    fn counts(&self) -> String {
        let messages = numbers::count(self.report.messages, "message", "messages");
        if self.report.subagents == 0 {
            return messages;
        }
        let agents = numbers::count(self.report.subagents, "subagent", "subagents");
        format!("{messages} · {agents}")
    }

    fn href(&self) -> String {
        // A name with a colon would be a scheme.
        let mut href = String::from("./");
        for byte in self.path.bytes() {
            if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
                href.push(char::from(byte));
            } else {
                href.push_str(&format!("%{byte:02X}"));
            }
        }
        href
    }
}

#[derive(Debug, Template)]
#[template(path = "index.html")]
struct Index<'p> {
    title: &'p str,
    theme: Theme,
    sessions: String,
    messages: String,
    /// The sessions of each project.
    groups: Vec<&'p [Listed]>,
}

/// Writes the list: projects by name, the newest session first.
pub(crate) fn write_index(title: &str, theme: Theme, sessions: &mut [Listed]) -> String {
    sessions.sort_by(|a, b| (&a.project, b.report.began).cmp(&(&b.project, a.report.began)));
    let messages = sessions.iter().map(|one| one.report.messages).sum();
    let page = Index {
        title,
        theme,
        sessions: numbers::count(sessions.len() as u64, "session", "sessions"),
        messages: numbers::count(messages, "message", "messages"),
        groups: sessions.chunk_by(|a, b| a.project == b.project).collect(),
    };
    page.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_inert_and_in_order() {
        let one = |project: &str, title: &str, day: i64| Listed {
            path: format!("{project}/a b#?.html"),
            project: project.to_owned(),
            report: ExportReport {
                title: title.to_owned(),
                began: Some(crate::time::from_ms(day * 86_400_000)),
                messages: 2,
                subagents: 1,
                ..ExportReport::default()
            },
        };
        let mut all = [
            one("b", "<script>x", 1),
            one("a", "old", 1),
            one("a", "new", 2),
        ];
        let page = write_index("All", Theme::Auto, &mut all);
        let list = page.split("<main>").nth(1).expect("a main part");
        insta::assert_snapshot!(list.split("<script>").next().unwrap_or_default());
    }
}
