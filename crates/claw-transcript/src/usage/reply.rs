//! Replies, and the CLI's own totals.

use super::money::Usd;
use super::prices::Manner;
use super::tokens::Tokens;
use crate::entry::Kind;
use crate::facts::{Facts, Member, Message};
use crate::json::Cursor;
use crate::members::{self, Members};

/// A reply of the model as one line describes it: usually one block of it.
#[derive(Debug)]
pub(super) struct Reply<'a> {
    facts: &'a Facts<'a>,
    message: &'a Message<'a>,
    pub(super) usage: Usage,
}

/// The usage of a reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) tokens: Tokens,
    pub(super) manner: Manner,
    /// Number of counts that are text or negative; they count as zero.
    pub(super) odd_counts: u64,
}

impl<'a> Reply<'a> {
    /// Reads a line; `None` if it is not a reply with usage.
    pub(super) fn read(facts: &'a Facts<'a>) -> Option<Self> {
        let message = facts
            .message
            .as_ref()
            .filter(|_| facts.kind == Kind::Assistant)?;
        let usage = Usage::read(message.usage?)?;
        Some(Self {
            facts,
            message,
            usage,
        })
    }

    /// A text of the line: JSON between the quotes, with escapes as written. `None` if it is empty.
    pub(super) fn get(&self, member: Member) -> Option<&'a str> {
        text(self.facts.get(member))
    }

    pub(super) fn message_id(&self) -> Option<&'a str> {
        text(self.message.id)
    }

    pub(super) fn model(&self) -> &'a str {
        text(self.message.model).unwrap_or_default()
    }

    pub(super) fn is_sidechain(&self) -> bool {
        self.facts.is_true(Member::Sidechain)
    }

    pub(super) fn is_forked(&self) -> bool {
        let from = self.facts.get(Member::ForkedFrom);
        from.is_some_and(|from| from.starts_with('{'))
    }

    /// Returns whether the reply was not complete when the line was written. Old versions wrote
    /// first blocks like this, and all versions write interrupted replies like this.
    pub(super) fn is_unfinished(&self) -> bool {
        self.message.stop_reason == Some("null")
    }

    /// The blocks of the reply that are objects.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block<'a>> {
        let blocks = self.message.blocks().iter();
        let objects = blocks.filter(|block| block.json.starts_with('{'));
        objects.map(|block| {
            let is_call = text(block.kind).is_some_and(|kind| kind.ends_with("tool_use"));
            Block {
                tool: text(block.name).filter(|_| is_call),
                identity: text(block.id).filter(|_| is_call).unwrap_or(block.json),
                bytes: block.json.len(),
            }
        })
    }
}

/// The text of a string that is not empty.
pub(super) fn text(value: Option<&str>) -> Option<&str> {
    value
        .and_then(members::inner)
        .filter(|text| !text.is_empty())
}

impl Usage {
    /// Reads the member `usage`; `None` if it is not an object.
    fn read(json: &str) -> Option<Self> {
        let usage = Members::read_lenient(json)?;
        let object = |name| usage.get(name).and_then(Members::read_lenient);
        let written = object("cache_creation").unwrap_or_default();
        let tools = object("server_tool_use").unwrap_or_default();
        let mut odd_counts = 0;
        let mut get = |members: &Members<'_>, name| {
            let json = members.get(name);
            json.map(|json| count(json, &mut odd_counts))
        };
        let for_5m = get(&written, "ephemeral_5m_input_tokens").unwrap_or(0);
        let for_1h = get(&written, "ephemeral_1h_input_tokens").unwrap_or(0);
        // Split as by the CLI: the share for an hour is at most the total that was written, and the
        // rest is for five minutes.
        let written = get(&usage, "cache_creation_input_tokens");
        let written = written.unwrap_or_else(|| for_1h.saturating_add(for_5m));
        let cache_write_1h = for_1h.min(written);
        Some(Self {
            tokens: Tokens {
                output: get(&usage, "output_tokens").unwrap_or(0),
                input: get(&usage, "input_tokens").unwrap_or(0),
                cache_write_5m: written - cache_write_1h,
                cache_write_1h,
                cache_read: get(&usage, "cache_read_input_tokens").unwrap_or(0),
                web_searches: get(&tools, "web_search_requests").unwrap_or(0),
            },
            manner: Manner {
                fast: usage.get("speed") == Some("\"fast\""),
                us_only: usage.get("inference_geo") == Some("\"us\""),
            },
            odd_counts,
        })
    }
}

/// Reads a count. Anything but a number, and everything below zero, is zero and odd; `null` is zero.
fn count(json: &str, odd: &mut u64) -> u64 {
    let is_count = json == "null" || json.starts_with(|c: char| c.is_ascii_digit());
    *odd += u64::from(!is_count);
    let mut count = 0_u64;
    for byte in json.bytes() {
        if !byte.is_ascii_digit() {
            // A float, or not a number. The cast saturates, and is zero for negative numbers.
            let number: f64 = json.parse().unwrap_or_default();
            return number as u64;
        }
        count = count
            .saturating_mul(10)
            .saturating_add(u64::from(byte - b'0'));
    }
    count
}

/// Reads the id from the head of an `api-request` line. The line may be long, or another one may be
/// concatenated to it, so the rest is not read.
pub(super) fn request_id(line: &[u8]) -> Option<String> {
    const HEAD: usize = 1024;
    let find = |bytes: &[u8]| {
        let head = String::from_utf8_lossy(bytes);
        let mut id = None;
        // Ends at the id.
        let _ended = Cursor::new(&head).object(|cursor, name| {
            if name.as_deref() != Some("id") {
                return cursor.skip();
            }
            id = text(Some(cursor.raw()?)).map(str::to_owned);
            None
        });
        id
    };
    let (head, rest) = line.split_at(HEAD.min(line.len()));
    find(head).or_else(|| if rest.is_empty() { None } else { find(line) })
}

/// The CLI's own running total of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CostState {
    pub(super) total: Usd,
    /// The start time of the first process that this total includes. A fork that inherits its
    /// original's spend has the original's start time.
    pub(super) start: u64,
    pub(super) models: Vec<(String, Tokens, Usd)>,
}

impl CostState {
    pub(super) fn tokens(&self) -> Tokens {
        let models = self.models.iter().map(|(_, tokens, _)| *tokens);
        models.fold(Tokens::default(), |sum, tokens| sum + tokens)
    }

    pub(super) fn read(facts: &Facts<'_>) -> Self {
        let models = facts.get(Member::ModelUsage);
        let models = models.and_then(Members::read_lenient).unwrap_or_default();
        let models = models.iter().filter_map(|(model, usage)| {
            let usage = Members::read_lenient(usage)?;
            let count = |name| usage.get(name).map_or(0, |json| count(json, &mut 0));
            let written = count("cacheCreationInputTokens");
            let cache_write_1h = count("cacheCreationEphemeral1hInputTokens").min(written);
            let tokens = Tokens {
                input: count("inputTokens"),
                output: count("outputTokens"),
                cache_read: count("cacheReadInputTokens"),
                cache_write_1h,
                cache_write_5m: written - cache_write_1h,
                web_searches: count("webSearchRequests"),
            };
            Some((model.to_owned(), tokens, dollars(usage.get("costUSD"))))
        });
        let mut models: Vec<_> = models.collect();
        models.sort_by(|a, b| a.0.cmp(&b.0));
        Self {
            total: dollars(facts.get(Member::TotalCost)),
            start: facts
                .get(Member::StartTime)
                .map_or(0, |json| count(json, &mut 0)),
            models,
        }
    }
}

fn dollars(json: Option<&str>) -> Usd {
    let number = json.and_then(|json| json.parse().ok());
    number.and_then(Usd::from_dollars).unwrap_or_default()
}

/// A block of a reply: a tool call, text, thinking.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// The name of the tool, for calls.
    pub(super) tool: Option<&'a str>,
    /// The id of a call, the JSON of other blocks.
    pub(super) identity: &'a str,
    pub(super) bytes: usize,
}

#[cfg(test)]
mod tests;
