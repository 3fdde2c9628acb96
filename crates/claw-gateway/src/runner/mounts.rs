//! The file system of a CLI.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rusty_claw::cli::Program;
use rusty_claw::sessions::ProjectKey;

/// Files of `/etc` that programs need. None is secret.
const ETC: [&str; 24] = [
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "ca-certificates.conf",
    "claude-code",
    "crypto-policies",
    "environment",
    "fonts",
    "gai.conf",
    "gitconfig",
    "group",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "locale.alias",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "passwd",
    "pki",
    "profile",
    "protocols",
    "resolv.conf",
    "ssl",
];
/// Entries of the configuration folder that the CLI reads.
const READ: [&str; 13] = [
    "settings.json",
    "settings.local.json",
    "managed-settings.json",
    "remote-settings.json",
    "CLAUDE.md",
    "agents",
    "commands",
    "hooks",
    "output-styles",
    "plugins",
    "rules",
    "skills",
    "keybindings.json",
];
/// Folders in the configuration folder that only the running CLI needs.
const SCRATCH: [&str; 14] = [
    "backups",
    "cache",
    "debug",
    "file-history",
    "image-cache",
    "paste-cache",
    "plans",
    "session-env",
    "sessions",
    "shell-snapshots",
    "statsig",
    "tasks",
    "teams",
    "todos",
];

/// Returns the mounts of the system's programs, `/etc`, `/proc` and `/dev`.
pub(super) fn system() -> Vec<OsString> {
    let mut args: Vec<OsString> = Vec::new();
    let mut add = |words: [&str; 3]| args.extend(words.map(OsString::from));
    add(["--ro-bind", "/usr", "/usr"]);
    for path in ["/bin", "/lib", "/lib32", "/lib64", "/sbin"] {
        match std::fs::read_link(path) {
            Ok(target) => add(["--symlink", &target.to_string_lossy(), path]),
            Err(_) => add(["--ro-bind-try", path, path]),
        }
    }
    for name in ETC {
        let path = format!("/etc/{name}");
        add(["--ro-bind-try", &path, &path]);
    }
    args.extend(["--proc", "/proc", "--dev", "/dev"].map(OsString::from));
    args
}

/// The mounts of a session. The mount of a folder covers those of its parents, in whichever order
/// they were added.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    mounts: Vec<Mount>,
    /// Mounts that become read-only when everything in them is mounted.
    sealed: Vec<PathBuf>,
}

#[derive(Debug)]
struct Mount {
    kind: &'static str,
    source: Option<PathBuf>,
    target: PathBuf,
}

impl Mounts {
    fn add(&mut self, kind: &'static str, source: Option<&Path>, target: &Path) {
        self.mounts.push(Mount {
            kind,
            source: source.map(Path::to_owned),
            target: target.to_owned(),
        });
    }

    /// Adds an empty folder, which is removed with the CLI.
    pub(super) fn tmpfs(&mut self, path: impl AsRef<Path>) {
        self.add("--tmpfs", None, path.as_ref());
    }

    /// Adds an empty folder that cannot be written.
    fn empty(&mut self, path: &Path) {
        self.tmpfs(path);
        self.sealed.push(path.to_owned());
    }

    pub(super) fn read_only(&mut self, path: &Path) {
        self.add("--ro-bind-try", Some(path), path);
    }

    pub(super) fn writable(&mut self, path: &Path) {
        self.add("--bind-try", Some(path), path);
    }

    pub(super) fn hide(&mut self, path: &Path) {
        if path.is_dir() {
            self.empty(path);
        }
    }

    /// Adds the project folder. Its settings are read-only, because rules in them could allow
    /// calls.
    pub(super) fn project(&mut self, folder: &Path) {
        self.add("--bind", Some(folder), folder);
        let settings = folder.join(".claude");
        match settings.exists() {
            true => self.add("--ro-bind", Some(&settings), &settings),
            // Bubblewrap creates the mount point, and the empty folder remains in the project.
            false => self.empty(&settings),
        }
    }

    /// Adds the configuration folder. `state` is the file in which the CLI keeps its own settings.
    pub(super) fn config(&mut self, config: &Path, state: &Path, folder: &Path) {
        self.empty(config);
        for name in READ {
            self.read_only(&config.join(name));
        }
        self.add("--ro-bind-try", Some(state), &config.join(".claude.json"));
        // The CLI renews the login.
        self.writable(&config.join(".credentials.json"));
        for name in SCRATCH {
            self.tmpfs(config.join(name));
        }
        let sessions = config.join("projects");
        let sessions = sessions.join(ProjectKey::of_dir(folder).as_str());
        // If this fails, bubblewrap reports that the folder is missing.
        let _ = std::fs::create_dir_all(&sessions);
        self.add("--bind", Some(&sessions), &sessions);
        // The CLI creates a socket here that accepts prompts from any process of the user. If it
        // cannot write the folder, it starts without the socket.
        self.empty(Path::new("/tmp/cc-socks"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            // The CLI's second choice is a folder with the user id in its name.
            if let Ok(own) = std::fs::metadata("/proc/self") {
                self.empty(Path::new(&format!("/tmp/cc-socks-{}", own.uid())));
            }
        }
    }

    /// Adds the CLI and its interpreter. A script may load files from its folder.
    pub(super) fn program(&mut self, program: &Program) {
        let is_visible = |path: &Path| {
            let system = ["/usr", "/bin", "/sbin"];
            system.iter().any(|folder| path.starts_with(folder))
        };
        let path = program.path();
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(runner) = program.runner() {
            if !is_visible(runner) {
                self.read_only(runner);
            }
            self.read_only(real.parent().unwrap_or(&real));
            if real != path && !is_visible(path) {
                self.add("--symlink", Some(&real), path);
            }
        } else if !is_visible(&real) || !is_visible(path) {
            self.add("--ro-bind", Some(&real), path);
        }
    }

    pub(super) fn into_args(mut self) -> Vec<OsString> {
        // The sort must be stable: of two mounts of one folder, the later one counts.
        self.mounts
            .sort_by_key(|mount| mount.target.components().count());
        let mut args = Vec::new();
        for mount in self.mounts {
            args.push(mount.kind.into());
            args.extend(mount.source.map(OsString::from));
            args.push(mount.target.into());
        }
        for path in self.sealed {
            args.extend(["--remount-ro".into(), path.into()]);
        }
        args
    }
}
