//! What the lines that matter say.

use super::money::Usd;
use super::tokens::Tokens;
use super::walk::{Walk, unescaped};

/// A reply of the model, as one line tells it: one block of it, most often.
#[derive(Debug, Default)]
pub(super) struct Reply<'a> {
    pub(super) message_id: Option<&'a [u8]>,
    pub(super) model: &'a [u8],
    pub(super) tokens: Tokens,
    pub(super) fast: bool,
    pub(super) us_only: bool,
    pub(super) request_id: Option<&'a [u8]>,
    /// Which `api-request` record of the CLI it answers.
    pub(super) request_ref: Option<&'a [u8]>,
    pub(super) uuid: Option<&'a [u8]>,
    pub(super) timestamp: Option<&'a [u8]>,
    pub(super) session: Option<&'a [u8]>,
    pub(super) cwd: Option<&'a [u8]>,
    pub(super) git_branch: Option<&'a [u8]>,
    pub(super) agent: Option<&'a [u8]>,
    pub(super) agent_type: Option<&'a [u8]>,
    pub(super) sidechain: bool,
    /// Copied from another session, and marked so.
    pub(super) forked: bool,
    /// It was not finished when the line was written: old versions wrote the first blocks so, and
    /// all write so what the user stopped.
    pub(super) unfinished: bool,
    /// Number of counts that are text or negative; they are counted as zero.
    pub(super) odd_counts: u64,
    /// The blocks, as one list of JSON.
    pub(super) content: Option<&'a [u8]>,
}

/// What a line is, for counting.
#[derive(Debug)]
pub(super) enum Reading<'a> {
    /// A reply with its usage.
    Reply(Box<Reply<'a>>),
    /// Whole, but nothing that is paid for.
    Other,
    /// Not JSON.
    Broken,
}

/// Reads a line that may be a reply. The last of several members counts, as it does for the CLI.
pub(super) fn read(line: &[u8]) -> Reading<'_> {
    let mut walk = Walk::new(line);
    let mut reply = Reply::default();
    let mut is_assistant = false;
    let mut has_usage = false;
    let whole = walk.object(|walk, name| {
        match name {
            b"type" => is_assistant = walk.text()? == Some(b"assistant"),
            b"message" => {
                has_usage = read_message(walk, &mut reply)?;
            }
            b"requestId" => reply.request_id = filled(walk.text()?),
            b"requestRef" => reply.request_ref = filled(walk.text()?),
            b"uuid" => reply.uuid = filled(walk.text()?),
            b"timestamp" => reply.timestamp = walk.text()?,
            b"sessionId" => reply.session = filled(walk.text()?),
            // As the CLI writes to its standard output.
            b"session_id" => reply.session = reply.session.or(filled(walk.text()?)),
            b"cwd" => reply.cwd = filled(walk.text()?),
            b"gitBranch" => reply.git_branch = filled(walk.text()?),
            b"agentId" => reply.agent = filled(walk.text()?),
            b"attributionAgent" => reply.agent_type = filled(walk.text()?),
            b"isSidechain" => reply.sidechain = walk.is_true()?,
            b"forkedFrom" => reply.forked = walk.raw()?.first() == Some(&b'{'),
            _ => return Some(false),
        }
        Some(true)
    });
    reply.odd_counts = walk.odd_counts;
    match whole.and_then(|()| walk.end()) {
        None => Reading::Broken,
        Some(()) if is_assistant && has_usage => Reading::Reply(Box::new(reply)),
        Some(()) => Reading::Other,
    }
}

fn filled(text: Option<&[u8]>) -> Option<&[u8]> {
    text.filter(|text| !text.is_empty())
}

/// Goes over a message and says whether it has usage.
fn read_message<'a>(walk: &mut Walk<'a>, reply: &mut Reply<'a>) -> Option<bool> {
    (reply.message_id, reply.model, reply.content) = (None, b"", None);
    (reply.tokens, reply.unfinished) = (Tokens::default(), false);
    if walk.peek()? != b'{' {
        walk.skip()?;
        return Some(false);
    }
    let mut has_usage = false;
    walk.object(|walk, name| {
        match name {
            b"id" => reply.message_id = filled(walk.text()?),
            b"model" => reply.model = walk.text()?.unwrap_or_default(),
            b"content" => reply.content = Some(walk.raw()?),
            b"stop_reason" => reply.unfinished = walk.raw()? == b"null",
            b"usage" => has_usage = read_usage(walk, reply)?,
            _ => return Some(false),
        }
        Some(true)
    })?;
    Some(has_usage)
}

/// Goes over usage and says whether it is there: `null` is none.
fn read_usage<'a>(walk: &mut Walk<'a>, reply: &mut Reply<'a>) -> Option<bool> {
    (reply.tokens, reply.fast, reply.us_only) = (Tokens::default(), false, false);
    if walk.peek()? != b'{' {
        walk.skip()?;
        return Some(false);
    }
    let mut written = None;
    let (mut for_5m, mut for_1h) = (0, 0);
    walk.object(|walk, name| {
        match name {
            b"input_tokens" => reply.tokens.input = walk.count()?,
            b"output_tokens" => reply.tokens.output = walk.count()?,
            b"cache_read_input_tokens" => reply.tokens.cache_read = walk.count()?,
            b"cache_creation_input_tokens" => written = Some(walk.count()?),
            b"cache_creation" if walk.peek()? == b'{' => {
                walk.object(|walk, name| {
                    match name {
                        b"ephemeral_5m_input_tokens" => for_5m = walk.count()?,
                        b"ephemeral_1h_input_tokens" => for_1h = walk.count()?,
                        _ => return Some(false),
                    }
                    Some(true)
                })?;
            }
            b"server_tool_use" if walk.peek()? == b'{' => {
                walk.object(|walk, name| {
                    if name != b"web_search_requests" {
                        return Some(false);
                    }
                    reply.tokens.web_searches = walk.count()?;
                    Some(true)
                })?;
            }
            b"speed" => reply.fast = walk.text()? == Some(b"fast"),
            b"inference_geo" => reply.us_only = walk.text()? == Some(b"us"),
            _ => return Some(false),
        }
        Some(true)
    })?;
    // As the CLI splits it: the total is what was written, an hour's share is at most that, and
    // all the rest is for five minutes.
    let written = written.unwrap_or_else(|| for_1h.saturating_add(for_5m));
    reply.tokens.cache_write_1h = for_1h.min(written);
    reply.tokens.cache_write_5m = written - reply.tokens.cache_write_1h;
    Some(true)
}

/// A request that the CLI says it sent.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) id: &'a [u8],
}

/// Reads the head of an `api-request` line: its members come in a known order, and the rest is not
/// gone over.
pub(super) fn read_request(line: &[u8]) -> Option<Request<'_>> {
    let mut id = None;
    // Stops at the first member that is not needed once the id is there.
    let _stopped = Walk::new(line).object(|walk, name| match name {
        b"id" => {
            id = filled(walk.text()?);
            None
        }
        _ => Some(false),
    });
    id.map(|id| Request { id })
}

/// The line is no JSON.
#[derive(Debug)]
pub(super) struct NotJson;

/// Reads any line that may be an `api-request`, its members in whatever order.
pub(super) fn read_any_request(line: &[u8]) -> Result<Option<Request<'_>>, NotJson> {
    let (mut is_request, mut id) = (false, None);
    let mut walk = Walk::new(line);
    let whole = walk.object(|walk, name| {
        match name {
            b"type" => is_request = walk.text()? == Some(b"api-request"),
            b"id" => id = filled(walk.text()?),
            _ => return Some(false),
        }
        Some(true)
    });
    whole.and_then(|()| walk.end()).ok_or(NotJson)?;
    Ok(id.filter(|_| is_request).map(|id| Request { id }))
}

/// The CLI's own running total of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CostState {
    pub(super) total: Usd,
    /// When the first process began that this total counts from. A fork that takes over its
    /// original's spend has the original's.
    pub(super) start: u64,
    pub(super) models: Vec<(String, Tokens, Usd)>,
}

/// Reads a `cost-state` line.
pub(super) fn read_cost_state(line: &[u8]) -> Option<CostState> {
    let mut state = CostState::default();
    let mut is_state = false;
    let mut walk = Walk::new(line);
    walk.object(|walk, name| {
        match name {
            b"type" => is_state = walk.text()? == Some(b"cost-state"),
            b"totalCostUSD" => state.total = dollars(walk.raw()?),
            b"startTime" => state.start = walk.count()?,
            b"modelUsage" if walk.peek()? == b'{' => {
                state.models.clear();
                walk.object(|walk, model| {
                    if walk.peek()? != b'{' {
                        return Some(false);
                    }
                    let (tokens, cost) = read_model_usage(walk)?;
                    let model = unescaped(model).into_owned();
                    state.models.push((model, tokens, cost));
                    Some(true)
                })?;
            }
            _ => return Some(false),
        }
        Some(true)
    })?;
    walk.end()?;
    state.models.sort_by(|a, b| a.0.cmp(&b.0));
    is_state.then_some(state)
}

fn read_model_usage(walk: &mut Walk<'_>) -> Option<(Tokens, Usd)> {
    let mut tokens = Tokens::default();
    let mut cost = Usd::ZERO;
    let mut written = 0;
    walk.object(|walk, name| {
        match name {
            b"inputTokens" => tokens.input = walk.count()?,
            b"outputTokens" => tokens.output = walk.count()?,
            b"cacheReadInputTokens" => tokens.cache_read = walk.count()?,
            b"cacheCreationInputTokens" => written = walk.count()?,
            b"cacheCreationEphemeral1hInputTokens" => tokens.cache_write_1h = walk.count()?,
            b"webSearchRequests" => tokens.web_searches = walk.count()?,
            b"costUSD" => cost = dollars(walk.raw()?),
            _ => return Some(false),
        }
        Some(true)
    })?;
    tokens.cache_write_1h = tokens.cache_write_1h.min(written);
    tokens.cache_write_5m = written - tokens.cache_write_1h;
    Some((tokens, cost))
}

fn dollars(token: &[u8]) -> Usd {
    let number = std::str::from_utf8(token).ok().and_then(|t| t.parse().ok());
    number.and_then(Usd::from_dollars).unwrap_or_default()
}

/// A part of a reply: a call of a tool, text, thinking.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// The tool's name, or nothing for what calls none.
    pub(super) tool: Option<&'a [u8]>,
    /// The call's id, or for other blocks all their bytes.
    pub(super) identity: &'a [u8],
    pub(super) bytes: usize,
}

/// The blocks of a reply's content.
pub(super) fn read_blocks<'a>(content: &'a [u8], mut block: impl FnMut(Block<'a>)) {
    let mut walk = Walk::new(content);
    if walk.peek() != Some(b'[') {
        return;
    }
    // The content was gone over once already, so it is whole.
    let _whole = walk.list(|walk| {
        if walk.peek()? != b'{' {
            return Some(false);
        }
        let from = walk.position();
        let (mut is_call, mut name, mut id) = (false, None, None);
        walk.object(|walk, member| {
            match member {
                b"type" => is_call = walk.text()?.is_some_and(|kind| kind.ends_with(b"tool_use")),
                b"name" => name = filled(walk.text()?),
                b"id" => id = filled(walk.text()?),
                _ => return Some(false),
            }
            Some(true)
        })?;
        let all = &content[from..walk.position()];
        block(Block {
            tool: name.filter(|_| is_call),
            identity: id.filter(|_| is_call).unwrap_or(all),
            bytes: all.len(),
        });
        Some(true)
    });
}

#[cfg(test)]
mod tests;
