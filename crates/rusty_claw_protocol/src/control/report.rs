//! Reports on a session: status, plan, conversation, feedback.

use rusty_claw_macros::wire_type;

use crate::text::Str;

/// Requests the rows of the status page.
#[wire_type]
pub struct GetStatus {}

/// The status page.
#[wire_type]
pub struct GetStatusResponse {
    /// Its sections, in order.
    pub sections: Vec<StatusSection>,
}

/// A section of the status page.
#[wire_type]
pub struct StatusSection {
    /// Its heading.
    pub title: String,
    /// Its rows.
    pub rows: Vec<StatusRow>,
}

/// A row of the status page.
#[wire_type]
pub struct StatusRow {
    /// The label; absent on a row that continues the one above.
    pub label: Option<String>,
    /// The text.
    pub value: String,
}

/// Requests the model's plan.
#[wire_type]
pub struct GetPlan {}

/// The plan.
#[wire_type]
pub struct GetPlanResponse {
    /// Whether there is one.
    pub exists: bool,
    /// Its text, Markdown.
    pub content: Option<String>,
    /// Its file.
    pub path: Option<Str>,
}

/// Requests the conversation as plain text.
#[wire_type]
pub struct ExportConversation {}

/// The conversation as plain text.
#[wire_type]
pub struct ExportConversationResponse {
    /// The text.
    pub text: String,
    /// A suggested file name.
    pub default_filename: Str,
}

/// Sends feedback to the vendor.
#[wire_type]
pub struct SubmitFeedback {
    /// The feedback. Leniency: recorded hosts have also named it `text`.
    #[wire(alias = "text")]
    pub description: String,
    /// The product that it comes from.
    pub surface: Option<Str>,
    /// The draft that it is based on.
    pub draft_id: Option<Str>,
    /// `bug`, `idea`, `missing_capability`.
    #[wire(name = "type")]
    pub kind: Option<Str>,
    /// The title.
    pub title: Option<String>,
    /// The affected area.
    pub area: Option<Str>,
    /// Whether to attach the conversation.
    pub attach_transcript: Option<bool>,
    /// Whether to save it locally instead of sending it.
    pub save_locally: Option<bool>,
}

/// The outcome of the feedback.
#[wire_type]
pub struct SubmitFeedbackResponse {
    /// Its id; `None` if it was not accepted.
    pub feedback_id: Option<Str>,
    /// Why feedback is unavailable.
    pub unavailable_reason: Option<String>,
    /// Whether the organisation has zero data retention.
    pub is_zdr_org: Option<bool>,
    /// Why sending failed.
    pub failure_reason: Option<String>,
    /// The HTTP status of the failure.
    pub status_code: Option<u64>,
    /// The URL of the shared feedback.
    pub ccshare_url: Option<Str>,
    /// The file it was saved to.
    pub bundle_path: Option<Str>,
}

/// Reports a rating of a message to the vendor.
#[wire_type]
pub struct MessageRated {
    /// The message's id.
    #[wire(name = "messageUuid")]
    pub message_uuid: Str,
    /// `positive` or `negative`. Leniency: a recorded host has also named it `rating`.
    #[wire(alias = "rating")]
    pub sentiment: Str,
    /// The rated part: `tool_use`, `assistant_text`.
    pub surface: Option<Str>,
    /// Whether the rating is withdrawn.
    pub cleared: Option<bool>,
}
