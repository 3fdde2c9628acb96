//! What `repair` prints for people.

use claw_transcript::{
    CheckReport, ProjectKey, RepairPlan, Repaired, SessionFile, SessionLibrary, Severity,
    real_place,
};

use crate::exit::Status;
use crate::printer::{Printer, style};
use crate::words::{self, several, shown};

/// Maximum number of steps listed for a file without `--full`.
const LISTED: usize = 20;

/// The totals of all sessions.
#[derive(Debug, Default)]
pub(super) struct Total {
    pub(super) sessions: usize,
    /// With something to repair.
    pub(super) damaged: usize,
    pub(super) steps: usize,
    /// Written, and checked without errors.
    pub(super) whole: usize,
    pub(super) written: usize,
    /// With errors that cannot be repaired.
    pub(super) beyond: usize,
    /// Repaired by an earlier run.
    pub(super) before: usize,
    /// Not repaired, with the reason printed.
    pub(super) failed: usize,
}

impl Total {
    pub(super) fn status(&self) -> Status {
        match self {
            _ if self.failed > 0 => Status::Found(3),
            _ if self.beyond > 0 => Status::Found(2),
            _ if self.damaged > self.written + self.before => Status::Found(1),
            _ => Status::Fine,
        }
    }

    /// Prints the summary of a run over several sessions.
    pub(super) fn print(&self, writes: bool, printer: &mut Printer) -> anyhow::Result<()> {
        let (faint, good, bad) = (style::FAINT, style::GOOD, style::BAD);
        let sessions = several(self.sessions as u64, "session");
        if self.damaged == 0 && self.beyond == 0 && self.failed == 0 {
            printer.line(format_args!(
                "{good}nothing to repair{good:#} in {sessions}"
            ))?;
            return Ok(());
        }
        let count = |number: usize| words::count(number as u64);
        let mut parts = vec![format!(
            "{} of {sessions} to repair, {}",
            count(self.damaged),
            several(self.steps as u64, "step")
        )];
        if writes {
            let (written, whole) = (count(self.written), count(self.whole));
            parts.push(format!("{written} written, {whole} of them without errors"));
        }
        if self.before > 0 {
            parts.push(format!("{} repaired before", count(self.before)));
        }
        let problems = [
            (self.failed, "could not be repaired"),
            (self.beyond, "with errors that cannot be repaired"),
        ];
        for (number, what) in problems.into_iter().filter(|(number, _)| *number > 0) {
            parts.push(format!("{bad}{} {what}{bad:#}", count(number)));
        }
        printer.line(parts.join("; "))?;
        if self.damaged > self.written + self.before && self.failed == 0 {
            printer.line(format_args!(
                "{faint}nothing written: give --write for repaired sessions beside them, or \
                 --output DIR{faint:#}"
            ))?;
        }
        Ok(())
    }
}

/// Prints the repair of one session.
pub(super) struct Report<'a> {
    pub(super) library: &'a SessionLibrary,
    pub(super) full: bool,
    pub(super) printer: &'a mut Printer,
}

impl Report<'_> {
    /// Prints the plan, or the findings that cannot be repaired.
    pub(super) fn plan(
        &mut self,
        session: &SessionFile,
        plan: &RepairPlan,
        check: &CheckReport,
    ) -> anyhow::Result<()> {
        let (title, good, bad) = (style::TITLE, style::GOOD, style::BAD);
        let path = shown(&session.path);
        self.printer.line(format_args!("{title}{path}{title:#}"))?;
        let found = several(check.total.errors, "error");
        match (plan.is_empty(), check.total.errors + check.total.warnings) {
            (true, 0) => self
                .printer
                .line(format_args!("  {good}nothing to repair{good:#}"))?,
            (true, _) => {
                let warnings = several(check.total.warnings, "warning");
                self.printer.line(format_args!(
                    "  {bad}{found}{bad:#} and {warnings} found; none can be repaired \
                     automatically. What you can do:"
                ))?;
                self.advice(check)?;
            }
            (false, _) => {
                let steps = several(plan.steps().count() as u64, "step");
                self.printer.line(format_args!(
                    "  {bad}{found}{bad:#} found, {steps} to repair:"
                ))?;
            }
        }
        self.steps(plan)
    }

    fn listed(&self) -> usize {
        if self.full { usize::MAX } else { LISTED }
    }

    fn steps(&mut self, plan: &RepairPlan) -> anyhow::Result<()> {
        let (faint, title, name) = (style::FAINT, style::TITLE, style::NAME);
        let listed = self.listed();
        for file in plan.files.iter().filter(|file| !file.steps.is_empty()) {
            if let Some(agent) = &file.agent_id {
                self.printer
                    .line(format_args!("  {title}subagent {agent}{title:#}"))?;
            }
            for step in file.steps.iter().take(listed) {
                self.printer.line(format_args!(
                    "  line {}, byte {}: {name}{}{name:#} {faint}({}){faint:#}: {}",
                    step.line,
                    step.offset,
                    step.action.as_str(),
                    step.rule,
                    step.why,
                ))?;
                if let Some(before) = step.before.as_deref().map(words::plain) {
                    self.printer
                        .line(format_args!("      {faint}{before}{faint:#}"))?;
                }
                if let Some(after) = step.after.as_deref().map(words::plain) {
                    self.printer.line(format_args!("      -> {after}"))?;
                }
            }
            let more = file.steps.len().saturating_sub(listed);
            if more > 0 {
                let more = words::count(more as u64);
                self.printer
                    .line(format_args!("  {faint}{more} more (--full){faint:#}"))?;
            }
        }
        Ok(())
    }

    /// Prints the findings that cannot be repaired, with advice.
    fn advice(&mut self, check: &CheckReport) -> anyhow::Result<()> {
        let faint = style::FAINT;
        let found = check.findings().map(|(_, found)| found);
        let found = found.filter(|found| found.severity > Severity::Note);
        for found in found.take(self.listed()) {
            self.printer.line(format_args!(
                "  line {}: {} {faint}({}){faint:#}: {}",
                found.line,
                found.severity,
                found.rule,
                words::plain(&found.message),
            ))?;
        }
        Ok(())
    }

    /// Prints where the repaired session is, and how to resume it.
    pub(super) fn repaired(&mut self, repaired: &Repaired) -> anyhow::Result<()> {
        let (faint, good, bad) = (style::FAINT, style::GOOD, style::BAD);
        let path = shown(&repaired.path);
        self.printer
            .line(format_args!("  {good}written{good:#} to {path}"))?;
        self.printer.line(match (repaired.errors_left, repaired.steps_left) {
            (0, 0) => format!("  checked again: {good}in order{good:#}"),
            (left, 0) => format!(
                "  checked again: {bad}{}{bad:#} that cannot be repaired: see claw sessions check \
                 {path}",
                several(left, "error"),
            ),
            (_, left) => format!(
                "  checked again: {bad}{} left{bad:#}, which is a bug of this program: please \
                 report it",
                several(left as u64, "step")
            ),
        })?;
        self.printer.line(format_args!(
            "  {faint}removed lines and the plan: {}{faint:#}",
            shown(&repaired.kept_in)
        ))?;
        let projects = self.library.projects_dir();
        let cwd = repaired.cwd.as_ref().map(|cwd| cwd.to_string_lossy());
        if real_place(&repaired.path)?.starts_with(real_place(&projects)?) {
            self.printer.line("  to resume it:")?;
        } else {
            let key = cwd.as_ref().map(|cwd| ProjectKey::of_path(cwd));
            let folder = projects.join(key.as_ref().map_or("PROJECT", ProjectKey::as_str));
            self.printer.line(format_args!(
                "  to resume it, move it and the folder of its name into {}, then:",
                shown(&folder)
            ))?;
        }
        let cd = cwd.map(|cwd| format!("cd {} && ", quoted(&cwd)));
        self.printer.line(format_args!(
            "    {}{}{}",
            cd.unwrap_or_default(),
            config_dir_variable(self.library)?.unwrap_or_default(),
            repaired.resume_command()
        ))?;
        Ok(())
    }
}

/// The variable that the CLI needs to find the library, unless it is the default one.
fn config_dir_variable(library: &SessionLibrary) -> anyhow::Result<Option<String>> {
    const VARIABLE: &str = "CLAUDE_CONFIG_DIR";
    let set = |name: &str| std::env::var_os(name).filter(|_| name != VARIABLE);
    let own = library.config_dir();
    if let Ok(default) = SessionLibrary::from_vars(set)
        && real_place(default.config_dir())? == real_place(own)?
    {
        return Ok(None);
    }
    let own = std::path::absolute(own)?;
    Ok(Some(format!(
        "{VARIABLE}={} ",
        quoted(&own.to_string_lossy())
    )))
}

/// A path as a shell word. Invisible characters are escaped.
fn quoted(path: &str) -> String {
    if path.chars().any(words::steers) {
        let escaped = path.chars().map(|c| match c {
            c if words::steers(c) => format!("\\u{:04x}", u32::from(c)),
            '\\' | '\'' => format!("\\{c}"),
            c => c.to_string(),
        });
        return format!("$'{}'", escaped.collect::<String>());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("/home/user/a-b_c.d"), "/home/user/a-b_c.d");
        assert_eq!(quoted("/srv/my project"), "'/srv/my project'");
        assert_eq!(quoted("/it's"), r"'/it'\''s'");
        assert_eq!(quoted("/a\u{202e}b'c"), r"$'/a\u202eb\'c'");
        assert_eq!(quoted("/a\u{1b}[1m"), r"$'/a\u001b[1m'");
    }
}
