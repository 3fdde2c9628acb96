//! The report, for people and (as JSON) for programs.

use std::fmt;

use serde::Serialize;

use super::compare::Changes;
use super::modelled::Findings;
use crate::prove::recorded::RecordedGaps;

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
    pub(crate) recorded: RecordedGaps,
}

impl Report {
    /// Number of new things. Names that disappeared are listed but break nothing.
    pub(crate) fn news(&self) -> usize {
        self.changes.appeared.len() + self.declared.gaps.len() + self.recorded.gaps.len()
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
        for gap in &recorded.gaps {
            writeln!(f, "  {gap}")?;
        }
        writeln!(f, "  {} gaps", recorded.gaps.len())
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
        "  {} values, {} gaps, {} values kept as text on purpose",
        findings.lines,
        findings.gaps.len(),
        findings.opaque
    )
}

#[cfg(test)]
mod tests {
    use super::super::flatten::{Category, Name};
    use super::super::modelled::{Cause, Gap, Seen};
    use super::*;

    #[test]
    fn gaps_are_news_and_names_that_disappeared_are_not() {
        let gone = Name {
            category: Category::Field,
            name: "A.gone".to_owned(),
        };
        let mut report = Report {
            package_version: "2".to_owned(),
            pinned_version: "1".to_owned(),
            changes: Changes {
                appeared: Vec::new(),
                disappeared: vec![gone],
            },
            declared: Findings::default(),
            recorded: RecordedGaps::default(),
        };
        assert_eq!(report.news(), 0);
        let gap = Gap {
            cause: Cause::UnreadField,
            path: "system.init.fresh".to_owned(),
        };
        let seen = Seen {
            first: "hello".to_owned(),
            times: 3,
        };
        report.declared.gaps.insert(gap, seen);
        report.recorded.gaps.push("`x` × 1, first in a".to_owned());
        assert_eq!(report.news(), 2);
        let text = report.to_string();
        for line in [
            "gone  field             A.gone",
            "unread field  system.init.fresh  (hello and 2 more)",
            "`x` × 1, first in a",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }
}
