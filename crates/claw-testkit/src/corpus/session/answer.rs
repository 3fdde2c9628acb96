//! Answers of the model: their requests, their lines and their cost.

use std::fmt::Write as _;

use super::super::line::{Spend, api_id};
use super::super::price::{MODELS, Tokens, dollars};
use super::super::shapes::VERSION;
use super::super::text::{json, prose};
use super::Session;
use crate::dice::uuid_text;

impl Session<'_> {
    /// Adds the record of a request, as newer versions keep it, and returns its id.
    fn request(&mut self) -> String {
        let shapes = self.shapes;
        let shape_hash = format!("{:064x}", 0x5ba9_e000 + self.model);
        let timestamp = self.tick_by(1);
        let mut tail = Vec::new();
        if !self.shaped {
            self.shaped = true;
            let shape = &shapes.request_shape;
            self.record(
                "api-request-shape",
                &format!(
                    r#""shapeHash":"{shape_hash}","timestamp":"{timestamp}","version":"{VERSION}","shape":{shape}"#
                ),
            );
            for message in &shapes.blobs {
                let hash = self.hash();
                self.record(
                    "api-request-blob",
                    &format!(r#""hash":"{hash}","message":{message}"#),
                );
                tail.push(hash);
            }
        } else {
            tail = vec![self.hash(), self.hash()];
        }
        let id = uuid_text(self.dice.uuid());
        let keep = self.request_messages;
        self.request_messages += tail.len();
        let last = self.request_messages - 1;
        let base = self
            .last_request
            .replace(id.clone())
            .map_or_else(String::new, |base| format!(r#""base":"{base}","#));
        let (before, after) = &shapes.params;
        let model = MODELS[self.model].name;
        let tail = tail.join(r#"",""#);
        let digest = self.hash();
        self.record(
            "api-request",
            &format!(
                r#""id":"{id}","timestamp":"{timestamp}","version":"{VERSION}","querySource":"repl_main_thread","shapeHash":"{shape_hash}","params":{before}{model}{after},{base}"keep":{keep},"tail":["{tail}"],"cacheControl":[{{"path":["system",0],"value":{{"type":"ephemeral"}}}},{{"path":["system",1],"value":{{"type":"ephemeral"}}}},{{"path":["messages",{last},"content",0],"value":{{"type":"ephemeral"}}}}],"requestDigest":"{digest}""#
            ),
        );
        id
    }

    fn hash(&mut self) -> String {
        format!("{:032x}{:032x}", self.dice.wide(), self.dice.wide())
    }

    fn next_usage(&mut self, output: u64) -> Tokens {
        let grown = self.dice.size(900, 1.0, 50, 20_000) as u64;
        self.context = (self.context + grown).min(190_000);
        let written = self.dice.size(1200, 1.0, 0, 40_000) as u64;
        let for_an_hour = self.dice.per_mille(300);
        Tokens {
            input: self.dice.between(1, 30) as u64,
            output,
            cache_5m: if for_an_hour { 0 } else { written },
            cache_1h: if for_an_hour { written } else { 0 },
            cache_read: self.context.saturating_sub(written),
        }
    }

    /// Adds an answer of the model, one line for each block, and returns the ids of the lines.
    pub(super) fn answer(
        &mut self,
        blocks: Vec<String>,
        stop: &str,
        interrupted: bool,
    ) -> Vec<u128> {
        let modern = self.style.modern;
        self.tick();
        self.step_over_midnight();
        let message = self.dice.wide();
        let message_id = api_id("msg_01", message);
        let request_id = api_id("req_01", self.dice.wide());
        // Gateways and other clouds leave it out.
        let no_request_id = !modern && self.dice.per_mille(100);
        let size: usize = blocks.iter().map(String::len).sum();
        let usage = self.next_usage(size as u64 / 4 + 5);
        let model = MODELS[self.model].name;
        let reference = if modern {
            self.request()
        } else {
            String::new()
        };
        let count = blocks.len();
        let mut ids = Vec::with_capacity(count);
        let mut shown = usage;
        for (index, block) in blocks.into_iter().enumerate() {
            // Old versions wrote each block before they knew what the whole would use.
            let partial = interrupted || (!modern && index + 1 < count);
            shown = usage;
            if partial {
                shown.output = self.dice.between(1, 9) as u64;
            }
            let stop = if partial { "null" } else { stop };
            let usage_json = usage_json(&shown, modern && !interrupted);
            let details = if modern {
                r#","stop_details":null"#
            } else {
                ""
            };
            let mut head = format!(
                r#""message":{{"id":"{message_id}","type":"message","role":"assistant","model":"{model}","content":[{block}],"stop_reason":{stop},"stop_sequence":null,"usage":{usage_json}{details}}},"#
            );
            let mut tail = "";
            if modern {
                // Writing to a string cannot fail.
                let _ = write!(head, r#""apiBlockIndex":{index},"#);
            }
            if !no_request_id {
                let _ = write!(head, r#""requestId":"{request_id}","#);
            }
            if modern {
                let _ = write!(
                    head,
                    r#""requestRef":"{reference}","requestedModel":"{model}","promptCacheRequested":"5m","#
                );
                if self.agent.is_some() {
                    head.push_str(r#""attributionAgent":"general-purpose","#);
                }
                tail = r#","effort":"medium","perTurnEffort":"medium","madeBy":"model""#;
            }
            head.push_str(r#""type":"assistant","#);
            let spend = Spend {
                message,
                model: self.model,
                tokens: shown,
            };
            let uuid = self.dice.uuid();
            let pause = self.dice.between(20, 3000);
            self.chained_as(uuid, pause, "assistant", &head, tail).spend = Some(spend);
            ids.push(uuid);
        }
        // The CLI leaves a request that was stopped out of its total.
        if !interrupted {
            self.spent[self.model].add(&shown);
        }
        ids
    }

    pub(super) fn answer_text(&mut self, bytes: usize, stop: &str, interrupted: bool) -> String {
        let text = prose(&mut self.dice, bytes);
        let json = format!(r#"{{"type":"text","text":{}}}"#, json(&text));
        self.answer(vec![json], stop, interrupted);
        text
    }

    pub(super) fn cost_state(&mut self) {
        let mut price = self.carried_price + self.hidden_price;
        let mut by_model = Vec::new();
        for (at, tokens) in self.spent.iter().enumerate() {
            if *tokens == Tokens::default() {
                continue;
            }
            let own = tokens.price(at);
            price += own;
            let Tokens {
                input,
                output,
                cache_5m,
                cache_1h,
                cache_read,
            } = tokens;
            by_model.push(format!(
                r#""{}":{{"inputTokens":{input},"outputTokens":{output},"thinkingTokens":0,"cacheReadInputTokens":{cache_read},"cacheCreationInputTokens":{},"cacheCreationEphemeral5mInputTokens":{cache_5m},"cacheCreationEphemeral1hInputTokens":{cache_1h},"webSearchRequests":0,"costUSD":{}}}"#,
                MODELS[at].name,
                cache_5m + cache_1h,
                dollars(own)
            ));
        }
        let by_model = by_model.join(",");
        self.record(
            "cost-state",
            &format!(
                r#""totalCostUSD":{},"totalAPIDuration":4200,"totalAPIDurationWithoutRetries":4100,"totalToolDuration":900,"totalLinesAdded":0,"totalLinesRemoved":0,"totalDuration":8000,"startTime":{},"modelUsage":{{{by_model}}},"hasUnknownModelCost":false"#,
                dollars(price),
                self.lines.first().map_or(self.now_ms, |line| line.at_ms),
            ),
        );
    }
}

fn usage_json(tokens: &Tokens, with_details: bool) -> String {
    let Tokens {
        input,
        output,
        cache_5m,
        cache_1h,
        cache_read,
    } = tokens;
    let written = cache_5m + cache_1h;
    let details = if with_details {
        r#","output_tokens_details":{"thinking_tokens":0},"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null"#
    } else {
        ""
    };
    format!(
        r#"{{"input_tokens":{input},"cache_creation_input_tokens":{written},"cache_read_input_tokens":{cache_read},"output_tokens":{output},"service_tier":"standard","cache_creation":{{"ephemeral_1h_input_tokens":{cache_1h},"ephemeral_5m_input_tokens":{cache_5m}}}{details}}}"#
    )
}
