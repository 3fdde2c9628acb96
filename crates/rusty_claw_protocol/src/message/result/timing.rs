//! Timing of a turn.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::Map;

/// Timing of a turn, in milliseconds; `wall` members are since 1970.
#[wire_type]
pub struct ResultTiming {
    /// Time to the first token.
    pub ttft_ms: Option<u64>,
    /// Time to the first stream event.
    pub ttft_stream_ms: Option<u64>,
    /// Time to the first line with content.
    pub first_content_frame_ms: Option<u64>,
    /// Time to the first request.
    pub time_to_request_ms: Option<u64>,
    /// Time to the first request, from process start.
    pub time_to_request_from_spawn_ms: Option<u64>,
    /// CPU time of that.
    pub time_to_request_cpu_ms: Option<u64>,
    /// Event loop lag during that time.
    pub time_to_request_loop_lag_ms: Option<u64>,
    /// Major page faults during that time.
    pub time_to_request_major_faults: Option<u64>,
    /// The phases up to the first request, by name.
    pub time_to_request_phases_ms: Option<Map<u64>>,
    /// When the first request was sent.
    pub request_sent_wall_ms: Option<u64>,
    /// The time origin of the process.
    pub time_origin_ms: Option<f64>,
    /// Time to the first forwarded event.
    pub first_stream_post_ms: Option<u64>,
    /// Time to its acknowledgement.
    pub first_stream_post_ack_ms: Option<u64>,
    /// How long it was queued.
    pub first_stream_post_queue_wait_ms: Option<u64>,
    /// What it was queued behind.
    pub first_stream_post_queued_behind: Option<QueuedBehind>,
    /// When it was forwarded.
    pub first_stream_post_wall_ms: Option<u64>,
    /// Time to the first forwarded text.
    pub first_text_post_ms: Option<u64>,
    /// How long it was queued.
    pub first_text_post_queue_wait_ms: Option<u64>,
    /// What it was queued behind.
    pub first_text_post_queued_behind: Option<QueuedBehind>,
    /// When it was forwarded.
    pub first_text_post_wall_ms: Option<u64>,
    /// Timing of collecting the prompt's attachments.
    pub input_attachments_detail: Option<Box<InputAttachmentsTiming>>,
    /// Timing of normalizing the messages, by step, and their number.
    pub message_normalization_detail: Option<Map<u64>>,
    /// Timing of building the request, by step.
    pub request_build_detail: Option<Map<u64>>,
    /// Timing of building the tool schemas, by step, and their number.
    pub tool_schema_build_detail: Option<Map<u64>>,
}

/// Timing of collecting the attachments of a prompt.
#[wire_type]
pub struct InputAttachmentsTiming {
    /// Number of producers.
    pub producers: Option<u64>,
    /// The slowest producer.
    pub slowest_producer: Option<Str>,
    /// The time of the slowest producer.
    pub slowest_producer_ms: Option<u64>,
    /// Time of the producers that inspect the prompt.
    pub prompt_producers_ms: Option<u64>,
    /// Time to start the others.
    pub ambient_start_ms: Option<u64>,
    /// Time spent waiting for the others.
    pub ambient_wait_ms: Option<u64>,
    /// Setup time.
    pub setup_ms: Option<u64>,
    /// Rendering time.
    pub render_ms: Option<u64>,
    /// CPU time.
    pub cpu_ms: Option<u64>,
    /// Major page faults.
    pub major_faults: Option<u64>,
    /// Number of token counts.
    pub token_counts: Option<u64>,
}

open_enum! {
    /// What a forwarded event was queued behind.
    pub enum QueuedBehind {
        /// An event that must not be lost.
        DurablePost = "durable_post",
        /// An event that may be lost.
        EphemeralPost = "ephemeral_post",
        /// A retry delay.
        RetryBackoff = "retry_backoff",
        /// A hold.
        Hold = "hold",
        /// Nothing.
        Nothing = "none",
    }
}
