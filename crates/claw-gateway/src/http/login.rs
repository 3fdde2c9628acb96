//! Cookies for browsers on a public URL.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use super::auth::{Authorized, bearer};
use super::{Api, Problem};

/// Exchanges the token of a device for a cookie, on the pages of an https public URL with a host
/// name of its own. Needs the scope `view`.
#[utoipa::path(
    post, path = "/v1/login", tag = "devices",
    responses((status = 204), (status = "4XX", body = Problem))
)]
pub(super) async fn login(
    State(api): State<Api>,
    method: Method,
    headers: HeaderMap,
    _: Authorized,
) -> Result<(StatusCode, [(HeaderName, HeaderValue); 1]), Problem> {
    let token = bearer(&headers);
    let token = token.ok_or_else(|| Problem::invalid("send the token as `Authorization`"))?;
    let cookie = api.site.set_cookie(&method, &headers, Some(token))?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]))
}

/// Removes the cookie from the browser. Its device stays: revoke it to end its token.
/// Needs the scope `view`.
#[utoipa::path(
    post, path = "/v1/logout", tag = "devices",
    responses((status = 204), (status = "4XX", body = Problem))
)]
pub(super) async fn logout(
    State(api): State<Api>,
    method: Method,
    headers: HeaderMap,
    _: Authorized,
) -> Result<(StatusCode, [(HeaderName, HeaderValue); 1]), Problem> {
    let cookie = api.site.set_cookie(&method, &headers, None)?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]))
}
