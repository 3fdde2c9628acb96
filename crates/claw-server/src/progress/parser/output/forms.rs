//! Patterns of counters and percentages in the output of tools.

use crate::progress::ProgressKind::{Count, Percent, Step};
use crate::progress::parser::form::Form;

/// Patterns of one line, after its prefixes are removed.
pub(super) const FORMS: &[Form] = &[
    Form {
        name: "build with steps",
        kind: Count,
        pattern: r"^\[\+\] (?P<label>Building|Running) (?:[0-9.]+s )?\(?{done}/{total}\)?",
    },
    Form {
        name: "stage with steps",
        kind: Step,
        pattern: r"^#[0-9]+ \[(?:[\w.-]+ )?{done}/{total}\] (?P<label>[A-Z]+ .*)",
    },
    Form {
        name: "share and counter in brackets",
        kind: Count,
        pattern: r"^\[ *{percent}% +{done}/{total}\] +(?P<label>\S.*)",
    },
    Form {
        name: "counter in brackets",
        kind: Count,
        pattern: r#"^\[ *{done}{of}{total}(?:[ :][^\]]*)?\] *(?P<label>[\w./\["'(@<].*)"#,
    },
    Form {
        name: "counter in parentheses",
        kind: Count,
        pattern: r"^\( *{done}{of}{total}\):? +(?P<label>[\w./].*)",
    },
    Form {
        name: "step n of m",
        kind: Step,
        pattern: r"(?i)^(?P<label>step|stage|phase|epoch|iteration):? *\[?{done}{of}{total}\b",
    },
    Form {
        name: "bar with share and counter",
        kind: Count,
        pattern: r"{percent}%\|[^|]*\| *{done}[kMG]?/{total}[kMG]? \[",
    },
    Form {
        name: "label with share and counter",
        kind: Count,
        pattern: r"^(?:(?P<label>[A-Z][a-z]+ing\b[\w .'-]*?|Done):? +)?{percent}% \({done}{of}{total}[,)]",
    },
    Form {
        name: "bar with share, then a counter",
        kind: Count,
        pattern: r"[\[|▕][=#>█░▓━ .\-]{5,}[\]|▏] *{percent}%.*?[ |(]{done}/{total}\b",
    },
    Form {
        name: "size in brackets",
        kind: Count,
        pattern: r"^\[#\w+ {done}(?P<unit>[kKMGT]i?B)/{total}(?P<whole>[kKMGT]i?B)\({percent}%\)",
    },
    Form {
        name: "counter before a bar",
        kind: Count,
        pattern: r"^ *{done}/{total}:? +\[[=>#.\-▓░█ ]*\] *{percent}%",
    },
    Form {
        name: "share of a size",
        kind: Count,
        pattern: r"{percent}%.*[ \[▏|]{done} ?(?P<unit>[kKMGT]i?B)?/ ?{total} ?(?P<whole>[kKMGT]i?B)\b",
    },
    Form {
        name: "size with a bar",
        kind: Count,
        pattern: r"[=#━█>\-]{3,}.*[ \]▏|]{done} ?(?P<unit>[kKMGT]i?B)?/ ?{total} ?(?P<whole>[kKMGT]i?B)\b",
    },
    Form {
        name: "size with a rate",
        kind: Count,
        pattern: r"^(?P<label>[A-Z][a-z]+(?:ing|ed)\b.*?)[: ]{done} ?(?P<unit>[kKMGT]i?B)?/ ?{total} ?(?P<whole>[kKMGT]i?B)\b.*(?:[KMGkmg]i?B/s|\beta\b)",
    },
    Form {
        name: "bar with a counter",
        kind: Count,
        pattern: r"^(?P<label>[^=#█━|]*?)(?:[\[|][=#>█━╸╺▓░▏▎▍▌▋▊▉ .\-]{5,}[\]|]|[█━╸╺][█━╸╺░]{2,}) +{done}/{total}\b",
    },
    Form {
        name: "counter of work in hand",
        kind: Count,
        pattern: r"^(?:\[\w+\] )?(?P<label>[A-Z][a-z]+ing\b(?: [^\s:]+){0,4}?)(?: ?\.\.\.| ?…|:)? +\(?{done}{of}{total}\b",
    },
    Form {
        name: "work in hand with a counter behind",
        kind: Count,
        pattern: r"^(?P<label>[A-Z][a-z]+ing\b[^0-9%?]*?\S*) +\(?{done}{of}{total}\)?$",
    },
    Form {
        name: "items done with a share",
        kind: Count,
        pattern: r"^{done} of {total} \w+ \({percent}%\).* done\b",
    },
    Form {
        name: "files of a transfer",
        kind: Count,
        pattern: r"^Transferred: +{done} / {total}, {percent}%$",
    },
    Form {
        name: "tasks of a build",
        kind: Count,
        pattern: r"^Tasks: +{done} successful, {total} total$",
    },
    Form {
        name: "share in brackets",
        kind: Percent,
        pattern: r"^\[ *{percent}%\] +(?P<label>\S.*)",
    },
    Form {
        name: "share with a rate",
        kind: Percent,
        pattern: r"(?:^|\s)\(?{percent}%\)?[ \[|].*(?:[0-9] ?[kKMGT]?i?B/s|\beta\b|\bETA\b|[0-9][KMG] +[0-9]+[ms])",
    },
    Form {
        name: "bar with a share",
        kind: Percent,
        pattern: r"(?:[=#█━▓■]{2,}|\[[=#>. \-]{5,}\]).*?[ \]]\(?{percent} ?%",
    },
    Form {
        name: "share before a bar",
        kind: Percent,
        pattern: r"(?:^|[ \[]){percent}%\]? *[\[▕]",
    },
    Form {
        name: "share of work in hand",
        kind: Percent,
        pattern: r"^\(?(?P<label>[A-Za-z]+ing(?: |\.\.\.|…|:)[^%?|]*?)[ (\[]*{percent} ?%(?:[)\]]|$)",
    },
    Form {
        name: "share before work in hand",
        kind: Percent,
        pattern: r"(?:^|\] ){percent}% (?P<label>[a-z]+ing\b.*)",
    },
    Form {
        name: "table of a transfer",
        kind: Percent,
        pattern: r"^{percent} +[0-9.]+[kMGT]? +[0-9]+ +[0-9.]+[kMGT]? +[0-9]+ +[0-9]+ +[0-9.]+[kMGT]? .*(?:[0-9]:[0-9]{2}|-:--)",
    },
    Form {
        name: "share of a scan",
        kind: Percent,
        pattern: r"\bAbout {percent}% done\b",
    },
    Form {
        name: "clock and share",
        kind: Percent,
        pattern: r"^\[[0-9]+:[0-9:]+\] {percent}%",
    },
    Form {
        name: "share with its name",
        kind: Percent,
        pattern: r"^(?i:progress):? *\[?{percent} ?%",
    },
];
