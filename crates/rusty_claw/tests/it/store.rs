//! Session stores, the mirror that fills them and the way back.

mod broken;
mod conformance;
mod directory;
mod failing;
mod materialize;
mod mirror;
mod session;
mod stored_sessions;

use rusty_claw::Json;

pub(crate) fn line(text: &str) -> Json {
    Json::from_text(text).unwrap()
}

pub(crate) fn texts(entries: &[Json]) -> Vec<&str> {
    entries.iter().map(Json::text).collect()
}
