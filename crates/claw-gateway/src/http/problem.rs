//! Errors as clients receive them (RFC 9457).

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::openapi::{RefOr, Schema};

use crate::error::GatewayError;

/// Every code of a [`Problem`], with its meaning.
pub const CODES: &[(&str, &str)] = &[
    (
        "ahead_of_log",
        "The cursor is ahead of the session. Begin at 0.",
    ),
    (
        "conflict",
        "The request contradicts what is stored, such as another request with the same key, or another revision.",
    ),
    ("deleted", "The session was deleted."),
    ("ended", "The session has ended. Fork it to continue."),
    (
        "forbidden",
        "The device lacks the scope that the request needs.",
    ),
    (
        "full",
        "A quota is used up, or too many commands wait. Try again later.",
    ),
    (
        "invalid",
        "The request is not valid. The detail says what would be.",
    ),
    (
        "no_cookies",
        "The gateway gives no cookies at this address. Send the token as a header.",
    ),
    (
        "not_found",
        "The tenant has no such session, interaction, device or path.",
    ),
    (
        "timed_out",
        "The body of the request did not arrive in time.",
    ),
    ("too_large", "The body of the request is too large."),
    (
        "too_many_requests",
        "The device sends too many requests. Try again later.",
    ),
    ("unauthorized", "The token is missing, unknown or revoked."),
    (
        "unavailable",
        "The store cannot be reached, or a session does not start. Send the same request again.",
    ),
    ("upgrade_required", "The path is only for WebSockets."),
    (
        "wrong_host",
        "The gateway does not serve the `Host` of the request.",
    ),
    ("wrong_method", "The path does not have this method."),
    (
        "wrong_origin",
        "The gateway does not serve the `Origin` of the request.",
    ),
];

const MEDIA_TYPE: &str = "application/problem+json";

/// Completes the OpenAPI document: the codes, and the media type of problems.
pub(super) fn describe(openapi: &mut utoipa::openapi::OpenApi) {
    for path in openapi.paths.paths.values_mut() {
        let operations = [
            &mut path.get,
            &mut path.post,
            &mut path.patch,
            &mut path.delete,
        ];
        for operation in operations.into_iter().flatten() {
            let refused = operation.responses.responses.get_mut("4XX");
            if let Some(RefOr::T(refused)) = refused
                && let Some(problem) = refused.content.shift_remove("application/json")
            {
                refused.content.insert(MEDIA_TYPE.to_owned(), problem);
            }
        }
    }
    let schemas = &mut openapi.components.get_or_insert_default().schemas;
    if let Some(RefOr::T(Schema::Object(problem))) = schemas.get_mut("Problem")
        && let Some(RefOr::T(Schema::Object(code))) = problem.properties.get_mut("code")
    {
        let codes = CODES.iter().map(|(code, _)| serde_json::json!(code));
        code.enum_values = Some(codes.collect());
    }
}

/// A refused request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    /// The status of the response.
    pub status: u16,
    /// A name for programs, which never changes.
    pub code: String,
    /// The same for people, in a few words.
    pub title: String,
    /// What happened, and what to do.
    pub detail: String,
    /// When to repeat the request, in seconds: the header `Retry-After`.
    #[serde(skip)]
    #[schema(ignore)]
    pub retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, detail: impl Into<String>) -> Self {
        Self {
            status: status.as_u16(),
            code: code.to_owned(),
            title: status.canonical_reason().unwrap_or("refused").to_owned(),
            detail: detail.into(),
            retry_after: None,
        }
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", detail)
    }
}

impl From<GatewayError> for Problem {
    fn from(error: GatewayError) -> Self {
        let status = match &error {
            GatewayError::NotFound { .. } => StatusCode::NOT_FOUND,
            GatewayError::Deleted => StatusCode::GONE,
            GatewayError::Forbidden { .. } => StatusCode::FORBIDDEN,
            GatewayError::Invalid { .. } => StatusCode::BAD_REQUEST,
            GatewayError::Conflict { .. }
            | GatewayError::Ended
            | GatewayError::AheadOfLog { .. } => StatusCode::CONFLICT,
            GatewayError::Full { .. } => StatusCode::TOO_MANY_REQUESTS,
            GatewayError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            GatewayError::Unavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self::new(status, error.code(), error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = (status, Json(&self)).into_response();
        let kind = HeaderValue::from_static(MEDIA_TYPE);
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
        }
        if let Some(seconds) = self.retry_after {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
