//! The types of the TypeScript client: the HTTP API from its OpenAPI document, and the messages of
//! the dialects from the Rust sources, because their serialization is partly written by hand.

mod rust;
mod schema;
mod text;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, Result};

use rust::Sources;

const HEAD: &str = include_str!("typescript/head.ts");

/// Types of the Rust sources that clients need although the document does not name them.
const ROOTS: &str =
    "EventsMessage UiMessage MobileMessage PermissionResponse QuestionAnswer Interaction";

/// Returns the text of `generated.ts`.
pub(super) fn file() -> Result<String> {
    let document = serde_json::to_value(claw_gateway::http::openapi());
    let document = document.context("cannot read the document of the API")?;
    let sources = Sources::read()?;
    let mut types = schema::components(&document)?;
    let from_api: BTreeSet<String> = types.keys().cloned().collect();
    let mut wanted: Vec<String> = ROOTS.split(' ').map(str::to_owned).collect();
    schema::references(&document, &mut wanted);
    let (bodies, named) = sources.event_bodies()?;
    wanted.extend(named);
    while let Some(name) = wanted.pop() {
        if types.contains_key(&name) || name == "SessionEvent" {
            continue;
        }
        let (text, named) = sources.declaration(&name)?;
        types.insert(name, text);
        wanted.extend(named.into_iter().filter(|name| !from_api.contains(name)));
    }
    let mut text = HEAD.to_owned();
    let _ = write!(text, "\n{bodies}");
    for declaration in types.values() {
        let _ = write!(text, "\n{}", declaration.replace("= \n", "=\n"));
    }
    let _ = write!(text, "\n{}", schema::operations(&document)?);
    Ok(text)
}
