//! `claw doctor`: checks the settings of a gateway.

mod checks;

pub(crate) use self::checks::warn_without_claude;

use serde::Serialize;

use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::settings::Settings;
use crate::words::plain;

/// Check what `claw serve` needs, and print what is wrong and how to fix it.
///
/// Reads the same flags, variables and configuration file as `claw serve`. Exits with 1 if
/// something prevents the gateway from working safely.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    Warning,
    Error,
}

/// The result of a check.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    level: Level,
    message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self {
            check,
            level: Level::Ok,
            message: message.into(),
            fix: None,
        }
    }

    fn warning(check: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            level: Level::Warning,
            fix: Some(fix.into()),
            ..Self::ok(check, message)
        }
    }

    fn error(check: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            level: Level::Error,
            ..Self::warning(check, message, fix)
        }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    errors: usize,
    warnings: usize,
    findings: &'a [Finding],
}

pub(crate) fn run(args: &DoctorArgs, printer: &mut Printer) -> anyhow::Result<Status> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let findings = runtime.block_on(checks::all(&args.settings));
    runtime.shutdown_background();
    let count = |level| findings.iter().filter(|one| one.level == level).count();
    let (errors, warnings) = (count(Level::Error), count(Level::Warning));
    if args.json {
        printer.json(&Report {
            errors,
            warnings,
            findings: &findings,
        })?;
    } else {
        print(&findings, printer)?;
        printer.line(format!("{errors} errors, {warnings} warnings"))?;
    }
    Ok(match errors {
        0 => Status::Fine,
        _ => Status::Found(1),
    })
}

fn print(findings: &[Finding], printer: &mut Printer) -> anyhow::Result<()> {
    for Finding {
        check,
        level,
        message,
        fix,
    } in findings
    {
        let (style, word) = match level {
            Level::Ok => (style::GOOD, "ok"),
            Level::Warning => (style::WARN, "warning"),
            Level::Error => (style::BAD, "error"),
        };
        let message = plain(message);
        printer.line(format!("{style}{word:<8}{style:#}{check:<14}{message}"))?;
        if let Some(fix) = fix {
            printer.line(format!("{:22}fix: {}", "", plain(fix)))?;
        }
    }
    Ok(())
}
