//! The settings of the gateway.
//!
//! The fields of [`Settings`] and [`ServeArgs`](crate::serve::ServeArgs) are the only list of
//! settings: each has a flag, a variable `CLAW_…` and a key in the configuration file, in this
//! order of precedence; only `config` has no key. Values of the file are parsed as flags.

mod file;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, ValueHint};

use crate::args::Args;
use file::ConfigFile;

/// Settings that more than one command uses.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Settings {
    /// The configuration file. $XDG_CONFIG_HOME/claw/config.toml or ~/.config/claw/config.toml by
    /// default, if it exists.
    #[arg(long, env = "CLAW_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// The folder of the database and the token. $XDG_DATA_HOME/claw or ~/.local/share/claw by
    /// default. Created with access for you only.
    #[arg(long, env = "CLAW_DATA", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// The address to listen on. Port 0 chooses a free one.
    #[arg(
        long,
        env = "CLAW_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7171"
    )]
    pub(crate) listen: SocketAddr,
    /// Servers of NATS with JetStream, such as nats://127.0.0.1:4222, separated by commas. Without
    /// it, sessions are in a SQLite file in the data folder.
    #[arg(
        long,
        env = "CLAW_STORE",
        value_name = "URL",
        value_delimiter = ',',
        hide_env_values = true,
        value_parser = parse_store
    )]
    pub(crate) store: Vec<String>,
    /// A folder in which sessions may work. Repeat it, or separate folders by colons. The current
    /// folder by default.
    #[arg(
        long,
        env = "CLAW_ROOT",
        value_name = "FOLDER",
        value_delimiter = ':',
        value_hint = ValueHint::DirPath
    )]
    pub(crate) root: Vec<PathBuf>,
    /// The program of Claude Code. By default, the usual places are searched.
    #[arg(long, env = "CLAW_CLAUDE", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) claude: Option<PathBuf>,
    /// A variable that the agent inherits, besides those that every agent gets (HOME, PATH, LANG,
    /// ANTHROPIC_…, CLAUDE_…, proxies). Repeat it, or separate names by commas.
    #[arg(
        long,
        env = "CLAW_PASS_ENV",
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = parse_variable
    )]
    pub(crate) pass_env: Vec<String>,
    /// Isolate agents with bubblewrap: they see their project, their part of the configuration
    /// folder and the system's programs, and cannot answer their own requests. An API key in
    /// ANTHROPIC_API_KEY stays outside.
    #[arg(long, env = "CLAW_ISOLATE", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) isolate: bool,
    /// A path that isolated agents may read, such as a toolchain in your home folder. Repeat it, or
    /// separate paths by colons.
    #[arg(
        long,
        env = "CLAW_AGENT_READS",
        value_name = "PATH",
        value_delimiter = ':',
        value_hint = ValueHint::AnyPath
    )]
    pub(crate) agent_reads: Vec<PathBuf>,
    /// A path that isolated agents may also write, such as a cache.
    #[arg(
        long,
        env = "CLAW_AGENT_WRITES",
        value_name = "PATH",
        value_delimiter = ':',
        value_hint = ValueHint::AnyPath
    )]
    pub(crate) agent_writes: Vec<PathBuf>,
    /// What is wrong with the configuration file.
    #[arg(skip)]
    pub(crate) file_problems: Vec<String>,
    /// The configuration file that was read.
    #[arg(skip)]
    pub(crate) file_read: Option<PathBuf>,
}

/// Settings of the HTTP server.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Network")]
pub(crate) struct SiteSettings {
    /// The URL at which a proxy or a tunnel publishes the gateway. Requests for hosts other than
    /// this and the address of --listen are refused. Browsers get a cookie if it is an https URL
    /// with its own host name.
    #[arg(long, env = "CLAW_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// An origin (scheme, host and port) whose pages may call the gateway with a token. Repeat it, or
    /// separate origins by commas.
    #[arg(
        long,
        env = "CLAW_ORIGIN",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    pub(crate) origin: Vec<String>,
    /// How many requests per second a device may send.
    #[arg(long, env = "CLAW_RATE", value_name = "NUMBER", default_value = "50")]
    pub(crate) rate: NonZeroU32,
    /// How many connections may be open.
    #[arg(
        long,
        env = "CLAW_CONNECTIONS",
        value_name = "NUMBER",
        default_value = "4096"
    )]
    pub(crate) connections: NonZeroU32,
}

impl Settings {
    /// The data folder.
    pub(crate) fn data_folder(&self) -> anyhow::Result<PathBuf> {
        data_folder(self.data.as_deref())
    }

    /// The folders in which sessions may work.
    pub(crate) fn roots(&self) -> anyhow::Result<Vec<PathBuf>> {
        if self.root.is_empty() {
            return Ok(vec![
                std::env::current_dir().context("the current folder does not exist")?,
            ]);
        }
        Ok(self.root.clone())
    }
}

/// Returns the chosen data folder, or the default.
pub(crate) fn data_folder(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    match given {
        Some(path) => Ok(path.to_owned()),
        None => base_folder("XDG_DATA_HOME", ".local/share")
            .context("neither HOME nor XDG_DATA_HOME is set: choose a folder with --data"),
    }
}

/// Returns a folder of the XDG base directory specification. Relative paths are ignored.
fn base_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let base = absolute(variable).or_else(|| Some(absolute("HOME")?.join(in_home)));
    Some(base?.join("claw"))
}

/// Parses the command line, the environment and the configuration file. Exits if the command line
/// is not valid.
pub(crate) fn parse() -> Args {
    parse_words(std::env::args_os().collect())
}

fn parse_words(given: Vec<OsString>) -> Args {
    let matches = Args::command().get_matches_from(&given);
    let parsed = Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let Some((name, of_command)) = matches.subcommand() else {
        return parsed;
    };
    let config = of_command.try_get_one::<PathBuf>("config").ok().flatten();
    let has_settings = of_command.try_contains_id("config").is_ok();
    let (path, is_chosen) = match config {
        Some(path) => (Some(path.clone()), true),
        None if has_settings => {
            let folder = base_folder("XDG_CONFIG_HOME", ".config");
            (folder.map(|folder| folder.join("config.toml")), false)
        }
        None => return parsed,
    };
    let Some(file) = path.and_then(|path| ConfigFile::read(&path, is_chosen)) else {
        return parsed;
    };
    with_file(parsed, &given, name, of_command, file)
}

/// Adds the values of a file that flags and variables do not set.
fn with_file(
    parsed: Args,
    given: &[OsString],
    name: &str,
    of_command: &ArgMatches,
    mut file: ConfigFile,
) -> Args {
    let is_open = |id: &str| {
        let source = of_command.value_source(id);
        matches!(source, None | Some(ValueSource::DefaultValue))
    };
    let program = Args::command();
    let command = program.find_subcommand(name);
    let known = command.into_iter().flat_map(clap::Command::get_arguments);
    let known: Vec<&str> = known.map(|arg| arg.get_id().as_str()).collect();
    // The first such word is the name of the command: no flag before it has such a value.
    let at = given.iter().position(|word| word == name);
    let at = at.map_or(given.len(), |at| at + 1);
    let mut merged = given.to_vec();
    merged.splice(at..at, file.flags(|id| known.contains(&id) && is_open(id)));
    let mut args = match Args::try_parse_from_words(merged) {
        Ok(args) => args,
        Err(error) => {
            file.refuse(&error);
            parsed
        }
    };
    if let Some(settings) = args.command.settings_mut() {
        settings.file_problems = file.problems;
        settings.file_read = Some(file.path);
    }
    args
}

impl Args {
    fn try_parse_from_words(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let matches = Self::command().try_get_matches_from(words)?;
        Self::from_arg_matches(&matches)
    }
}

/// Parses a time such as `90s`, `30m`, `2h` or `7d`.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err("write a number with a unit, such as 90s, 30m, 2h or 7d".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| {
        "write a whole number before the unit, such as 90s, 30m, 2h or 7d".to_owned()
    })?;
    let seconds = number.checked_mul(unit).filter(|seconds| *seconds > 0);
    let seconds = seconds.filter(|seconds| *seconds <= 366 * 86_400);
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| "choose a time between 1s and 366d".to_owned())
}

/// Parses a size such as `512M` or `4G`.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let refused = || "write a whole number with a unit, such as 512M or 4G".to_owned();
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let found = units
        .into_iter()
        .find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, bits)));
    let (digits, bits) = found.ok_or_else(refused)?;
    let number: u64 = digits.parse().map_err(|_| refused())?;
    let size = number.checked_mul(1 << bits).filter(|size| *size > 0);
    size.ok_or_else(refused)
}

fn parse_store(text: &str) -> Result<String, String> {
    match text.split_once("://") {
        Some(("nats" | "tls", rest)) if !rest.is_empty() => Ok(text.to_owned()),
        // The text is not repeated: it may contain a password.
        _ => Err("write nats://HOST:PORT".to_owned()),
    }
}

fn parse_variable(name: &str) -> Result<String, String> {
    if name.starts_with("CLAW_") {
        return Err("variables of the gateway itself are not passed to the agent".to_owned());
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match !name.is_empty() && name.bytes().all(is_plain) {
        true => Ok(name.to_owned()),
        false => Err("write the name of a variable".to_owned()),
    }
}

#[cfg(test)]
mod tests;
