//! Who calls, and from where.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::server::Connection;
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
    pub(super) connection: Option<Arc<Connection>>,
}

impl FromRequestParts<Api> for Authorized {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let detail = "send the token of a device as `Authorization: Bearer …`";
        let refused = || Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail);
        let token = match parts.headers.contains_key(header::AUTHORIZATION) {
            true => bearer(&parts.headers),
            false => api.site.cookie(&parts.method, &parts.headers)?,
        };
        let token = token.ok_or_else(refused)?;
        let (caller, device) = match api.devices.authenticate(token).await {
            Err(GatewayError::NotFound { .. }) => return Err(refused()),
            authenticated => authenticated?,
        };
        let connection = parts.extensions.get::<Arc<Connection>>().cloned();
        if let Some(connection) = &connection {
            connection.authenticate();
        }
        api.site.count(&device)?;
        Ok(Self {
            access: api.gateway.access(caller.clone()),
            caller,
            device,
            connection,
        })
    }
}

/// Returns the token in the header of a request.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    one(headers, &header::AUTHORIZATION)?.strip_prefix("Bearer ")
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
    match api.site.check(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}
