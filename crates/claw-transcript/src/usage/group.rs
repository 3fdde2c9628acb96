//! Groups messages into rows by day, project, session, model and so on.

use std::collections::{BTreeMap, HashMap};

use super::group_by::GroupBy;
use super::money::Usd;
use super::query::UsageQuery;
use super::report::{Sums, UsageRow};
use super::sighting::{BlockShare, Sighting};
use super::tables::Tables;
use super::tokens::Tokens;
use super::zone::Zone;
use crate::files::SessionFile;
use crate::tree::Liveness;

/// Adds messages to rows.
pub(super) struct Grouping<'a> {
    groups: &'a [GroupBy],
    zone: &'a Zone,
    files: &'a [SessionFile],
    not_live: &'a HashMap<(u32, u64), Liveness>,
    rows: HashMap<Vec<String>, Sums>,
}

/// A part of a message that goes to one row.
struct Share {
    keys: Vec<String>,
    tokens: Tokens,
    cost: Option<Usd>,
    calls: u64,
}

impl<'a> Grouping<'a> {
    pub(super) fn new(
        query: &'a UsageQuery,
        files: &'a [SessionFile],
        not_live: &'a HashMap<(u32, u64), Liveness>,
    ) -> Self {
        Self {
            groups: &query.groups,
            zone: &query.zone,
            files,
            not_live,
            rows: HashMap::new(),
        }
    }

    pub(super) fn add(&mut self, tables: &Tables, message: &Sighting, cost: Option<Usd>) {
        if self.groups.is_empty() {
            return;
        }
        for share in self.shares(tables, message, cost) {
            let sums = self.rows.entry(share.keys).or_default();
            sums.add(share.tokens, share.cost);
            sums.calls += share.calls;
        }
    }

    pub(super) fn is_in(&self, row: &[String], tables: &Tables, message: &Sighting) -> bool {
        let shares = self.shares(tables, message, None);
        shares.iter().any(|share| share.keys == row)
    }

    fn shares(&self, tables: &Tables, message: &Sighting, cost: Option<Usd>) -> Vec<Share> {
        let tools = match self.groups.contains(&GroupBy::Tool) {
            true => by_tool(tables, &message.blocks),
            false => BTreeMap::from([(NO_TOOL, (1, 0))]),
        };
        let bytes = tools.values().map(|(bytes, _)| bytes).sum::<u64>().max(1);
        let mut before = 0;
        let mut shares = Vec::with_capacity(tools.len());
        for (tool, (part, calls)) in tools {
            let groups = self.groups.iter();
            let keys = groups.map(|group| self.key(*group, tables, message, tool));
            // Round running sums, so that the parts add up to the whole.
            let (from, to) = (before, before + part);
            before = to;
            let of = |count: i128| {
                let upto = |bound: u64| count * i128::from(bound) / i128::from(bytes);
                upto(to) - upto(from)
            };
            let count = |count: u64, _| u64::try_from(of(count.into())).unwrap_or(u64::MAX);
            shares.push(Share {
                keys: keys.collect(),
                tokens: message.tokens.combine(Tokens::default(), count),
                cost: cost.map(|cost| Usd::from_picos(of(cost.picos()))),
                calls,
            });
        }
        shares
    }

    fn key(&self, group: GroupBy, tables: &Tables, message: &Sighting, tool: &str) -> String {
        let context = tables.contexts.get(message.context as usize);
        let file = context.map_or(0, |context| context.file);
        let sidechain = context.is_some_and(|context| context.sidechain);
        let name = match group {
            GroupBy::Day => {
                let day = self.zone.day_of(message.time).filter(|_| message.time != 0);
                return day.map_or(UNKNOWN.into(), |day| day.to_string());
            }
            GroupBy::Tool => return tool.into(),
            GroupBy::Model => return tables.rank(message.class).0.into(),
            GroupBy::Branch => {
                return match self.not_live.get(&(file, message.key)) {
                    None | Some(Liveness::Live) => "live".into(),
                    Some(Liveness::Unknown) => UNKNOWN.into(),
                    Some(Liveness::Abandoned) => "abandoned".into(),
                };
            }
            GroupBy::Subagent | GroupBy::AgentType if !sidechain => return "main".into(),
            GroupBy::Project => context.and_then(|context| context.cwd),
            GroupBy::Session => context.map(|context| context.session),
            GroupBy::GitBranch => context.and_then(|context| context.git_branch),
            GroupBy::Subagent => context.and_then(|context| context.agent),
            GroupBy::AgentType => context.and_then(|context| context.agent_type),
        };
        let folder = || {
            self.files
                .get(file as usize)
                .map(|file| file.project.as_str())
        };
        let folder = || folder().filter(|_| group == GroupBy::Project && context.is_some());
        let name = name.map(|name| tables.names.get(name)).or_else(folder);
        name.unwrap_or(UNKNOWN).into()
    }

    pub(super) fn rows(self) -> Vec<UsageRow> {
        let rows = self.rows.into_iter();
        let rows = rows.map(|(keys, sums)| UsageRow { keys, sums });
        let mut rows: Vec<UsageRow> = rows.collect();
        rows.sort_by(|a, b| a.keys.cmp(&b.keys));
        rows
    }
}

const UNKNOWN: &str = "(unknown)";
const NO_TOOL: &str = "(no tool)";

/// Returns the tools of a reply by name, each with its bytes and calls.
fn by_tool<'t>(tables: &'t Tables, blocks: &[BlockShare]) -> BTreeMap<&'t str, (u64, u64)> {
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
        tools.insert(NO_TOOL, (1, 0));
    }
    tools
}
