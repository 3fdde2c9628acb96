//! The metadata of a session: title, cost, models.

use std::borrow::Cow;
use std::path::Path;

use crate::entry::{Kind, KindGroup};
use crate::error::TranscriptError;
use crate::facts::{Facts, Member};
use crate::lines::{LineReader, readable};

/// Longer lines have no metadata.
const LONGEST: usize = 64 * 1024;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Metadata {
    title: Option<String>,
    /// Whether a person set the title.
    is_custom_title: bool,
    pub(super) session: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) git_branch: Option<String>,
    pub(super) version: Option<String>,
    /// The CLI's own total.
    pub(super) cost_usd: Option<f64>,
    pub(super) models: Vec<String>,
}

impl Metadata {
    /// Reads a file. Most messages are skipped.
    pub(super) fn read(path: &Path) -> Result<Self, TranscriptError> {
        let mut lines = LineReader::open(path)?;
        let mut metadata = Self::default();
        while let Some((_, raw)) = lines.next_line()? {
            let is_message = raw.starts_with(b"{\"parentUuid\"") || raw.len() > LONGEST;
            let is_complete = metadata.cwd.is_some() && metadata.version.is_some();
            if is_message && is_complete {
                continue;
            }
            if let Some(line) = Facts::read(&readable(raw)) {
                metadata.add(&line);
            }
        }
        Ok(metadata)
    }

    /// The title. If messages are deleted, only one that a person set: the CLI may have generated
    /// others from the deleted messages.
    pub(super) fn title(&self, some_deleted: bool) -> Option<&String> {
        let is_safe = |title: &&String| self.is_custom_title && !is_fork_title(title);
        let title = self.title.as_ref();
        title.filter(|title| !some_deleted || is_safe(title))
    }

    fn add(&mut self, line: &Facts<'_>) {
        let title = match line.kind {
            Kind::CustomTitle => Member::CustomTitle,
            Kind::AiTitle => Member::AiTitle,
            Kind::Summary => Member::Summary,
            Kind::CostState => {
                self.cost_usd = line
                    .get(Member::TotalCost)
                    .and_then(|cost| cost.parse().ok());
                let models = line.object(Member::ModelUsage).unwrap_or_default();
                self.models = models.iter().map(|(name, _)| name.to_owned()).collect();
                return;
            }
            kind if kind.group() == KindGroup::Chain => return self.add_message(line),
            _ => return,
        };
        let is_custom = line.kind == Kind::CustomTitle;
        let title = line.string(title).filter(|title| !title.trim().is_empty());
        if let Some(title) = title.filter(|_| is_custom || !self.is_custom_title) {
            self.is_custom_title |= is_custom;
            self.title = Some(title.into_owned());
        }
    }

    fn add_message(&mut self, line: &Facts<'_>) {
        for (known, value) in [
            (&mut self.session, session_of(line)),
            (&mut self.cwd, line.id(Member::Cwd)),
            (&mut self.git_branch, line.id(Member::GitBranch)),
            (&mut self.version, line.id(Member::Version)),
        ] {
            *known = known.take().or(value.map(Cow::into_owned));
        }
    }
}

/// The session id of a line, in any dialect.
pub(super) fn session_of<'a>(line: &Facts<'a>) -> Option<Cow<'a, str>> {
    let id = line.id(Member::Session);
    id.or_else(|| line.id(Member::StreamSession))
}

/// Returns whether a fork made a title from the one of its original.
pub(super) fn is_fork_title(title: &str) -> bool {
    title.trim_end().ends_with(" (fork)")
}

/// The name of a model without its prefix and date.
pub(super) fn short_model(model: &str) -> &str {
    let name = model.strip_prefix("claude-").unwrap_or(model);
    match name.rsplit_once('-') {
        Some((name, date)) if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => name,
    }
}
