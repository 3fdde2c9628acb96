//! The size of the code: lines, long files, import cycles, and the cost of a first program.

mod cycles;
mod first_program;
mod imports;
mod lines;
mod modules;
mod paths;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use claw_testkit::figure::Figure;

use crate::ci::source_files;
use crate::cli_package::workspace_root;
use crate::prove::figure::render;
use lines::Source;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also build the program of the README from nothing: packages, time on the processor, size.
    #[arg(long)]
    first_program: bool,
    /// Write the output to docs/proof/size.md; implies `--first-program`.
    #[arg(long)]
    write: bool,
}

/// Crates and the code lines they may have.
const CAPS: &[(&str, &[&str], usize)] = &[
    (
        "protocol and macros",
        &["crates/rusty_claw_protocol/", "crates/rusty_claw_macros/"],
        14_000,
    ),
    ("rusty_claw", &["crates/rusty_claw/"], 21_000),
    ("claw-transcript", &["crates/claw-transcript/"], 25_000),
    ("claw-server", &["crates/claw-server/"], 14_000),
    ("claw-store", &["crates/claw-store/"], 6_500),
    ("claw-gateway", &["crates/claw-gateway/"], 12_500),
    ("claw", &["crates/claw/"], 6_000),
    ("claw-testkit", &["crates/claw-testkit/"], 11_000),
    ("xtask", &["xtask/"], 11_500),
];
/// The code lines of the TypeScript client, without generated types.
const TYPESCRIPT_LINES: usize = 2_000;
const ALL_LINES: usize = 180_000;
const LONG_FILE: usize = 400;
const LONG_FILES: usize = 15;

pub(crate) fn run(args: &Args) -> Result<()> {
    let sources = lines::read_all()?;
    let mut figures: Vec<Figure> = CAPS.iter().map(|cap| code_lines(&sources, cap)).collect();
    figures.push(typescript_lines()?);
    figures.push(all_lines(&sources)?);
    figures.push(long_files(&sources));
    figures.push(import_cycles(&sources)?);
    if args.first_program || args.write {
        figures.extend(first_program::measure()?);
    }
    let text = render(&figures);
    print!("{text}");
    if args.write {
        let page = format!(
            "# The size of the code\n\nWritten by `cargo xtask size --write`; `SHORT` means that \
             the bar is not reached.\n\n{text}"
        );
        let path = workspace_root().join("docs/proof/size.md");
        std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let short = figures.iter().filter(|figure| !figure.passed).count();
    ensure!(
        short == 0,
        "{short} of {} figures fall short",
        figures.len()
    );
    Ok(())
}

/// Counts the code lines of some crates.
pub(crate) fn code_lines_of(names: &[&str]) -> Result<Vec<Figure>> {
    let sources = lines::read_all()?;
    let caps = CAPS.iter().filter(|(name, ..)| names.contains(name));
    Ok(caps.map(|cap| code_lines(&sources, cap)).collect())
}

fn code_lines(sources: &[Source], (name, folders, cap): &(&str, &[&str], usize)) -> Figure {
    let lines: usize = sources
        .iter()
        .filter(|source| folders.iter().any(|folder| source.name.starts_with(folder)))
        .map(|source| source.code_lines)
        .sum();
    Figure::new(
        format!("code lines of {name}, without comments, blanks and tests"),
        format!("≤ {cap}"),
    )
    .measured(lines.to_string(), lines <= *cap)
}

fn typescript_lines() -> Result<Figure> {
    let mut lines = 0;
    for file in source_files::all()? {
        let is_source = file.name.starts_with("clients/typescript/src/");
        if !is_source || file.name.ends_with("/generated.ts") {
            continue;
        }
        let text = file.read()?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let is_code = |line: &&str| {
            let line = line.trim();
            !line.is_empty() && !["//", "/*", "*"].iter().any(|mark| line.starts_with(mark))
        };
        lines += text.lines().filter(is_code).count();
    }
    let name = "code lines of clients/typescript, without comments, blanks and generated types";
    let bar = format!("≤ {TYPESCRIPT_LINES}");
    Ok(Figure::new(name, bar).measured(lines.to_string(), lines <= TYPESCRIPT_LINES))
}

fn all_lines(sources: &[Source]) -> Result<Figure> {
    let lines: usize = sources.iter().map(|source| source.lines).sum();
    let mut others: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for file in source_files::all()? {
        let extension = Path::new(&file.name).extension().unwrap_or_default();
        let extension = extension.to_string_lossy().into_owned();
        if ["rs", "md", "lock"].contains(&extension.as_str()) {
            continue;
        }
        let Some(bytes) = file.read()? else { continue };
        let (files, lines) = others.entry(extension).or_default();
        *files += 1;
        *lines += memchr::memchr_iter(b'\n', &bytes).count();
    }
    let others = others
        .iter()
        .map(|(extension, (files, lines))| format!(".{extension}: {lines} lines in {files} files"));
    Ok(Figure::new(
        "all Rust lines, with tests, bench and fuzz",
        format!("≤ {ALL_LINES}"),
    )
    .measured(lines.to_string(), lines <= ALL_LINES)
    .list("templates, data and scripts beside it", others))
}

fn long_files(sources: &[Source]) -> Figure {
    let mut long: Vec<&Source> = sources
        .iter()
        .filter(|source| source.lines > LONG_FILE)
        .collect();
    long.sort_by_key(|source| std::cmp::Reverse(source.lines));
    let names = long
        .iter()
        .map(|source| format!("{} {}", source.lines, source.name));
    Figure::new(
        format!("Rust files over {LONG_FILE} lines, with tests"),
        format!("≤ {LONG_FILES}"),
    )
    .measured(long.len().to_string(), long.len() <= LONG_FILES)
    .list("files", names)
}

fn import_cycles(sources: &[Source]) -> Result<Figure> {
    let imports = imports::between_files(sources)?;
    let cycles = cycles::find(&imports);
    let names = cycles.iter().map(|files| files.join(", "));
    Ok(Figure::new("import cycles between files", "0")
        .measured(cycles.len().to_string(), cycles.is_empty())
        .note("`mod` declarations, re-exports and tests do not count; a re-exported name is followed to its source")
        .list("cycles", names))
}
