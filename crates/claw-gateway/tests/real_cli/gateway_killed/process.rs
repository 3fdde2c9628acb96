//! The gateway that is killed.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use claw_gateway::http::{Api, Limits, Site, serve};
use claw_gateway::{Devices, Gateway, Settings};
use claw_store::NodeId;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

use super::proxy::Proxy;
use crate::killed::Cli;
use crate::owner::{self, Done, Owner, Point, report};
use crate::place::{Place, tenant};

/// How a gateway is started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Setup {
    pub(super) place: Place,
    pub(super) cli: Cli,
    /// The address that clients use.
    pub(super) public_url: String,
}

/// The process that is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_runs_until_it_is_killed() {
    let Some(setup) = owner::setup::<Setup>() else {
        return;
    };
    let store = setup.place.open().await;
    let cli = setup.cli;
    let mut settings = Settings::new(vec![cli.folder.clone()]);
    settings.options = Box::new(move || cli.options());
    settings.tenant = Some(tenant());
    let node = NodeId::new("one").unwrap();
    let gateway = Gateway::start(Arc::clone(&store), node, settings).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let site = Site::new(address).rate(NonZeroU32::MAX, NonZeroU32::MAX);
    let api = Api {
        gateway: gateway.unwrap(),
        devices: Devices::new(store),
        site: site.public_url(&setup.public_url).unwrap(),
    };
    report(&Done::Listening { address });
    serve(listener, api, Limits::default(), std::future::pending()).await;
}

/// A gateway in a process of its own.
pub(super) struct Process(Owner);

impl Process {
    /// Starts a gateway, and directs clients to it.
    pub(super) async fn start(setup: &Setup, proxy: &Proxy) -> Self {
        let (setup, test) = (
            setup.clone(),
            "gateway_killed::process::a_gateway_runs_until_it_is_killed",
        );
        let started = tokio::task::spawn_blocking(move || {
            let mut owner = Owner::start(test, &setup);
            let Done::Listening { address } = owner.next() else {
                panic!("a gateway reports its address");
            };
            (owner, address)
        });
        let (owner, address) = started.await.unwrap();
        proxy.target.send_replace(Some(address));
        Self(owner)
    }

    pub(super) async fn kill(self, proxy: &Proxy) {
        let killed = tokio::task::spawn_blocking(|| self.0.kill(Point::Time(Duration::ZERO)));
        killed.await.unwrap();
        proxy.target.send_replace(None);
    }
}
