//! Sessions that continue a conversation.

use axum::Json;
use axum::http::StatusCode;

use super::Problem;
use super::auth::Authorized;
use super::extract::{Key, Names};
use super::sessions::session_id;
use crate::access::SessionInfo;

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
