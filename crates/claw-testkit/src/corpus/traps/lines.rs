//! The lines of the traps, in the shape of version 2.0.55.

/// The session of most lines.
pub(super) const SESSION: &str = "11111111-1111-4111-8111-111111111111";
/// The session beside it.
pub(super) const OTHER_SESSION: &str = "22222222-2222-4222-8222-222222222222";

/// Gives lines their ids, in order.
#[derive(Debug, Default)]
pub(super) struct Ids(u64);

impl Ids {
    fn next(&mut self) -> String {
        self.0 += 1;
        format!("00000000-0000-4000-8000-{:012}", self.0)
    }

    /// A prompt. The content is JSON.
    pub(super) fn user_content(&mut self, session: &str, content: &str) -> String {
        let uuid = self.next();
        format!(
            r#"{{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/w","sessionId":"{session}","version":"2.0.55","gitBranch":"main","type":"user","uuid":"{uuid}","timestamp":"2026-10-01T11:59:59.000Z","message":{{"role":"user","content":{content}}}}}"#
        )
    }

    /// A prompt, its text escaped where needed.
    pub(super) fn user(&mut self, text: &str) -> String {
        self.user_content(SESSION, &format!("\"{text}\""))
    }

    /// A line of an answer.
    pub(super) fn answer(&mut self, answer: &Answer<'_>) -> String {
        let uuid = self.next();
        let Answer {
            message,
            request,
            input,
            output,
            cache_5m,
            cache_1h,
            cache_read,
            block,
            session,
            timestamp,
            sidechain,
            model,
            more,
            more_usage,
            stop,
        } = answer;
        let cache_write = cache_5m + cache_1h;
        let request = request.map_or_else(String::new, |id| format!(r#","requestId":"{id}""#));
        format!(
            r#"{{"parentUuid":null,"isSidechain":{sidechain},"userType":"external","cwd":"/w","sessionId":"{session}","version":"2.0.55","gitBranch":"main","type":"assistant","uuid":"{uuid}","timestamp":"{timestamp}","message":{{"id":"{message}","type":"message","role":"assistant","model":"{model}","content":[{block}],"stop_reason":{stop},"stop_sequence":null,"usage":{{"input_tokens":{input},"cache_creation_input_tokens":{cache_write},"cache_read_input_tokens":{cache_read},"output_tokens":{output},"service_tier":"standard","cache_creation":{{"ephemeral_5m_input_tokens":{cache_5m},"ephemeral_1h_input_tokens":{cache_1h}}}{more_usage}}}}}{request}{more}}}"#
        )
    }
}

/// What is in a line of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) message: &'a str,
    pub(super) request: Option<&'a str>,
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cache_5m: u64,
    pub(super) cache_1h: u64,
    pub(super) cache_read: u64,
    /// Its block, as JSON.
    pub(super) block: &'a str,
    pub(super) session: &'a str,
    pub(super) timestamp: &'a str,
    pub(super) sidechain: bool,
    pub(super) model: &'a str,
    /// Further members of the line, each with a comma before it.
    pub(super) more: &'a str,
    /// Further members of the usage, each with a comma before it.
    pub(super) more_usage: &'a str,
    /// The reason to stop, as JSON.
    pub(super) stop: &'a str,
}

impl<'a> Answer<'a> {
    /// An answer with 10 tokens in and 100 out.
    pub(super) fn new(message: &'a str, request: &'a str) -> Self {
        Self {
            message,
            request: Some(request),
            input: 10,
            output: 100,
            cache_5m: 0,
            cache_1h: 0,
            cache_read: 0,
            block: r#"{"type":"text","text":"hi"}"#,
            session: SESSION,
            timestamp: "2026-10-01T12:00:00.000Z",
            sidechain: false,
            model: "claude-sonnet-4-5-20250929",
            more: "",
            more_usage: "",
            stop: r#""end_turn""#,
        }
    }

    /// The answer that most traps have.
    pub(super) fn first() -> Self {
        Self::new("msg_1", "req_1")
    }

    /// The answer after it.
    pub(super) fn second() -> Self {
        Self::new("msg_2", "req_2")
    }
}
