//! Requests that the CLI serves and the vendor's types do not declare. They may go away.

use rusty_claw_protocol::control::*;

use super::verbs;

verbs! {
    /// Asks the model something beside the conversation.
    side_question(question: impl Into<String>) -> SideQuestionResponse = SideQuestion::new(question);

    /// The plan, where there is one.
    get_plan() -> GetPlanResponse = GetPlan::default();

    /// What the status page says.
    get_status() -> GetStatusResponse = GetStatus::default();

    /// The conversation as text.
    export_conversation() -> ExportConversationResponse = ExportConversation::default();

    /// What changed in the working folder.
    get_workspace_diff() -> GetWorkspaceDiffResponse = GetWorkspaceDiff::default();

    /// Has the model write a title.
    generate_session_title(description: impl Into<String>) -> GenerateSessionTitleResponse = GenerateSessionTitle::new(description);
}
