//! Adds the operator's API key to the requests of CLIs, which do not receive the key.
//!
//! Every program that an agent runs can read the environment of its CLI. So a CLI receives the
//! address of a relay on loopback, and a token that is valid only for messages and only while the
//! CLI runs.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use claw_server::SessionId;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::uri::{Authority, PathAndQuery, Scheme};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rusty_claw::Options;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The paths of the Messages API. Nothing else is relayed.
const PATHS: [&str; 2] = ["/v1/messages", "/v1/messages/count_tokens"];
/// The API refuses more than 32 MB.
const MOST_BODY: usize = 32 << 20;
const MOST_HEADERS: usize = 64 << 10;
const MOST_CONNECTIONS: usize = 1024;
const HEADERS_WITHIN: Duration = Duration::from_secs(30);
const CONNECT_WITHIN: Duration = Duration::from_secs(20);
/// Variables with which a CLI would use another login or another address.
const OTHER_LOGINS: &str = "ANTHROPIC_AUTH_TOKEN ANTHROPIC_CUSTOM_HEADERS \
    ANTHROPIC_FOUNDRY_API_KEY ANTHROPIC_UNIX_SOCKET CLAUDE_CODE_OAUTH_REFRESH_TOKEN \
    CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_FOUNDRY CLAUDE_CODE_USE_VERTEX";

/// Headers that are not forwarded: hop-by-hop headers and headers with secrets.
const NOT_FORWARDED: &str = "authorization connection cookie expect host keep-alive \
    proxy-authenticate proxy-authorization proxy-connection set-cookie te trailer \
    transfer-encoding upgrade x-api-key";

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Reply = Response<UnsyncBoxBody<Bytes, BoxError>>;

/// The secret with which the operator uses the API.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Credential {
    /// A key, as in `ANTHROPIC_API_KEY`.
    ApiKey(String),
    /// A bearer token, as in `ANTHROPIC_AUTH_TOKEN`.
    Bearer(String),
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credential")
    }
}

/// Relays the requests of CLIs to one address, and adds a credential. It stops when the last clone
/// is dropped.
#[derive(Clone)]
pub struct Relay {
    shared: Arc<Shared>,
    address: SocketAddr,
    /// Aborted when it is dropped.
    _accepting: Arc<JoinSet<()>>,
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

struct Shared {
    client: Client<HttpsConnector<HttpConnector>, Limited<Incoming>>,
    upstream: Upstream,
    credential: (HeaderName, HeaderValue),
    /// The hashes of the valid tokens, so that the duration of a lookup does not leak a token.
    tokens: Mutex<HashSet<[u8; 32]>>,
}

struct Upstream {
    scheme: Scheme,
    authority: Authority,
    /// The prefix of request paths, without a trailing slash.
    prefix: String,
}

/// The token of one CLI. It is valid until this is dropped.
pub(crate) struct RelayToken {
    shared: Arc<Shared>,
    hash: [u8; 32],
}

impl Drop for RelayToken {
    fn drop(&mut self) {
        self.shared.tokens().remove(&self.hash);
    }
}

impl Relay {
    /// Starts a relay on a free port of 127.0.0.1. `upstream` is the address of the API, such as
    /// `https://api.anthropic.com`; without TLS it must be on loopback.
    ///
    /// # Errors
    /// The address or the credential is not valid, the system has no root certificates, or no port
    /// is free.
    pub async fn start(upstream: &str, credential: &Credential) -> io::Result<Self> {
        let tls = hyper_rustls::HttpsConnectorBuilder::new().with_native_roots()?;
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(CONNECT_WITHIN));
        connector.set_nodelay(true);
        let connector = tls.https_or_http().enable_http1().wrap_connector(connector);
        let shared = Arc::new(Shared {
            client: Client::builder(TokioExecutor::new()).build(connector),
            upstream: Upstream::parse(upstream)?,
            credential: credential_header(credential)?,
            tokens: Mutex::default(),
        });
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self {
            shared,
            address,
            _accepting: Arc::new(accepting),
        })
    }

    fn token(&self) -> (String, RelayToken) {
        let secret = format!("claw-{}{}", SessionId::random(), SessionId::random());
        let hash = hash(secret.as_bytes());
        self.shared.tokens().insert(hash);
        let shared = Arc::clone(&self.shared);
        (secret, RelayToken { shared, hash })
    }

    /// Returns options whose CLI uses the relay, and the token that it needs.
    pub(crate) fn apply(&self, options: Options) -> (Options, RelayToken) {
        let (variables, token) = self.variables();
        let set = |options: Options, (name, value): (&str, Option<String>)| match value {
            Some(value) => options.env(name, value),
            None => options.env_remove(name),
        };
        (variables.into_iter().fold(options, set), token)
    }

    /// Returns the variables with which a CLI uses the relay, and the token that it needs. `None`
    /// removes a variable.
    pub(crate) fn variables(&self) -> (Vec<(&'static str, Option<String>)>, RelayToken) {
        let (secret, token) = self.token();
        let mut variables: Vec<_> = OTHER_LOGINS.split(' ').map(|name| (name, None)).collect();
        let address = format!("http://{}", self.address);
        variables.push(("ANTHROPIC_BASE_URL", Some(address)));
        variables.push(("ANTHROPIC_API_KEY", Some(secret)));
        (variables, token)
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    // Connections end with the relay.
    let mut connections = JoinSet::new();
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "the relay cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            serve(stream, shared).await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(shared.answer(request).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(MOST_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = serving.await {
        tracing::debug!(%error, "a connection to the relay broke");
    }
}

impl Shared {
    fn tokens(&self) -> std::sync::MutexGuard<'_, HashSet<[u8; 32]>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: Request<Incoming>) -> Reply {
        if !self.is_valid(request.headers()) {
            let why = "the token is not valid, or its session has ended";
            return refuse(StatusCode::UNAUTHORIZED, "authentication_error", why);
        }
        let is_known = PATHS.contains(&request.uri().path());
        if request.method() != Method::POST || !is_known {
            let why = "only messages are relayed";
            return refuse(StatusCode::NOT_FOUND, "not_found_error", why);
        }
        if request.body().size_hint().lower() > MOST_BODY as u64 {
            let why = "the request is larger than 32 MiB";
            return refuse(StatusCode::PAYLOAD_TOO_LARGE, "request_too_large", why);
        }
        let relayed = match self.relayed(request) {
            Ok(relayed) => relayed,
            Err(error) => {
                let why = error.to_string();
                return refuse(StatusCode::BAD_REQUEST, "invalid_request_error", &why);
            }
        };
        match self.client.request(relayed).await {
            // A client that follows the redirect would send its request to another server.
            Ok(response) if response.status().is_redirection() => {
                let why = "the API answered with a redirect";
                refuse(StatusCode::BAD_GATEWAY, "api_error", why)
            }
            Ok(mut response) => {
                strip(response.headers_mut());
                response.map(|body| body.map_err(BoxError::from).boxed_unsync())
            }
            Err(error) => {
                tracing::warn!(%error, "the API cannot be reached");
                let why = "the relay cannot reach the API";
                refuse(StatusCode::BAD_GATEWAY, "api_error", why)
            }
        }
    }

    fn is_valid(&self, headers: &HeaderMap) -> bool {
        let key = headers.get("x-api-key").map(HeaderValue::as_bytes);
        let bearer = headers.get(header::AUTHORIZATION);
        let bearer = bearer.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        let tokens = self.tokens();
        let mut given = key.into_iter().chain(bearer);
        given.any(|token| tokens.contains(&hash(token)))
    }

    /// Returns the request to send to the API.
    fn relayed(&self, request: Request<Incoming>) -> Result<Request<Limited<Incoming>>, BoxError> {
        let (mut parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().map_or("/", PathAndQuery::as_str);
        parts.uri = Uri::builder()
            .scheme(self.upstream.scheme.clone())
            .authority(self.upstream.authority.clone())
            .path_and_query(format!("{}{path}", self.upstream.prefix))
            .build()?;
        strip(&mut parts.headers);
        let (name, value) = self.credential.clone();
        parts.headers.insert(name, value);
        parts.version = hyper::Version::HTTP_11;
        Ok(Request::from_parts(parts, Limited::new(body, MOST_BODY)))
    }
}

/// Removes the headers that are not forwarded.
fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in NOT_FORWARDED.split(' ') {
        headers.remove(name);
    }
}

/// Returns an error in the format of the API.
fn refuse(status: StatusCode, kind: &str, why: &str) -> Reply {
    let error = serde_json::json!({"type": kind, "message": why});
    let body = serde_json::json!({"type": "error", "error": error}).to_string();
    let body = Full::from(body).map_err(BoxError::from).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

fn hash(token: &[u8]) -> [u8; 32] {
    Sha256::digest(token).into()
}

fn invalid(why: impl Into<BoxError>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn credential_header(credential: &Credential) -> io::Result<(HeaderName, HeaderValue)> {
    let (name, value) = match credential {
        Credential::ApiKey(key) => (HeaderName::from_static("x-api-key"), key.clone()),
        Credential::Bearer(token) => (header::AUTHORIZATION, format!("Bearer {token}")),
    };
    let value = HeaderValue::from_str(&value);
    // The original error is dropped: the message must not contain the value.
    let mut value = value.map_err(|_| invalid("the API key is not valid in a header"))?;
    value.set_sensitive(true);
    Ok((name, value))
}

impl Upstream {
    fn parse(address: &str) -> io::Result<Self> {
        let bad = |why: &str| invalid(format!("the address of the API, {address:?}, {why}"));
        let uri: Uri = address.parse().map_err(|_| bad("is not a URL"))?;
        let parts = uri.into_parts();
        let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
            return Err(bad("has no scheme or no host"));
        };
        let host = authority.host().trim_matches(['[', ']']);
        let is_local = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        if scheme != Scheme::HTTPS && !(scheme == Scheme::HTTP && is_local) {
            return Err(bad(
                "needs https: the API key would be readable on the network",
            ));
        }
        let path = parts.path_and_query;
        let has_query = path.as_ref().is_some_and(|path| path.query().is_some());
        if has_query || authority.as_str().contains('@') {
            return Err(bad("has a query or a user name"));
        }
        let prefix = path.map_or(String::new(), |path| path.path().to_owned());
        Ok(Self {
            scheme,
            authority,
            prefix: prefix.trim_end_matches('/').to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
