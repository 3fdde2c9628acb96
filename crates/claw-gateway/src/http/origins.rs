//! Sessions that continue a conversation.

use axum::Json;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::Problem;
use super::auth::Authorized;
use super::extract::{Body, Key, Names};
use super::sessions::session_id;
use crate::access::SessionInfo;

/// A conversation of the CLI.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Adoption {
    /// The CLI's id of the conversation, as in `claude --resume`.
    cli_session_id: String,
}

/// Creates a session that continues a conversation which was begun in a terminal. Its folder must
/// be in a root of the gateway, and no process may write to it: end `claude` there first. Only a
/// gateway with one tenant can adopt. Needs the scope `drive`.
#[utoipa::path(
    post, path = "/v1/sessions/adopt", tag = "sessions",
    params(("Idempotency-Key" = String, Header, description = "Repeats create nothing")),
    request_body = Adoption,
    responses((status = 201, body = SessionInfo), (status = "4XX", body = Problem))
)]
pub(super) async fn adopt(
    caller: Authorized,
    Key(key): Key,
    Body(Adoption { cli_session_id }): Body<Adoption>,
) -> Result<(StatusCode, Json<SessionInfo>), Problem> {
    let adopted = caller.access.adopt(&cli_session_id, key).await?;
    Ok((StatusCode::CREATED, Json(adopted)))
}

/// Creates a session that continues a copy of the conversation of another one, which may have
/// ended. The copy is made when the new session receives its first input. A session in a mode that
/// needs the scope `admin` can be forked only with it. Needs the scope `drive`.
#[utoipa::path(
    post, path = "/v1/sessions/{session}/fork", tag = "sessions",
    params(
        ("session" = String, Path, description = "The id of the session"),
        ("Idempotency-Key" = String, Header, description = "Repeats create nothing"),
    ),
    responses((status = 201, body = SessionInfo), (status = "4XX", body = Problem))
)]
pub(super) async fn fork(
    caller: Authorized,
    Names(session): Names<String>,
    Key(key): Key,
) -> Result<(StatusCode, Json<SessionInfo>), Problem> {
    let forked = caller.access.fork(session_id(&session)?, key).await?;
    Ok((StatusCode::CREATED, Json(forked)))
}
