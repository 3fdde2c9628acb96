//! The server: limits, browsers, shutdown.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, Response, header};
use claw_gateway::http::{Api, Limits, Site, serve};
use claw_gateway::{Devices, Scope};
use claw_store::TenantId;
use claw_testkit::FakeScript;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::host::{Host, TIMEOUT};
use crate::stores;

const PUBLIC: &str = "claw.example";
const OTHER: &str = "https://app.example";

/// An API of one device.
async fn api(site: Site, script: &FakeScript) -> (Api, String, Host) {
    let store = stores::all().await.remove(0).store;
    let host = Host::start(store.clone(), script).await;
    let devices = Devices::new(store);
    let tenant = TenantId::new("ada").unwrap();
    let added = devices.add(&tenant, "device", Scope::Admin).await;
    let gateway = host.gateway.clone();
    let api = Api {
        gateway,
        devices,
        site,
    };
    (api, added.unwrap().1, host)
}

/// A server on a free port.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    pub(crate) devices: Devices,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
    pub(crate) host: Host,
}

impl Server {
    pub(crate) async fn start(limits: Limits) -> Self {
        Self::start_with(limits, &FakeScript::new()).await
    }

    pub(crate) async fn start_with(limits: Limits, script: &FakeScript) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        // How many requests are sent depends on the machine.
        let many = NonZeroU32::new(100_000).unwrap();
        let site = Site::new(address).rate(many, many);
        let (api, token, host) = api(site, script).await;
        let devices = api.devices.clone();
        let (stop, stopped) = oneshot::channel();
        let stopped = async move { drop(stopped.await) };
        let serving = tokio::spawn(serve(listener, api, limits, stopped));
        Self {
            address,
            token,
            devices,
            stop,
            serving,
            host,
        }
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A request for the list of sessions, without its last line.
    pub(crate) fn head(&self) -> String {
        let (host, token) = (self.address, &self.token);
        format!("GET /v1/sessions HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n")
    }
}

/// Reads until a text occurs, or the connection is closed.
pub(crate) async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains(end) {
        let read = timeout(TIMEOUT, stream.read(&mut buffer)).await.unwrap();
        match read {
            Ok(0) | Err(_) => break,
            Ok(size) => text.push_str(std::str::from_utf8(&buffer[..size]).unwrap()),
        }
    }
    text
}

pub(crate) async fn ask(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    read_until(stream, "\r\n\r\n").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_are_limited_in_time_size_and_number() {
    let mut limits = Limits::default();
    limits.header_time = Duration::from_millis(300);
    limits.header_size = 8 * 1024;
    limits.headers = 20;
    let server = Server::start(limits).await;

    let mut slow = server.connect().await;
    slow.write_all(server.head().as_bytes()).await.unwrap();
    let text = read_until(&mut slow, "never").await;
    assert!(!text.contains("200 OK"), "{text}");

    let mut large = server.connect().await;
    let request = format!("{}x: {}\r\n\r\n", server.head(), "x".repeat(9000));
    let text = ask(&mut large, &request).await;
    assert!(text.starts_with("HTTP/1.1 431 "), "{text}");

    let mut many = server.connect().await;
    let request = format!("{}{}\r\n", server.head(), "x: 1\r\n".repeat(20));
    let text = ask(&mut many, &request).await;
    assert!(text.starts_with("HTTP/1.1 431 "), "{text}");

    let mut good = server.connect().await;
    let text = ask(&mut good, &format!("{}\r\n", server.head())).await;
    assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_beyond_the_limit_are_refused_until_one_ends() {
    let mut limits = Limits::default();
    limits.connections = 2;
    let server = Server::start(limits).await;
    let request = format!("{}\r\n", server.head());
    let mut held = [server.connect().await, server.connect().await];
    for stream in &mut held {
        let text = ask(stream, &request).await;
        assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    }
    let mut refused = server.connect().await;
    let text = read_until(&mut refused, "\r\n\r\n").await;
    assert!(text.starts_with("HTTP/1.1 503 "), "{text}");
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let body = format!("{body}{}", read_until(&mut refused, "never").await);
    assert!(
        head.contains(&format!("content-length: {}\r\n", body.len()))
            || head.ends_with(&format!("content-length: {}", body.len())),
        "{text}"
    );
    let problem: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(problem["code"], "full");

    drop(held);
    let again = async {
        loop {
            let mut stream = server.connect().await;
            if ask(&mut stream, &request)
                .await
                .starts_with("HTTP/1.1 200 ")
            {
                return;
            }
        }
    };
    timeout(TIMEOUT, again).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_closes_idle_connections_and_refuses_new_ones() {
    let server = Server::start(Limits::default()).await;
    let mut idle = server.connect().await;
    let text = ask(&mut idle, &format!("{}\r\n", server.head())).await;
    assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    server.stop.send(()).unwrap();
    timeout(TIMEOUT, server.serving).await.unwrap().unwrap();
    read_until(&mut idle, "never").await;
    TcpStream::connect(server.address).await.unwrap_err();
}

/// The public site behind a proxy.
fn public() -> Site {
    let site = Site::new("127.0.0.1:7000".parse().unwrap());
    let site = site.public_url(&format!("https://{PUBLIC}")).unwrap();
    site.allow_origin(OTHER).unwrap()
}

async fn send(router: &Router, request: axum::http::request::Builder) -> Response<Body> {
    let request = request.body(Body::empty()).unwrap();
    let sent = router.clone().oneshot(request);
    timeout(TIMEOUT, sent).await.unwrap().unwrap()
}

fn request(method: Method, path: &str) -> axum::http::request::Builder {
    let request = Request::builder().method(method).uri(path);
    request.header(header::HOST, PUBLIC)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_gets_a_cookie_that_works_on_its_own_pages_only() {
    let (api, token, _host) = api(public(), &FakeScript::new()).await;
    let router = api.router();
    let own = format!("https://{PUBLIC}");
    let bearer = format!("Bearer {token}");
    let login = |origin: Option<&str>, host: &str| {
        let login = Request::post("/v1/login").header(header::HOST, host);
        let login = login.header(header::AUTHORIZATION, bearer.as_str());
        match origin {
            Some(origin) => login.header(header::ORIGIN, origin),
            None => login,
        }
    };
    for (origin, host) in [
        (None, PUBLIC),
        (Some(OTHER), PUBLIC),
        (Some("http://127.0.0.1:7000"), "127.0.0.1:7000"),
        (Some(own.as_str()), "127.0.0.1:7000"),
    ] {
        let refused = send(&router, login(origin, host)).await;
        assert_eq!(refused.status(), 403, "{origin:?} {host}");
        assert!(!refused.headers().contains_key(header::SET_COOKIE));
    }
    let entered = send(&router, login(Some(&own), PUBLIC)).await;
    assert_eq!(entered.status(), 204);
    let set = entered.headers()[header::SET_COOKIE].to_str().unwrap();
    let (cookie, rules) = set.split_once("; ").unwrap();
    assert_eq!(cookie, format!("__Host-claw={token}"));
    for rule in ["Path=/", "Secure", "HttpOnly", "SameSite=Strict"] {
        assert!(rules.split("; ").any(|one| one == rule), "{rules}");
    }

    let none = [("", "")];
    let origin = [("origin", own.as_str())];
    let same = [("sec-fetch-site", "same-origin")];
    let cross = [("sec-fetch-site", "cross-site")];
    let other = [("origin", OTHER)];
    let (get, post) = (Method::GET, Method::POST);
    let cases = [
        (&get, &origin, 200),
        (&get, &same, 200),
        (&get, &none, 403),
        (&get, &cross, 403),
        (&get, &other, 403),
        (&post, &same, 403),
        (&post, &none, 403),
        (&post, &other, 403),
        // The page may send it, and the key is missing.
        (&post, &origin, 400),
    ];
    for (method, headers, status) in cases {
        let mut sent = request(method.clone(), "/v1/sessions").header(header::COOKIE, cookie);
        for (name, value) in headers.iter().filter(|(name, _)| !name.is_empty()) {
            sent = sent.header(*name, *value);
        }
        let response = send(&router, sent).await;
        assert_eq!(response.status(), status, "{method} {headers:?}");
    }
    // A socket needs the Origin, which browsers always send with it.
    let socket = request(get, "/v1/sessions")
        .header(header::COOKIE, cookie)
        .header("sec-fetch-site", "same-origin")
        .header(header::UPGRADE, "websocket");
    assert_eq!(send(&router, socket).await.status(), 403);
    // Cookies of a loopback address are sent to all of its ports.
    let local = Request::get("/v1/sessions")
        .header(header::HOST, "127.0.0.1:7000")
        .header(header::ORIGIN, "http://127.0.0.1:7000")
        .header(header::COOKIE, cookie);
    assert_eq!(send(&router, local).await.status(), 403);

    let left = request(Method::POST, "/v1/logout")
        .header(header::COOKIE, cookie)
        .header(header::ORIGIN, own.as_str());
    let left = send(&router, left).await;
    let set = left.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(set.starts_with("__Host-claw=; Max-Age=0; "), "{set}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_other_origins_need_the_list_and_a_token() {
    let (api, token, _host) = api(public(), &FakeScript::new()).await;
    let router = api.router();
    let preflight = |origin: &str| {
        request(Method::OPTIONS, "/v1/sessions")
            .header(header::ORIGIN, origin)
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST")
            .header(
                header::ACCESS_CONTROL_REQUEST_HEADERS,
                "authorization,idempotency-key",
            )
    };
    let allowed = send(&router, preflight(OTHER)).await;
    assert_eq!(allowed.status(), 200);
    let headers = allowed.headers();
    assert_eq!(headers[header::ACCESS_CONTROL_ALLOW_ORIGIN], OTHER);
    assert!(!headers.contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS));
    let refused = send(&router, preflight("https://evil.example")).await;
    assert_eq!(refused.status(), 403);
    assert!(
        !refused
            .headers()
            .contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN)
    );

    let read = |origin: &str| {
        request(Method::GET, "/v1/sessions")
            .header(header::ORIGIN, origin)
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
    };
    let listed = send(&router, read(OTHER)).await;
    assert_eq!(listed.status(), 200);
    assert_eq!(listed.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], OTHER);
    assert_eq!(
        send(&router, read("https://evil.example")).await.status(),
        403
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_device_that_sends_too_much_is_told_when_to_go_on() {
    let few = NonZeroU32::new(3).unwrap();
    let (api, token, _host) = api(public().rate(NonZeroU32::MIN, few), &FakeScript::new()).await;
    let router = api.router();
    let read = || {
        let read = request(Method::GET, "/v1/sessions");
        read.header(header::AUTHORIZATION, format!("Bearer {token}"))
    };
    let mut refused = None;
    // One a second returns while this runs, so more than three may pass.
    for _ in 0..1000 {
        let response = send(&router, read()).await;
        if response.status() != 200 {
            refused = Some(response);
            break;
        }
    }
    let refused = refused.unwrap();
    assert_eq!(refused.status(), 429);
    let seconds = refused.headers()[header::RETRY_AFTER].to_str().unwrap();
    assert!(
        (1..=2).contains(&seconds.parse::<u64>().unwrap()),
        "{seconds}"
    );
    let unknown = request(Method::GET, "/v1/sessions").header(header::AUTHORIZATION, "Bearer x");
    assert_eq!(send(&router, unknown).await.status(), 401);
}

#[test]
fn only_urls_of_a_site_are_accepted() {
    let site = || Site::new("127.0.0.1:7000".parse().unwrap());
    for wrong in [
        "claw.example",
        "ftp://claw.example",
        "https://claw.example/path",
        "https://claw.example/?q",
        "https://user@claw.example",
        "null",
        "*",
        "",
    ] {
        assert!(site().public_url(wrong).is_err(), "{wrong}");
        assert!(site().allow_origin(wrong).is_err(), "{wrong}");
    }
    assert!(site().public_url("https://claw.example:8443/").is_ok());
}
