use http_body_util::{Empty, StreamBody};
use hyper::body::Frame;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use super::*;

const KEY: &str = "sk-of-the-operator";

/// An API that reports its requests, and answers with pieces that the test sends.
struct Api {
    address: SocketAddr,
    requests: mpsc::UnboundedReceiver<Request<Incoming>>,
    answers: mpsc::UnboundedSender<Response<mpsc::UnboundedReceiver<Bytes>>>,
}

impl Api {
    async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (reported, requests) = mpsc::unbounded_channel();
        let (answers, next) = mpsc::unbounded_channel();
        let next = Arc::new(tokio::sync::Mutex::new(next));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (reported, next) = (reported.clone(), Arc::clone(&next));
                let service = service_fn(move |request| {
                    let _ = reported.send(request);
                    let next = Arc::clone(&next);
                    async move {
                        let answer: Response<mpsc::UnboundedReceiver<Bytes>> =
                            next.lock().await.recv().await.unwrap();
                        Ok::<_, Infallible>(answer.map(|mut pieces| {
                            StreamBody::new(futures_util::stream::poll_fn(move |context| {
                                let piece = pieces.poll_recv(context);
                                piece.map(|piece| Some(Ok::<_, Infallible>(Frame::data(piece?))))
                            }))
                        }))
                    }
                });
                let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                tokio::spawn(async move {
                    let _ = serving.await;
                });
            }
        });
        Self {
            address,
            requests,
            answers,
        }
    }

    async fn relay(&self) -> Relay {
        let credential = Credential::ApiKey(KEY.to_owned());
        let upstream = format!("http://{}/prefix/", self.address);
        Relay::start(&upstream, &credential).await.unwrap()
    }
}

type Sender = Client<HttpConnector, UnsyncBoxBody<Bytes, BoxError>>;

fn client() -> Sender {
    Client::builder(TokioExecutor::new()).build_http()
}

fn full(text: &str) -> UnsyncBoxBody<Bytes, BoxError> {
    let body = Full::from(text.to_owned());
    body.map_err(BoxError::from).boxed_unsync()
}

fn post(relay: &Relay, path: &str, token: &str) -> hyper::http::request::Builder {
    Request::post(format!("http://{}{path}", relay.address)).header("x-api-key", token)
}

async fn status(relay: &Relay, path: &str, token: &str) -> StatusCode {
    let request = post(relay, path, token).body(full("{}")).unwrap();
    client().request(request).await.unwrap().status()
}

/// Sends the head of a request, and returns the answer.
async fn raw(relay: &Relay, headers: &str) -> String {
    let mut stream = TcpStream::connect(relay.address).await.unwrap();
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: relay\r\nconnection: close\r\n{headers}\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let mut answer = [0; 12];
    match stream.read_exact(&mut answer).await {
        Ok(_) => String::from_utf8_lossy(&answer).into_owned(),
        Err(_) => String::new(),
    }
}

#[tokio::test]
async fn a_message_is_streamed_with_the_key_of_the_operator() {
    let mut api = Api::start().await;
    let relay = api.relay().await;
    let (token, _guard) = relay.token();
    let (pieces, body) = mpsc::unbounded_channel();
    let answer = Response::builder().header("request-id", "r1");
    api.answers.send(answer.body(body).unwrap()).unwrap();
    pieces.send(Bytes::from("first")).unwrap();
    let request = post(&relay, "/v1/messages?beta=true", &token)
        .header("anthropic-beta", "x")
        .header("cookie", "a=b")
        .header("connection", "keep-alive, x-hop")
        .header("x-hop", "1")
        .body(full("{}"));
    let mut response = client().request(request.unwrap()).await.unwrap();
    assert_eq!(response.headers()["request-id"], "r1");

    let received = api.requests.recv().await.unwrap();
    assert_eq!(received.uri().to_string(), "/prefix/v1/messages?beta=true");
    let headers = received.headers();
    assert_eq!(headers["x-api-key"], KEY);
    assert_eq!(headers["anthropic-beta"], "x");
    assert_eq!(headers["host"], api.address.to_string());
    for removed in ["cookie", "authorization", "x-hop"] {
        assert!(!headers.contains_key(removed), "{removed}");
    }
    assert!(!format!("{received:?}").contains(&token));

    // The first piece arrives while the second does not exist.
    for text in ["first", "second"] {
        let frame = response.body_mut().frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), text);
        if text == "first" {
            pieces.send(Bytes::from("second")).unwrap();
        }
    }
    drop(pieces);
    assert!(response.body_mut().frame().await.is_none());
}

#[tokio::test]
async fn a_token_is_valid_while_its_cli_runs() {
    let mut api = Api::start().await;
    let relay = api.relay().await;
    let (token, guard) = relay.token();
    let (other, _other_guard) = relay.token();
    for wrong in ["", "claw-", KEY, &token[1..]] {
        let refused = status(&relay, "/v1/messages", wrong).await;
        assert_eq!(refused, StatusCode::UNAUTHORIZED, "{wrong}");
    }
    let none = Request::post(format!("http://{}/v1/messages", relay.address));
    let none = client().request(none.body(full("{}")).unwrap()).await;
    assert_eq!(none.unwrap().status(), StatusCode::UNAUTHORIZED);

    drop(guard);
    let refused = status(&relay, "/v1/messages", &token).await;
    assert_eq!(refused, StatusCode::UNAUTHORIZED);
    assert!(api.requests.try_recv().is_err());
    let answer = Response::new(mpsc::unbounded_channel().1);
    api.answers.send(answer).unwrap();
    assert_eq!(status(&relay, "/v1/messages", &other).await, StatusCode::OK);
}

#[tokio::test]
async fn only_messages_are_relayed() {
    let mut api = Api::start().await;
    let relay = api.relay().await;
    let (token, _guard) = relay.token();
    for path in [
        "/",
        "/v1/models",
        "/v1/messages/",
        "/v1/messages/batches",
        "/v1/messages/../files",
        "/v1/messages/%2e%2e/files",
        "//v1/messages",
        "/v1/organizations/api_keys",
    ] {
        let refused = status(&relay, path, &token).await;
        assert_eq!(refused, StatusCode::NOT_FOUND, "{path}");
    }
    let uri = format!("http://{}/v1/messages", relay.address);
    let get = Request::get(uri).header("x-api-key", &token);
    let empty = Empty::new().map_err(BoxError::from).boxed_unsync();
    let get = client().request(get.body(empty).unwrap()).await.unwrap();
    assert_eq!(get.status(), StatusCode::NOT_FOUND);
    assert!(api.requests.try_recv().is_err());

    let count = "/v1/messages/count_tokens";
    api.answers
        .send(Response::new(mpsc::unbounded_channel().1))
        .unwrap();
    assert_eq!(status(&relay, count, &token).await, StatusCode::OK);
    assert_eq!(
        api.requests.recv().await.unwrap().uri().path(),
        format!("/prefix{count}")
    );
}

#[tokio::test]
async fn redirects_and_oversized_requests_are_refused() {
    let mut api = Api::start().await;
    let relay = api.relay().await;
    let (token, _guard) = relay.token();
    let redirect = Response::builder()
        .status(307)
        .header("location", "http://127.0.0.1:1/");
    let redirect = redirect.body(mpsc::unbounded_channel().1).unwrap();
    api.answers.send(redirect).unwrap();
    let refused = status(&relay, "/v1/messages", &token).await;
    assert_eq!(refused, StatusCode::BAD_GATEWAY);
    api.requests.recv().await.unwrap();

    let length = MOST_BODY + 1;
    let large = format!("x-api-key: {token}\r\ncontent-length: {length}");
    let answer = raw(&relay, &large).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    let headers = format!(
        "x-api-key: {token}\r\nx-large: {}",
        "x".repeat(2 * MOST_HEADERS)
    );
    let answer = raw(&relay, &headers).await;
    // The connection may break before the answer is read.
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 431"),
        "{answer}"
    );
    assert!(api.requests.try_recv().is_err());
}

#[test]
fn the_key_is_sent_to_https_or_loopback_only() {
    for good in [
        "https://api.anthropic.com",
        "http://127.0.0.1:1/x",
        "http://[::1]:1",
        "http://localhost",
    ] {
        assert!(Upstream::parse(good).is_ok(), "{good}");
    }
    for bad in [
        "http://api.anthropic.com",
        "http://127.0.0.1.evil.example",
        "https://u:p@host",
        "ftp://127.0.0.1",
        "https://host/?a=b",
        "/v1",
        "",
    ] {
        assert!(Upstream::parse(bad).is_err(), "{bad}");
    }
    let credential = Credential::ApiKey("secret\n".to_owned());
    let error = credential_header(&credential).unwrap_err().to_string();
    assert!(!error.contains("secret"), "{error}");
    assert!(!format!("{credential:?}").contains("secret"));
}
