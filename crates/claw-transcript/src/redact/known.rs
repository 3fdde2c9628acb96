//! Known secrets: a secret that was found once is replaced everywhere.
//!
//! Most secrets are found by their context: `password=` before one, `/home/` before a name. The
//! copy would reveal them where they occur without it. So all files are searched before anything is
//! written, and then searched for the secrets without context.

use aho_corasick::{AhoCorasick, MatchKind};

use super::checks::{digits, is_base64};
use super::detector::Detector;
use super::error::RedactError;
use super::finder::Finder;
use super::found::{Form, Found};
use super::pseudonyms::Pseudonyms;
use super::rules::Table;

/// The positions in which a known secret is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edges {
    /// Everywhere, even inside words: it is too random to occur by chance.
    Any,
    /// Only as a whole word.
    Word,
    /// Only as a whole word that is not part of a longer number or address.
    Number,
    /// Only in positions of account names: it may be an ordinary word.
    Account,
}

struct Secret {
    /// An index of [`Finder::kinds`].
    kind: usize,
    edges: Edges,
    /// Whether case is ignored.
    folds: bool,
    text: String,
    /// The whole secret, if `text` is a part of it.
    whole: Option<String>,
}

/// All known secrets.
pub(super) struct Known {
    secrets: Vec<Secret>,
    automaton: AhoCorasick,
}

impl Known {
    /// Collects the secrets with pseudonyms of the active kinds, except for ordinary words.
    pub(super) fn new(finder: &Finder, names: &Pseudonyms) -> Result<Option<Self>, RedactError> {
        let mut secrets = Vec::new();
        for (kind, (name, detector)) in finder.kinds.iter().enumerate() {
            for text in names.secrets(name) {
                add(&mut secrets, finder.table, kind, *detector, text);
            }
        }
        if secrets.is_empty() {
            return Ok(None);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(secrets.iter().map(|secret| &secret.text))
            .map_err(|error| RedactError::bad_rule("known secrets", error))?;
        Ok(Some(Self { automaton, secrets }))
    }

    /// Adds the positions of known secrets in a text.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Found>) {
        for place in self.automaton.find_overlapping_iter(text) {
            let number = place.pattern().as_usize();
            let secret = &self.secrets[number];
            let (start, end) = (place.start(), place.end());
            let same = secret.folds || text.as_bytes()[start..end] == *secret.text.as_bytes();
            if same && is_whole(secret.edges, text, start, end) {
                found.push(Found {
                    form: Form::Known(number),
                    ..Found::plain(start, end, secret.kind)
                });
            }
        }
    }

    /// The secret whose pseudonym replaces a find.
    pub(super) fn secret(&self, number: usize) -> &str {
        let secret = &self.secrets[number];
        secret.whole.as_deref().unwrap_or(&secret.text)
    }
}

fn add(
    secrets: &mut Vec<Secret>,
    table: &Table,
    kind: usize,
    detector: Option<Detector>,
    text: &str,
) {
    let folds = detector.is_some_and(|d| d.folds_case() || d == Detector::HomeUser);
    let secret = |edges, text: &str, whole| Secret {
        kind,
        edges,
        folds,
        text: text.to_owned(),
        whole,
    };
    if detector == Some(Detector::PrivateKey) {
        // Diffs contain single lines of a key. The whole key is found by its rule.
        let lines = text.split(|c| !is_base64(c));
        let lines = lines.filter(|line| line.len() >= 16);
        secrets.extend(lines.map(|line| secret(Edges::Any, line, Some(text.to_owned()))));
    } else {
        let edges = edges(table, detector, text);
        secrets.extend(edges.map(|edges| secret(edges, text, None)));
    }
}

/// The positions in which a secret is replaced; `None` if it is too short or an ordinary word.
fn edges(table: &Table, detector: Option<Detector>, text: &str) -> Option<Edges> {
    let length = text.chars().count();
    match detector {
        Some(Detector::HomeUser) if length < 2 || table.is_shared_account(text) => None,
        Some(Detector::HomeUser) if length < 5 => Some(Edges::Account),
        Some(Detector::HomeUser) => Some(Edges::Word),
        Some(
            Detector::Ipv4
            | Detector::Ipv6
            | Detector::Phone
            | Detector::CreditCard
            | Detector::Ssn,
        ) => Some(Edges::Number),
        _ => {
            let digits = digits(text);
            let letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
            if digits == text.len() {
                return (length >= 6).then_some(Edges::Number);
            }
            // Letters of one case may be an ordinary word.
            let plain = text.chars().all(|c| c.is_alphabetic() || c.is_whitespace());
            let inner = text.get(1..).unwrap_or_default();
            let one_case =
                inner.chars().all(|c| !c.is_uppercase()) || text.chars().all(|c| !c.is_lowercase());
            match (plain, one_case) {
                (true, true) => (length >= 8 && !table.is_word(text)).then_some(Edges::Word),
                (true, false) => (length >= 6 && !table.is_word(text)).then_some(Edges::Word),
                (false, _) if length >= 8 && digits > 0 && letters => Some(Edges::Any),
                (false, _) => (length >= 6).then_some(Edges::Word),
            }
        }
    }
}

fn is_whole(edges: Edges, text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (&text[..start], &text[end..]);
    let joins = |c: char| c.is_alphanumeric();
    let first = text[start..end].starts_with(joins);
    let last = text[start..end].ends_with(joins);
    let joined = (first && before.ends_with(joins)) || (last && after.starts_with(joins));
    match edges {
        Edges::Any => true,
        Edges::Word => !joined,
        Edges::Number => {
            let digit = |c: char| c.is_ascii_digit();
            // A letter before or after it, as in `v10.1.2.3`, is not part of it.
            let number = !before.ends_with(digit) && !after.starts_with(digit);
            let began = before
                .strip_suffix('.')
                .is_some_and(|rest| rest.ends_with(digit));
            let goes_on = after
                .strip_prefix('.')
                .is_some_and(|rest| rest.starts_with(digit));
            number && !began && !goes_on
        }
        Edges::Account => {
            let beside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
            let alone = !before.ends_with(beside) && !after.starts_with(beside);
            let name = &text[start..end];
            // `name@host`, `~name`, the folders of a home, and owner and group in a listing.
            const BEFORE: [&str; 8] = [
                "~",
                "-home-",
                "-Users-",
                "/home/",
                "/Users/",
                "\\Users\\",
                "USER=",
                "LOGNAME=",
            ];
            let is_account = (after.starts_with('@') && !before.ends_with('@'))
                || BEFORE.iter().any(|folder| before.ends_with(folder))
                || before.trim_end().ends_with(name)
                || after.trim_start().starts_with(name);
            alone && is_account
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_words_are_not_replaced_everywhere() {
        let table = Table::get().expect("the table");
        let user = Some(Detector::HomeUser);
        let assigned = Some(Detector::Assignment);
        let cases = [
            (user, "user", None),
            (user, "Runner", None),
            (user, "bob", Some(Edges::Account)),
            (user, "alicesmith", Some(Edges::Word)),
            (assigned, "string", None),
            (assigned, "required", None),
            (assigned, "a1b2", None),
            (assigned, "12345", None),
            (assigned, "123456", Some(Edges::Number)),
            (assigned, "hunter22", Some(Edges::Any)),
            (assigned, "hunt22", Some(Edges::Word)),
            (assigned, "correcthorse", Some(Edges::Word)),
            (assigned, "qWeRtZ", Some(Edges::Word)),
            (Some(Detector::Ipv4), "10.1.2.3", Some(Edges::Number)),
        ];
        for (detector, text, expected) in cases {
            assert_eq!(edges(table, detector, text), expected, "{text}");
        }
    }

    #[test]
    fn known_secrets_are_replaced_only_in_their_positions() {
        let cases = [
            (Edges::Word, "1 [alice] alice", true),
            (Edges::Word, "-home-[alice]-shop", true),
            (Edges::Word, "m[alice]", false),
            (Edges::Word, "[alice]x", false),
            (Edges::Word, "MY_[alice]_X", true),
            (Edges::Any, "%3D[hunter22]x", true),
            (Edges::Number, "http://[10.1.2.3]:80", true),
            (Edges::Number, "[10.1.2.3].4", false),
            (Edges::Number, "1[10.1.2.3]", false),
            (Edges::Account, "tell [max] that", false),
            (Edges::Account, "--[max]-lines", false),
            (Edges::Account, "[max]@laptop:~$", true),
            (Edges::Account, "cd ~[max]/x", true),
            (Edges::Account, "-rw-r--r-- 1 [max] max 12", true),
            (Edges::Account, "-rw-r--r-- 1 max [max] 12", true),
            (Edges::Account, "-home-[max]-shop", true),
        ];
        for (edges, text, expected) in cases {
            let start = text.find('[').expect("marked");
            let end = text.find(']').expect("marked") - 1;
            let text = text.replacen(['[', ']'], "", 2);
            assert_eq!(is_whole(edges, &text, start, end), expected, "{text}");
        }
    }
}
