//! What a session says about itself: status, plan, conversation, feedback.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;

/// Asks for the rows of the status page.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetStatus {
    /// What no field holds.
    pub extra: Extra,
}

/// The status page.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetStatusResponse {
    /// Its sections, in order.
    pub sections: Vec<StatusSection>,
    /// What no field holds.
    pub extra: Extra,
}

/// One section of the status page.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StatusSection {
    /// Its heading.
    pub title: String,
    /// Its rows.
    pub rows: Vec<StatusRow>,
    /// What no field holds.
    pub extra: Extra,
}

/// One row of the status page.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StatusRow {
    /// What it is about; absent on a row that continues the one above.
    pub label: Option<String>,
    /// What it says.
    pub value: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks for the plan that the model wrote.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetPlan {
    /// What no field holds.
    pub extra: Extra,
}

/// The plan.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetPlanResponse {
    /// Whether there is one.
    pub exists: bool,
    /// Its text, Markdown.
    pub content: Option<String>,
    /// Its file.
    pub path: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks for the conversation as plain text.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ExportConversation {
    /// What no field holds.
    pub extra: Extra,
}

/// The conversation as plain text.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ExportConversationResponse {
    /// The text.
    pub text: String,
    /// A name for the file it may be saved to.
    pub default_filename: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Sends feedback to the vendor.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SubmitFeedback {
    /// What is said. Leniency: recorded hosts have also called it `text`.
    #[wire(alias = "text")]
    pub description: String,
    /// Which product it was said in.
    pub surface: Option<Str>,
    /// The draft it grew from.
    pub draft_id: Option<Str>,
    /// `bug`, `idea`, `missing_capability`.
    #[wire(name = "type")]
    pub kind: Option<Str>,
    /// A title.
    pub title: Option<String>,
    /// The part it concerns.
    pub area: Option<Str>,
    /// Whether the conversation goes along.
    pub attach_transcript: Option<bool>,
    /// Whether it is saved here instead of sent.
    pub save_locally: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// What became of the feedback.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SubmitFeedbackResponse {
    /// Its id; `None` when it was not taken.
    pub feedback_id: Option<Str>,
    /// Why feedback is not possible here.
    pub unavailable_reason: Option<String>,
    /// Whether the organisation keeps no data with the vendor.
    pub is_zdr_org: Option<bool>,
    /// Why sending failed.
    pub failure_reason: Option<String>,
    /// The HTTP status of the failure.
    pub status_code: Option<u64>,
    /// Where it can be seen.
    pub ccshare_url: Option<Str>,
    /// The file it was saved to.
    pub bundle_path: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Tells the vendor how a message was liked.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MessageRated {
    /// The message.
    #[wire(name = "messageUuid")]
    pub message_uuid: Str,
    /// `positive` or `negative`. Leniency: a recorded host has also called it `rating`.
    #[wire(alias = "rating")]
    pub sentiment: Str,
    /// Which part of it: `tool_use`, `assistant_text`.
    pub surface: Option<Str>,
    /// Whether the rating is taken back.
    pub cleared: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}
