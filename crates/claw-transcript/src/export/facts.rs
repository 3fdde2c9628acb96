//! What a session says about itself, for the head of an export.

use std::fs::File;
use std::path::Path;

use crate::entry::{Entry, Kind};
use crate::error::TranscriptError;
use crate::lines::Lines;

/// What a session says about itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Facts {
    title: Option<String>,
    /// Whether a person gave it.
    titled: bool,
    pub(super) session: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) git_branch: Option<String>,
    pub(super) version: Option<String>,
    /// The CLI's own running total.
    pub(super) cost_usd: Option<f64>,
    pub(super) models: Vec<String>,
}

impl Facts {
    /// Reads over a file. Only a few short lines are looked into.
    pub(super) fn read(path: &Path) -> Result<Self, TranscriptError> {
        let file = File::open(path).map_err(TranscriptError::io("open", path))?;
        let mut lines = Lines::new(file);
        let mut facts = Self::default();
        while let Some(line) = lines
            .next_line()
            .map_err(TranscriptError::io("read", path))?
        {
            // Lines of the conversation begin with what they hang under.
            let chain = line.raw.starts_with(b"{\"parentUuid\"");
            if !chain && line.raw.len() < 64 * 1024 {
                facts.note(line.raw);
            } else if facts.cwd.is_none() || facts.version.is_none() {
                facts.note_place(line.raw);
            }
        }
        Ok(facts)
    }

    /// Its title; only one that a person gave when the CLI's may be made of what is deleted.
    pub(super) fn title(&self, some_deleted: bool) -> Option<&String> {
        let given = |title: &str| self.titled && !is_of_a_fork(title);
        let title = self.title.as_ref();
        title.filter(|title| !some_deleted || given(title))
    }

    fn note(&mut self, raw: &[u8]) {
        // A look at the type, where the CLI writes it, saves reading requests and queued prompts.
        let kind = match raw.strip_prefix(b"{\"type\":\"") {
            Some(rest) => {
                let end = rest.iter().position(|b| *b == b'"').unwrap_or(0);
                std::str::from_utf8(&rest[..end]).map_or(Kind::Unknown, Kind::of)
            }
            None => Entry::read(raw).map_or(Kind::Unknown, |entry| entry.kind()),
        };
        let member = match kind {
            Kind::CustomTitle => "customTitle",
            Kind::AiTitle => "aiTitle",
            Kind::Summary => "summary",
            Kind::CostState => "totalCostUSD",
            Kind::User | Kind::Assistant if self.cwd.is_none() => return self.note_place(raw),
            _ => return,
        };
        let Some(entry) = Entry::read(raw) else {
            return;
        };
        if kind == Kind::CostState {
            self.cost_usd = entry.get(member).and_then(|cost| cost.parse().ok());
            let models = entry.object("modelUsage").unwrap_or_default();
            self.models = models.iter().map(|(name, _)| name.to_owned()).collect();
        } else if kind == Kind::CustomTitle || !self.titled {
            let title = entry
                .string(member)
                .filter(|title| !title.trim().is_empty());
            self.titled |= kind == Kind::CustomTitle && title.is_some();
            self.title = title.map(Into::into).or(self.title.take());
        }
    }

    fn note_place(&mut self, raw: &[u8]) {
        let Some(entry) = Entry::read(raw) else {
            return;
        };
        let own = |text: Option<std::borrow::Cow<'_, str>>| text.map(Into::into);
        self.session = self.session.take().or_else(|| own(entry.session()));
        self.cwd = self.cwd.take().or_else(|| own(entry.cwd()));
        self.git_branch = self.git_branch.take().or_else(|| own(entry.git_branch()));
        self.version = self.version.take().or_else(|| own(entry.version()));
    }
}

/// Whether forking made a title of the one before it, which the CLI may have made.
pub(super) fn is_of_a_fork(title: &str) -> bool {
    title.trim_end().ends_with(" (fork)")
}

/// The model's name without what every name begins with, and without a date.
pub(super) fn short_model(model: &str) -> &str {
    let name = model.strip_prefix("claude-").unwrap_or(model);
    match name.rsplit_once('-') {
        Some((name, date)) if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => name,
    }
}
