//! The HTTP side: accept, read, answer.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::body::{CutSwitch, CuttableStream, ReplyBody};
use crate::capture::{AnsweredBy, ApiRequest, is_credential};
use crate::lenient_json;
use crate::plan::{Payload, Plan};
use crate::state::State;

/// Serves until it is dropped; all connections end with it.
pub(crate) async fn accept_all(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((tcp, _)) => {
                    connections.spawn(serve_connection(tcp, Arc::clone(&state)));
                }
                Err(error) => {
                    // Most likely out of file descriptors: others may be closed soon.
                    eprintln!("scripted API: cannot accept a connection: {error}");
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve_connection(tcp: TcpStream, state: Arc<State>) {
    // Small events must leave at once; without this they only leave later, so it may fail.
    let _ = tcp.set_nodelay(true);
    let cut = CutSwitch::default();
    let io = TokioIo::new(CuttableStream::new(tcp, cut.clone()));
    let service = service_fn(move |request| answer(request, Arc::clone(&state), cut.clone()));
    // An error here is a client that left or a connection that we broke on purpose.
    let _ = http1::Builder::new()
        .auto_date_header(false)
        .header_read_timeout(None)
        .serve_connection(io, service)
        .await;
}

async fn answer(
    request: hyper::Request<Incoming>,
    state: Arc<State>,
    cut: CutSwitch,
) -> io::Result<hyper::Response<ReplyBody>> {
    let plan = state.answer(read(request).await?);
    if !plan.delay.is_zero() {
        tokio::time::sleep(plan.delay).await;
    }
    respond(plan, cut)
}

fn respond(plan: Plan, cut: CutSwitch) -> io::Result<hyper::Response<ReplyBody>> {
    if matches!(plan.payload, Payload::Close) {
        return Err(io::ErrorKind::ConnectionAborted.into());
    }
    let mut response = hyper::Response::builder().status(plan.status);
    for (name, value) in plan.headers {
        response = response.header(name, value);
    }
    response
        .body(ReplyBody::new(plan.payload, cut))
        .map_err(|error| {
            eprintln!(
                "scripted API: the turn has a status or header that HTTP does not allow: {error}"
            );
            io::Error::other(error)
        })
}

async fn read(request: hyper::Request<Incoming>) -> io::Result<ApiRequest> {
    let (head, body) = request.into_parts();
    let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let headers = head
        .headers
        .iter()
        .filter(|(name, _)| !is_credential(name.as_str()))
        .map(|(name, value)| {
            (
                name.as_str().to_owned(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        })
        .collect();
    Ok(ApiRequest {
        index: 0,
        method: head.method.as_str().to_owned(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().map(str::to_owned),
        headers,
        body: lenient_json::read(&bytes),
        answered_by: AnsweredBy::NotFound,
    })
}
