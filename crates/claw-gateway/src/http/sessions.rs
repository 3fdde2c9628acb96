//! Sessions, and what is sent to them.

use axum::Json;
use axum::http::StatusCode;
use claw_server::{InputMode, SessionId};
use serde::Deserialize;
use utoipa::openapi::schema::{ArrayBuilder, Object, OneOfBuilder, Type};
use utoipa::{IntoParams, ToSchema};

use super::Problem;
use super::auth::Authorized;
use super::extract::{Body, Key, Names, Params};
use crate::access::{SessionInfo, SessionInfos, Stored};
use crate::frame::DialectName;
use crate::history::History;
use crate::spec::SessionSpec;

/// The most sessions of a page.
const MAX_PAGE: usize = 1000;

/// Which page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// The `next` of the page before.
    from: Option<String>,
    /// The most sessions to return, at most 1,000.
    limit: Option<usize>,
}

fn content_schema() -> OneOfBuilder {
    let text = Object::with_type(Type::String);
    let blocks = ArrayBuilder::new().items(Object::with_type(Type::Object));
    OneOfBuilder::new().item(text).item(blocks)
}

/// An input for the agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewInput {
    /// A text, or a list of the API's content blocks.
    #[schema(schema_with = content_schema)]
    content: claw_server::Json,
    /// `Queue` (the default), `Steer` or `InterruptThenSend`.
    #[schema(value_type = Option<String>)]
    mode: Option<InputMode>,
}

/// The turn to interrupt.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Interrupt {
    /// The number of the turn, in the events of the session.
    turn: u64,
}

/// Parses the id of a session. A text that is no id belongs to no session.
pub(super) fn session_id(text: &str) -> Result<SessionId, Problem> {
    let detail = "there is no such session";
    let problem = |_| Problem::new(StatusCode::NOT_FOUND, "not_found", detail);
    text.parse().map_err(problem)
}

/// Creates a session. Needs the scope `drive`.
#[utoipa::path(
    post, path = "/v1/sessions", tag = "sessions",
    params(("Idempotency-Key" = String, Header, description = "Repeats create nothing")),
    request_body = SessionSpec,
    responses((status = 201, body = SessionInfo), (status = "4XX", body = Problem))
)]
pub(super) async fn create(
    caller: Authorized,
    Key(key): Key,
    Body(spec): Body<SessionSpec>,
) -> Result<(StatusCode, Json<SessionInfo>), Problem> {
    let created = caller.access.create(spec, key).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Lists the sessions of the tenant, oldest first. Needs the scope `view`.
#[utoipa::path(
    get, path = "/v1/sessions", tag = "sessions", params(Page),
    responses((status = 200, body = SessionInfos), (status = "4XX", body = Problem))
)]
pub(super) async fn list(
    caller: Authorized,
    Params(page): Params<Page>,
) -> Result<Json<SessionInfos>, Problem> {
    let limit = page.limit.unwrap_or(100).clamp(1, MAX_PAGE);
    Ok(Json(caller.access.list(page.from, limit).await?))
}

/// Returns a session. Needs the scope `view`.
#[utoipa::path(
    get, path = "/v1/sessions/{session}", tag = "sessions",
    params(("session" = String, Path, description = "The id of the session")),
    responses((status = 200, body = SessionInfo), (status = "4XX", body = Problem))
)]
pub(super) async fn get(
    caller: Authorized,
    Names(session): Names<String>,
) -> Result<Json<SessionInfo>, Problem> {
    Ok(Json(caller.access.get(session_id(&session)?).await?))
}

/// A change of a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    /// The revision that the change replaces.
    revision: u64,
    /// The new title; without one, the title is removed.
    title: Option<String>,
}

/// Changes a session, if its revision is still the one that the client has seen.
/// Needs the scope `drive`.
#[utoipa::path(
    patch, path = "/v1/sessions/{session}", tag = "sessions",
    params(("session" = String, Path, description = "The id of the session")),
    request_body = Change,
    responses((status = 200, body = SessionInfo), (status = "4XX", body = Problem))
)]
pub(super) async fn update(
    caller: Authorized,
    Names(session): Names<String>,
    Body(Change { revision, title }): Body<Change>,
) -> Result<Json<SessionInfo>, Problem> {
    let session = session_id(&session)?;
    let changed = caller.access.set_title(session, revision, title).await?;
    Ok(Json(changed))
}

/// Which events of the past.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Before {
    /// Events before this sequence: the `before` of the last page. The newest ones by default.
    before: Option<u64>,
    /// The most events to return, 100 by default and at most 1,000.
    limit: Option<usize>,
    /// Only `events`: other dialects need all events before.
    dialect: Option<DialectName>,
}

/// Returns events of a session, from the end backwards. Needs the scope `view`.
#[utoipa::path(
    get, path = "/v1/sessions/{session}/history", tag = "sessions",
    params(("session" = String, Path, description = "The id of the session"), Before),
    responses((status = 200, body = History), (status = "4XX", body = Problem))
)]
pub(super) async fn history(
    caller: Authorized,
    Names(session): Names<String>,
    Params(page): Params<Before>,
) -> Result<Json<History>, Problem> {
    if !matches!(page.dialect, None | Some(DialectName::Events)) {
        return Err(Problem::invalid(
            "the history has only the dialect `events`",
        ));
    }
    let limit = page.limit.unwrap_or(100).clamp(1, MAX_PAGE);
    let session = session_id(&session)?;
    Ok(Json(
        caller.access.history(session, page.before, limit).await?,
    ))
}

/// Deletes a session with everything that is stored of it. Needs the scope `drive`.
#[utoipa::path(
    delete, path = "/v1/sessions/{session}", tag = "sessions",
    params(("session" = String, Path, description = "The id of the session")),
    responses((status = 204), (status = "4XX", body = Problem))
)]
pub(super) async fn delete(
    caller: Authorized,
    Names(session): Names<String>,
) -> Result<StatusCode, Problem> {
    caller.access.delete(session_id(&session)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends an input. It is stored when this returns; the events of the session report when the agent
/// has received and processed it. Needs the scope `drive`.
#[utoipa::path(
    post, path = "/v1/sessions/{session}/inputs", tag = "sessions",
    params(
        ("session" = String, Path, description = "The id of the session"),
        ("Idempotency-Key" = String, Header, description = "Repeats send nothing"),
    ),
    request_body = NewInput,
    responses((status = 202, body = Stored), (status = "4XX", body = Problem))
)]
pub(super) async fn input(
    caller: Authorized,
    Names(session): Names<String>,
    Key(key): Key,
    Body(input): Body<NewInput>,
) -> Result<(StatusCode, Json<Stored>), Problem> {
    let mode = input.mode.unwrap_or(InputMode::Queue);
    if let InputMode::Unknown(name) = &mode {
        return Err(Problem::invalid(format!("there is no mode {name:?}")));
    }
    let session = session_id(&session)?;
    let stored = caller
        .access
        .input(session, input.content, mode, key)
        .await?;
    Ok((StatusCode::ACCEPTED, Json(stored)))
}

/// Interrupts a turn. Does nothing when that turn has ended. Needs the scope `drive`.
#[utoipa::path(
    post, path = "/v1/sessions/{session}/interrupt", tag = "sessions",
    params(
        ("session" = String, Path, description = "The id of the session"),
        ("Idempotency-Key" = String, Header, description = "Repeats do nothing"),
    ),
    request_body = Interrupt,
    responses((status = 202, body = Stored), (status = "4XX", body = Problem))
)]
pub(super) async fn interrupt(
    caller: Authorized,
    Names(session): Names<String>,
    Key(key): Key,
    Body(Interrupt { turn }): Body<Interrupt>,
) -> Result<(StatusCode, Json<Stored>), Problem> {
    let session = session_id(&session)?;
    let stored = caller.access.interrupt(session, turn, key).await?;
    Ok((StatusCode::ACCEPTED, Json(stored)))
}

/// Ends a session. Its log can still be read. Needs the scope `drive`.
#[utoipa::path(
    post, path = "/v1/sessions/{session}/close", tag = "sessions",
    params(
        ("session" = String, Path, description = "The id of the session"),
        ("Idempotency-Key" = String, Header, description = "Repeats do nothing"),
    ),
    responses((status = 202, body = Stored), (status = "4XX", body = Problem))
)]
pub(super) async fn close(
    caller: Authorized,
    Names(session): Names<String>,
    Key(key): Key,
) -> Result<(StatusCode, Json<Stored>), Problem> {
    let stored = caller.access.close(session_id(&session)?, key).await?;
    Ok((StatusCode::ACCEPTED, Json(stored)))
}
