//! Networks that can be cut: hosts are network namespaces on a bridge. Needs root.

use std::collections::BTreeSet;
use std::io;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// The beginning of the names of namespaces, and of those of bridges and their ports. The id of the
/// process that made them follows.
const NAMESPACE: &str = "claw-";
const LINK: &str = "cw";

/// Hosts on a network of their own, until this is dropped. The machine itself has the first address
/// of the network.
#[derive(Debug)]
pub(crate) struct Network {
    /// Part of the names of everything that belongs to it.
    id: String,
    /// The first three bytes of all addresses.
    subnet: [u8; 3],
    hosts: usize,
    /// The routes that are cut: from one host to another.
    cuts: Mutex<BTreeSet<(usize, usize)>>,
}

impl Network {
    /// Makes a network. Removes those of processes that were killed.
    pub(crate) fn new(hosts: usize) -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        sweep()?;
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let used = ip(&["-o", "-4", "address"])?;
        let subnet = (0..=u16::MAX)
            .map(|offset| (process as u16).wrapping_add(offset).to_be_bytes())
            .map(|[high, low]| [10, 128 | high >> 1, low])
            .find(|[a, b, c]| !used.contains(&format!(" {a}.{b}.{c}.")))
            .ok_or_else(|| io::Error::other("all networks are used"))?;
        let network = Self {
            id: format!("{process}n{number}"),
            subnet,
            hosts,
            cuts: Mutex::default(),
        };
        let bridge = format!("{LINK}{}", network.id);
        ip(&["link", "add", &bridge, "type", "bridge"])?;
        let machine = network.address_of(1);
        ip(&["address", "add", &format!("{machine}/24"), "dev", &bridge])?;
        ip(&["link", "set", &bridge, "up"])?;
        for host in 0..hosts {
            let (name, port) = (network.namespace(host), network.port(host));
            ip(&["netns", "add", &name])?;
            let peer = ["type", "veth", "peer", "name", "eth0", "netns", &name];
            ip(&[&["link", "add", &port][..], &peer].concat())?;
            ip(&["link", "set", &port, "master", &bridge, "up"])?;
            let address = format!("{}/24", network.address(host));
            ip(&["-n", &name, "address", "add", &address, "dev", "eth0"])?;
            ip(&["-n", &name, "link", "set", "eth0", "up"])?;
            ip(&["-n", &name, "link", "set", "lo", "up"])?;
        }
        Ok(network)
    }

    /// Returns the name of the namespace of a host, for `ip netns exec`.
    pub(crate) fn namespace(&self, host: usize) -> String {
        format!("{NAMESPACE}{}-{host}", self.id)
    }

    /// Returns the address of a host.
    pub(crate) fn address(&self, host: usize) -> Ipv4Addr {
        self.address_of(host as u8 + 10)
    }

    fn address_of(&self, last: u8) -> Ipv4Addr {
        let [a, b, c] = self.subnet;
        Ipv4Addr::new(a, b, c, last)
    }

    /// The end of a host's link at the bridge.
    fn port(&self, host: usize) -> String {
        format!("{LINK}{}v{host}", self.id)
    }

    /// Drops all packets from a host to another, without a notice to either.
    pub(crate) fn cut(&self, from: usize, to: usize) -> io::Result<()> {
        if self.cuts.lock().unwrap().insert((from, to)) {
            self.change_route("add", from, to)?;
        }
        Ok(())
    }

    /// Drops all packets between two hosts.
    pub(crate) fn separate(&self, one: usize, other: usize) -> io::Result<()> {
        self.cut(one, other)?;
        self.cut(other, one)
    }

    fn change_route(&self, change: &str, from: usize, to: usize) -> io::Result<()> {
        let (namespace, to) = (self.namespace(from), self.address(to).to_string());
        ip(&["-n", &namespace, "route", change, "blackhole", &to]).map(drop)
    }

    /// Unplugs a host, or plugs it in again.
    pub(crate) fn set_link(&self, host: usize, is_up: bool) -> io::Result<()> {
        let state = if is_up { "up" } else { "down" };
        ip(&["link", "set", &self.port(host), state]).map(drop)
    }

    /// Undoes all cuts, and plugs in all hosts.
    pub(crate) fn heal(&self) -> io::Result<()> {
        for (from, to) in std::mem::take(&mut *self.cuts.lock().unwrap()) {
            self.change_route("del", from, to)?;
        }
        (0..self.hosts).try_for_each(|host| self.set_link(host, true))
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.id) {
            eprintln!("the network {} stays: {error}", self.id);
        }
    }
}

/// Removes the namespaces and the bridge of a network. The ports of the bridge go with them.
fn remove(id: &str) -> io::Result<()> {
    let prefix = format!("{NAMESPACE}{id}-");
    for name in namespaces()?
        .iter()
        .filter(|name| name.starts_with(&prefix))
    {
        ip(&["netns", "delete", name])?;
    }
    let bridge = format!("{LINK}{id}");
    if Path::new("/sys/class/net").join(&bridge).exists() {
        ip(&["link", "delete", &bridge])?;
    }
    Ok(())
}

/// Removes the networks of processes that are gone.
fn sweep() -> io::Result<()> {
    let links = std::fs::read_dir("/sys/class/net")?.flatten();
    let links = links.filter_map(|link| link.file_name().into_string().ok());
    let links = links.filter_map(|link| Some(link.strip_prefix(LINK)?.to_owned()));
    let namespaces = namespaces()?.into_iter();
    let namespaces = namespaces.filter_map(|name| {
        let (id, _) = name.strip_prefix(NAMESPACE)?.split_once('-')?;
        Some(id.to_owned())
    });
    for id in links.chain(namespaces).collect::<BTreeSet<_>>() {
        let is_bridge = |(process, number): (&str, &str)| {
            (process.parse::<u32>().ok()).zip(number.parse::<u32>().ok())
        };
        let process = id.split_once('n').and_then(is_bridge);
        if process.is_some_and(|(process, _)| !Path::new(&format!("/proc/{process}")).exists()) {
            remove(&id)?;
        }
    }
    Ok(())
}

fn namespaces() -> io::Result<Vec<String>> {
    let list = ip(&["netns", "list"])?;
    let names = list.lines().filter_map(|line| line.split(' ').next());
    Ok(names.map(str::to_owned).collect())
}

fn ip(args: &[&str]) -> io::Result<String> {
    let output = Command::new("ip")
        .args(args)
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!(
        "ip {} failed, root is needed: {reason}",
        args.join(" ")
    )))
}
