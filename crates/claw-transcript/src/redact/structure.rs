//! The members of a line that are never changed, because they hold the session together.

use serde::Deserialize;

/// Names of members, by the part of a line that they are in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Structure {
    line: Vec<String>,
    message: Vec<String>,
    block: Vec<String>,
    elsewhere: Vec<String>,
    free: Vec<String>,
}

/// A part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Region {
    /// The line itself.
    Line,
    /// Its `message`, as in the API.
    Message,
    /// The blocks of a message, and those in a tool's result.
    Blocks,
    /// The source of a picture or a document.
    Source,
    /// All other members that the CLI writes around a message.
    #[default]
    Open,
    /// The input of a tool, or foreign data: any name may have any value.
    Free,
}

/// The treatment of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Treatment {
    /// It is kept.
    Keep,
    /// It is searched, but may look random: its name means an id, a kind or a digest.
    SearchId,
    /// It is searched.
    Search,
}

impl Structure {
    pub(super) fn below(&self, region: Region, name: &[u8]) -> Region {
        match (region, name) {
            (Region::Free, _) => Region::Free,
            _ if has(&self.free, name) => Region::Free,
            (Region::Line, b"message") => Region::Message,
            (Region::Message | Region::Blocks, b"content") => Region::Blocks,
            (Region::Blocks | Region::Open, b"source") => Region::Source,
            _ => Region::Open,
        }
    }

    pub(super) fn treatment(&self, region: Region, name: &[u8]) -> Treatment {
        let endings: [&[u8]; 3] = [b"Uuid", b"Uuids", b"UUID"];
        let is_id = endings.iter().any(|ending| name.ends_with(ending));
        let kept = match region {
            Region::Line => is_id || has(&self.line, name),
            Region::Message => has(&self.message, name),
            Region::Blocks => has(&self.block, name),
            // All free values are searched, whatever their name.
            Region::Free => return Treatment::Search,
            Region::Source | Region::Open => false,
        };
        let lists = [&self.elsewhere, &self.line, &self.block];
        match kept {
            true => Treatment::Keep,
            false if is_id || name.ends_with(b"Hash") => Treatment::SearchId,
            false if lists.iter().any(|list| has(list, name)) => Treatment::SearchId,
            false => Treatment::Search,
        }
    }
}

impl Region {
    /// Returns whether the format defines the names of members.
    pub(super) fn is_format(self) -> bool {
        !matches!(self, Self::Open | Self::Free)
    }
}

fn has(list: &[String], name: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes() == name)
}
