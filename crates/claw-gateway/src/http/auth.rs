//! Who calls, and from where.

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::{Api, Problem};
use crate::access::Access;
use crate::caller::Caller;
use crate::error::GatewayError;

/// The device that sent a request, and what it may do. No handler reaches a session without it.
pub(super) struct Authorized {
    pub(super) access: Access,
    pub(super) caller: Caller,
    /// The id of the device.
    pub(super) device: String,
}

impl FromRequestParts<Api> for Authorized {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let detail = "send the token of a device as `Authorization: Bearer …`";
        let refused = || Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail);
        let token = one(&parts.headers, &header::AUTHORIZATION).ok_or_else(refused)?;
        let token = token.strip_prefix("Bearer ").ok_or_else(refused)?;
        let (caller, device) = match api.devices.authenticate(token).await {
            Err(GatewayError::NotFound { .. }) => return Err(refused()),
            authenticated => authenticated?,
        };
        Ok(Self {
            access: api.gateway.access(caller.clone()),
            caller,
            device,
        })
    }
}

/// Returns a header that occurs once.
pub(super) fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Refuses requests whose `Host` or `Origin` is not configured.
pub(super) async fn check_addresses(
    State(api): State<Api>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let is_known = |name: &HeaderName, known: &[String]| {
        let value = one(headers, name);
        value.is_some_and(|value| known.iter().any(|known| known == value))
    };
    let wrong = match headers {
        _ if !is_known(&header::HOST, &api.hosts) => Some("Host"),
        headers if headers.contains_key(header::ORIGIN) => {
            (!is_known(&header::ORIGIN, &api.origins)).then_some("Origin")
        }
        _ => None,
    };
    match wrong {
        None => next.run(request).await,
        Some(name) => {
            let detail = format!("this gateway does not serve the {name} of the request");
            let status = StatusCode::MISDIRECTED_REQUEST;
            let problem = match name {
                "Host" => Problem::new(status, "wrong_host", detail),
                _ => Problem::new(StatusCode::FORBIDDEN, "wrong_origin", detail),
            };
            problem.into_response()
        }
    }
}
