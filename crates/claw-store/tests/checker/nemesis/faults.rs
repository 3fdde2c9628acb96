//! The faults.

use std::fmt;
use std::time::Duration;

use super::TERM;
use super::cluster::{Cluster, SERVERS};
use crate::bodies::Rng;
use crate::fleet::Fleet;
use crate::slow_proxy::Slowness;

/// The number of processes in a round.
pub(super) const PROCESSES: usize = 2;
/// How long servers are down or cut off.
const DOWN: Duration = Duration::from_secs(3);
const CUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    KillLeader,
    KillFollower,
    KillTwo,
    KillAll,
    /// For so many seconds.
    PauseLeader(u64),
    CutLeaderFromPeers,
    UnplugLeader,
    /// The packets of the leader to its peers are lost.
    MuteLeader,
    /// The packets of the peers to the leader are lost.
    DeafenLeader,
    /// From all servers.
    CutProcess,
    PauseProcess(Pause),
    /// Of so many servers.
    CutPower(usize),
    /// Between processes and servers.
    Slow,
}

/// How long a process is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pause {
    Half,
    Two,
    Ten,
}

impl Pause {
    fn time(self) -> Duration {
        match self {
            Self::Half => TERM / 2,
            Self::Two => TERM * 2,
            Self::Ten => TERM * 10,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KillLeader => f.write_str("kill -9 of the leader"),
            Self::KillFollower => f.write_str("kill -9 of a follower"),
            Self::KillTwo => f.write_str("kill -9 of two, down for 3 s"),
            Self::KillAll => f.write_str("kill -9 of all three, down for 3 s"),
            Self::PauseLeader(seconds) => write!(f, "leader paused for {seconds} s"),
            Self::CutLeaderFromPeers => f.write_str("leader cut off from its peers for 10 s"),
            Self::UnplugLeader => f.write_str("link of the leader down for 10 s"),
            Self::MuteLeader => f.write_str("packets of the leader to its peers lost for 10 s"),
            Self::DeafenLeader => f.write_str("packets of the peers to the leader lost for 10 s"),
            Self::CutProcess => {
                f.write_str("process cut off from the servers for 2.5 terms of 3 s")
            }
            Self::PauseProcess(pause) => {
                let terms = pause.time().as_secs_f64() / TERM.as_secs_f64();
                write!(f, "process paused for {terms} terms of 3 s")
            }
            Self::CutPower(servers) => write!(f, "power cut of {servers} of three"),
            Self::Slow => f.write_str(
                "delays of 100 to 300 ms, 1 % stalls of 3 s and 1 Mbit/s to processes for 20 s",
            ),
        }
    }
}

impl Fault {
    pub(super) fn needs_leases(self) -> bool {
        matches!(self, Self::CutProcess | Self::PauseProcess(_))
    }

    /// Starts the fault, ends it, and waits until the servers are healthy.
    pub(super) async fn run(self, cluster: &mut Cluster, fleet: &Fleet, rng: &mut Rng) {
        let leader = cluster.leader();
        let follower = (leader + rng.between(1, SERVERS)) % SERVERS;
        let peers = (0..SERVERS).filter(|server| *server != leader);
        match self {
            Self::KillLeader => cluster.servers.kill(leader),
            Self::KillFollower => cluster.servers.kill(follower),
            Self::KillTwo => {
                cluster.servers.kill(leader);
                cluster.servers.kill(follower);
            }
            Self::KillAll => (0..SERVERS).for_each(|server| cluster.servers.kill(server)),
            Self::PauseLeader(seconds) => {
                cluster.servers.pause(leader).unwrap();
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                cluster.servers.resume(leader).unwrap();
            }
            Self::CutLeaderFromPeers => {
                for peer in peers {
                    cluster.network().separate(leader, peer).unwrap();
                }
            }
            Self::UnplugLeader => cluster.network().set_link(leader, false).unwrap(),
            Self::MuteLeader => {
                for peer in peers {
                    cluster.network().cut(leader, peer).unwrap();
                }
            }
            Self::DeafenLeader => {
                for peer in peers {
                    cluster.network().cut(peer, leader).unwrap();
                }
            }
            Self::CutProcess => {
                let fault = fleet.begin_fault(&fleet.processes[0], "cut off");
                for server in 0..SERVERS {
                    cluster.network().separate(SERVERS, server).unwrap();
                }
                tokio::time::sleep(TERM * 5 / 2).await;
                cluster.network().heal().unwrap();
                fleet.end_fault(fault);
            }
            Self::PauseProcess(pause) => {
                let fault = fleet.pause(0);
                tokio::time::sleep(pause.time()).await;
                fleet.resume(0, fault);
            }
            Self::CutPower(count) => {
                let servers: Vec<_> = (leader..leader + count).map(|s| s % SERVERS).collect();
                servers
                    .iter()
                    .for_each(|server| cluster.servers.kill(*server));
                for server in servers {
                    cluster.disks[server].cut().unwrap();
                }
            }
            Self::Slow => {}
        }
        match self {
            Self::Slow => {
                cluster.set_slowness(Slowness {
                    delay: Duration::from_millis(100),
                    jitter: Duration::from_millis(200),
                    stalls_per_mille: 10,
                    stall: Duration::from_secs(3),
                    bytes_per_second: 125_000,
                });
                tokio::time::sleep(Duration::from_secs(20)).await;
                cluster.set_slowness(Slowness::default());
            }
            Self::KillLeader | Self::KillFollower | Self::KillTwo | Self::KillAll => {
                tokio::time::sleep(DOWN).await;
            }
            Self::CutLeaderFromPeers
            | Self::UnplugLeader
            | Self::MuteLeader
            | Self::DeafenLeader => {
                tokio::time::sleep(CUT).await;
                cluster.network().heal().unwrap();
            }
            _ => {}
        }
        cluster.recover();
    }
}
