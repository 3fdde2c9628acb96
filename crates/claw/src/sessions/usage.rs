//! `claw sessions usage`

use std::num::NonZero;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use claw_transcript::{
    CountedAs, Day, ExplainedMessage, GroupBy, HiddenSpend, PriceTable, Selection, Sums,
    UsageQuery, UsageReport, UsageRow, Usd, Zone,
};

use super::scope::{Scope, say_unreadable};
use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::progress::Progress;
use crate::table::{Column, Table};
use crate::words;

/// What to count.
#[derive(Debug, Args)]
#[command(after_help = "\
Each reply counts once, over all files and forks. Spend that no line records (compactions, killed
requests) and models without a known price are shown beside the total and not added to it.

Examples:
  claw sessions usage                        by day
  claw sessions usage --by project,model     two groupings at once
  claw sessions usage --since 2026-11-01 --zone UTC
  claw sessions usage --explain total        every line behind the total
  claw sessions usage --by day --explain 2026-11-03")]
pub(super) struct UsageArgs {
    /// Group by day, project, session, model, branch, git-branch, tool, subagent or agent-type;
    /// separate several with commas.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "day",
        value_name = "WHAT"
    )]
    by: Vec<GroupBy>,
    /// Count from the start of this day (YYYY-MM-DD).
    #[arg(long, value_parser = day, value_name = "DAY")]
    since: Option<Day>,
    /// Count up to the end of this day (YYYY-MM-DD).
    #[arg(long, value_parser = day, value_name = "DAY")]
    until: Option<Day>,
    /// Time zone of the days, such as Europe/Berlin [default: the zone of this machine].
    #[arg(long, value_parser = zone, value_name = "ZONE")]
    zone: Option<Zone>,
    /// A JSON file with your own prices.
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Number of threads [default: one per processor].
    #[arg(long, value_name = "COUNT")]
    threads: Option<NonZero<usize>>,
    /// Show every line and price behind a number: `total`, the id of a reply, or the keys of a row
    /// as the table shows them, separated by commas.
    #[arg(long, value_name = "NUMBER")]
    explain: Option<String>,
}

fn day(text: &str) -> Result<Day, String> {
    Day::parse(text).ok_or_else(|| "write a day as 2026-11-30".to_owned())
}

fn zone(name: &str) -> Result<Zone, String> {
    Zone::named(name).map_err(|error| error.to_string())
}

pub(super) fn run(
    scope: &Scope,
    args: &UsageArgs,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let library = scope.library()?;
    let query = query(args)?;
    if let Some(number) = &args.explain {
        let selection = match number.as_str() {
            "total" => Selection::All,
            id if id.starts_with("msg_") => Selection::Message(id.to_owned()),
            other => row_or_message(&query.run(&library)?, other)?,
        };
        let explanation = query.explain(&library, &selection)?;
        if scope.json {
            printer.json(&explanation)?;
        } else {
            for message in &explanation.messages {
                explain(message, printer)?;
            }
            printer.line(format_args!("{}", one_line("total", &explanation.total)))?;
        }
        return Ok(if explanation.messages.is_empty() {
            anstream::eprintln!(
                "no row or reply {number:?}: give a row as `usage` shows it, the id of a reply, or total"
            );
            Status::Found(1)
        } else {
            Status::Fine
        });
    }
    let survey = library.survey()?;
    let total = survey.files.iter().map(|file| file.len).sum();
    let progress = Progress::bytes("counting", total);
    let mut report = query.count(survey.files, Some(&|so_far| progress.at(so_far.done)));
    report.read.unreadable.extend(survey.unreadable);
    drop(progress);
    if scope.json {
        printer.json(&report)?;
    } else {
        print(&report, printer)?;
    }
    Ok(Status::Fine)
}

/// Resolves a text that is neither `total` nor an id of the API: a row, by its keys or by their
/// form in the table, or else a message id of a gateway. Keys may contain commas, so they are
/// compared as a whole.
fn row_or_message(report: &UsageReport, text: &str) -> anyhow::Result<Selection> {
    let exact = report.rows.iter().find(|row| row.keys.join(",") == text);
    if let Some(row) = exact {
        return Ok(Selection::Row(row.keys.clone()));
    }
    let shown = |row: &&UsageRow| {
        let keys: Vec<String> = row.keys.iter().map(|key| shown_key(key)).collect();
        keys.join(",") == text
    };
    let mut rows = report.rows.iter().filter(shown);
    match (rows.next(), rows.next()) {
        (None, _) => Ok(Selection::Message(text.to_owned())),
        (Some(row), None) => Ok(Selection::Row(row.keys.clone())),
        (Some(_), Some(_)) => anyhow::bail!(
            "several rows are shown as {text:?}: give the full keys, which --json prints"
        ),
    }
}

/// A key, truncated for the table.
fn shown_key(key: &str) -> String {
    words::cut(key, 48)
}

fn query(args: &UsageArgs) -> anyhow::Result<UsageQuery> {
    let mut query = UsageQuery::new();
    for group in &args.by {
        query = query.group_by(*group);
    }
    if let Some(since) = args.since {
        query = query.since(since);
    }
    if let Some(until) = args.until {
        query = query.until(until);
    }
    if let Some(zone) = &args.zone {
        query = query.zone(zone.clone());
    }
    if let Some(threads) = args.threads {
        query = query.threads(threads);
    }
    if let Some(path) = &args.prices {
        let json = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let prices = PriceTable::builtin().with_overrides(&json);
        query = query.prices(prices.with_context(|| format!("in {}", path.display()))?);
    }
    Ok(query)
}

fn print(report: &UsageReport, printer: &mut Printer) -> anyhow::Result<()> {
    let mut columns: Vec<Column> = report
        .group_by
        .iter()
        .map(|group| Column::Left(title(*group)))
        .collect();
    columns.extend([
        Column::Right("REPLIES"),
        Column::Right("INPUT"),
        Column::Right("OUTPUT"),
        Column::Right("CACHE WRITE"),
        Column::Right("CACHE READ"),
        Column::Right("COST"),
    ]);
    let mut table = Table::new(&columns);
    for row in &report.rows {
        let keys = row.keys.iter().map(|key| shown_key(key));
        table.row(keys.chain(cells(&row.sums)));
    }
    let mut total: Vec<String> = vec![String::new(); report.group_by.len()];
    if let Some(first) = total.first_mut() {
        "total".clone_into(first);
    }
    table.sum(total.into_iter().chain(cells(&report.total)));
    printer.raw_display(&table)?;
    let (faint, warn) = (style::FAINT, style::WARN);
    if report.group_by.contains(&GroupBy::Tool) {
        printer.line(format_args!(
            "{faint}a reply that calls several tools is in the row of each, with its share of the tokens{faint:#}"
        ))?;
    }
    for unpriced in &report.unpriced {
        printer.line(format_args!(
            "{warn}no price is known for {}{warn:#}: {}, {} tokens, not in the cost; see --prices",
            words::plain(&unpriced.model),
            words::several(unpriced.messages, "reply"),
            words::count(unpriced.tokens.total()),
        ))?;
    }
    if let Some(line) = hidden(&report.hidden) {
        printer.line(format_args!("{warn}in no line{warn:#}: {line}"))?;
    }
    let read = &report.read;
    if read.broken_lines > 0 {
        printer.line(format_args!(
            "{warn}{}{warn:#}, {} counted all the same; see `claw sessions check`",
            words::several(read.broken_lines, "broken line"),
            words::count(read.recovered_lines),
        ))?;
    }
    if read.odd_counts > 0 {
        printer.line(format_args!(
            "{warn}{}{warn:#} that are text or below zero: counted as zero, so the sums are too small; see `claw sessions check --strict`",
            words::several(read.odd_counts, "count"),
        ))?;
    }
    say_unreadable(&read.unreadable);
    printer.line(format_args!(
        "{faint}{} in {}; prices as of {}; days in {}{faint:#}",
        words::size(read.bytes),
        words::several(read.files, "file"),
        report.prices_as_of,
        report.zone.name().unwrap_or("local time"),
    ))?;
    Ok(())
}

/// Costs in the CLI's own totals that are in no line.
fn hidden(spend: &[HiddenSpend]) -> Option<String> {
    if spend.is_empty() {
        return None;
    }
    let known = spend.iter().filter_map(|spend| spend.cost);
    let cost = known.fold(Usd::ZERO, |sum, cost| sum + cost);
    let unanswered: u64 = spend.iter().map(|spend| spend.unanswered_requests).sum();
    Some(format!(
        "{} by the CLI's own totals (compactions and the like) and {} requests without an answer, in {} sessions; not in the total",
        money(Some(cost)),
        words::count(unanswered),
        words::count(spend.len() as u64),
    ))
}

fn title(group: GroupBy) -> &'static str {
    match group {
        GroupBy::Day => "DAY",
        GroupBy::Project => "PROJECT",
        GroupBy::Session => "SESSION",
        GroupBy::Model => "MODEL",
        GroupBy::Branch => "BRANCH",
        GroupBy::GitBranch => "GIT BRANCH",
        GroupBy::Tool => "TOOL",
        GroupBy::Subagent => "SUBAGENT",
        GroupBy::AgentType => "AGENT TYPE",
        _ => "BY",
    }
}

fn cells(sums: &Sums) -> [String; 6] {
    let mark = if sums.unpriced_messages > 0 { "+" } else { "" };
    [
        words::count(sums.messages),
        words::count(sums.tokens.input),
        words::count(sums.tokens.output),
        words::count(sums.tokens.cache_write()),
        words::count(sums.tokens.cache_read),
        format!("{}{mark}", money(sums.cost)),
    ]
}

fn money(cost: Option<Usd>) -> String {
    let Some(cost) = cost else {
        return "?".to_owned();
    };
    let dollars = cost.dollars();
    let digits = if dollars != 0.0 && dollars.abs() < 0.1 {
        4
    } else {
        2
    };
    format!("${dollars:.digits$}")
}

fn one_line(what: &str, sums: &Sums) -> String {
    let title = style::TITLE;
    format!(
        "{title}{what}{title:#}: {}, {} in, {} out, {} cache write, {} cache read, {}",
        words::several(sums.messages, "reply"),
        words::count(sums.tokens.input),
        words::count(sums.tokens.output),
        words::count(sums.tokens.cache_write()),
        words::count(sums.tokens.cache_read),
        money(sums.cost),
    )
}

fn explain(message: &ExplainedMessage, printer: &mut Printer) -> anyhow::Result<()> {
    let (name, faint, title) = (style::NAME, style::FAINT, style::TITLE);
    let tokens = &message.tokens;
    printer.line(format_args!(
        "{title}{}{title:#} {name}{}{name:#} {} {faint}session {}{faint:#}",
        words::plain(message.id.as_deref().unwrap_or("(no id)")),
        words::plain(&message.model),
        words::plain(message.time.as_deref().unwrap_or("(no time)")),
        words::plain(&message.session),
    ))?;
    match &message.bill {
        Some(bill) => {
            for term in bill.terms.iter().filter(|term| term.count > 0) {
                printer.line(format_args!(
                    "  {:>12} {:<16} × ${}/million = {}",
                    words::count(term.count),
                    term.what,
                    term.usd_per_million,
                    term.amount,
                ))?;
            }
            if let Some(surcharge) = bill.us_surcharge {
                printer.line(format_args!("  US surcharge {surcharge}"))?;
            }
            printer.line(format_args!("  = {}", bill.total))?;
        }
        None => printer.line(format_args!(
            "  {} tokens{}",
            words::count(tokens.total()),
            if message.synthetic {
                ", written by the CLI: not counted"
            } else {
                ", price unknown"
            },
        ))?,
    }
    for line in &message.lines {
        let verdict = match line.counted_as {
            CountedAs::Kept => "counts",
            CountedAs::BlockCopy => "dropped: another block of the same reply",
            CountedAs::SmallerUsage => "dropped: usage of an unfinished block",
            CountedAs::ForkCopy => "dropped: copied by a fork",
            CountedAs::LikelyForkCopy => "dropped: probably the copy of a fork",
            _ => "dropped",
        };
        let recovered = if line.recovered {
            ", salvaged from a broken line"
        } else {
            ""
        };
        printer.line(format_args!(
            "  {faint}{}:{} (byte {}){faint:#} {} out, {verdict}{recovered}",
            line.path.display(),
            line.line,
            line.offset,
            words::count(line.output),
        ))?;
    }
    Ok(())
}
