//! The parts of a request. Each of them is refused with a [`Problem`].

use std::time::Duration;

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use claw_store::IdempotencyKey;
use serde::de::DeserializeOwned;

use super::auth::one;
use super::{Api, Problem};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// How long the body of a request may take.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The key under which a request takes effect once.
pub(super) struct Key(pub(super) IdempotencyKey);

impl FromRequestParts<Api> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<Self, Problem> {
        let detail = "send a new random `Idempotency-Key` with every new request, and the same one \
                      when you repeat it";
        let key = one(&parts.headers, &IDEMPOTENCY_KEY).ok_or_else(|| Problem::invalid(detail))?;
        let key = IdempotencyKey::new(key);
        key.map(Self)
            .map_err(|error| Problem::invalid(error.to_string()))
    }
}

/// A body of JSON.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Api> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Self, Problem> {
        let read = axum::Json::<T>::from_request(request, api);
        let body = tokio::time::timeout(BODY_TIME, read).await.map_err(|_| {
            let detail = "the body did not arrive within 30 s: send the request again";
            Problem::new(StatusCode::REQUEST_TIMEOUT, "timed_out", detail)
        })?;
        let body = body.map_err(|error: JsonRejection| {
            let code = match error.status() {
                StatusCode::PAYLOAD_TOO_LARGE => "too_large",
                _ => "invalid",
            };
            Problem::new(error.status(), code, error.body_text())
        });
        Ok(Self(body?.0))
    }
}

/// The parameters of the query.
pub(super) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Api> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let query = Query::<T>::from_request_parts(parts, api).await;
        let query = query.map_err(|error: QueryRejection| Problem::invalid(error.body_text()))?;
        Ok(Self(query.0))
    }
}

/// The names in the path.
pub(super) struct Names<T>(pub(super) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Api> for Names<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let path = Path::<T>::from_request_parts(parts, api).await;
        let path = path.map_err(|error: PathRejection| Problem::invalid(error.body_text()))?;
        Ok(Self(path.0))
    }
}
