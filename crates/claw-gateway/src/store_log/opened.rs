//! Stores interactions, so that any process can answer them.

use std::sync::Arc;

use claw_server::event::{Fact, Interaction};
use claw_server::{LogError, SessionEvent};
use claw_store::{Claim, InteractionId, NewInteraction, Store, StoreError};

use super::log_error;

/// Stores the interactions that a batch of events opens, before the batch: who receives the event
/// can answer at once.
///
/// # Errors
/// The store is unavailable or full: the append is repeated. After other errors the interaction
/// cannot be answered, and the session continues.
pub(super) async fn open_interactions(
    store: &Arc<dyn Store>,
    claim: &Claim,
    events: &[Arc<SessionEvent>],
) -> Result<(), LogError> {
    for event in events {
        let Fact::InteractionOpened(opened) = &event.fact else {
            continue;
        };
        match open_interaction(store, claim, opened).await {
            Ok(()) => {}
            Err(error @ (StoreError::Unavailable { .. } | StoreError::Full { .. })) => {
                return Err(log_error(error));
            }
            Err(error) => tracing::warn!(%error, "an interaction cannot be answered"),
        }
    }
    Ok(())
}

/// Stores an interaction. Repeated with the same content, it does nothing.
///
/// # Errors
/// Those of [`claw_store::Interactions::open_interaction`].
pub(crate) async fn open_interaction(
    store: &Arc<dyn Store>,
    claim: &Claim,
    opened: &Interaction,
) -> Result<(), StoreError> {
    let Ok(id) = InteractionId::new(opened.id.as_str()) else {
        tracing::warn!("the id of an interaction is too long: it cannot be answered");
        return Ok(());
    };
    let request = serde_json::to_vec(opened).unwrap_or_default().into();
    let expires_at_ms = opened.expires_at_ms;
    let new = NewInteraction {
        id,
        request,
        expires_at_ms,
    };
    store.open_interaction(claim, new).await
}
