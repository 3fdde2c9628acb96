//! Inputs of the tools that ask the user or change the session's mode.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::Map;

/// Asks the user questions.
#[wire_type]
pub struct AskUserQuestionInput {
    /// The questions.
    pub questions: Vec<UserQuestion>,
    /// The answers, by question; the host adds them when it allows the call.
    pub answers: Option<Map<String>>,
    /// The user's notes on the answers.
    pub annotations: Option<Map<AnswerNote>>,
    /// Metadata for statistics.
    pub metadata: Option<QuestionMetadata>,
}

/// A question to the user.
#[wire_type(rename_all = "camelCase")]
pub struct UserQuestion {
    /// The question.
    pub question: String,
    /// A short heading.
    pub header: String,
    /// The choices.
    pub options: Vec<QuestionOption>,
    /// Whether several choices are allowed.
    pub multi_select: bool,
}

/// A choice.
#[wire_type]
pub struct QuestionOption {
    /// Its label.
    pub label: String,
    /// Its description.
    pub description: String,
    /// A preview.
    pub preview: Option<String>,
}

/// The user's note on an answer.
#[wire_type]
pub struct AnswerNote {
    /// The preview of the choice.
    pub preview: Option<String>,
    /// The note.
    pub notes: Option<String>,
    /// Why there is no answer.
    pub unanswered: Option<UnansweredReason>,
}

open_enum! {
    /// Why a question has no answer.
    pub enum UnansweredReason {
        /// It was skipped.
        Skipped = "skipped",
        /// The user replied in the chat instead.
        RepliedInChat = "replied_in_chat",
        /// It was dismissed.
        Dismissed = "dismissed",
    }
}

/// Metadata of a question.
#[wire_type]
pub struct QuestionMetadata {
    /// What asked it.
    pub source: Option<Str>,
}

/// Presents the plan and asks to leave plan mode.
#[wire_type(rename_all = "camelCase")]
pub struct ExitPlanModeInput {
    /// Kinds of commands that the plan needs.
    pub allowed_prompts: Option<Vec<AllowedPrompt>>,
    /// The plan; the CLI adds it from the plan file.
    pub plan: Option<String>,
    /// The plan file.
    pub plan_file_path: Option<Str>,
}

/// A kind of command that a plan needs.
#[wire_type]
pub struct AllowedPrompt {
    /// The tool.
    pub tool: Str,
    /// What it would do.
    pub prompt: String,
}

/// Enters a worktree.
#[wire_type]
pub struct EnterWorktreeInput {
    /// The name of a new worktree.
    pub name: Option<Str>,
    /// The path of an existing worktree.
    pub path: Option<Str>,
}

/// Leaves a worktree.
#[wire_type]
pub struct ExitWorktreeInput {
    /// Whether to keep or remove it.
    pub action: WorktreeExit,
    /// Whether to discard work that exists nowhere else.
    pub discard_changes: Option<bool>,
}

open_enum! {
    /// Whether to keep or remove a worktree.
    pub enum WorktreeExit {
        /// Keep it.
        Keep = "keep",
        /// Remove it.
        Remove = "remove",
    }
}
