//! Sessions as a stream of server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt as _, stream};
use serde::Deserialize;
use utoipa::IntoParams;

use super::auth::Authorized;
use super::extract::{Names, Params};
use super::sessions::session_id;
use super::{Api, Problem};
use crate::frame::{DialectName, Frame};

/// A comment is sent this often, so that proxies keep the connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Where a stream starts.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    /// The dialect, `events` by default.
    dialect: Option<DialectName>,
    /// The cursor, 0 by default: the last `after` that increased. The header `Last-Event-ID` takes
    /// precedence.
    after: Option<u64>,
}

/// Follows a session: what is stored after the cursor, and then what happens. Every event has a
/// frame `{session, after, message}` as its data, and the cursor as its id. Needs the scope `view`.
#[utoipa::path(
    get, path = "/v1/sessions/{session}/events", tag = "sessions",
    params(("session" = String, Path, description = "The id of the session"), Start),
    responses(
        (status = 200, content_type = "text/event-stream", body = Frame),
        (status = "4XX", body = Problem),
    )
)]
pub(super) async fn follow(
    State(api): State<Api>,
    caller: Authorized,
    Names(session): Names<String>,
    Params(start): Params<Start>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let resumed = headers.get("last-event-id");
    let resumed = resumed.map(|id| id.to_str().ok().and_then(|id| id.parse().ok()));
    let after = match resumed {
        Some(None) => return Err(Problem::invalid("the header Last-Event-ID is not a cursor")),
        Some(Some(after)) => after,
        None => start.after.unwrap_or(0),
    };
    let dialect = start.dialect.unwrap_or(DialectName::Events);
    let session = session_id(&session)?;
    let frames = caller.access.follow(session, dialect, after).await?;
    let frames = stream::unfold((frames, after), |(mut frames, after)| async move {
        let frame = frames.recv().await?;
        let after = after.max(frame.after);
        Some((Ok(event(&frame, after)), (frames, after)))
    });
    let revoked = async move { api.devices.revoked(&caller.device).await };
    let frames = frames.take_until(Box::pin(revoked));
    Ok(Sse::new(frames).keep_alive(KeepAlive::new().interval(HEARTBEAT)))
}

fn event(frame: &Frame, after: u64) -> Event {
    let event = Event::default().id(after.to_string());
    // A frame is text already: it has no map with keys that are not text.
    event.json_data(frame).unwrap_or_default()
}
