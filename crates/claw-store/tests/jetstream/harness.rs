//! JetStream under test.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use claw_store::contract::{Action, Harness, HarnessError, Misconfigured, OldData, numbered_body};
use claw_store::{
    Batch, ClaimReason, Directory as _, DurabilityLevel, IdempotencyKey, JetStreamConfig,
    JetStreamStore, Log as _, NewSession, NodeId, NodeRef, SessionId, SessionKey, SessionState,
    Store, TenantId,
};
use claw_testkit::nats::{NatsOptions, NatsServers};

use crate::disk::LoopDisk;
use crate::faults::{Faults, LOG, failed, subject};

pub(crate) struct JetStreamHarness {
    servers: Arc<Mutex<NatsServers>>,
    /// Servers of some tests only. They end with the test.
    others: Mutex<Vec<(NatsServers, Option<tempfile::TempDir>)>>,
    count: usize,
}

fn config(servers: &NatsServers) -> JetStreamConfig {
    let mut config = JetStreamConfig::new(servers.urls());
    config.system_servers = servers.system_urls();
    config.replicas = servers.count();
    // Two elections on a busy machine.
    config.deadline = Duration::from_secs(40);
    config
}

impl JetStreamHarness {
    pub(crate) fn new(count: usize) -> Self {
        let servers = NatsServers::start(&NatsOptions::new(count)).unwrap();
        Self {
            servers: Arc::new(Mutex::new(servers)),
            others: Mutex::default(),
            count,
        }
    }

    async fn faults(&self) -> Result<Faults, HarnessError> {
        let urls = self.servers.lock().unwrap().urls();
        Faults::new(urls).await
    }

    fn config(&self) -> JetStreamConfig {
        config(&self.servers.lock().unwrap())
    }

    async fn handle(&self) -> Result<JetStreamStore, HarnessError> {
        open(self.config()).await
    }

    /// Changes the servers on a thread where waiting is allowed.
    async fn with_servers<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut NatsServers) -> std::io::Result<T> + Send + 'static,
    ) -> Result<T, HarnessError> {
        let servers = self.servers.clone();
        let change = move || change(&mut servers.lock().unwrap());
        let done = tokio::task::spawn_blocking(change).await;
        done.map_err(failed)?.map_err(failed)
    }

    /// Appends events until `fault` is over. Returns the last acknowledged one.
    async fn append_during(
        &self,
        key: &SessionKey,
        config: JetStreamConfig,
        fault: impl Future<Output = Result<(), HarnessError>>,
    ) -> Result<u64, HarnessError> {
        let store = open(config).await?;
        let claim = store
            .claim(key, &node(), ClaimReason::Open)
            .await
            .map_err(failed)?;
        let is_over = AtomicBool::new(false);
        let append = async {
            let mut last = claim.last();
            while !is_over.load(Ordering::Relaxed) {
                let batch = Batch::from(vec![numbered_body(last + 1)]);
                if let Ok(appended) = store.append(&claim, last, &batch).await {
                    last = appended.last;
                }
            }
            last
        };
        let fault = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let result = fault.await;
            is_over.store(true, Ordering::Relaxed);
            result
        };
        let (last, result) = tokio::join!(append, fault);
        result.map(|()| last)
    }
}

async fn open(config: JetStreamConfig) -> Result<JetStreamStore, HarnessError> {
    JetStreamStore::open(config).await.map_err(failed)
}

fn node() -> NodeRef {
    NodeRef {
        node: NodeId::new("writer").unwrap(),
        incarnation: 1,
    }
}

fn restart_all(servers: &mut NatsServers) -> std::io::Result<()> {
    (0..servers.count()).for_each(|index| servers.kill(index));
    start_all(servers)
}

fn start_all(servers: &mut NatsServers) -> std::io::Result<()> {
    for index in 0..servers.count() {
        servers.restart(index)?;
    }
    servers.wait_until_healthy()?;
    servers.leader_of(LOG).map(drop)
}

impl Harness for JetStreamHarness {
    fn open(&self) -> Action<'_, Arc<dyn Store>> {
        Box::pin(async { Ok(Arc::new(self.handle().await?) as Arc<dyn Store>) })
    }

    fn restart(&self) -> Action<'_> {
        Box::pin(self.with_servers(restart_all))
    }

    fn cut_history<'a>(&'a self, key: &'a SessionKey, first: u64) -> Action<'a> {
        Box::pin(async move { self.faults().await?.cut_history(key, first).await })
    }

    fn plant_frame<'a>(&'a self, key: &'a SessionKey, epoch: u64, sequence: u64) -> Action<'a> {
        Box::pin(async move {
            let faults = self.faults().await?;
            faults.plant_frame(key, epoch, sequence).await
        })
    }

    fn void_frames<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        Box::pin(async move { self.handle().await?.void_frames(key).await.map_err(failed) })
    }

    fn lose_live(&self, is_lost: bool) -> Action<'_> {
        Box::pin(async move { self.faults().await?.set_live(!is_lost).await })
    }

    fn subscriptions<'a>(&'a self, key: &'a SessionKey) -> Action<'a, usize> {
        Box::pin(async move {
            let subject = subject('v', key, "*");
            self.with_servers(move |servers| {
                let mut found = 0;
                for index in 0..servers.count() {
                    let connections = servers.monitor(index, "/connz?subs=true")?;
                    let connections = connections["connections"].as_array().cloned();
                    for connection in connections.unwrap_or_default() {
                        let subjects = connection["subscriptions_list"].as_array().cloned();
                        let subjects = subjects.unwrap_or_default();
                        found += subjects.iter().filter(|s| **s == subject.as_str()).count();
                    }
                }
                Ok(found)
            })
            .await
        })
    }

    fn change_leader(&self) -> Action<'_> {
        Box::pin(self.with_servers(|servers| {
            if servers.count() == 1 {
                servers.pause(0)?;
                std::thread::sleep(Duration::from_millis(500));
                return servers.resume(0);
            }
            let leader = servers.leader_of(LOG)?;
            servers.kill(leader);
            let next = servers.leader_of(LOG)?;
            assert_ne!(next, leader);
            servers.restart(leader)?;
            servers.wait_until_healthy()
        }))
    }

    fn set_outage(&self, is_out: bool) -> Action<'_> {
        Box::pin(self.with_servers(move |servers| {
            for index in 0..servers.count() {
                match is_out {
                    true => servers.pause(index)?,
                    false => servers.resume(index)?,
                }
            }
            match is_out {
                true => Ok(()),
                false => servers.leader_of(LOG).map(drop),
            }
        }))
    }

    fn set_disk_full(&self, is_full: bool) -> Action<'_> {
        Box::pin(async move { self.faults().await?.set_full(is_full).await })
    }

    fn kill<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        Box::pin(self.append_during(key, self.config(), self.with_servers(restart_all)))
    }

    /// Moves the data to a disk whose power can be cut, and then uses that.
    fn cut_power<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        Box::pin(async move {
            let disk = LoopDisk::new(1024).map_err(failed)?;
            let disk = Arc::new(Mutex::new(disk));
            let count = self.count;
            let moved = disk.clone();
            self.with_servers(move |servers| {
                *servers = copy_servers(servers, &moved.lock().unwrap().path())?;
                start_all(servers)
            })
            .await?;
            let cut = self.with_servers(move |servers| {
                (0..count).for_each(|index| servers.kill(index));
                disk.lock().unwrap().cut()?;
                start_all(servers)?;
                // It stays mounted as long as the servers run.
                servers.keep(disk);
                Ok(())
            });
            self.append_during(key, self.config(), cut).await
        })
    }

    fn restore_backup(&self) -> Action<'_, Arc<dyn Store>> {
        Box::pin(async {
            let folder = tempfile::tempdir().map_err(failed)?;
            let path = folder.path().to_path_buf();
            let copy = self
                .with_servers(move |servers| {
                    let copy = copy_servers(servers, &path)?;
                    start_all(servers)?;
                    Ok(copy)
                })
                .await?;
            let store = open(config(&copy)).await?;
            self.others.lock().unwrap().push((copy, Some(folder)));
            Ok(Arc::new(store) as Arc<dyn Store>)
        })
    }

    fn open_old_data(&self) -> Action<'_, OldData> {
        Box::pin(async {
            let mut config = self.config();
            config.namespace = "old".to_owned();
            let old = open(config.clone()).await?;
            let tenant = TenantId::new("tenant").map_err(failed)?;
            let new = NewSession {
                tenant: tenant.clone(),
                session: Some(SessionId::new("old").map_err(failed)?),
                attributes: Bytes::new(),
                key: IdempotencyKey::new("key").map_err(failed)?,
            };
            let key = old.create(new).await.map_err(failed)?.row.key;
            let claim = old
                .claim(&key, &node(), ClaimReason::Open)
                .await
                .map_err(failed)?;
            let batch = Batch::from((1..=3).map(numbered_body).collect::<Vec<_>>());
            let last = old.append(&claim, 0, &batch).await.map_err(failed)?.last;
            old.release(&claim, SessionState::Asleep)
                .await
                .map_err(failed)?;
            self.faults().await?.downgrade("old").await?;
            let store = Arc::new(open(config).await?);
            let epoch = claim.epoch();
            Ok(OldData {
                store,
                key,
                last,
                epoch,
            })
        })
    }

    fn misconfigured(&self) -> Action<'_, Vec<Misconfigured>> {
        Box::pin(async {
            let count = self.count;
            let unsynced = self.with_servers(move |_| {
                let mut options = NatsOptions::new(count);
                options.is_synced = false;
                NatsServers::start(&options)
            });
            let unsynced = unsynced.await?;
            let mut hidden = self.config();
            hidden.system_servers = Vec::new();
            let mut single = self.config();
            single.namespace = "single".to_owned();
            single.replicas = 1;
            let cases = [
                (
                    "the default sync_interval",
                    config(&unsynced),
                    DurabilityLevel::ProcessCrash,
                ),
                ("no system account", hidden, DurabilityLevel::ProcessCrash),
                ("one replica", single, DurabilityLevel::PowerLoss),
            ];
            self.others.lock().unwrap().push((unsynced, None));
            let mut weak = Vec::new();
            for (setting, config, at_most) in cases {
                let store = Arc::new(open(config).await?);
                let setting = setting.to_owned();
                weak.push(Misconfigured {
                    setting,
                    store,
                    at_most,
                });
            }
            Ok(weak)
        })
    }
}

/// Starts servers with a copy of the data of others, which are down afterwards.
fn copy_servers(
    servers: &mut NatsServers,
    folder: &std::path::Path,
) -> std::io::Result<NatsServers> {
    (0..servers.count()).for_each(|index| servers.kill(index));
    for index in 0..servers.count() {
        let from = servers.folder().join(format!("n{index}"));
        let status = std::process::Command::new("cp")
            .arg("-r")
            .arg(from)
            .arg(folder)
            .status()?;
        assert!(status.success());
    }
    let status = std::process::Command::new("sync")
        .arg("-f")
        .arg(folder)
        .status()?;
    assert!(status.success());
    let mut options = NatsOptions::new(servers.count());
    options.folder = Some(folder.to_path_buf());
    NatsServers::start(&options)
}
