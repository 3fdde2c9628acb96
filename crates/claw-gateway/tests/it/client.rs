//! The client, against a gateway in this process.

mod resuming;
mod scripted;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_gateway::client::{Client, ClientError, EventsMessage, Follow, Followed, NewInput};
use claw_gateway::http::{Api, Site};
use claw_gateway::{Answer, AnswerOutcome, Devices, DialectName, Frame, Scope};
use claw_server::registry::PermissionResponse;
use claw_server::{Fact, SessionId};
use claw_store::{Store, TenantId};
use claw_testkit::{FakeScript, FakeTurn, Permission, Step};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::cutting_proxy::CuttingProxy;
use crate::host::{Host, TIMEOUT};
use crate::stores;

/// A gateway that listens, directly and behind a proxy.
pub(crate) struct Server {
    pub(crate) host: Host,
    pub(crate) proxy: CuttingProxy,
    pub(crate) address: SocketAddr,
    devices: Devices,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub(crate) async fn start(store: Arc<dyn Store>, script: &FakeScript, seed: u64) -> Self {
        let host = Host::start(Arc::clone(&store), script).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let proxy = CuttingProxy::start(address, seed).await;
        let devices = Devices::new(store);
        // A client that reconnects at once, without the limit of a device.
        let rate = NonZeroU32::new(1_000_000).unwrap();
        let site = Site::new(address).rate(rate, rate);
        let site = site.public_url(&format!("http://{}", proxy.address));
        let api = Api {
            gateway: host.gateway.clone(),
            devices: devices.clone(),
            site: site.unwrap(),
        };
        let router = api.router();
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            host,
            proxy,
            address,
            devices,
            task,
        }
    }

    pub(crate) async fn client(&self, address: SocketAddr, scope: Scope) -> Client {
        let tenant = TenantId::new("ada").unwrap();
        let (_, token) = self.devices.add(&tenant, "laptop", scope).await.unwrap();
        Client::new(&format!("http://{address}"), &token).unwrap()
    }
}

/// Returns the next item, which is no error.
pub(crate) async fn item(follow: &mut Follow) -> Followed {
    let item = timeout(TIMEOUT, follow.next()).await;
    item.expect("an item in time").unwrap().unwrap()
}

/// Returns the error that ends a stream.
pub(crate) async fn end(follow: &mut Follow) -> ClientError {
    loop {
        let item = timeout(TIMEOUT, follow.next()).await;
        if let Err(error) = item.expect("an end in time").unwrap() {
            assert!(follow.next().await.is_none());
            return error;
        }
    }
}

/// Returns frames until a text occurs in one.
pub(crate) async fn until(follow: &mut Follow, text: &str) -> Vec<Frame> {
    let mut frames = Vec::new();
    loop {
        if let Followed::Frame(frame) = item(follow).await {
            frames.push(frame);
            if frames.last().unwrap().message.get().contains(text) {
                return frames;
            }
        }
    }
}

fn problem(error: &ClientError) -> (u16, &str) {
    let problem = error.problem().unwrap_or_else(|| panic!("{error:?}"));
    (problem.status, &problem.code)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_has_its_typed_result() {
    let ask = Permission::new("Bash", json!({"command": "ls"}));
    let script = FakeScript::new().turn(FakeTurn::new().step(ask).step(Step::text("Done.")));
    for row in stores::all().await {
        let server = Server::start(row.store, &script, 1).await;
        let client = server.client(server.address, Scope::Admin).await;
        let session = client.create(&server.host.spec()).await.unwrap();
        let all = client.all().await.unwrap();
        assert_eq!((all.len(), all[0].id), (1, session.id));

        let input = NewInput::text("List the files");
        let stored = client.input(session.id, &input).await.unwrap();
        let again = client.input(session.id, &input).await.unwrap();
        assert!(!stored.is_repeat && again.is_repeat);
        assert_eq!(stored.position, again.position);

        let mut follow = client.follow(session.id, DialectName::Events, 0);
        let opened = until(&mut follow, "interaction_opened")
            .await
            .pop()
            .unwrap();
        let message: EventsMessage = serde_json::from_str(opened.message.get()).unwrap();
        let EventsMessage::Event(event) = message else {
            panic!("{message:?}");
        };
        let Fact::InteractionOpened(asked) = event.fact else {
            panic!("{event:?}");
        };
        let pending = loop {
            let mut pending = client.pending(Some(session.id)).await.unwrap();
            if let Some(pending) = pending.pop() {
                break pending;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        assert_eq!(
            (pending.session, &pending.interaction),
            (session.id, &asked)
        );
        let yes = Answer::Permission(PermissionResponse::allow());
        let id = asked.id.as_str();
        let won = client.answer(session.id, id, &yes).await.unwrap();
        assert_eq!(won, AnswerOutcome::Won);
        let no = Answer::Decline("no".to_owned());
        let lost = client.answer(session.id, id, &no).await.unwrap();
        assert!(
            matches!(&lost, AnswerOutcome::Lost { by } if by.starts_with("laptop")),
            "{lost:?}"
        );
        let none = client.answer(session.id, "a/b#1", &no).await.unwrap_err();
        assert_eq!(problem(&none).0, 404);
        until(&mut follow, "input_processed").await;

        client.interrupt(session.id, 1).await.unwrap();
        client.close(session.id).await.unwrap();
        until(&mut follow, "\"Closed\"").await;
        client.delete(session.id).await.unwrap();
        assert_eq!(problem(&end(&mut follow).await), (410, "deleted"));
        let gone = client.get(session.id).await.unwrap_err();
        assert_eq!(problem(&gone), (410, "deleted"));

        let (device, token) = client.add_device("phone", Scope::View).await.unwrap();
        assert!(client.devices().await.unwrap().contains(&device));
        let phone = Client::new(client.address(), &token).unwrap();
        let refused = phone.devices().await.unwrap_err();
        assert_eq!(problem(&refused), (403, "forbidden"));
        client.revoke_device(&device.id).await.unwrap();
        assert!(!format!("{phone:?}").contains(&token));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_ends_when_the_gateway_refuses_it() {
    let store = stores::all().await.remove(0).store;
    let server = Server::start(store, &FakeScript::new(), 1).await;
    let client = server.client(server.address, Scope::Admin).await;
    let stranger = Client::new(client.address(), "claw_x_y").unwrap();
    let session = client.create(&server.host.spec()).await.unwrap().id;
    let follow = |client: &Client, session| client.follow(session, DialectName::Ui, 0);
    let refused = end(&mut follow(&stranger, session)).await;
    assert_eq!(problem(&refused), (401, "unauthorized"));
    let missing = end(&mut follow(&client, SessionId::from(7))).await;
    assert_eq!(problem(&missing), (404, "not_found"));
    let mut ahead = client.follow(session, DialectName::Ui, 1000);
    assert_eq!(problem(&end(&mut ahead).await), (409, "ahead_of_log"));

    let (device, token) = client.add_device("phone", Scope::View).await.unwrap();
    let phone = Client::new(client.address(), &token).unwrap();
    let mut follow = follow(&phone, session);
    client
        .input(session, &NewInput::text("Hello"))
        .await
        .unwrap();
    until(&mut follow, "Complete").await;
    client.revoke_device(&device.id).await.unwrap();
    assert_eq!(problem(&end(&mut follow).await), (401, "unauthorized"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_whose_response_is_lost_takes_effect_once() {
    for row in stores::all().await {
        let server = Server::start(row.store, &FakeScript::new(), 1).await;
        let client = server.client(server.proxy.address, Scope::Admin).await;
        let cut = |times| server.proxy.cuts.store(times, Ordering::SeqCst);
        let session = client.create(&server.host.spec()).await.unwrap().id;
        cut(2);
        let input = NewInput::text("Hello");
        let stored = client.input(session, &input).await.unwrap();
        assert!(stored.is_repeat);
        let mut follow = client.follow(session, DialectName::Events, 0);
        let frames = until(&mut follow, "input_processed").await;
        let accepted = |frame: &&Frame| frame.message.get().contains("input_accepted");
        assert_eq!(frames.iter().filter(accepted).count(), 1);
        drop(follow);
        cut(1);
        client.delete(session).await.unwrap();
        let (device, _) = client.add_device("phone", Scope::View).await.unwrap();
        cut(1);
        client.revoke_device(&device.id).await.unwrap();
        assert_eq!(server.proxy.cuts.load(Ordering::SeqCst), 0);
        let gone = client.revoke_device(&device.id).await.unwrap_err();
        assert_eq!(problem(&gone).0, 404);
    }
}

#[tokio::test]
async fn a_gateway_that_is_not_there_is_reported_at_once() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let client = Client::new(&format!("http://{address}"), "claw_x").unwrap();
    let client = client.patience(Duration::from_secs(3600));
    let failed = timeout(TIMEOUT, client.all()).await.unwrap().unwrap_err();
    let text = failed.to_string();
    assert!(
        text.starts_with(&format!("cannot reach http://{address}: ")),
        "{text}"
    );
    let mut follow = client.follow(SessionId::from(7), DialectName::Ui, 0);
    assert!(end(&mut follow).await.is_transient());
}
