//! Interactions and their answers.

use axum::Json;
use axum::extract::State;
use claw_store::{IdempotencyKey, InteractionId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::auth::Authorized;
use super::extract::{Body, Key, Names, Params};
use super::sessions::session_id;
use super::{Api, Problem};
use crate::access::{AnswerOutcome, Pending};
use crate::answer::Answer;
use crate::caller::Scope;

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

/// The most answers of one request.
const MAX_ANSWERS: usize = 100;

/// Answers to several interactions, of any sessions.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Answers {
    /// At most 100.
    answers: Vec<OneAnswer>,
}

/// One of several answers.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OneAnswer {
    /// The id of the session.
    session: String,
    /// The id of the interaction.
    interaction: String,
    /// The idempotency key of this answer.
    key: String,
    /// The answer.
    answer: Answer,
}

/// The result of one of several answers: an outcome or a problem.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnswerResult {
    /// The id of the session.
    session: String,
    /// The id of the interaction.
    interaction: String,
    /// How the answer was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<AnswerOutcome>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// Answers several interactions, each under its own key. A refused answer does not affect the
/// others. Needs the scope `answer`; each answer may need `drive`.
#[utoipa::path(
    post, path = "/v1/interactions/answers", tag = "interactions",
    request_body(content = Answers, example = json!({"answers": [{
        "session": "ID", "interaction": "ID", "key": "k", "answer": {"decline": "not now"},
    }]})),
    responses((status = 200, body = Vec<AnswerResult>), (status = "4XX", body = Problem))
)]
pub(super) async fn answer_many(
    State(api): State<Api>,
    caller: Authorized,
    Body(Answers { answers }): Body<Answers>,
) -> Result<Json<Vec<AnswerResult>>, Problem> {
    caller.caller.need(Scope::Answer)?;
    if answers.len() > MAX_ANSWERS {
        let detail = format!("a request has at most {MAX_ANSWERS} answers");
        return Err(Problem::invalid(detail));
    }
    let mut results = Vec::new();
    for (index, one) in answers.into_iter().enumerate() {
        let (session, interaction) = (one.session.clone(), one.interaction.clone());
        // The request counts as its first answer.
        let counted = if index > 0 {
            api.site.count(&caller.device)
        } else {
            Ok(())
        };
        let answered = match counted {
            Ok(()) => answer_one(&caller, one).await,
            Err(problem) => Err(problem),
        };
        let (result, problem) = match answered {
            Ok(outcome) => (Some(outcome), None),
            Err(problem) => (None, Some(problem)),
        };
        results.push(AnswerResult {
            session,
            interaction,
            result,
            problem,
        });
    }
    Ok(Json(results))
}

async fn answer_one(caller: &Authorized, one: OneAnswer) -> Result<AnswerOutcome, Problem> {
    let invalid = |error: &dyn std::fmt::Display| Problem::invalid(error.to_string());
    let id = InteractionId::new(&one.interaction).map_err(|error| invalid(&error))?;
    let key = IdempotencyKey::new(&one.key).map_err(|error| invalid(&error))?;
    let session = session_id(&one.session)?;
    Ok(caller.access.answer(session, &id, one.answer, key).await?)
}
