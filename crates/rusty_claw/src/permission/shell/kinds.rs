//! Kinds of programs, by name.

/// Programs that never run their arguments, whatever their options are.
const RUN_NOTHING: &[&str] = &[
    ":", "[", "basename", "cat", "cd", "cmp", "cut", "date", "df", "dirname", "du", "echo",
    "egrep", "false", "fgrep", "file", "grep", "head", "id", "ls", "mkdir", "printf", "pwd",
    "readlink", "realpath", "rmdir", "seq", "sleep", "stat", "tail", "test", "touch", "tr", "tree",
    "true", "type", "uname", "uniq", "wc", "which", "whoami",
];

/// Programs that run the program in their arguments, or pass it to something that does.
#[rustfmt::skip] // A table.
const LAUNCHERS: &[&str] = &[
    "abduco", "act", "adb", "alacritty", "ansible", "arch", "asdf", "at", "batch", "bear", "bubblewrap", "builtin",
    "bunx", "busybox", "bwrap", "byobu", "caffeinate", "catchsegv", "ccache", "cgexec", "chokidar", "chpst", "chroot",
    "chrt", "command", "concurrently", "coproc", "cpulimit", "crictl", "cron", "crontab", "cross-env", "ctr",
    "daemon", "daemonize", "dbus-launch", "dbus-run-session", "direnv", "distcc", "doas", "docker", "docker-compose",
    "dotenv", "dtach", "dtruss", "dumb-init", "eatmydata", "entr", "env", "env-cmd", "exec", "fakeroot", "faketime",
    "fd", "fdfind", "find", "firejail", "flock", "foot", "foreman", "forever", "gksudo", "gnome-terminal", "gosu",
    "gtimeout", "gxargs", "heaptrack", "heroku", "honcho", "hyperfine", "ionice", "kdesu", "kitty", "konsole",
    "ktrace", "kubectl", "libtool", "linux32", "linux64", "logsave", "ltrace", "lxc", "machinectl", "minikube",
    "mosh", "mprocs", "multipass", "nerdctl", "newgrp", "nice", "nix-shell", "nocache", "nodemon", "nohup", "npm",
    "npx", "nq", "nsenter", "numactl", "onchange", "overmind", "parallel", "perf", "pipx", "pkexec", "pm2", "pnpm",
    "pnpx", "podman", "prlimit", "proot", "proxychains", "proxychains4", "pssh", "pueue", "rlwrap", "rr", "run-parts",
    "runcon", "runuser", "salt", "sandbox-exec", "scan-build", "sccache", "schedtool", "screen", "script", "sem",
    "setarch", "setpriv", "setsid", "sg", "softlimit", "ssh", "ssh-agent", "sshpass", "start-stop-daemon", "startx",
    "stdbuf", "strace", "su", "su-exec", "sudo", "supervisord", "systemd-inhibit", "systemd-run", "taskset", "tilix",
    "time", "timeout", "tini", "tmux", "torsocks", "toybox", "trap", "trickle", "truss", "tsocks", "tsp", "unbuffer",
    "unshare", "urxvt", "uvx", "vagrant", "valgrind", "watch", "watchexec", "wezterm", "wsl", "xargs", "xcrun",
    "xinit", "xterm", "xvfb-run", "yarn",
];

/// Programs that read shell commands.
const SHELLS: &[&str] = &[
    ".", "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "oksh", "pdksh",
    "rbash", "sh", "source", "tcsh", "xonsh", "yash", "zsh",
];

/// Programs that interpret a language in which other programs can be run.
#[rustfmt::skip] // A table.
const INTERPRETERS: &[&str] = &[
    "bun", "clisp", "cmd", "deno", "elixir", "erl", "expect", "gdb", "ghci", "groovy", "guile", "ipython", "irb",
    "jshell", "julia", "lua", "luajit", "node", "nodejs", "ocaml", "osascript", "perl", "php", "powershell", "pwsh",
    "pypy", "python", "pythonw", "racket", "rscript", "ruby", "sbcl", "scala", "swift", "tclsh", "ts-node", "tsx",
    "wish",
];

const AWKS: &[&str] = &["awk", "gawk", "mawk", "nawk", "original-awk"];

/// Words that may precede a command.
const BEFORE_COMMANDS: &[&str] = &[
    "!", "coproc", "do", "elif", "else", "if", "then", "time", "until", "while", "{",
];

/// Reserved words: what they begin is not a simple command.
const RESERVED: &[&str] = &[
    "!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "until", "while", "{", "}",
];

/// Further words that may precede a command, in bash or in zsh.
const ALSO_CONTROL: &[&str] = &[
    "-",
    "]]",
    "always",
    "end",
    "foreach",
    "nocorrect",
    "noglob",
    "repeat",
    "time",
];

/// What a program does with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    RunsNothing,
    Launcher,
    Shell,
    Eval,
    Interpreter,
    Awk,
    Git,
    Other,
}

impl Kind {
    /// The kind of the program with this name, as far as it is known.
    pub(super) fn of(program: &str) -> Self {
        // Only the plain name is the known program: `./cat` could be anything.
        if RUN_NOTHING.contains(&program) {
            return Self::RunsNothing;
        }
        let name = base(program).to_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        // `python3.12`, `bash5`, `lua5.4`.
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
        let among = |names: &[&str]| names.contains(&name) || names.contains(&plain);
        if name == "eval" {
            Self::Eval
        } else if plain == "git" {
            Self::Git
        } else if among(SHELLS) {
            Self::Shell
        } else if among(AWKS) {
            Self::Awk
        } else if among(INTERPRETERS) {
            Self::Interpreter
        } else if among(LAUNCHERS) {
            Self::Launcher
        } else {
            Self::Other
        }
    }
}

/// Whether the shell treats it as more than the name of a program.
pub(super) fn is_control_word(word: &str) -> bool {
    is_reserved(word) || ALSO_CONTROL.contains(&word)
}

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

pub(super) fn is_before_commands(word: &str) -> bool {
    BEFORE_COMMANDS.contains(&word)
}

/// The name of a program without its folder.
pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a text contains the name of a program as a separate word, ignoring case, with or without
/// the quoting that a shell removes.
pub(super) fn names(text: &str, program: &str) -> bool {
    let program = base(program).to_lowercase();
    let found = |text: &str| {
        let text = text.to_lowercase();
        if program.chars().all(in_name) {
            text.split(|c: char| !in_name(c))
                .any(|word| !word.is_empty() && base(word) == program)
        } else {
            text.contains(&program)
        }
    };
    let unmarked = || {
        text.replace("\\\n", "")
            .replace(['\'', '"', '\\', '`', '^'], "")
    };
    !program.is_empty() && (found(text) || found(&unmarked()))
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+')
}
