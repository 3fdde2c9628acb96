//! Inputs of the tools that ask the user, and that change how the session works.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::Map;

/// Asks the user.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AskUserQuestionInput {
    /// The questions.
    pub questions: Vec<UserQuestion>,
    /// The answers, by question: the host puts them in when it allows the call.
    pub answers: Option<Map<String>>,
    /// What the user noted beside the answers.
    pub annotations: Option<Map<AnswerNote>>,
    /// What the question is about, for statistics.
    pub metadata: Option<QuestionMetadata>,
    /// What no field holds.
    pub extra: Extra,
}

/// One question to the user.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct UserQuestion {
    /// The question.
    pub question: String,
    /// A word that stands for it.
    pub header: String,
    /// What can be chosen.
    pub options: Vec<QuestionOption>,
    /// Whether several can be chosen.
    pub multi_select: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// One choice.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct QuestionOption {
    /// What it is called.
    pub label: String,
    /// What it means.
    pub description: String,
    /// What it would look like.
    pub preview: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// What the user noted beside an answer.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AnswerNote {
    /// What the choice looked like.
    pub preview: Option<String>,
    /// The note.
    pub notes: Option<String>,
    /// Why there is no answer.
    pub unanswered: Option<UnansweredReason>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Why a question has no answer.
    pub enum UnansweredReason {
        /// It was passed over.
        Skipped = "skipped",
        /// The user wrote something else instead.
        RepliedInChat = "replied_in_chat",
        /// It was closed.
        Dismissed = "dismissed",
    }
}

/// What a question is about.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct QuestionMetadata {
    /// What asks.
    pub source: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Shows the plan and asks to leave plan mode.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ExitPlanModeInput {
    /// Commands that the plan needs.
    pub allowed_prompts: Option<Vec<AllowedPrompt>>,
    /// The plan; the CLI puts it in from the plan file.
    pub plan: Option<String>,
    /// The plan file.
    pub plan_file_path: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A kind of command that a plan needs.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AllowedPrompt {
    /// The tool.
    pub tool: Str,
    /// What it would do.
    pub prompt: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Goes to work in a worktree.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct EnterWorktreeInput {
    /// What to call a new one.
    pub name: Option<Str>,
    /// One that is there already.
    pub path: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Comes back from a worktree.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ExitWorktreeInput {
    /// What becomes of it.
    pub action: WorktreeExit,
    /// Whether work that is nowhere else may be lost.
    pub discard_changes: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What becomes of a worktree.
    pub enum WorktreeExit {
        /// It stays.
        Keep = "keep",
        /// It is removed.
        Remove = "remove",
    }
}
