//! The small sets of names.

use claw_server::{PermissionLevel, QuestionType, Role, StopReason, TargetType};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::json_of;

/// The names of known values, and a check that another name is kept.
fn names<T>(known: &[T], keep: fn(String) -> T) -> String
where
    T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    assert_eq!(json_of(&keep("Other".to_owned())), r#""Other""#);
    assert!(serde_json::from_str::<T>("{}").is_err());
    let names: Vec<String> = known.iter().map(json_of).collect();
    names.join(" ")
}

#[test]
fn the_json_is_the_name() {
    let all = [
        names(
            &[
                StopReason::EndTurn,
                StopReason::MaxTokens,
                StopReason::StopSequence,
                StopReason::ToolUse,
                StopReason::Refusal,
                StopReason::PauseTurn,
                StopReason::Interrupted,
                StopReason::Error,
            ],
            StopReason::Unknown,
        ),
        names(
            &[
                TargetType::Path,
                TargetType::Domain,
                TargetType::Command,
                TargetType::Tool,
            ],
            TargetType::Unknown,
        ),
        names(
            &[
                PermissionLevel::Read,
                PermissionLevel::Write,
                PermissionLevel::Execute,
                PermissionLevel::Admin,
            ],
            PermissionLevel::Unknown,
        ),
        names(
            &[
                QuestionType::SingleChoice,
                QuestionType::MultiChoice,
                QuestionType::FreeText,
            ],
            QuestionType::Unknown,
        ),
        names(&[Role::User, Role::Assistant], Role::Unknown),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    "EndTurn" "MaxTokens" "StopSequence" "ToolUse" "Refusal" "PauseTurn" "Interrupted" "Error"
    "Path" "Domain" "Command" "Tool"
    "Read" "Write" "Execute" "Admin"
    "SingleChoice" "MultiChoice" "FreeText"
    "User" "Assistant"
    "#);
}

#[test]
fn names_are_shown_as_they_are_written() {
    assert_eq!(StopReason::from("EndTurn"), StopReason::EndTurn);
    assert_eq!(format!("{:>8}|", StopReason::EndTurn), " EndTurn|");
    assert_eq!(Role::Unknown("Tool".to_owned()).to_string(), "Tool");
}
