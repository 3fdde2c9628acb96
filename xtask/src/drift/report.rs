//! The report, for people and (as JSON) for programs.

use std::fmt;

use serde::Serialize;

use super::compare::Changes;
use super::modelled::Findings;

/// Everything that was found.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    pub(crate) package_version: String,
    pub(crate) pinned_version: String,
    /// Names of the package's type file against the committed model.
    pub(crate) changes: Changes,
    /// What the decoder does not read of values made from the type file.
    pub(crate) declared: Findings,
    /// What the decoder does not read of recorded lines.
    pub(crate) recorded: Recorded,
}

/// The recordings and what they showed.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Recorded {
    pub(crate) version: String,
    pub(crate) scenarios: usize,
    pub(crate) findings: Findings,
}

impl Report {
    /// How many things are new. What went away is told but breaks nothing.
    pub(crate) fn news(&self) -> usize {
        self.changes.appeared.len() + self.declared.gaps.len() + self.recorded.findings.gaps.len()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            package_version,
            pinned_version,
            changes,
            declared,
            recorded,
        } = self;
        writeln!(
            f,
            "names in the type file of {package_version} against {pinned_version}"
        )?;
        for (label, names) in [("new", &changes.appeared), ("gone", &changes.disappeared)] {
            for name in names {
                writeln!(
                    f,
                    "  {label:<5} {:<17} {}",
                    name.category.label(),
                    name.name
                )?;
            }
        }
        if *changes == Changes::default() {
            writeln!(f, "  the same")?;
        }
        writeln!(
            f,
            "values made from the type file, as our decoder reads them"
        )?;
        write_findings(f, declared)?;
        writeln!(
            f,
            "recordings of {} ({} scenarios, both sides, answers by their requests)",
            recorded.version, recorded.scenarios
        )?;
        write_findings(f, &recorded.findings)?;
        Ok(())
    }
}

fn write_findings(f: &mut fmt::Formatter<'_>, findings: &Findings) -> fmt::Result {
    for (gap, seen) in &findings.gaps {
        let times = if seen.times == 1 {
            String::new()
        } else {
            format!(" and {} more", seen.times - 1)
        };
        writeln!(
            f,
            "  {:<13} {}  ({}{times})",
            gap.cause.label(),
            gap.path,
            seen.first
        )?;
    }
    writeln!(
        f,
        "  {} values ({} broken on purpose), {} gaps, {} values kept as text on purpose",
        findings.lines,
        findings.not_json,
        findings.gaps.len(),
        findings.opaque
    )
}

#[cfg(test)]
mod tests {
    use super::super::flatten::{Category, Name};
    use super::super::modelled::{Cause, Gap, Seen};
    use super::*;

    fn quiet() -> Report {
        Report {
            package_version: "2".to_owned(),
            pinned_version: "1".to_owned(),
            changes: Changes::default(),
            declared: Findings::default(),
            recorded: Recorded::default(),
        }
    }

    #[test]
    fn what_went_away_is_told_but_is_not_news() {
        let gone = Name {
            category: Category::Field,
            name: "A.gone".to_owned(),
        };
        let changes = Changes {
            appeared: Vec::new(),
            disappeared: vec![gone],
        };
        let report = Report { changes, ..quiet() };
        assert_eq!(report.news(), 0);
        assert!(
            report
                .to_string()
                .contains("gone  field             A.gone"),
            "{report}"
        );
    }

    #[test]
    fn a_gap_in_a_recording_is_news_and_says_where() {
        let mut report = quiet();
        let gap = Gap {
            cause: Cause::UnreadField,
            path: "system.init.fresh".to_owned(),
        };
        let seen = Seen {
            first: "hello".to_owned(),
            times: 3,
        };
        report.recorded.version = "2.1.1".to_owned();
        report.recorded.findings.gaps.insert(gap, seen);
        assert_eq!(report.news(), 1);
        let text = report.to_string();
        assert!(
            text.contains("unread field  system.init.fresh  (hello and 2 more)"),
            "{text}"
        );
    }
}
