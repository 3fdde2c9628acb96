//! Interactions and their answers.

use axum::Json;
use claw_store::InteractionId;
use serde::Deserialize;
use utoipa::IntoParams;

use super::Problem;
use super::auth::Authorized;
use super::extract::{Body, Key, Names, Params};
use super::sessions::session_id;
use crate::access::{AnswerOutcome, Pending};
use crate::answer::Answer;

/// Which interactions to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Filter {
    /// Only those of this session.
    session: Option<String>,
}

/// Lists what waits for an answer, in all sessions of the tenant. Needs the scope `view`.
#[utoipa::path(
    get, path = "/v1/interactions", tag = "interactions", params(Filter),
    responses((status = 200, body = Vec<Pending>), (status = "4XX", body = Problem))
)]
pub(super) async fn pending(
    caller: Authorized,
    Params(filter): Params<Filter>,
) -> Result<Json<Vec<Pending>>, Problem> {
    let session = filter.session.as_deref().map(session_id).transpose()?;
    Ok(Json(caller.access.pending(session).await?))
}

/// Answers an interaction. The first answer wins. Needs the scope `answer`; an answer that edits the
/// input, is remembered or changes the mode needs `drive`.
#[utoipa::path(
    post, path = "/v1/sessions/{session}/interactions/{interaction}/answer", tag = "interactions",
    params(
        ("session" = String, Path, description = "The id of the session"),
        ("interaction" = String, Path, description = "The id of the interaction"),
        ("Idempotency-Key" = String, Header, description = "Repeats have the same result"),
    ),
    request_body(content = Answer, example = json!({"decline": "not now"})),
    responses((status = 200, body = AnswerOutcome), (status = "4XX", body = Problem))
)]
pub(super) async fn answer(
    caller: Authorized,
    Names((session, interaction)): Names<(String, String)>,
    Key(key): Key,
    Body(answer): Body<Answer>,
) -> Result<Json<AnswerOutcome>, Problem> {
    let id = InteractionId::new(&interaction);
    let id = id.map_err(|error| Problem::invalid(error.to_string()))?;
    let session = session_id(&session)?;
    Ok(Json(caller.access.answer(session, &id, answer, key).await?))
}
