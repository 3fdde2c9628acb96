//! The usage that a turn reports.

use serde::Deserialize;
use serde_json::{Value, json};

/// The token figures of one answer, in the tiers that the API bills separately.
///
/// The defaults are fixed numbers, so that recordings are the same on every machine.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Usage {
    /// Input tokens that were neither read from nor written to the cache.
    input: u64,
    /// Output tokens, thinking included.
    output: u64,
    /// Tokens written to the cache that lives five minutes.
    cache_creation_5m: u64,
    /// Tokens written to the cache that lives one hour.
    cache_creation_1h: u64,
    /// Tokens read from the cache.
    cache_read: u64,
    /// Searches the API ran by itself; `None` leaves `server_tool_use` out of the answer.
    web_search_requests: Option<u64>,
    /// Pages the API fetched by itself; `None` leaves the field out.
    web_fetch_requests: Option<u64>,
    /// The tier the request was served in.
    service_tier: String,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            input: 100,
            output: 20,
            cache_creation_5m: 0,
            cache_creation_1h: 0,
            cache_read: 0,
            web_search_requests: None,
            web_fetch_requests: None,
            service_tier: "standard".to_owned(),
        }
    }
}

impl Usage {
    /// The figures as the API prints them in a whole message.
    pub(crate) fn whole(&self) -> Value {
        self.with_server_tools(self.with_tiers(self.output))
    }

    /// The figures at the start of a stream, when one token has been produced.
    pub(crate) fn at_start(&self) -> Value {
        self.with_tiers(self.output.min(1))
    }

    /// The cumulative figures at the end of a stream.
    pub(crate) fn at_end(&self) -> Value {
        self.with_server_tools(self.counts(self.output))
    }

    fn counts(&self, output: u64) -> Value {
        let created = self
            .cache_creation_5m
            .saturating_add(self.cache_creation_1h);
        json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": created,
            "cache_read_input_tokens": self.cache_read,
            "output_tokens": output,
        })
    }

    fn with_tiers(&self, output: u64) -> Value {
        let mut usage = self.counts(output);
        usage["cache_creation"] = json!({
            "ephemeral_5m_input_tokens": self.cache_creation_5m,
            "ephemeral_1h_input_tokens": self.cache_creation_1h,
        });
        usage["service_tier"] = json!(self.service_tier);
        usage
    }

    fn with_server_tools(&self, mut usage: Value) -> Value {
        let counts = [
            ("web_search_requests", self.web_search_requests),
            ("web_fetch_requests", self.web_fetch_requests),
        ];
        for (name, count) in counts {
            if let Some(count) = count {
                usage["server_tool_use"][name] = json!(count);
            }
        }
        usage
    }
}
