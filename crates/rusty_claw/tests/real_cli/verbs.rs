//! Every request that a host may send, in a situation where it has an effect.

mod asking;
mod changing;
mod files;
mod mcp;
mod tasks;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use claw_testkit::figure::Figure;
use rusty_claw::SessionError;

use crate::stage::soon;
use crate::type_model;

/// Refused by this CLI if it runs without a terminal.
const UNSUPPORTED: &str = "set_color";

/// Has no effect that can be observed: its answer is all there is.
const NO_EFFECT: &str = "set_has_subscribers";

/// The result of each verb: how its effect was observed, or why not.
type Verbs = BTreeMap<&'static str, Result<String>>;

/// Sends a request and checks its effect. If a verb has several results, the first error is kept.
async fn verb<S: Into<String>>(
    verbs: &mut Verbs,
    name: &'static str,
    work: impl Future<Output = Result<S>>,
) {
    let became = soon(name, work).await.flatten().map(Into::into);
    if !matches!(verbs.get(name), Some(Err(_))) {
        verbs.insert(name, became);
    }
}

/// The verbs of the type file.
fn declared() -> Result<BTreeSet<String>> {
    let model = type_model()?;
    let requests = model["control_requests"]
        .as_array()
        .context("no requests")?;
    let sent = requests
        .iter()
        .filter(|request| request["direction"] == "sdk_to_cli");
    Ok(sent
        .filter_map(|request| Some(request["subtype"].as_str()?.to_owned()))
        .collect())
}

pub(crate) async fn figure() -> Result<Figure> {
    let mut verbs = Verbs::new();
    let ran = [
        ("asking", asking::run(&mut verbs).await),
        ("changing", changing::run(&mut verbs).await),
        ("files", files::run(&mut verbs).await),
        ("tasks", tasks::run(&mut verbs).await),
        ("mcp", mcp::run(&mut verbs).await),
    ];
    let broken: Vec<String> = ran
        .into_iter()
        .filter_map(|(name, ran)| Some(format!("{name}: {:#}", ran.err()?)))
        .collect();

    let declared = declared()?;
    let sent: BTreeSet<String> = verbs.keys().map(ToString::to_string).collect();
    let is_refused = |result: &Result<String>| {
        let error = result.as_ref().err()?.downcast_ref::<SessionError>()?;
        matches!(error, SessionError::Refused { code, .. }
            if code.as_deref() == Some("unsupported_request"))
        .then_some(())
    };
    let refused: Vec<&str> = verbs
        .iter()
        .filter_map(|(verb, result)| is_refused(result).map(|()| *verb))
        .collect();
    let answered = verbs.values().filter(|result| result.is_ok()).count();
    let acknowledged = usize::from(verbs.get(NO_EFFECT).is_some_and(Result::is_ok));
    let seen = answered - acknowledged;
    let passed = (declared.len(), seen, acknowledged) == (36, 34, 1)
        && refused == [UNSUPPORTED]
        && sent == declared
        && broken.is_empty();
    let lines = verbs.iter().map(|(verb, result)| match result {
        Ok(how) if *verb == NO_EFFECT => format!("`{verb}`: acknowledged: {how}"),
        Ok(how) => format!("`{verb}`: success: {how}"),
        Err(error) if refused.contains(verb) => format!("`{verb}`: refused: {error}"),
        Err(error) => format!("`{verb}`: FAILED: {error:#}"),
    });
    Ok(Figure::new(
        "control verbs sent by their methods, answered with success by the real CLI",
        "35 of 36; set_color refused",
    )
    .measured(
        format!(
            "{answered} of {}: {seen} with the effect seen, {acknowledged} acknowledged ({NO_EFFECT}); refused: {}",
            declared.len(),
            refused.join(", ")
        ),
        passed,
    )
    .list("what became of each", lines)
    .list("declared and not sent", declared.difference(&sent))
    .list("sent and not declared", sent.difference(&declared))
    .list("situations that broke", broken))
}
