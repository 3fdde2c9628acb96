//! Errors as clients receive them (RFC 9457).

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use crate::error::GatewayError;

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
        let kind = HeaderValue::from_static("application/problem+json");
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
