//! Writes session files with known totals, for measuring and testing readers of them.

use std::error::Error;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Parser, Subcommand};
use claw_testkit::corpus::{SessionCorpus, Shapes, grow, hostile_files, traps, write_demo};

/// Writes session files with known totals.
#[derive(Debug, Parser)]
#[command(name = "session-corpus", version)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// A handful of conversations that a person can read, under OUT/.claude/projects, to try
    /// things out on; one of them is damaged.
    Demo {
        /// The folder to write to.
        out: PathBuf,
    },
    /// Sessions like those of the CLI under OUT/.claude/projects, and their totals in
    /// OUT/truth.json.
    Sessions(Sessions),
    /// Thirty small libraries with one difficulty each, and their totals in OUT/expected.json.
    Traps {
        /// The folder to write to.
        out: PathBuf,
    },
    /// Hostile files, which a reader must read and write back byte for byte.
    Hostile {
        /// The folder to write to.
        out: PathBuf,
    },
    /// A file that grows, and is rotated, cut and replaced. Before lines are lost, prints the
    /// number of lines and waits for a line of input.
    Grow {
        /// The file to write to.
        file: PathBuf,
        /// How many lines to write.
        #[arg(long, default_value_t = 100_000, value_name = "N")]
        lines: u64,
        /// The same seed does the same.
        #[arg(long, default_value_t = 1, value_name = "N")]
        seed: u64,
    },
}

#[derive(Debug, Args)]
struct Sessions {
    /// The folder to write to.
    out: PathBuf,
    /// How many million bytes.
    #[arg(long, default_value_t = 200.0, value_name = "N")]
    mb: f64,
    /// The number of small sessions, instead of a size.
    #[arg(long, value_name = "N", conflicts_with = "mb")]
    sessions: Option<u64>,
    /// The same seed gives the same bytes.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Damages nothing and answers every tool call.
    #[arg(long)]
    clean: bool,
    /// Damages one file of each kind among so many sessions.
    #[arg(long, value_name = "N", conflicts_with = "clean")]
    damage_every: Option<usize>,
    /// A session file of the CLI to take the shapes of attachments and requests from.
    #[arg(long, value_name = "FILE.jsonl")]
    shapes: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(Arguments::parse().what) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let cause = error.source().map(|cause| format!(": {cause}"));
            eprintln!("session-corpus: {error}{}", cause.unwrap_or_default());
            ExitCode::FAILURE
        }
    }
}

fn run(what: What) -> Result<String, Box<dyn Error>> {
    Ok(match what {
        What::Demo { out } => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
            let files = write_demo(&out, i64::try_from(now)?)?;
            format!(
                "{} sessions in {}",
                files.len(),
                out.join(".claude").display()
            )
        }
        What::Sessions(arguments) => sessions(arguments)?,
        What::Traps { out } => format!("{} traps", traps::write_all(&out)?.len()),
        What::Hostile { out } => format!("{} files", hostile_files(&out)?.len()),
        What::Grow { file, lines, seed } => {
            let done = grow(&file, lines, seed, wait_for_reader)?;
            format!(
                "{} lines, {} rotations, {} cuts, {} replacements",
                done.lines, done.rotations, done.cuts, done.replacements
            )
        }
    })
}

fn wait_for_reader(lines: u64) -> io::Result<()> {
    println!("{lines}");
    let read = io::stdin().read_line(&mut String::new())?;
    if read == 0 {
        return Err(io::Error::other("the reader closed the pipe"));
    }
    Ok(())
}

fn sessions(arguments: Sessions) -> Result<String, Box<dyn Error>> {
    let mut corpus = match arguments.sessions {
        Some(sessions) => SessionCorpus::of_sessions(sessions),
        None => SessionCorpus::of_megabytes(arguments.mb),
    };
    corpus = corpus.seed(arguments.seed);
    if arguments.clean {
        corpus = corpus.clean();
    }
    if let Some(sessions) = arguments.damage_every {
        corpus = corpus.damage_every(sessions);
    }
    if let Some(path) = arguments.shapes {
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        corpus = corpus.shapes(Shapes::from_session(&text)?);
    }
    let truth = corpus.write(&arguments.out)?;
    Ok(format!(
        "{} bytes, {} lines, {} main files, {} agent files, {} messages, ${:.2}",
        truth.bytes,
        truth.lines,
        truth.main_files,
        truth.agent_files,
        truth.unique_messages,
        truth.total_cost
    ))
}
