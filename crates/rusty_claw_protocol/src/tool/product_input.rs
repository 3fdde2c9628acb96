//! Inputs of the tools for proposals and reports.

use rusty_claw_macros::wire_type;

use crate::text::Str;
use crate::tool::EditStep;

/// Proposes a goal.
#[wire_type]
pub struct ProposeGoalInput {
    /// The condition for reaching it.
    pub condition: String,
    /// Whether to ask the user first.
    pub ask_user: Option<bool>,
}

/// Proposes skills.
#[wire_type]
pub struct ProposeSkillsInput {
    /// The skills.
    pub proposals: Vec<SkillProposal>,
}

/// A proposed skill.
#[wire_type(rename_all = "camelCase")]
pub struct SkillProposal {
    /// Its name.
    pub name: Str,
    /// `new` or `improvement`.
    pub kind: Str,
    /// The skill to improve.
    pub target: Option<Str>,
    /// Its description.
    pub description: String,
    /// The evidence for it.
    pub evidence: Option<Vec<String>>,
    /// The changes to the skill.
    pub edits: Option<Vec<EditStep>>,
    /// The text of a new skill.
    pub skill_md: Option<String>,
}

/// Reports the findings of a review.
#[wire_type]
pub struct ReportFindingsInput {
    /// The thoroughness of the review.
    pub level: Option<Str>,
    /// The findings.
    pub findings: Vec<Finding>,
}

/// A finding of a review.
#[wire_type]
pub struct Finding {
    /// The file.
    pub file: Str,
    /// The line, from one.
    pub line: Option<u64>,
    /// A summary.
    pub summary: String,
    /// A short summary.
    pub short_summary: Option<String>,
    /// How it would fail.
    pub failure_scenario: String,
    /// Its category.
    pub category: Option<Str>,
    /// The confidence: `CONFIRMED` or `PLAUSIBLE`.
    pub verdict: Option<Str>,
    /// Its outcome.
    pub outcome: Option<Str>,
}

/// Sends feedback to the vendor.
#[wire_type]
pub struct SendFeedbackInput {
    /// `bug`, `idea` or `missing_capability`.
    #[wire(name = "type")]
    pub kind: Str,
    /// A one-line summary.
    pub title: String,
    /// The full description.
    pub details: String,
    /// The area of the product.
    pub area: Option<Str>,
    /// How the model failed.
    pub failure_mode: Option<Str>,
    /// The category of the model's task.
    pub task_category: Option<Str>,
}

/// Offers to set up the browser.
#[wire_type]
pub struct OfferChromeSetupInput {
    /// The reason.
    pub reason: Option<String>,
}

/// The input of a tool without parameters.
#[wire_type]
pub struct NoInput {}
