//! The HTTP API: requests, problems, streams.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, Response, StatusCode, header};
use claw_gateway::http::Api;
use claw_gateway::{Devices, Scope};
use claw_store::{Store, TenantId};
use claw_testkit::FakeScript;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::host::{Host, TIMEOUT};
use crate::stores;

const ADDRESS: &str = "127.0.0.1:7000";

/// An API, and a token of each scope.
struct Site {
    host: Host,
    router: Router,
    devices: Devices,
    tokens: Vec<(Scope, String)>,
}

impl Site {
    async fn start(store: Arc<dyn Store>) -> Self {
        let host = Host::start(Arc::clone(&store), &FakeScript::new()).await;
        let devices = Devices::new(store);
        let tenant = TenantId::new("ada").unwrap();
        let mut tokens = Vec::new();
        for scope in [Scope::View, Scope::Answer, Scope::Drive, Scope::Admin] {
            let (_, token) = devices.add(&tenant, "device", scope).await.unwrap();
            tokens.push((scope, token));
        }
        let api = Api {
            gateway: host.gateway.clone(),
            devices: devices.clone(),
            site: claw_gateway::http::Site::new(ADDRESS.parse().unwrap()),
        };
        Self {
            host,
            router: api.router(),
            devices,
            tokens,
        }
    }

    fn token(&self, scope: Scope) -> &str {
        let found = self.tokens.iter().find(|(of, _)| *of == scope);
        &found.unwrap().1
    }

    async fn send(&self, request: Request<Body>) -> Response<Body> {
        let sent = self.router.clone().oneshot(request);
        timeout(TIMEOUT, sent).await.unwrap().unwrap()
    }

    fn request(&self, method: Method, path: &str, scope: Scope) -> axum::http::request::Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, ADDRESS)
            .header(
                header::AUTHORIZATION,
                format!("Bearer {}", self.token(scope)),
            )
    }

    /// Posts JSON as the device with the scope `drive`.
    async fn post(&self, path: &str, key: &str, body: &Value) -> (StatusCode, Value) {
        let request = self
            .request(Method::POST, path, Scope::Drive)
            .header("idempotency-key", key)
            .header(header::CONTENT_TYPE, "application/json");
        let body = Body::from(body.to_string());
        json_of(self.send(request.body(body).unwrap()).await).await
    }

    async fn get(&self, path: &str, scope: Scope) -> (StatusCode, Value) {
        let request = self.request(Method::GET, path, scope);
        json_of(self.send(request.body(Body::empty()).unwrap()).await).await
    }

    async fn create(&self) -> String {
        let folder = self.host.spec().folder;
        let (status, made) = self
            .post("/v1/sessions", "new", &json!({ "folder": folder }))
            .await;
        assert_eq!(status, StatusCode::CREATED, "{made}");
        made["id"].as_str().unwrap().to_owned()
    }
}

async fn json_of(response: Response<Body>) -> (StatusCode, Value) {
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let json = match body.is_empty() {
        true => Value::Null,
        false => serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{status} {body:?}")),
    };
    (status, json)
}

/// Reads a stream until its text contains something.
async fn read_until(body: &mut Body, end: &str) -> String {
    let mut text = String::new();
    while !text.contains(end) {
        let frame = timeout(TIMEOUT, body.frame()).await;
        let frame = frame.unwrap_or_else(|_| panic!("only {text}"));
        let Some(frame) = frame else { break };
        let data = frame.unwrap().into_data().unwrap();
        text.push_str(std::str::from_utf8(&data).unwrap());
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_driven_and_followed_over_http() {
    for row in stores::all().await {
        let site = Site::start(row.store).await;
        let session = site.create().await;
        let inputs = format!("/v1/sessions/{session}/inputs");
        let (status, stored) = site
            .post(&inputs, "in-1", &json!({"content": "Hello"}))
            .await;
        assert_eq!(
            (status, &stored["is_repeat"]),
            (StatusCode::ACCEPTED, &json!(false))
        );
        let (status, stored) = site
            .post(&inputs, "in-1", &json!({"content": "Hello"}))
            .await;
        assert_eq!(
            (status, &stored["is_repeat"]),
            (StatusCode::ACCEPTED, &json!(true))
        );

        let path = format!("/v1/sessions/{session}/events");
        let request = site.request(Method::GET, &path, Scope::View);
        let response = site.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(
            response.headers()[header::CONTENT_TYPE],
            "text/event-stream"
        );
        let mut body = response.into_body();
        let all = read_until(&mut body, "input_processed").await;
        let ids = all.lines().filter_map(|line| line.strip_prefix("id: "));
        let ids: Vec<u64> = ids.map(|id| id.parse().unwrap()).collect();
        assert!(ids.is_sorted() && ids[0] == 1, "{ids:?}");

        // A browser sends the last id again.
        let cursor = ids[ids.len() / 2];
        let request = site.request(Method::GET, &path, Scope::View);
        let request = request.header("last-event-id", cursor.to_string());
        let response = site.send(request.body(Body::empty()).unwrap()).await;
        let rest = read_until(&mut response.into_body(), "input_processed").await;
        let resumed = rest.lines().find_map(|line| line.strip_prefix("id: "));
        assert_eq!(resumed.unwrap().parse::<u64>().unwrap(), cursor + 1);

        let (status, page) = site.get("/v1/sessions?limit=10", Scope::View).await;
        assert_eq!(
            (status, &page["sessions"][0]["id"]),
            (StatusCode::OK, &json!(session))
        );
        let request = site.request(
            Method::DELETE,
            &format!("/v1/sessions/{session}"),
            Scope::Drive,
        );
        let deleted = site.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
        let (status, gone) = site
            .get(&format!("/v1/sessions/{session}"), Scope::View)
            .await;
        assert_eq!(
            (status, &gone["code"]),
            (StatusCode::GONE, &json!("deleted"))
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_requests_get_a_problem() {
    let site = Site::start(stores::all().await.remove(0).store).await;
    let session = site.create().await;
    let inputs = format!("/v1/sessions/{session}/inputs");
    let path = format!("/v1/sessions/{session}");
    let base = |path: &str| site.request(Method::GET, path, Scope::View);
    let post = |body: &str, kind: &str| {
        site.request(Method::POST, &inputs, Scope::Drive)
            .header("idempotency-key", "in-1")
            .header(header::CONTENT_TYPE, kind)
            .body(Body::from(body.to_owned()))
    };
    let empty = Body::empty;
    let json = "application/json";
    let refused = [
        (
            "no token",
            Request::get(&path)
                .header(header::HOST, ADDRESS)
                .body(empty()),
            401,
            "unauthorized",
        ),
        (
            "two tokens",
            base(&path)
                .header(header::AUTHORIZATION, "Bearer x")
                .body(empty()),
            401,
            "unauthorized",
        ),
        (
            "a token in the query",
            Request::get(format!("{path}?token={}", site.token(Scope::Admin)))
                .header(header::HOST, ADDRESS)
                .body(empty()),
            401,
            "unauthorized",
        ),
        (
            "another host",
            Request::get(&path)
                .header(header::HOST, "evil.example")
                .body(empty()),
            421,
            "wrong_host",
        ),
        (
            "no host",
            Request::get(&path).body(empty()),
            421,
            "wrong_host",
        ),
        (
            "another origin",
            base(&path)
                .header(header::ORIGIN, "http://127.0.0.1:7001")
                .body(empty()),
            403,
            "wrong_origin",
        ),
        (
            "the null origin",
            base(&path).header(header::ORIGIN, "null").body(empty()),
            403,
            "wrong_origin",
        ),
        (
            "an unknown path",
            base("/v1/other").body(empty()),
            404,
            "not_found",
        ),
        (
            "an unknown session",
            base("/v1/sessions/none").body(empty()),
            404,
            "not_found",
        ),
        (
            "an unknown parameter",
            base("/v1/sessions?token=x").body(empty()),
            400,
            "invalid",
        ),
        (
            "a cursor ahead of the log",
            base(&format!("{path}/events?after=99")).body(empty()),
            409,
            "ahead_of_log",
        ),
        (
            "a cursor that is none",
            base(&format!("{path}/events"))
                .header("last-event-id", "x")
                .body(empty()),
            400,
            "invalid",
        ),
        (
            "an unknown dialect",
            base(&format!("{path}/events?dialect=klingon")).body(empty()),
            400,
            "invalid",
        ),
        ("not JSON", post("{", json), 400, "invalid"),
        (
            "an unknown member",
            post(r#"{"content":"x","extra":1}"#, json),
            422,
            "invalid",
        ),
        (
            "an unknown mode",
            post(r#"{"content":"x","mode":"Later"}"#, json),
            400,
            "invalid",
        ),
        ("a form", post("content=x", "text/plain"), 415, "invalid"),
        (
            "a large body",
            post(&format!(r#"{{"content":"{}"}}"#, "x".repeat(1 << 20)), json),
            413,
            "too_large",
        ),
        (
            "a missing key",
            site.request(Method::POST, &inputs, Scope::Drive)
                .header(header::CONTENT_TYPE, json)
                .body(Body::from("{}")),
            400,
            "invalid",
        ),
        (
            "a wrong method",
            site.request(Method::PUT, &path, Scope::Drive).body(empty()),
            405,
            "wrong_method",
        ),
    ];
    for (name, request, status, code) in refused {
        let response = site.send(request.unwrap()).await;
        let kind = response.headers().get(header::CONTENT_TYPE).cloned();
        let (got, problem) = json_of(response).await;
        assert_eq!(
            (got.as_u16(), &problem["code"]),
            (status, &json!(code)),
            "{name}: {problem}"
        );
        assert_eq!(kind.unwrap(), "application/problem+json", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_ends_when_its_device_is_revoked() {
    for row in stores::all().await {
        let site = Site::start(row.store).await;
        let session = site.create().await;
        let tenant = TenantId::new("ada").unwrap();
        let path = format!("/v1/sessions/{session}/events");
        let request = site.request(Method::GET, &path, Scope::View);
        let response = site.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), StatusCode::OK);
        let mut body = response.into_body();
        let reading = tokio::spawn(async move { read_until(&mut body, "never").await });
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(!reading.is_finished());
        let id = site.token(Scope::View).split('_').nth(1).unwrap();
        site.devices.revoke(&tenant, id).await.unwrap();
        timeout(TIMEOUT, reading).await.unwrap().unwrap();
    }
}
