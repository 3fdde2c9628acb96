//! What the session library does to files, judged by the real CLI that has to live with them.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::{ScriptedApi, Turn};
use claw_transcript::{ForkOptions, MessageFilter, Role, SessionLibrary};

use super::figure::{self, Figure};
use crate::cli_package::{self, CliPackage};

/// What to measure: there is nothing to choose.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<()> {
    let figures = measure(&cli_package::ensure()?)?;
    print!("{}", figure::render(&figures));
    let short = figures.iter().filter(|figure| !figure.passed).count();
    ensure!(short == 0, "{short} figures fall short");
    Ok(())
}

/// The figures of the session functions.
#[tokio::main(worker_threads = 2)]
pub(crate) async fn measure(cli: &CliPackage) -> Result<Vec<Figure>> {
    Ok(vec![keys(cli).await?, resumed(cli).await?])
}

/// A home of its own and an API that always answers.
struct Home {
    root: tempfile::TempDir,
    binary: PathBuf,
    api: ScriptedApi,
}

impl Home {
    async fn new(cli: &CliPackage) -> Result<Self> {
        let api = ScriptedApi::start().await?;
        api.fallback(Turn::text("Noted."));
        let root = tempfile::tempdir()?;
        std::fs::create_dir(root.path().join("project"))?;
        Ok(Self {
            root,
            binary: cli.binary(),
            api,
        })
    }

    fn config(&self) -> PathBuf {
        self.root.path().join("config")
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    fn library(&self) -> SessionLibrary {
        SessionLibrary::open(self.config())
    }

    /// Runs the CLI for one prompt; says whether it ended well, and what it printed.
    async fn prompt(&self, cwd: &Path, prompt: &str, args: &[&str]) -> Result<(bool, String)> {
        let child = tokio::process::Command::new(&self.binary)
            .args(["--bare", "-p", prompt])
            .args(args)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root.path())
            .env("CLAUDE_CONFIG_DIR", self.config())
            .env("ANTHROPIC_BASE_URL", self.api.uri())
            .env("ANTHROPIC_API_KEY", "key-for-a-scripted-api")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .current_dir(cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("the CLI did not start")?;
        let output = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output())
            .await
            .context("the CLI did not end within a minute")??;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok((output.status.success(), text))
    }

    /// What the model was sent last, as text.
    fn last_asked(&self) -> String {
        let requests = self.api.requests();
        let asked = requests.iter().rfind(|r| r.path == "/v1/messages");
        asked.map_or_else(String::new, |request| format!("{:?}", request.messages()))
    }
}

/// The folder that the CLI makes for a directory is the one we would look in.
async fn keys(cli: &CliPackage) -> Result<Figure> {
    let home = Home::new(cli).await?;
    let base = home.project();
    let long = "a long name, cut and hashed".repeat(5);
    let mut dirs: Vec<PathBuf> = [
        "plain",
        "dots.and_more",
        "ünï",
        "e\u{301}",
        "日本語",
        "🦀 crab",
    ]
    .iter()
    .map(|name| base.join(name))
    .collect();
    dirs.push(base.join(&long).join(&long));
    for dir in &dirs {
        std::fs::create_dir_all(dir)?;
    }
    let link = base.join("link");
    std::os::unix::fs::symlink(base.join("plain"), &link)?;
    dirs.push(link);

    let mut wrong = Vec::new();
    for dir in &dirs {
        let project = home.library().project_of(dir);
        let before = sessions_in(&project.path);
        let (ended_well, said) = home.prompt(dir, "hello", &[]).await?;
        ensure!(
            ended_well,
            "the CLI did not answer in {}: {said}",
            dir.display()
        );
        if sessions_in(&project.path) != before + 1 {
            wrong.push(format!("{}: not in {}", dir.display(), project.key));
        }
    }
    let right = dirs.len() - wrong.len();
    Ok(Figure::new(
        "folder keys: the real CLI's folder is the one we name",
        "all",
    )
    .measured(format!("{right} of {}", dirs.len()), wrong.is_empty())
    .list("wrong", wrong))
}

fn sessions_in(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.path());
    names
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .count()
}

/// Sessions that we changed or made are resumed by the real CLI, and the model sees the history.
async fn resumed(cli: &CliPackage) -> Result<Figure> {
    const ID: &str = "5e5e5e5e-0000-4000-8000-000000000001";
    let home = Home::new(cli).await?;
    let (project, library) = (home.project(), home.library());
    home.prompt(&project, "the first word is walnut", &["--session-id", ID])
        .await?;
    home.prompt(&project, "the second word is quince", &["--resume", ID])
        .await?;
    ensure!(
        home.last_asked().contains("walnut"),
        "the CLI itself does not resume"
    );

    let mut checks = Checks::default();
    library.rename(ID, "Fruit and nuts")?;
    library.tag(ID, Some("pantry"))?;
    library.archive(ID)?;
    let info = library.info(ID)?.context("the session is not listed")?;
    checks.see(
        "archived before the next prompt",
        info.archived == Some(true),
    );
    home.prompt(&project, "what were they?", &["--resume", ID])
        .await?;
    let asked = home.last_asked();
    checks.see(
        "renamed, tagged and archived: the model sees both turns",
        asked.contains("walnut") && asked.contains("quince"),
    );
    let info = library.info(ID)?.context("the session is not listed")?;
    checks.see(
        "the title is kept",
        info.custom_title.as_deref() == Some("Fruit and nuts"),
    );
    checks.see("the tag is kept", info.tag.as_deref() == Some("pantry"));
    checks.see(
        "the prompt took it out of the archive",
        info.archived == Some(false),
    );

    let before = std::fs::read(&info.path)?;
    let whole = library.fork(ID, &ForkOptions::new())?;
    home.prompt(&project, "and in the fork?", &["--resume", &whole])
        .await?;
    let asked = home.last_asked();
    checks.see(
        "a fork: the model sees both turns",
        asked.contains("walnut") && asked.contains("quince"),
    );
    let messages = library.messages(ID, &MessageFilter::new())?;
    let first_reply = messages
        .iter()
        .find(|message| message.role == Role::Assistant);
    let first_reply = &first_reply.context("no reply in the session")?.uuid;
    let part = library.fork(
        ID,
        &ForkOptions::new().up_to(first_reply.clone()).title("Part"),
    )?;
    home.prompt(&project, "and in this one?", &["--resume", &part])
        .await?;
    let asked = home.last_asked();
    checks.see(
        "a fork up to a message: the model sees the first turn alone",
        asked.contains("walnut") && !asked.contains("quince"),
    );
    // By its bytes, which is how the CLI looks in folders of other directories.
    let elsewhere = home.root.path().join("elsewhere");
    std::fs::create_dir(&elsewhere)?;
    home.prompt(&elsewhere, "and from elsewhere?", &["--resume", &whole])
        .await?;
    checks.see(
        "a fork is found from another directory",
        home.last_asked().contains("walnut"),
    );
    checks.see(
        "the original is as it was",
        std::fs::read(&info.path)? == before,
    );

    library.delete(ID)?;
    let (ended_well, said) = home
        .prompt(&project, "still there?", &["--resume", ID])
        .await?;
    checks.see(
        "deleted: the CLI finds no conversation",
        !ended_well && said.contains("No conversation found"),
    );
    Ok(checks.figure())
}

/// What was looked at, and whether it was so.
#[derive(Default)]
struct Checks(Vec<(&'static str, bool)>);

impl Checks {
    fn see(&mut self, what: &'static str, so: bool) {
        self.0.push((what, so));
    }

    fn figure(self) -> Figure {
        let wrong: Vec<&str> = self
            .0
            .iter()
            .filter(|(_, so)| !so)
            .map(|(what, _)| *what)
            .collect();
        let right = self.0.len() - wrong.len();
        Figure::new(
            "sessions renamed, tagged, archived, forked, deleted: resumed by the real CLI, history seen by the model",
            "all",
        )
        .measured(format!("{right} of {}", self.0.len()), wrong.is_empty())
        .list("wrong", wrong)
    }
}
