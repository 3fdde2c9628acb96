//! The usage that a turn reports.

use serde::Deserialize;
use serde_json::{Value, json};

/// The token figures of one answer, in the tiers that the API bills separately.
///
/// The defaults are fixed numbers, so that recordings are the same on every machine.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Usage {
    /// Input tokens that were neither read from nor written to the cache.
    pub input: u64,
    /// Output tokens, thinking included.
    pub output: u64,
    /// Tokens written to the cache that lives five minutes.
    pub cache_creation_5m: u64,
    /// Tokens written to the cache that lives one hour.
    pub cache_creation_1h: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Searches the API ran by itself; `None` leaves `server_tool_use` out of the answer.
    pub web_search_requests: Option<u64>,
    /// Pages the API fetched by itself; `None` leaves the field out.
    pub web_fetch_requests: Option<u64>,
    /// The tier the request was served in.
    pub service_tier: String,
}

impl Default for Usage {
    fn default() -> Self {
        Self::new(100, 20)
    }
}

impl Usage {
    /// Plain input and output, no cache.
    pub fn new(input: u64, output: u64) -> Self {
        Self {
            input,
            output,
            cache_creation_5m: 0,
            cache_creation_1h: 0,
            cache_read: 0,
            web_search_requests: None,
            web_fetch_requests: None,
            service_tier: "standard".to_owned(),
        }
    }

    /// Tokens written to the five-minute and the one-hour cache.
    pub fn cache_creation(mut self, five_minutes: u64, one_hour: u64) -> Self {
        self.cache_creation_5m = five_minutes;
        self.cache_creation_1h = one_hour;
        self
    }

    /// Tokens read from the cache.
    pub fn cache_read(mut self, tokens: u64) -> Self {
        self.cache_read = tokens;
        self
    }

    /// Searches and page fetches that ran on the server's side.
    pub fn server_tool_use(mut self, web_search: u64, web_fetch: u64) -> Self {
        self.web_search_requests = Some(web_search);
        self.web_fetch_requests = Some(web_fetch);
        self
    }

    /// The figures as the API prints them in a whole message.
    pub(crate) fn whole(&self) -> Value {
        let mut usage = self.with_output(self.output);
        if let Some(server) = self.server_tool_use_json() {
            usage["server_tool_use"] = server;
        }
        usage
    }

    /// The figures at the start of a stream, when one token has been produced.
    pub(crate) fn at_start(&self) -> Value {
        self.with_output(self.output.min(1))
    }

    /// The cumulative figures at the end of a stream.
    pub(crate) fn at_end(&self) -> Value {
        let mut usage = json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_creation_total(),
            "cache_read_input_tokens": self.cache_read,
            "output_tokens": self.output,
        });
        if let Some(server) = self.server_tool_use_json() {
            usage["server_tool_use"] = server;
        }
        usage
    }

    fn cache_creation_total(&self) -> u64 {
        self.cache_creation_5m
            .saturating_add(self.cache_creation_1h)
    }

    fn with_output(&self, output: u64) -> Value {
        json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_creation_total(),
            "cache_read_input_tokens": self.cache_read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.cache_creation_5m,
                "ephemeral_1h_input_tokens": self.cache_creation_1h,
            },
            "output_tokens": output,
            "service_tier": self.service_tier,
        })
    }

    fn server_tool_use_json(&self) -> Option<Value> {
        if self.web_search_requests.is_none() && self.web_fetch_requests.is_none() {
            return None;
        }
        let mut server = serde_json::Map::new();
        if let Some(searches) = self.web_search_requests {
            server.insert("web_search_requests".to_owned(), searches.into());
        }
        if let Some(fetches) = self.web_fetch_requests {
            server.insert("web_fetch_requests".to_owned(), fetches.into());
        }
        Some(Value::Object(server))
    }
}
