//! The size of the code against its budgets: code lines, long files and import cycles.

mod cycles;
mod imports;
mod lines;
mod modules;
mod paths;

use anyhow::{Context, Result, ensure};

use crate::ci::source_files;
use crate::figure::Figure;
use crate::prove::page;
use lines::Source;

/// Names, limits and folders.
const BUDGETS: &str = include_str!("../budgets.tsv");
/// The code lines of the TypeScript client, without generated types.
const TYPESCRIPT_LINES: usize = 2_000;
/// Files with more lines are long.
const LONG: usize = 400;
const LONG_FILES: usize = 18;
/// The most lines of a file.
const WALL: usize = 800;
/// Groups of files that import one another, and the files in them.
const CYCLES: usize = 9;
const IN_CYCLES: usize = 67;

/// The CI job, and `cargo xtask size`.
pub(crate) fn run() -> Result<()> {
    let sources = lines::read_all()?;
    let mut figures = Vec::new();
    for line in BUDGETS.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, limit, folders] = cells[..] else {
            anyhow::bail!("budgets.tsv: not three cells: {line}");
        };
        let limit = limit
            .parse()
            .with_context(|| format!("budgets.tsv: {line}"))?;
        figures.push(code_lines(&sources, name, limit, folders));
    }
    figures.extend(long_files(&sources)?);
    figures.extend(import_cycles(&sources)?);
    print!("{}", page::render(&figures));
    let short = figures.iter().filter(|figure| !figure.passed).count();
    ensure!(
        short == 0,
        "{short} of {} budgets are exceeded",
        figures.len()
    );
    Ok(())
}

/// The code lines of a budget, for the page of an area.
pub(crate) fn code_lines_of(names: &[&str]) -> Result<Vec<Figure>> {
    let sources = lines::read_all()?;
    let budgets = BUDGETS.lines().filter_map(|line| {
        let mut cells = line.split('\t');
        let (name, limit) = (cells.next()?, cells.next()?.parse().ok()?);
        let figure = || code_lines(&sources, name, limit, cells.next().unwrap_or_default());
        names.contains(&name).then(figure)
    });
    Ok(budgets.collect())
}

fn code_lines(sources: &[Source], name: &str, limit: usize, folders: &str) -> Figure {
    let is_counted = |source: &&Source| folders.split(' ').any(|one| source.name.starts_with(one));
    let lines = sources
        .iter()
        .filter(is_counted)
        .map(|source| source.code_lines);
    let lines = lines.sum::<usize>();
    let name = format!("code lines of {name}, without comments, blanks and tests");
    Figure::new(name, format!("≤ {limit}")).measured(lines.to_string(), lines <= limit)
}

/// Counts the lines of all sources but tests and generated files.
fn long_files(rust: &[Source]) -> Result<Vec<Figure>> {
    let mut lengths: Vec<(usize, String)> = Vec::new();
    let mut typescript = 0;
    for file in source_files::all()? {
        let extension = file.name.rsplit('.').next().unwrap_or_default();
        let is_source = ["rs", "ts", "tsx", "mjs"].contains(&extension);
        if !is_source || is_test(&file.name) {
            continue;
        }
        let text = file.read()?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if is_generated(&text) {
            continue;
        }
        lengths.push((text.lines().count(), file.name.clone()));
        if file.name.starts_with("clients/typescript/src/") {
            let is_code = |line: &str| !["", "//", "/*", "*"].contains(&mark(line));
            typescript += text.lines().filter(|line| is_code(line)).count();
        }
    }
    ensure!(lengths.len() >= rust.len() / 4, "too few files were read");
    lengths.sort_by(|one, other| other.cmp(one));
    let longest = lengths.first().map_or(0, |(lines, _)| *lines);
    lengths.retain(|(lines, _)| *lines > LONG);
    let names = lengths
        .iter()
        .map(|(lines, name)| format!("{lines} {name}"));
    Ok(vec![
        Figure::new(
            "code lines of clients/typescript, without generated types",
            format!("≤ {TYPESCRIPT_LINES}"),
        )
        .measured(typescript.to_string(), typescript <= TYPESCRIPT_LINES),
        Figure::new("the longest source file", format!("≤ {WALL} lines"))
            .measured(longest.to_string(), longest <= WALL),
        Figure::new(
            format!("source files over {LONG} lines"),
            format!("≤ {LONG_FILES}"),
        )
        .measured(lengths.len().to_string(), lengths.len() <= LONG_FILES)
        .list("files", names),
    ])
}

/// The mark with which a comment line begins, or else the whole line.
fn mark(line: &str) -> &str {
    let line = line.trim();
    let mut marks = ["//", "/*", "*"].into_iter();
    let found = marks.find(|mark| line.starts_with(mark));
    found.unwrap_or(line)
}

fn is_test(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let is_in_folder = name
        .split('/')
        .any(|folder| folder == "tests" || folder == "test");
    is_in_folder || file == "tests.rs" || file.contains(".test.")
}

/// Whether one of the first lines has the mark of a generated file.
fn is_generated(text: &str) -> bool {
    let mark = concat!("@", "generated");
    text.lines().take(5).any(|line| line.contains(mark))
}

fn import_cycles(sources: &[Source]) -> Result<[Figure; 2]> {
    let imports = imports::between_files(sources)?;
    let cycles = cycles::find(&imports);
    let names = cycles.iter().map(|files| files.join(", "));
    let count = Figure::new("import cycles between files", format!("≤ {CYCLES}"))
        .measured(cycles.len().to_string(), cycles.len() <= CYCLES)
        .note("`use` and paths in code count; `mod` declarations, exports of what is below, and tests do not; an exported name is followed to its source")
        .list("cycles", names);
    // Two cycles that merge into one would lower only the first figure.
    let files = cycles.iter().map(Vec::len).sum::<usize>();
    let in_cycles = Figure::new("files in import cycles", format!("≤ {IN_CYCLES}"));
    Ok([
        count,
        in_cycles.measured(files.to_string(), files <= IN_CYCLES),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_generated_files_may_be_long() {
        let tests = [
            "a/tests/it/main.rs",
            "a/src/b/tests.rs",
            "web/src/a.test.ts",
        ];
        assert!(tests.iter().all(|name| is_test(name)));
        assert!(
            !["xtask/src/ci.rs", "web/src/app.tsx", "testset.rs"]
                .iter()
                .any(|name| is_test(name))
        );
        let mark = concat!("// @", "generated by xtask\n");
        assert!(is_generated(&format!("//! Types.\n{mark}")));
        assert!(!is_generated(&format!("{}{mark}", "\n".repeat(5))));
    }

    #[test]
    fn budgets_count_every_source_and_no_other_folder() {
        let root = crate::place::workspace_root();
        let lines = BUDGETS.lines().filter(|line| !line.starts_with('#'));
        let folders = lines.flat_map(|line| line.rsplit('\t').next().unwrap().split(' '));
        let folders: Vec<&str> = folders.collect();
        let is_missing = |folder: &&&str| !root.join(folder).is_dir();
        assert_eq!(folders.iter().find(is_missing), None);
        for source in lines::read_all().unwrap() {
            let is_in = |folder: &&str| source.name.starts_with(folder);
            let has_budget = folders.iter().any(is_in) || source.code_lines == 0;
            assert!(has_budget, "{}", source.name);
        }
    }
}
