//! The events and mobile messages that no document has.

use claw_server::event::{ProgressSource, ProgressUpdate, WorkKind};
use claw_server::{
    ErrorMessage, FailedInput, InputState, MissingEvents, MobileMessage, MobilePermissionRequest,
    MobileSessionState, Operation, OperationState, PromptOutcome, PromptRequest, Question,
    QuestionRequest, QuestionType, RequestResolved, Resolution, ResponseRetracted, SessionPhase,
    SessionProject, StopReason, SubAgentProgress, TaskStatus, TodoItem, TodoStatus, ToolFailure,
    ToolOperation, TurnComplete, TurnId, UiMessage,
};
use serde_json::json;

use crate::json_of;

fn additional() -> Vec<UiMessage> {
    let session_id = 1;
    let turn_id = || TurnId::new_assistant_turn(2);
    let call = || "toolu_1".to_owned();
    vec![
        UiMessage::TextRetracted {
            offset: 5,
            length: 6,
            session_id,
            turn_id: turn_id(),
        },
        UiMessage::SubagentText {
            tool_use_id: call(),
            text: "Found it.".into(),
            session_id,
        },
        UiMessage::ToolProgress {
            tool_use_id: call(),
            tool_name: "Bash".into(),
            elapsed_ms: 30_000,
            session_id,
        },
        UiMessage::ToolFailed {
            tool_use_id: call(),
            failure: ToolFailure::NoResult,
            session_id,
        },
        UiMessage::TaskProgress {
            task_id: "t1".into(),
            tool_use_id: Some(call()),
            status: TaskStatus::Running,
            description: "Counting".into(),
            subagent_type: Some("Explore".into()),
            tool_uses: Some(2),
            total_tokens: Some(120),
            duration_ms: None,
            last_tool: Some("Grep".into()),
            session_id,
        },
        UiMessage::PlanUpdated {
            tool_use_id: call(),
            plan: "# Plan".into(),
            session_id,
        },
        UiMessage::TodoUpdated {
            items: vec![TodoItem {
                text: "Write it".into(),
                status: TodoStatus::InProgress,
            }],
            left_out: 0,
            session_id,
        },
        UiMessage::Progress {
            update: Box::new(
                ProgressUpdate::new("call/toolu_1", WorkKind::Shell, ProgressSource::TaskEvent)
                    .label("cargo test"),
            ),
            session_id,
        },
        UiMessage::Usage {
            turn_id: turn_id(),
            input_tokens: 10,
            output_tokens: 20,
            cache_read_tokens: 30,
            cache_creation_tokens: 40,
            total_cost_micros: Some(1600),
            session_id,
        },
        UiMessage::UsageLimit {
            limit: Some("five_hour".into()),
            status: "allowed_warning".into(),
            used_percent: Some(92),
            resets_at_ms: Some(1_894_700_000_000),
            session_id,
        },
        UiMessage::SessionState {
            state: SessionPhase::WaitingForUser,
            detail: None,
            session_id,
        },
        UiMessage::InputReceipt {
            input_id: "in_1".into(),
            state: InputState::Indeterminate,
            reason: Some("the process ended first".into()),
            session_id,
            turn_id: Some(TurnId::new_user_turn(4)),
        },
        UiMessage::PromptRequired {
            prompt_id: "p_1".into(),
            kind: "Elicitation".into(),
            request: json!({"message": "Your name?"}),
            session_id,
        },
        UiMessage::PromptResolved {
            prompt_id: "p_1".into(),
            resolution: Resolution::Expired,
            outcome: Some(PromptOutcome::Expired),
            by: None,
            batch: None,
            session_id,
        },
        UiMessage::Gap {
            from: 3,
            to: 7,
            session_id,
        },
    ]
}

#[test]
fn each_is_written_so_and_read_again() {
    let lines: Vec<String> = additional().iter().map(json_of).collect();
    insta::assert_snapshot!(lines.join("\n"));
    for event in additional() {
        assert!(json_of(&event).starts_with(&format!("{{\"{}\":", event.name())));
        assert_eq!(event.session_id(), Some(1));
    }
}

fn phone() -> Vec<MobileMessage> {
    let conversation_id = || "sess_1".to_owned();
    vec![
        MobileMessage::SubAgentProgress(SubAgentProgress {
            agent_id: "a1".into(),
            agent_name: "Explore".into(),
            status: TaskStatus::Running,
            current_step: "Counting".into(),
            tool_uses: Some(2),
            conversation_id: conversation_id(),
        }),
        MobileMessage::ToolOperation(ToolOperation {
            tool_use_id: "toolu_1".into(),
            tool_name: "Edit".into(),
            operation: Operation::CodeChange,
            target: "/srv/notes.md".into(),
            state: OperationState::Started,
            failed: false,
            conversation_id: conversation_id(),
        }),
        MobileMessage::ToolOperation(ToolOperation {
            tool_use_id: "toolu_1".into(),
            tool_name: "Edit".into(),
            operation: Operation::CodeChange,
            target: "/srv/notes.md".into(),
            state: OperationState::Completed,
            failed: true,
            conversation_id: conversation_id(),
        }),
        MobileMessage::PermissionRequest(MobilePermissionRequest {
            request_id: "p_1".into(),
            tool_name: "Bash".into(),
            operation: Operation::Command,
            target: "cargo test".into(),
            description: "Run the tests".into(),
            expires_at: Some(1_794_700_300_000),
            conversation_id: conversation_id(),
        }),
        MobileMessage::QuestionRequest(QuestionRequest {
            request_id: "p_2".into(),
            questions: vec![Question {
                id: "toolu_2:0".into(),
                text: "Which one?".into(),
                question_type: QuestionType::SingleChoice,
                options: Some(vec!["A".into(), "B".into()]),
                required: true,
            }],
            expires_at: None,
            conversation_id: conversation_id(),
        }),
        MobileMessage::PromptRequest(PromptRequest {
            request_id: "elicitation-4".into(),
            kind: "Elicitation".into(),
            source: Some("lab".into()),
            description: "Your name?".into(),
            request: json!({"message": "Your name?", "mode": "form"}),
            expires_at: None,
            conversation_id: conversation_id(),
        }),
        MobileMessage::RequestResolved(RequestResolved {
            request_id: "p_1".into(),
            resolution: Resolution::Answered,
            outcome: Some(PromptOutcome::Denied),
            conversation_id: conversation_id(),
        }),
        MobileMessage::ResponseRetracted(ResponseRetracted {
            responses_after: 1,
            conversation_id: conversation_id(),
        }),
        MobileMessage::TurnComplete(TurnComplete {
            turn: 2,
            stop_reason: StopReason::EndTurn,
            conversation_id: conversation_id(),
        }),
        MobileMessage::SessionProject(SessionProject {
            project_id: "-home-user-project".into(),
            project_name: "project".into(),
            conversation_id: conversation_id(),
        }),
        MobileMessage::SessionState(MobileSessionState {
            state: SessionPhase::Lost,
            detail: Some("killed".into()),
            conversation_id: conversation_id(),
        }),
        MobileMessage::InputFailed(FailedInput {
            input_id: "in_1".into(),
            reason: "the process ended first".into(),
            indeterminate: true,
            conversation_id: conversation_id(),
        }),
        MobileMessage::Error(ErrorMessage {
            message: "overloaded".into(),
            conversation_id: conversation_id(),
        }),
        MobileMessage::Gap(MissingEvents {
            from: 3,
            to: 7,
            conversation_id: conversation_id(),
        }),
    ]
}

#[test]
fn each_message_for_a_phone_is_flat_and_has_its_type() {
    let lines: Vec<String> = phone().iter().map(json_of).collect();
    insta::assert_snapshot!(lines.join("\n"));
    for message in phone() {
        assert_eq!(
            serde_json::to_value(&message).unwrap()["type"],
            message.name()
        );
    }
}

#[test]
fn what_a_newer_server_calls_an_operation_is_some_operation() {
    let text = r#"{"type":"tool_operation","toolUseId":"t","toolName":"X","operation":"teleport","target":"x","state":"started","conversationId":"s"}"#;
    let message: MobileMessage = serde_json::from_str(text).unwrap();
    let MobileMessage::ToolOperation(tool) = message else {
        panic!("{message:?}");
    };
    assert_eq!(tool.operation, Operation::Other);
}

#[test]
fn an_end_of_which_nobody_says_more_is_still_an_end() {
    let older = r#"{"PromptResolved":{"prompt_id":"p","resolution":"Answered","session_id":1}}"#;
    let event: UiMessage = serde_json::from_str(older).unwrap();
    assert!(matches!(
        event,
        UiMessage::PromptResolved { outcome: None, .. }
    ));
    let older = r#"{"type":"request_resolved","requestId":"p","resolution":"Answered","conversationId":"s"}"#;
    let message: MobileMessage = serde_json::from_str(older).unwrap();
    assert!(matches!(message, MobileMessage::RequestResolved(said) if said.outcome.is_none()));
}
