//! Where the time of a turn went.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::Map;

/// Where the time of a turn went. Milliseconds; `wall` ones since 1970.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ResultTiming {
    /// To the first token.
    pub ttft_ms: Option<u64>,
    /// To the first event of the stream.
    pub ttft_stream_ms: Option<u64>,
    /// To the first line with content.
    pub first_content_frame_ms: Option<u64>,
    /// To the first request.
    pub time_to_request_ms: Option<u64>,
    /// To the first request, from the start of the process.
    pub time_to_request_from_spawn_ms: Option<u64>,
    /// Processor time of that.
    pub time_to_request_cpu_ms: Option<u64>,
    /// How long the event loop was held up meanwhile.
    pub time_to_request_loop_lag_ms: Option<u64>,
    /// Pages that had to be read from disk meanwhile.
    pub time_to_request_major_faults: Option<u64>,
    /// The steps up to the first request, by name.
    pub time_to_request_phases_ms: Option<Map<u64>>,
    /// When the first request was sent.
    pub request_sent_wall_ms: Option<u64>,
    /// When the process counts from.
    pub time_origin_ms: Option<f64>,
    /// To the first forwarded event.
    pub first_stream_post_ms: Option<u64>,
    /// To its receipt.
    pub first_stream_post_ack_ms: Option<u64>,
    /// How long it waited in the queue.
    pub first_stream_post_queue_wait_ms: Option<u64>,
    /// What it waited for.
    pub first_stream_post_queued_behind: Option<QueuedBehind>,
    /// When it was forwarded.
    pub first_stream_post_wall_ms: Option<u64>,
    /// To the first forwarded text.
    pub first_text_post_ms: Option<u64>,
    /// How long it waited in the queue.
    pub first_text_post_queue_wait_ms: Option<u64>,
    /// What it waited for.
    pub first_text_post_queued_behind: Option<QueuedBehind>,
    /// When it was forwarded.
    pub first_text_post_wall_ms: Option<u64>,
    /// What collecting the attachments of the prompt took.
    pub input_attachments_detail: Option<Box<InputAttachmentsTiming>>,
    /// What preparing the messages took, by step, and how many there were.
    pub message_normalization_detail: Option<Map<u64>>,
    /// What building the request took, by step.
    pub request_build_detail: Option<Map<u64>>,
    /// What describing the tools took, by step, and how many there were.
    pub tool_schema_build_detail: Option<Map<u64>>,
    /// What no field holds.
    pub extra: Extra,
}

/// What collecting the attachments of a prompt took.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct InputAttachmentsTiming {
    /// How many sources were asked.
    pub producers: Option<u64>,
    /// The slowest of them.
    pub slowest_producer: Option<Str>,
    /// How long that one took.
    pub slowest_producer_ms: Option<u64>,
    /// The sources that look at the prompt.
    pub prompt_producers_ms: Option<u64>,
    /// Starting the others.
    pub ambient_start_ms: Option<u64>,
    /// Waiting for the others.
    pub ambient_wait_ms: Option<u64>,
    /// Before all that.
    pub setup_ms: Option<u64>,
    /// Turning it into text.
    pub render_ms: Option<u64>,
    /// Processor time.
    pub cpu_ms: Option<u64>,
    /// Pages that had to be read from disk.
    pub major_faults: Option<u64>,
    /// How often tokens were counted.
    pub token_counts: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What a forwarded event waited for.
    pub enum QueuedBehind {
        /// One that must not be lost.
        DurablePost = "durable_post",
        /// One that may be lost.
        EphemeralPost = "ephemeral_post",
        /// The pause before another try.
        RetryBackoff = "retry_backoff",
        /// It was held back.
        Hold = "hold",
        /// Nothing.
        Nothing = "none",
    }
}
