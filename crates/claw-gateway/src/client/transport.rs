//! Sends the requests of the client, and repeats them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Response};
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::error::ClientError;
use crate::http::Problem;

/// How long the gateway may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a response may take.
const RESPONSE: Duration = Duration::from_secs(30);
/// The largest body of a response.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// A request.
pub(super) struct Call<'a> {
    method: Method,
    path: &'a [&'a str],
    query: Vec<(&'static str, String)>,
    key: Option<&'a str>,
    body: Option<Bytes>,
    is_repeatable: bool,
}

impl<'a> Call<'a> {
    pub(super) fn get(path: &'a [&'a str]) -> Self {
        Self {
            method: Method::GET,
            path,
            query: Vec::new(),
            key: None,
            body: None,
            is_repeatable: true,
        }
    }

    pub(super) fn delete(path: &'a [&'a str]) -> Self {
        let method = Method::DELETE;
        Self {
            method,
            ..Self::get(path)
        }
    }

    /// A request that takes effect once under its key. Without one, it is not repeated.
    pub(super) fn post(path: &'a [&'a str], key: Option<&'a str>) -> Self {
        Self {
            method: Method::POST,
            key,
            is_repeatable: key.is_some(),
            ..Self::get(path)
        }
    }

    pub(super) fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    pub(super) fn json(mut self, body: &impl Serialize) -> Result<Self, ClientError> {
        let body = serde_json::to_vec(body).map_err(|error| invalid(error.to_string()))?;
        self.body = Some(body.into());
        Ok(self)
    }
}

/// The connections to a gateway.
#[derive(Clone)]
pub(super) struct Transport {
    pool: Pool<HttpsConnector<HttpConnector>, Full<Bytes>>,
    base: Url,
    token: HeaderValue,
    /// How long a request is repeated.
    pub(super) patience: Duration,
    /// How long a stream may be silent.
    pub(super) silence: Duration,
    /// Whether the gateway has ever responded.
    is_reached: Arc<AtomicBool>,
}

impl Transport {
    pub(super) fn new(base: &str, token: &str) -> Result<Self, ClientError> {
        let url = Url::parse(base).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let url = url.filter(|url| url.query().is_none() && url.username().is_empty());
        let base = url.ok_or_else(|| {
            let example = "use one such as http://127.0.0.1:7171";
            invalid(format!(
                "{base:?} is not the address of a gateway: {example}"
            ))
        })?;
        let token = HeaderValue::try_from(format!("Bearer {token}"));
        let mut token = token.map_err(|_| invalid("the token has invalid characters"))?;
        token.set_sensitive(true);
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_connect_timeout(Some(CONNECT));
        http.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls(base.scheme() == "https")?)
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let pool = Pool::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .build(connector);
        Ok(Self {
            pool,
            base,
            token,
            patience: Duration::from_secs(20),
            silence: Duration::from_secs(45),
            is_reached: Arc::default(),
        })
    }

    pub(super) fn address(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Sends a request, and repeats it while its failure is transient.
    pub(super) async fn call<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<T, ClientError> {
        let started = Instant::now();
        let mut backoff = Backoff::default();
        let mut is_repeat = false;
        loop {
            let error = match self.complete(&call).await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            // An earlier attempt deleted it, and the response was lost.
            let status = error.problem().map(|problem| problem.status);
            let is_gone = matches!(status, Some(404 | 410));
            if is_repeat && is_gone && call.method == Method::DELETE {
                return self.decode(b"null");
            }
            backoff.wait_at_least(error.retry_after());
            let delay = backoff.delay();
            let is_late = started.elapsed() + delay > self.patience;
            if !call.is_repeatable || !self.may_repeat(&error) || is_late {
                return Err(error);
            }
            sleep(delay).await;
            is_repeat = true;
        }
    }

    /// Returns whether to repeat a request after an error. If the gateway has never responded, the
    /// address is probably wrong.
    pub(super) fn may_repeat(&self, error: &ClientError) -> bool {
        error.is_transient() && self.is_reached.load(Ordering::Relaxed)
    }

    async fn complete<T: DeserializeOwned>(&self, call: &Call<'_>) -> Result<T, ClientError> {
        let response = self.open(call, "application/json").await?;
        let body = self.read(response.into_body()).await?;
        match body.is_empty() {
            true => self.decode(b"null"),
            false => self.decode(&body),
        }
    }

    /// Sends a request once, and returns the response when its headers have arrived.
    pub(super) async fn open(
        &self,
        call: &Call<'_>,
        accept: &'static str,
    ) -> Result<Response<Incoming>, ClientError> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("v1").extend(call.path);
        }
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&call.query);
        }
        let mut request = Request::builder()
            .method(&call.method)
            .uri(url.as_str())
            .header(ACCEPT, accept)
            .header(AUTHORIZATION, self.token.clone());
        if let Some(key) = call.key {
            request = request.header("idempotency-key", key);
        }
        if call.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = Full::new(call.body.clone().unwrap_or_default());
        let request = request
            .body(body)
            .map_err(|error| invalid(error.to_string()))?;
        let sent = timeout(RESPONSE, self.pool.request(request)).await;
        let sent = sent.map_err(|_| self.unreachable("it does not respond"))?;
        let response = sent.map_err(|error| self.unreachable(cause(&error)))?;
        self.is_reached.store(true, Ordering::Relaxed);
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let retry_after = response.headers().get(RETRY_AFTER);
        let retry_after = retry_after.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
        let body = self.read(response.into_body()).await?;
        let mut problem = serde_json::from_slice(&body).unwrap_or_else(|_| {
            let detail = format!("the server responds with {status}: is it a gateway?");
            Problem::new(status, "unexpected", detail)
        });
        problem.retry_after = retry_after;
        Err(ClientError::Refused(Box::new(problem)))
    }

    async fn read(&self, body: Incoming) -> Result<Bytes, ClientError> {
        let read = timeout(RESPONSE, Limited::new(body, MAX_BODY).collect()).await;
        let read = read.map_err(|_| self.unreachable("its response stopped"))?;
        let read = read.map_err(|error| self.unreachable(error.to_string()))?;
        Ok(read.to_bytes())
    }

    fn decode<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, ClientError> {
        serde_json::from_slice(body).map_err(|error| self.unexpected(error.to_string()))
    }

    pub(super) fn unreachable(&self, reason: impl Into<String>) -> ClientError {
        ClientError::Unreachable {
            address: self.address().to_owned(),
            reason: reason.into(),
        }
    }

    pub(super) fn unexpected(&self, reason: impl Into<String>) -> ClientError {
        ClientError::Unexpected {
            address: self.address().to_owned(),
            reason: reason.into(),
        }
    }
}

fn invalid(reason: impl Into<String>) -> ClientError {
    let reason = reason.into();
    ClientError::Invalid { reason }
}

/// Reads the system's certificates only if they are needed.
fn tls(is_needed: bool) -> Result<ClientConfig, ClientError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| invalid(error.to_string()))?;
    let config = match is_needed {
        true => config.with_native_roots().map_err(|error| {
            invalid(format!("the system's certificates cannot be read: {error}"))
        })?,
        false => config.with_root_certificates(RootCertStore::empty()),
    };
    Ok(config.with_no_client_auth())
}

/// Returns the innermost cause: the outer errors only report that a request failed.
fn cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// Delays between attempts: they double up to 10 s, and each is shortened at random by up to half,
/// so that clients do not reconnect at the same time.
#[derive(Debug)]
pub(super) struct Backoff {
    next: Duration,
    /// The minimum delay before the next attempt.
    least: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        let next = Duration::from_millis(100);
        let least = Duration::ZERO;
        Self { next, least }
    }
}

impl Backoff {
    /// Sets the minimum delay before the next attempt. At most a minute is used.
    pub(super) fn wait_at_least(&mut self, least: Duration) {
        self.least = least.min(Duration::from_secs(60));
    }

    pub(super) fn delay(&mut self) -> Duration {
        let longest = self.next;
        self.next = (longest * 2).min(Duration::from_secs(10));
        let random = getrandom::u32().unwrap_or(u32::MAX);
        let delay = longest.mul_f64(0.5 + f64::from(random) / f64::from(u32::MAX) / 2.0);
        delay.max(std::mem::take(&mut self.least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_up_to_a_limit_and_differ() {
        let delays = || {
            let mut backoff = Backoff::default();
            std::iter::repeat_with(move || backoff.delay().as_millis())
        };
        for (at, delay) in delays().take(20).enumerate() {
            let longest = (100_u128 << at.min(10)).min(10_000);
            assert!((longest / 2..=longest).contains(&delay), "{at}: {delay}");
        }
        let some: Vec<u128> = delays().take(10).collect();
        assert_ne!(some, delays().take(10).collect::<Vec<_>>());
    }

    #[test]
    fn addresses_that_cannot_be_used_are_refused() {
        for base in [
            "",
            "127.0.0.1:7171",
            "ftp://host",
            "http://",
            "http://a:b@host",
            "http://host?x",
        ] {
            assert!(Transport::new(base, "claw_x").is_err(), "{base}");
        }
        assert!(Transport::new("http://host", "two\nlines").is_err());
        let fine = Transport::new("http://host/prefix/", "claw_x").unwrap();
        assert_eq!(fine.address(), "http://host/prefix");
    }
}
