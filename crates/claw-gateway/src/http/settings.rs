//! The model and the permission mode of a session.

use axum::Json;
use axum::http::StatusCode;
use rusty_claw::permission::PermissionMode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::Problem;
use super::auth::Authorized;
use super::extract::{Body, Key, Names};
use super::sessions::session_id;
use crate::access::Stored;

/// The model of a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelChange {
    /// The name of the model; without one, the default of the CLI.
    model: Option<String>,
}

/// The permission mode of a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ModeChange {
    /// `default`, `acceptEdits`, `plan`, `dontAsk`, `auto` or `bypassPermissions`. The last two need
    /// the scope `admin`.
    #[schema(value_type = String, example = "plan")]
    permission_mode: PermissionMode,
}

/// Changes the model of a session, from its next turn on. It is stored when this returns; the
/// settings of the session have it when the agent has it, and keep the old one if the CLI refuses
/// it. Needs the scope `drive`.
#[utoipa::path(
    post, path = "/v1/sessions/{session}/model", tag = "sessions",
    params(
        ("session" = String, Path, description = "The id of the session"),
        ("Idempotency-Key" = String, Header, description = "Repeats do nothing"),
    ),
    request_body = ModelChange,
    responses((status = 202, body = Stored), (status = "4XX", body = Problem))
)]
pub(super) async fn model(
    caller: Authorized,
    Names(session): Names<String>,
    Key(key): Key,
    Body(ModelChange { model }): Body<ModelChange>,
) -> Result<(StatusCode, Json<Stored>), Problem> {
    let session = session_id(&session)?;
    let stored = caller.access.set_model(session, model, key).await?;
    Ok((StatusCode::ACCEPTED, Json(stored)))
}

/// Changes the permission mode of a session, from the next call of a tool on. A CLI that was not
/// started for the bypass mode is started again after the running turn. Needs the scope `drive`.
#[utoipa::path(
    post, path = "/v1/sessions/{session}/mode", tag = "sessions",
    params(
        ("session" = String, Path, description = "The id of the session"),
        ("Idempotency-Key" = String, Header, description = "Repeats do nothing"),
    ),
    request_body = ModeChange,
    responses((status = 202, body = Stored), (status = "4XX", body = Problem))
)]
pub(super) async fn mode(
    caller: Authorized,
    Names(session): Names<String>,
    Key(key): Key,
    Body(ModeChange { permission_mode }): Body<ModeChange>,
) -> Result<(StatusCode, Json<Stored>), Problem> {
    let session = session_id(&session)?;
    let changed = caller
        .access
        .set_permission_mode(session, permission_mode, key);
    Ok((StatusCode::ACCEPTED, Json(changed.await?)))
}
