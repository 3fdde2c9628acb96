//! Sessions as a stream of server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use claw_server::SessionId;
use futures_util::{Stream, StreamExt as _, stream};
use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use utoipa::IntoParams;

use super::auth::Authorized;
use super::extract::{Names, Params};
use super::sessions::session_id;
use super::{Api, Problem};
use crate::feed::{Feed, Update};
use crate::frame::DialectName;

/// The interval of comments and pings, which keep proxies from closing idle connections.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);

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
/// frame `{session, after, message}` or a notice as its data, and the cursor as its id.
/// Needs the scope `view`.
#[utoipa::path(
    get, path = "/v1/sessions/{session}/events", tag = "sessions",
    params(("session" = String, Path, description = "The id of the session"), Start),
    responses(
        (status = 200, content_type = "text/event-stream", body = Update),
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
    let mut feed = Feed::new(caller.access.clone());
    feed.subscribe(session_id(&session)?, dialect, after)
        .await?;
    Ok(events(api, caller, feed, true))
}

/// Follows several sessions on one stream, each from its own cursor: `session=ID:AFTER`, repeated.
/// The events have no id; to resume, name the cursors again. Needs the scope `view`.
#[utoipa::path(
    get, path = "/v1/events", tag = "sessions",
    params(
        ("session" = Vec<String>, Query, description = "`ID:AFTER`, up to 256 times"),
        ("dialect" = Option<DialectName>, Query, description = "The dialect, `events` by default"),
    ),
    responses(
        (status = 200, content_type = "text/event-stream", body = Update),
        (status = "4XX", body = Problem),
    )
)]
pub(super) async fn follow_many(
    State(api): State<Api>,
    caller: Authorized,
    Params(pairs): Params<Vec<(String, String)>>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let mut dialect = DialectName::Events;
    let mut sessions = Vec::new();
    for (name, value) in pairs {
        match name.as_str() {
            "session" => sessions.push(cursor(&value)?),
            "dialect" => {
                let name: serde::de::value::StrDeserializer<'_, serde::de::value::Error> =
                    value.as_str().into_deserializer();
                let parsed = DialectName::deserialize(name);
                dialect = parsed.map_err(|error| Problem::invalid(error.to_string()))?;
            }
            other => return Err(Problem::invalid(format!("there is no parameter {other:?}"))),
        }
    }
    if sessions.is_empty() {
        return Err(Problem::invalid("name a session as `session=ID:AFTER`"));
    }
    let mut feed = Feed::new(caller.access.clone());
    for (session, after) in sessions {
        feed.subscribe(session, dialect, after).await?;
    }
    Ok(events(api, caller, feed, false))
}

fn cursor(text: &str) -> Result<(SessionId, u64), Problem> {
    let (session, after) = text.rsplit_once(':').unwrap_or((text, "0"));
    let after = after.parse();
    let after = after.map_err(|_| Problem::invalid(format!("{text:?} is not `ID:AFTER`")))?;
    Ok((session_id(session)?, after))
}

/// Sends a feed until all of its sessions have ended, or the device is revoked.
fn events(
    api: Api,
    caller: Authorized,
    feed: Feed,
    has_id: bool,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let updates = stream::unfold((feed, 0), move |(mut feed, after)| async move {
        let update = feed.recv().await?;
        // A provisional frame has the cursor of the frames before it.
        let after = update.after.max(after);
        Some((Ok(event(&update, has_id.then_some(after))), (feed, after)))
    });
    if let Some(connection) = &caller.connection {
        connection.stream_to(&caller.device);
    }
    let revoked = async move { api.devices.revoked(&caller.device).await };
    let updates = updates.take_until(Box::pin(revoked));
    Sse::new(updates).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}

fn event(update: &Update, id: Option<u64>) -> Event {
    let event = match id {
        Some(id) => Event::default().id(id.to_string()),
        None => Event::default(),
    };
    // Serialization cannot fail: an update has no map whose keys are not strings.
    event.json_data(update).unwrap_or_default()
}
