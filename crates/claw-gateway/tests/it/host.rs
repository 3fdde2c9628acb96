//! A gateway for tests.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use claw_gateway::{Access, Caller, Gateway, Scope, SessionSpec, Settings};
use claw_store::{NodeId, Store, TenantId};
use claw_testkit::{FakeScript, fake_claude_path};
use rusty_claw::Options;

/// Only ends a hang.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// A gateway with a stand-in for the CLI, and its folder.
pub(crate) struct Host {
    pub(crate) gateway: Gateway,
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) fn settings(folder: &Path, script: &FakeScript) -> Settings {
    let (name, value) = script.env().unwrap();
    // The first call may build it, which takes longer than the tests wait.
    let program = fake_claude_path().unwrap();
    let folder = folder.to_owned();
    let mut settings = Settings::new(vec![folder.join("work")]);
    settings.options = Box::new(move || {
        Options::new()
            .cli_path(&program)
            .env_clear()
            .env("HOME", folder.as_os_str())
            .env("CLAUDE_CONFIG_DIR", folder.join("config"))
            .env(name, value.as_str())
    });
    settings.restart_delay = Duration::from_millis(10);
    // The agents of these tests are scripts.
    settings.tenant = Some(TenantId::new("ada").unwrap());
    settings
}

impl Host {
    pub(crate) async fn start(store: Arc<dyn Store>, script: &FakeScript) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let settings = settings(folder.path(), script);
        let gateway = Gateway::start(store, NodeId::new("one").unwrap(), settings).await;
        Self {
            gateway: gateway.unwrap(),
            folder,
        }
    }

    pub(crate) fn access(&self, tenant: &str, device: &str, scope: Scope) -> Access {
        self.gateway.access(Caller {
            tenant: TenantId::new(tenant).unwrap(),
            device: device.to_owned(),
            scope,
        })
    }

    pub(crate) fn spec(&self) -> SessionSpec {
        SessionSpec::new(self.folder.path().join("work"))
    }
}
