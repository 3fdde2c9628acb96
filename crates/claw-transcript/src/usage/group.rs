//! Rows by day, project, session, model and so on.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::money::Usd;
use super::report::{Sums, UsageRow};
use super::settle::Message;
use super::sighting::BlockShare;
use super::tables::{Place, Tables};
use super::tokens::Tokens;
use super::zone::{Calendar, Zone};
use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::tree::Fate;

/// What rows have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GroupBy {
    /// The day in the report's time zone.
    Day,
    /// The directory that the CLI worked in, by the lines. Where they do not say, the name of the
    /// folder that the session is filed under.
    Project,
    /// The session in which a reply was made. Copies in forks of it are not counted again.
    Session,
    /// The model, as the lines name it.
    Model,
    /// `live` for what leads to the end of a conversation, `abandoned` for what was edited away or
    /// tried again, `(unknown)` for what lies before or behind a hole in the file, where a parent is
    /// lost. A subagent is judged by itself. Reads every line, which takes a few times longer.
    Branch,
    /// The git branch of the working directory.
    GitBranch,
    /// The tool that a reply calls. A reply with several parts (calls, text, thinking) is divided
    /// between them by their length in bytes, the whole of it: the prompt was paid for to get all of
    /// them. What calls no tool is `(no tool)`.
    Tool,
    /// The subagent by its id, or `main`.
    Subagent,
    /// The kind of subagent, or `main`.
    AgentType,
}

impl GroupBy {
    const ALL: [(Self, &'static str); 9] = [
        (Self::Day, "day"),
        (Self::Project, "project"),
        (Self::Session, "session"),
        (Self::Model, "model"),
        (Self::Branch, "branch"),
        (Self::GitBranch, "git-branch"),
        (Self::Tool, "tool"),
        (Self::Subagent, "subagent"),
        (Self::AgentType, "agent-type"),
    ];
}

impl fmt::Display for GroupBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(group, _)| group == self);
        f.pad(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for GroupBy {
    type Err = TranscriptError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.iter().find(|(_, name)| *name == text);
        let unknown = || TranscriptError::UnknownName {
            what: "grouping",
            name: text.to_owned(),
            hint: format!("give {}", Self::ALL.map(|(_, name)| name).join(", ")),
        };
        named.map(|(group, _)| *group).ok_or_else(unknown)
    }
}

/// Puts messages into rows.
pub(super) struct Grouping<'a> {
    groups: &'a [GroupBy],
    files: &'a [SessionFile],
    not_live: &'a HashMap<(u32, u64), Fate>,
    calendar: Calendar<'a>,
    /// Numbers for keys, so that a message costs no text.
    numbers: HashMap<String, u32>,
    keys: Vec<String>,
    /// What was looked up once for each place, by grouping.
    of_place: HashMap<(GroupBy, u32), u32>,
    of_day: HashMap<super::zone::Day, u32>,
    rows: HashMap<Vec<u32>, Sums>,
    scratch: Vec<u32>,
}

/// A part of a message that goes to one row.
struct Share {
    keys: Vec<u32>,
    tokens: Tokens,
    cost: Option<Usd>,
    calls: u64,
}

impl<'a> Grouping<'a> {
    pub(super) fn new(
        groups: &'a [GroupBy],
        zone: &'a Zone,
        files: &'a [SessionFile],
        not_live: &'a HashMap<(u32, u64), Fate>,
    ) -> Self {
        Self {
            groups,
            files,
            not_live,
            calendar: Calendar::new(zone),
            numbers: HashMap::new(),
            keys: Vec::new(),
            of_place: HashMap::new(),
            of_day: HashMap::new(),
            rows: HashMap::new(),
            scratch: Vec::new(),
        }
    }

    /// Adds a message to its row, or rows.
    pub(super) fn add(&mut self, tables: &Tables, message: &Message, cost: Option<Usd>) {
        if self.groups.is_empty() {
            return;
        }
        if self.groups.contains(&GroupBy::Tool) {
            for share in self.shares(tables, message, cost) {
                let sums = self.rows.entry(share.keys).or_default();
                sums.add(share.tokens, share.cost);
                sums.calls += share.calls;
            }
            return;
        }
        let mut keys = std::mem::take(&mut self.scratch);
        keys.clear();
        for at in 0..self.groups.len() {
            keys.push(self.key(self.groups[at], tables, message));
        }
        match self.rows.get_mut(&keys) {
            Some(sums) => sums.add(message.tokens, cost),
            None => {
                let mut sums = Sums::default();
                sums.add(message.tokens, cost);
                self.rows.insert(keys.clone(), sums);
            }
        }
        self.scratch = keys;
    }

    /// Which rows a message is in: their keys as text.
    pub(super) fn keys_of(&mut self, tables: &Tables, message: &Message) -> Vec<Vec<String>> {
        let shares = self.shares(tables, message, None);
        let text = |share: Share| {
            let keys = share
                .keys
                .iter()
                .map(|key| self.keys[*key as usize].clone());
            keys.collect()
        };
        shares.into_iter().map(text).collect()
    }

    fn shares(&mut self, tables: &Tables, message: &Message, cost: Option<Usd>) -> Vec<Share> {
        let tools = if self.groups.contains(&GroupBy::Tool) {
            by_tool(tables, &message.blocks)
        } else {
            vec![(NO_TOOL, 1, 0)]
        };
        let bytes = tools.iter().map(|(_, bytes, _)| bytes).sum::<u64>().max(1);
        let mut before = 0;
        let mut shares = Vec::new();
        for (tool, part, calls) in tools {
            let mut keys = Vec::new();
            for at in 0..self.groups.len() {
                keys.push(match self.groups[at] {
                    GroupBy::Tool => self.number(tool),
                    group => self.key(group, tables, message),
                });
            }
            // Rounding by running sums: the parts add up to the whole.
            let (from, to) = (before, before + part);
            before = to;
            let of = |count: u64| {
                let upto = |bound: u64| {
                    let share = u128::from(count) * u128::from(bound) / u128::from(bytes);
                    u64::try_from(share).unwrap_or(u64::MAX)
                };
                upto(to) - upto(from)
            };
            let cost = cost.map(|cost| {
                let upto = |bound: u64| cost.picos() * i128::from(bound) / i128::from(bytes);
                Usd::from_picos(upto(to) - upto(from))
            });
            shares.push(Share {
                keys,
                tokens: message
                    .tokens
                    .combine(Tokens::default(), |count, _| of(count)),
                cost,
                calls,
            });
        }
        shares
    }

    fn number(&mut self, key: &str) -> u32 {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        let number = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        self.keys.push(key.to_owned());
        self.numbers.insert(key.to_owned(), number);
        number
    }

    fn key(&mut self, group: GroupBy, tables: &Tables, message: &Message) -> u32 {
        match group {
            GroupBy::Day => {
                let day = match message.time {
                    0 => None,
                    time => self.calendar.day(time),
                };
                let Some(day) = day else {
                    return self.number(UNKNOWN);
                };
                if let Some(number) = self.of_day.get(&day) {
                    return *number;
                }
                let number = self.number(&day.to_string());
                self.of_day.insert(day, number);
                number
            }
            GroupBy::Model => self.number(tables.rank(message.class).0),
            GroupBy::Branch => {
                let file = tables.places.get(message.place as usize);
                let file = file.map_or(0, |place| place.file);
                self.number(match self.not_live.get(&(file, message.key)) {
                    None | Some(Fate::Live) => "live",
                    Some(Fate::Unknown) => UNKNOWN,
                    Some(Fate::Left) => "abandoned",
                })
            }
            group => {
                if let Some(number) = self.of_place.get(&(group, message.place)) {
                    return *number;
                }
                let place = tables.places.get(message.place as usize);
                let key = place.map(|place| self.key_of_place(group, tables, place));
                let number = self.number(&key.unwrap_or_else(|| UNKNOWN.to_owned()));
                self.of_place.insert((group, message.place), number);
                number
            }
        }
    }

    fn key_of_place(&self, group: GroupBy, tables: &Tables, place: &Place) -> String {
        let name = match group {
            GroupBy::Project => {
                let folder = self.files.get(place.file as usize);
                let folder = folder.map_or(UNKNOWN, |file| file.project.as_str());
                return place
                    .cwd
                    .map_or(folder, |cwd| tables.names.get(cwd))
                    .to_owned();
            }
            GroupBy::Session => Some(place.session),
            GroupBy::GitBranch => place.git_branch,
            GroupBy::Subagent if !place.sidechain => return "main".to_owned(),
            GroupBy::Subagent => place.agent,
            GroupBy::AgentType if !place.sidechain => return "main".to_owned(),
            GroupBy::AgentType => place.agent_type,
            _ => None,
        };
        name.map_or(UNKNOWN, |name| tables.names.get(name))
            .to_owned()
    }

    /// The rows by their keys.
    pub(super) fn rows(self) -> Vec<UsageRow> {
        let keys = self.keys;
        let rows = self.rows.into_iter().map(|(numbers, sums)| UsageRow {
            keys: numbers.iter().map(|n| keys[*n as usize].clone()).collect(),
            sums,
        });
        let mut rows: Vec<UsageRow> = rows.collect();
        rows.sort_by(|a, b| a.keys.cmp(&b.keys));
        rows
    }
}

const UNKNOWN: &str = "(unknown)";
const NO_TOOL: &str = "(no tool)";

/// The tools of a reply, each with its bytes and its calls, by name.
fn by_tool<'t>(tables: &'t Tables, blocks: &[BlockShare]) -> Vec<(&'t str, u64, u64)> {
    let mut tools: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for block in blocks {
        let (name, calls) = match block.tool {
            Some(tool) => (tables.names.get(tool), 1),
            None => (NO_TOOL, 0),
        };
        let tool = tools.entry(name).or_default();
        tool.0 += u64::from(block.bytes);
        tool.1 += calls;
    }
    if tools.is_empty() {
        return vec![(NO_TOOL, 1, 0)];
    }
    tools
        .into_iter()
        .map(|(name, (bytes, calls))| (name, bytes, calls))
        .collect()
}
