//! Grants of sessions: who may change them, and when they apply.

use std::sync::Arc;

use claw_server::grants::Grant;
use claw_server::registry::{PermissionResponse, Remember};
use claw_server::{Controller, ControllerError, Input, LogError, MemoryLog, SessionId};
use tokio::sync::Semaphore;

use super::front_end::{FrontEnd, go, open, setup};
use super::hindered_log::{HinderedLog, error, nothing};
use super::peer::Peer;

/// Opens a session of Ada's with a grant for `make`.
async fn granted(controller: &Controller) -> (SessionId, FrontEnd, Peer, Grant) {
    let (session, mut front, mut peer) = open(controller, |setup| setup.tenant("ada")).await;
    go(controller, session, &mut peer).await;
    let id = peer.bash("toolu_1", "make").await;
    front.first("PermissionRequired").await;
    let always = PermissionResponse::allow().remember(Remember::Session);
    let registry = controller.permissions();
    registry.respond(session, "toolu_1", always).await.unwrap();
    peer.answered(&id).await;
    let grant = registry.grants("ada").await.remove(0);
    (session, front, peer, grant)
}

#[tokio::test]
async fn a_tenant_cannot_change_the_grants_of_anothers_session() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer, grant) = granted(&controller).await;
    let registry = controller.permissions();
    let refused = registry.revoke("mallory", &grant).await;
    assert_matches!(refused, Err(ControllerError::NoSession { .. }));
    assert!(registry.revoke("ada", &grant).await.unwrap());
    let refused = registry.grant("mallory", grant.clone()).await;
    assert_matches!(refused, Err(ControllerError::NoSession { .. }));
    peer.bash("toolu_2", "make").await;
    front.first("PermissionRequired").await;
    assert_eq!(registry.pending(session).await.len(), 1);
}

#[tokio::test]
async fn a_grant_that_is_revoked_before_it_is_stored_never_applies() {
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer, grant) = granted(&controller).await;
    let registry = controller.permissions();
    assert!(registry.revoke("ada", &grant).await.unwrap());
    let gate = Arc::new(Semaphore::new(0));
    let waits = Arc::clone(&gate);
    log.before_append(move |_, _| {
        let gate = Arc::clone(&waits);
        Box::pin(async move {
            gate.acquire().await.unwrap().forget();
            Ok(())
        })
    });
    let adding = registry.grant("ada", grant.clone());
    let revoking = registry.revoke("ada", &grant);
    let opening = async {
        // Both are in the queue of the session before anything is stored.
        controller
            .input(Input::text(session, "More"))
            .await
            .map(|_| ())
    };
    let release = async {
        tokio::task::yield_now().await;
        gate.add_permits(100);
    };
    let (added, revoked, input, ()) = tokio::join!(adding, revoking, opening, release);
    added.unwrap();
    input.unwrap();
    assert!(revoked.unwrap());
    assert!(registry.grants("ada").await.is_empty());
    peer.bash("toolu_2", "make").await;
    front.first("PermissionRequired").await;
}

#[tokio::test]
async fn a_session_that_cannot_be_opened_leaves_no_grants() {
    let log = HinderedLog::new();
    let first = Controller::builder().log(log.clone()).build();
    let (session, _front, mut peer, _) = granted(&first).await;
    peer.close(&first, session).await;
    let second = Controller::builder().log(log.clone()).build();
    log.before_append(|_, _| error(LogError::Fenced));
    let (again, _peer) = setup();
    let opened = second.open(again.tenant("ada").reopen(session)).await;
    assert_matches!(opened, Err(ControllerError::Log(LogError::Fenced)));
    assert!(second.permissions().grants("ada").await.is_empty());
    log.before_append(|_, _| nothing());
    open(&second, |setup| setup.tenant("ada").reopen(session)).await;
    assert_eq!(second.permissions().grants("ada").await.len(), 1);
}

#[tokio::test]
async fn grants_of_a_session_end_with_it() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let controller = Controller::builder().log(log).build();
    let (session, _front, mut peer, _) = granted(&controller).await;
    peer.close(&controller, session).await;
    assert!(controller.permissions().grants("ada").await.is_empty());
}
