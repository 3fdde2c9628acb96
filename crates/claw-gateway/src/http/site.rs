//! Where the API is reached, and which pages may call it.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tower_http::cors::{AllowOrigin, CorsLayer};
use url::{Host, Url};

use super::Problem;
use super::auth::one;
use crate::error::GatewayError;

/// The cookie of browsers on a public URL. Browsers accept the prefix only with `Secure`, `Path=/`
/// and without `Domain`, so that no other host can set it.
const COOKIE: &str = "__Host-claw";
/// How long a browser keeps the cookie, in seconds. It is not valid after its device is revoked.
const COOKIE_AGE: u32 = 90 * 24 * 3600;

/// Where the API is reached, which pages may call it, and how often a device may.
///
/// Requests with another `Host` are refused, which prevents DNS rebinding. Requests with an
/// `Origin` that is not listed are refused; requests of programs have none.
#[derive(Clone)]
pub struct Site {
    hosts: Vec<String>,
    /// The origins of the gateway's own pages.
    own: Vec<String>,
    /// Other origins, whose pages need a token.
    others: Vec<String>,
    /// The host and the origin on which browsers get a cookie.
    cookie: Option<(String, String)>,
    rate: Arc<DefaultKeyedRateLimiter<String>>,
}

impl std::fmt::Debug for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Site")
            .field("hosts", &self.hosts)
            .field("own", &self.own)
            .field("others", &self.others)
            .finish_non_exhaustive()
    }
}

impl Site {
    /// Creates a site that is reached at an address of this machine. A device may send 50 requests a
    /// second, and 200 at once.
    pub fn new(address: SocketAddr) -> Self {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            let local = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
            hosts.extend(local);
        }
        let own = hosts.iter().map(|host| format!("http://{host}")).collect();
        Self {
            hosts,
            own,
            others: Vec::new(),
            cookie: None,
            rate: limiter(
                NonZeroU32::MIN.saturating_add(49),
                NonZeroU32::MIN.saturating_add(199),
            ),
        }
    }

    /// Adds the URL at which a proxy or a tunnel publishes the site. Browsers get a cookie there
    /// only if it is an https URL with its own host name, because the cookies of an IP address or
    /// of `localhost` are sent to every port.
    ///
    /// # Errors
    /// The URL is not an http or https URL, or has a path, a query, a fragment or a user.
    pub fn public_url(mut self, url: &str) -> Result<Self, GatewayError> {
        let (parsed, origin) = origin_of(url)?;
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        let is_name = match parsed.host() {
            Some(Host::Domain(name)) => name.contains('.') && !name.ends_with(".localhost"),
            _ => false,
        };
        if parsed.scheme() == "https" && is_name {
            self.cookie = Some((host.to_owned(), origin.clone()));
        }
        self.hosts.push(host.to_owned());
        self.own.push(origin);
        Ok(self)
    }

    /// Lets the pages of another origin call the API with a token.
    ///
    /// # Errors
    /// The text is not an origin such as `https://app.example`.
    pub fn allow_origin(mut self, origin: &str) -> Result<Self, GatewayError> {
        let (_, origin) = origin_of(origin)?;
        self.others.push(origin);
        Ok(self)
    }

    /// Sets how many requests a device may send per second, and how many at once.
    pub fn rate(mut self, per_second: NonZeroU32, burst: NonZeroU32) -> Self {
        self.rate = limiter(per_second, burst);
        self
    }

    /// Counts a request of a device against its rate.
    pub(super) fn count(&self, device: &str) -> Result<(), Problem> {
        let Err(refused) = self.rate.check_key(&device.to_owned()) else {
            return Ok(());
        };
        let wait = refused.wait_time_from(DefaultClock::default().now());
        let detail = "this device sends too many requests: wait for the seconds in `Retry-After`";
        let mut problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", detail);
        problem.retry_after = Some(wait.as_secs() + 1);
        Err(problem)
    }

    /// Refuses requests whose `Host` or `Origin` is not listed.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let host = one(headers, &header::HOST);
        if host.is_none_or(|host| self.hosts.iter().all(|known| known != host)) {
            let detail = "this gateway does not serve the Host of the request: start it with \
                          --public-url if it has another name";
            let status = StatusCode::MISDIRECTED_REQUEST;
            return Err(Problem::new(status, "wrong_host", detail));
        }
        if !headers.contains_key(header::ORIGIN) {
            return Ok(());
        }
        let origin = one(headers, &header::ORIGIN);
        let mut origins = self.own.iter().chain(&self.others);
        if !origins.any(|known| origin == Some(known)) {
            let detail = "pages of this Origin may not call the gateway: start it with --origin to \
                          allow them";
            return Err(Problem::new(StatusCode::FORBIDDEN, "wrong_origin", detail));
        }
        Ok(())
    }

    /// Returns the token in the cookie of a request.
    ///
    /// A browser attaches the cookie to the requests of all pages, so the request must come from
    /// the gateway's own page. For a `GET` from the same site, browsers omit `Origin` and send
    /// `Sec-Fetch-Site: same-origin`, which no page can set.
    pub(super) fn cookie<'a>(
        &self,
        method: &Method,
        headers: &'a HeaderMap,
    ) -> Result<Option<&'a str>, Problem> {
        let cookies = headers.get_all(header::COOKIE).iter();
        let cookies = cookies.filter_map(|value| value.to_str().ok());
        let mut tokens = cookies
            .flat_map(|value| value.split("; "))
            .filter_map(|one| {
                let (name, value) = one.split_once('=')?;
                (name == COOKIE).then_some(value)
            });
        let (Some(token), None) = (tokens.next(), tokens.next()) else {
            return Ok(None);
        };
        match self.is_own_page(method, headers) {
            true => Ok(Some(token)),
            false => {
                let detail = "a cookie is accepted from the pages of the public URL only, with \
                              their `Origin`";
                Err(Problem::new(StatusCode::FORBIDDEN, "wrong_origin", detail))
            }
        }
    }

    fn is_own_page(&self, method: &Method, headers: &HeaderMap) -> bool {
        let Some((host, origin)) = &self.cookie else {
            return false;
        };
        if one(headers, &header::HOST) != Some(host) {
            return false;
        }
        match headers.contains_key(header::ORIGIN) {
            true => one(headers, &header::ORIGIN) == Some(origin),
            false => {
                let reads = method == Method::GET && !headers.contains_key(header::UPGRADE);
                let site = HeaderName::from_static("sec-fetch-site");
                reads && one(headers, &site) == Some("same-origin")
            }
        }
    }

    /// Returns the header that sets the cookie, or removes it if there is no token.
    pub(super) fn set_cookie(
        &self,
        method: &Method,
        headers: &HeaderMap,
        token: Option<&str>,
    ) -> Result<HeaderValue, Problem> {
        if self.cookie.is_none() {
            let detail = "browsers get a cookie on an https --public-url with a host name of its \
                          own; here, send the token with each request";
            return Err(Problem::new(StatusCode::CONFLICT, "no_cookies", detail));
        }
        if !headers.contains_key(header::ORIGIN) || !self.is_own_page(method, headers) {
            let detail = "browsers get a cookie on the pages of the public URL only";
            return Err(Problem::new(StatusCode::FORBIDDEN, "wrong_origin", detail));
        }
        let (value, age) = token.map_or(("", 0), |token| (token, COOKIE_AGE));
        let rules = "Path=/; Secure; HttpOnly; SameSite=Strict";
        HeaderValue::from_str(&format!("{COOKIE}={value}; Max-Age={age}; {rules}"))
            .map_err(|_| Problem::invalid("the token has invalid characters"))
    }

    /// Returns the layer that permits the pages of other origins to call the API.
    pub(super) fn cors(&self) -> CorsLayer {
        let origins = self.others.iter();
        let origins = origins.filter_map(|origin| HeaderValue::from_str(origin).ok());
        let names = ["idempotency-key", "last-event-id"].map(HeaderName::from_static);
        CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_methods([Method::GET, Method::POST, Method::PATCH, Method::DELETE])
            .allow_headers(
                [header::AUTHORIZATION, header::CONTENT_TYPE]
                    .into_iter()
                    .chain(names)
                    .collect::<Vec<_>>(),
            )
            .expose_headers([header::RETRY_AFTER])
            .max_age(std::time::Duration::from_secs(600))
    }
}

fn limiter(per_second: NonZeroU32, burst: NonZeroU32) -> Arc<DefaultKeyedRateLimiter<String>> {
    Arc::new(RateLimiter::keyed(
        Quota::per_second(per_second).allow_burst(burst),
    ))
}

/// Parses the URL of a site. Returns it with its origin.
fn origin_of(text: &str) -> Result<(Url, String), GatewayError> {
    let refused = || {
        let form = "https://claw.example";
        GatewayError::invalid(format!("{text:?} is not the URL of a site, such as {form}"))
    };
    let url = Url::parse(text).map_err(|_| refused())?;
    let is_site = matches!(url.scheme(), "http" | "https")
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    match is_site {
        true => Ok((url.clone(), url.origin().ascii_serialization())),
        false => Err(refused()),
    }
}
