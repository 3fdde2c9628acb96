//! Requests that the CLI supports and the vendor's types do not declare. They may be removed.

use rusty_claw_protocol::control::*;

use super::verbs;

verbs! {
    /// Asks the model a question outside the conversation.
    side_question(question: impl Into<String>) -> SideQuestionResponse = SideQuestion::new(question);

    /// Returns the plan, if there is one.
    get_plan() -> GetPlanResponse = GetPlan::default();

    /// Returns the contents of the status page.
    get_status() -> GetStatusResponse = GetStatus::default();

    /// Returns the conversation as text.
    export_conversation() -> ExportConversationResponse = ExportConversation::default();

    /// Returns the changes in the working folder.
    get_workspace_diff() -> GetWorkspaceDiffResponse = GetWorkspaceDiff::default();

    /// Generates a title with the model.
    generate_session_title(description: impl Into<String>) -> GenerateSessionTitleResponse = GenerateSessionTitle::new(description);
}
