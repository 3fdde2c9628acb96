//! Inputs of the tools that propose and report.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;
use crate::tool::EditStep;

/// Proposes a goal to work towards.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ProposeGoalInput {
    /// By what one sees that it is reached.
    pub condition: String,
    /// Whether the user is asked first.
    pub ask_user: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Proposes skills.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ProposeSkillsInput {
    /// The skills.
    pub proposals: Vec<SkillProposal>,
    /// What no field holds.
    pub extra: Extra,
}

/// One proposed skill.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SkillProposal {
    /// What it is called.
    pub name: Str,
    /// `new` or `improvement`.
    pub kind: Str,
    /// The skill to improve.
    pub target: Option<Str>,
    /// What it is for.
    pub description: String,
    /// What speaks for it.
    pub evidence: Option<Vec<String>>,
    /// What to change in the skill.
    pub edits: Option<Vec<EditStep>>,
    /// The text of a new skill.
    pub skill_md: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Reports what a review found.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReportFindingsInput {
    /// How thorough it was.
    pub level: Option<Str>,
    /// What it found.
    pub findings: Vec<Finding>,
    /// What no field holds.
    pub extra: Extra,
}

/// One thing that a review found.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Finding {
    /// The file.
    pub file: Str,
    /// The line, from one.
    pub line: Option<u64>,
    /// What is wrong.
    pub summary: String,
    /// The same, in a few words.
    pub short_summary: Option<String>,
    /// How it would fail.
    pub failure_scenario: String,
    /// What kind of thing.
    pub category: Option<Str>,
    /// How sure it is: `CONFIRMED` or `PLAUSIBLE`.
    pub verdict: Option<Str>,
    /// What came of it.
    pub outcome: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Sends feedback to the vendor.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SendFeedbackInput {
    /// `bug`, `idea` or `missing_capability`.
    #[wire(name = "type")]
    pub kind: Str,
    /// What, in a line.
    pub title: String,
    /// What, in full.
    pub details: String,
    /// Which part of the product.
    pub area: Option<Str>,
    /// In which way the model went wrong.
    pub failure_mode: Option<Str>,
    /// What the model was doing.
    pub task_category: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Offers to set up the browser.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct OfferChromeSetupInput {
    /// Why.
    pub reason: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Nothing: the tool takes no input.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct NoInput {
    /// What no field holds.
    pub extra: Extra,
}
