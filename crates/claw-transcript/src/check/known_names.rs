//! Known subtypes and attachment types.

use std::collections::HashSet;
use std::sync::LazyLock;

type Names = LazyLock<HashSet<&'static str>>;

/// Subtypes of `system` lines on disk.
pub(super) static SUBTYPES: Names = LazyLock::new(|| {
    let names = "
        agents_killed api_error away_summary bridge_status compact_boundary file_snapshot
        informational init local_command memory_saved microcompact_boundary model_consent_fallback
        model_fallback model_refusal_fallback model_refusal_no_fallback permission_retry
        scheduled_task_fire session_writes_lost status stop_hook_summary thinking turn_duration
    ";
    names.split_ascii_whitespace().collect()
});

/// Types of attachments.
pub(super) static ATTACHMENTS: Names = LazyLock::new(|| {
    let names = "
        agent_listing_delta agent_mention already_read_file async_hook_response at_mention_reference
        auto_mode auto_mode_exit bash_command batching_reminder command_permissions
        compact_file_reference coordinator_context critical_system_reminder date date_change
        deferred_tools_delta deferred_tools_record diagnostics directory dynamic_skill
        edited_image_file edited_text_file elapsed_time_reminder environment file goal_status
        hook_additional_context hook_blocking_error hook_cancelled hook_error_during_execution
        hook_non_blocking_error hook_permission_decision hook_stopped_continuation hook_success
        hook_system_message host_context image invoked_skills max_turns_reached
        mcp_dropped_tools_delta mcp_instructions_delta mcp_resource model nested_memory
        new_directories opened_file_in_ide output_style pdf_reference plan_file_reference plan_mode
        plan_mode_exit plan_mode_reentry prompt_snapshot queued_command relevant_memories
        remote_session_change selected_lines_in_ide session_context silent_turn_reminder skill_listing
        structured_output task_reminder task_status team_context todo_reminder total_tokens_reminder
        ultra_effort_exit unknown_command_fallback withheld_memory
    ";
    names.split_ascii_whitespace().collect()
});
