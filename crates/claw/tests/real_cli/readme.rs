//! Runs the commands of the README's first section as they are printed there, in a fresh folder, with
//! the real CLI and a scripted model.

use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{path_without_cli, real_cli};
use claw_testkit::{Script, ScriptedApi};

/// The most commands to a streamed answer.
const MOST: usize = 5;
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The default address of `claw serve`.
const ADDRESS: &str = "127.0.0.1:7171";
/// The model. It writes a text slowly, and then asks for a permission.
const SCRIPT: &str = "crates/claw-testkit/scripts/haiku.json";
/// The beginning and the end of that text.
const TEXT: (&str, &str) = ("Here it is", "takes its name.");

/// The number of commands to a streamed answer.
pub(crate) async fn figure() -> Result<Figure> {
    let readme = std::fs::read_to_string(repository("README.md"))?;
    let terminals = terminals(&readme);
    let [install, serve, prompt, answers] = &terminals[..] else {
        bail!(
            "the README's first section has {} blocks of commands, not 4: change {} as well",
            terminals.len(),
            file!()
        );
    };
    for command in install {
        check_install(command)?;
    }
    let api = ScriptedApi::start().await?;
    api.script(Script::read(repository(SCRIPT))?);
    let place = Place::create(&real_cli().binary, &api.uri())?;
    let commands = [install, serve, prompt, answers].map(|block| block.join("\n"));
    let shown = tokio::task::spawn_blocking(move || follow(&place, &commands)).await??;
    api.finish()?;
    let count = install.len() + serve.len() + prompt.len();
    let measured = format!(
        "{count} ({} of them install programs, which the test provides), the text in {} parts over \
         {:.1} s; then {} commands to answer a request: {:.1} s in all",
        install.len(),
        shown.parts,
        shown.seconds,
        answers.len(),
        shown.took
    );
    let figure = Figure::new(
        "the README's commands, run literally in a fresh folder (real CLI, scripted API)",
        format!("≤ {MOST} commands to a streamed answer"),
    );
    Ok(figure.measured(measured, count <= MOST && shown.parts > 1))
}

/// What was seen while the commands ran.
struct Shown {
    /// The parts in which the text of the model was printed, and the seconds between them.
    parts: usize,
    seconds: f64,
    /// All seconds.
    took: f64,
}

/// Runs the blocks of commands, each in a terminal of its own.
fn follow(place: &Place, [_, serve, prompt, answers]: &[String; 4]) -> Result<Shown> {
    let start = Instant::now();
    let mut gateway = place.open(serve)?;
    gateway.until("http://127.0.0.1:")?;
    let mut asking = place.open(prompt)?;
    asking.until("waits for an answer")?;
    let (parts, seconds) = asking.streamed()?;
    let mut answering = place.open(answers)?;
    answering.until_end()?;
    for expected in ["Permission", "allowed", "awake"] {
        answering.until(expected)?;
    }
    asking.until_end()?;
    asking.until("The haiku is in haiku.txt.")?;
    let took = start.elapsed().as_secs_f64();
    let written = std::fs::read_to_string(place.project().join("haiku.txt"));
    ensure!(
        written.as_deref().is_ok_and(|text| text.contains(TEXT.1)),
        "the agent did not write the file: {written:?}"
    );
    gateway.interrupt()?;
    Ok(Shown {
        parts,
        seconds,
        took,
    })
}

/// A path in the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// Returns the commands of the first section that has any: one list for each block.
fn terminals(readme: &str) -> Vec<Vec<&str>> {
    let sections = readme.split("\n## ");
    let blocks = |section| -> Vec<Vec<&str>> {
        let blocks = <str>::split(section, "```sh\n").skip(1);
        let blocks = blocks.filter_map(|block| block.split("```").next());
        blocks.map(|block| block.lines().collect()).collect()
    };
    let found = sections.map(blocks).find(|blocks| !blocks.is_empty());
    found.unwrap_or_default()
}

/// Checks a command that installs a program. It is not run: the CLI is pinned, and `claw` is built
/// already.
fn check_install(command: &str) -> Result<()> {
    if let Some(folder) = command.strip_prefix("cargo install --locked --path ") {
        let manifest = repository(folder).join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest);
        let text = text.with_context(|| format!("`{command}` does not work"))?;
        ensure!(text.contains("name = \"claw\""), "`{command}` is wrong");
        return Ok(());
    }
    ensure!(
        command == "npm install -g @anthropic-ai/claude-code",
        "`{command}` is unknown: {} must check it",
        file!()
    );
    Ok(())
}

/// A home folder, a project and the programs.
struct Place {
    folder: tempfile::TempDir,
    path: std::ffi::OsString,
    api: String,
    is_port_free: bool,
}

impl Place {
    fn create(cli: &Path, api: &str) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        for name in ["home", "project", "bin"] {
            std::fs::create_dir(folder.path().join(name))?;
        }
        let programs = folder.path().join("bin");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_claw"), programs.join("claw"))?;
        std::os::unix::fs::symlink(cli, programs.join("claude"))?;
        let others = path_without_cli();
        let path =
            std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&others)))?;
        let is_port_free = TcpListener::bind(ADDRESS).is_ok();
        if !is_port_free {
            println!("another program listens on {ADDRESS}: CLAW_LISTEN is set");
        }
        Ok(Self {
            folder,
            path,
            api: api.to_owned(),
            is_port_free,
        })
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Runs commands in a shell.
    fn open(&self, commands: &str) -> Result<Terminal> {
        let mut shell = Command::new("bash");
        shell
            .args(["-e", "-c", commands])
            .env_clear()
            .env("HOME", self.folder.path().join("home"))
            .env("PATH", &self.path)
            .env("ANTHROPIC_BASE_URL", &self.api)
            .env("ANTHROPIC_API_KEY", "sk-ant-of-no-use")
            // The CLI connects to nothing but the API.
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .current_dir(self.project());
        if !self.is_port_free {
            shell.env("CLAW_LISTEN", "127.0.0.1:0");
        }
        Terminal::start(commands.replace('\n', "; "), &mut shell)
    }
}

/// What was printed so far, and when.
type Output = Arc<Mutex<Vec<(Instant, Vec<u8>)>>>;

/// A shell that runs commands. Dropping it kills the shell.
struct Terminal {
    commands: String,
    child: Child,
    output: Output,
    readers: Vec<JoinHandle<()>>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Terminal {
    fn start(commands: String, shell: &mut Command) -> Result<Self> {
        shell
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = shell.spawn().context("bash did not start")?;
        let output = Output::default();
        let stdout = child.stdout.take().map(|out| read(out, &output));
        let stderr = child.stderr.take().map(|out| read(out, &output));
        let readers = stdout.into_iter().chain(stderr).collect();
        Ok(Self {
            commands,
            child,
            output,
            readers,
        })
    }

    fn text(&self) -> String {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = output.iter().flat_map(|(_, part)| part.clone()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits until a text is printed.
    fn until(&mut self, expected: &str) -> Result<()> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let has_ended = self.readers.iter().all(JoinHandle::is_finished);
            let text = self.text();
            if text.contains(expected) {
                return Ok(());
            }
            ensure!(
                !has_ended && Instant::now() < deadline,
                "`{}` did not print {expected:?}, but: {text}",
                self.commands
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the commands end, which must succeed.
    fn until_end(&mut self) -> Result<()> {
        let deadline = Instant::now() + TIMEOUT;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            ensure!(
                Instant::now() < deadline,
                "`{}` did not end: {}",
                self.commands,
                self.text()
            );
            std::thread::sleep(Duration::from_millis(20));
        };
        for reader in self.readers.drain(..) {
            let _ = reader.join();
        }
        ensure!(
            status.success(),
            "`{}` ended with {status}: {}",
            self.commands,
            self.text()
        );
        Ok(())
    }

    /// Presses Ctrl-C, and waits for the end.
    fn interrupt(&mut self) -> Result<()> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", "INT", &id]).status()?;
        ensure!(sent.success(), "cannot send SIGINT to process {id}");
        self.until_end()
    }

    /// Returns in how many parts the text of the model was printed, and in how many seconds.
    fn streamed(&self) -> Result<(usize, f64)> {
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let (mut first, mut parts) = (None, 0);
        for (at, part) in output.iter() {
            text.push_str(&String::from_utf8_lossy(part));
            if text.contains(TEXT.0) {
                parts += 1;
                let first = *first.get_or_insert(*at);
                if text.contains(TEXT.1) {
                    return Ok((parts, at.duration_since(first).as_secs_f64()));
                }
            }
        }
        bail!("the text of the model is not in {text}")
    }
}

/// Reads a pipe in a thread.
fn read(mut pipe: impl Read + Send + 'static, output: &Output) -> JoinHandle<()> {
    let output = Arc::clone(output);
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(size @ 1..) = pipe.read(&mut buffer) {
            let part = (Instant::now(), buffer[..size].to_vec());
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            output.push(part);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_the_first_section_are_found() {
        let text = "# A\n```rust\nx\n```\n## B\n```sh\na\nb\n```\nor\n```sh\nc\n```\n## C\n```sh\nd\n```\n";
        assert_eq!(terminals(text), [vec!["a", "b"], vec!["c"]]);
        assert!(terminals("# A\n").is_empty());
    }

    #[test]
    fn install_commands_are_checked() {
        check_install("cargo install --locked --path crates/claw").unwrap();
        for wrong in [
            "cargo install --locked --path crates/claws",
            "cargo install --locked --path crates/claw-store",
            "cargo install claw",
            "npm install -g claude",
        ] {
            check_install(wrong).unwrap_err();
        }
    }

    #[test]
    fn a_command_that_fails_or_prints_something_else_is_found() {
        let start = |commands: &str| {
            let mut shell = Command::new("bash");
            Terminal::start(commands.to_owned(), shell.args(["-e", "-c", commands])).unwrap()
        };
        start("echo one; echo two >&2").until("two").unwrap();
        let error = start("echo one").until("two").unwrap_err();
        assert!(error.to_string().contains("but: one"), "{error}");
        start("true").until_end().unwrap();
        let error = start("echo one; false; true").until_end().unwrap_err();
        assert!(error.to_string().contains("one"), "{error}");
        let mut streamed = start("echo Here it is; sleep 0.2; echo it takes its name.");
        streamed.until_end().unwrap();
        streamed.streamed().unwrap();
        assert!(start("echo").streamed().is_err());
    }
}
