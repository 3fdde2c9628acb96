//! What was found once is known, and is replaced wherever else it stands.
//!
//! Most secrets are found by what stands around them: `password=` before one, `/home/` before a
//! name. The copy would give them away where they stand alone. So all files are searched before
//! anything is written, and what was found is looked for again, without what was around it.

use aho_corasick::{AhoCorasick, MatchKind};

use super::RedactError;
use super::detector::Detector;
use super::finder::{Finder, Found};
use super::names::Pseudonyms;

/// Where a known secret counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edges {
    /// Also inside of a longer word: it is too random to be there by chance.
    Any,
    /// Where it is not part of a longer word.
    Word,
    /// Where it is not part of a longer number or address either.
    Number,
    /// Only where the name of an account is written: it may be a word.
    Account,
}

struct Secret {
    /// Which of [`Finder::kinds`].
    kind: usize,
    edges: Edges,
    /// Whether letters of either case mean the same.
    folds: bool,
    /// How it is written in its place, and what its pseudonym stands for.
    text: String,
    whole: Option<String>,
}

/// The secrets that are looked for.
pub(super) struct Known {
    secrets: Vec<Secret>,
    automaton: AhoCorasick,
    /// Parts of all of them that JSON writes as they are, unless with an escape that has a number;
    /// nothing when one has no such part.
    sieve: Option<AhoCorasick>,
}

impl Known {
    /// All that have pseudonyms and are of a kind that is wanted; none of the ordinary words that
    /// some of them are.
    pub(super) fn new(finder: &Finder, names: &Pseudonyms) -> Result<Option<Self>, RedactError> {
        let mut secrets = Vec::new();
        for (kind, (name, detector)) in finder.kinds.iter().enumerate() {
            // A detector may have several shapes.
            let mut before = finder.kinds[..kind].iter();
            if before.any(|(known, _)| known == name) {
                continue;
            }
            for text in names.secrets(name) {
                add(&mut secrets, kind, *detector, text);
            }
        }
        if secrets.is_empty() {
            return Ok(None);
        }
        let automaton = automaton(secrets.iter().map(|secret| &*secret.text))?;
        let parts = secrets.iter().map(|secret| plain_part(&secret.text));
        let parts: Option<Vec<&str>> = parts.collect();
        let sieve = parts.map(|parts| self::automaton(parts.into_iter()));
        Ok(Some(Self {
            automaton,
            sieve: sieve.transpose()?,
            secrets,
        }))
    }

    /// Whether any of them may be in a line as it is written, without reading it. Text that is
    /// packed in other ways than JSON's is not seen.
    pub(super) fn may_be_in(&self, raw: &[u8]) -> bool {
        self.sieve
            .as_ref()
            .is_none_or(|sieve| memchr::memmem::find(raw, b"\\u").is_some() || sieve.is_match(raw))
    }

    /// Adds where they stand in a text.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Found>) {
        for place in self.automaton.find_overlapping_iter(text) {
            let number = place.pattern().as_usize();
            let secret = &self.secrets[number];
            let (start, end) = (place.start(), place.end());
            // A letter of several bytes never matches in its middle: patterns are text.
            let same = secret.folds || text.as_bytes()[start..end] == *secret.text.as_bytes();
            if same && stands(secret.edges, text, start, end) {
                found.push(Found {
                    start,
                    end,
                    kind: secret.kind,
                    known: Some(number),
                });
            }
        }
    }

    /// What the pseudonym of a find stands for.
    pub(super) fn secret(&self, number: usize) -> &str {
        let secret = &self.secrets[number];
        secret.whole.as_deref().unwrap_or(&secret.text)
    }
}

fn automaton<'t>(texts: impl Iterator<Item = &'t str>) -> Result<AhoCorasick, RedactError> {
    let builder = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .ascii_case_insensitive(true)
        .build(texts);
    builder.map_err(|error| RedactError::BadRule {
        rule: "what was found".to_owned(),
        why: error.to_string(),
    })
}

/// The longest part of a text without a character that JSON may write with a backslash alone, or
/// that stands for a byte which is none. `None` when it would be found everywhere.
fn plain_part(text: &str) -> Option<&str> {
    let special =
        |c: char| c.is_control() || matches!(c, '"' | '\\' | '/' | char::REPLACEMENT_CHARACTER);
    let longest = text.split(special).max_by_key(|part| part.len());
    longest.filter(|part| part.len() >= 3)
}

fn add(secrets: &mut Vec<Secret>, kind: usize, detector: Option<Detector>, text: &str) {
    let folds = detector.is_some_and(Detector::folds_case) || detector == Some(Detector::HomeUser);
    if detector == Some(Detector::PrivateKey) {
        // Its lines stand alone in diffs. All of it is found by its shape.
        let material = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
        let lines = text.split(|c| !material(c)).filter(|line| line.len() >= 16);
        secrets.extend(lines.map(|line| Secret {
            kind,
            edges: Edges::Any,
            folds: false,
            text: line.to_owned(),
            whole: Some(text.to_owned()),
        }));
        return;
    }
    secrets.extend(edges(detector, text).map(|edges| Secret {
        kind,
        edges,
        folds,
        text: text.to_owned(),
        whole: None,
    }));
}

/// Where a secret counts; nowhere when it is too short, or an ordinary word.
fn edges(detector: Option<Detector>, text: &str) -> Option<Edges> {
    let length = text.chars().count();
    let ordinary = |words: &[&str]| words.contains(&&*text.to_ascii_lowercase());
    match detector {
        Some(Detector::HomeUser) if length < 2 || ordinary(&ACCOUNTS) => None,
        Some(Detector::HomeUser) if length < 5 => Some(Edges::Account),
        Some(Detector::HomeUser) => Some(Edges::Word),
        Some(Detector::Ipv4 | Detector::Ipv6 | Detector::Phone | Detector::CreditCard) => {
            Some(Edges::Number)
        }
        _ => {
            let count = |kind: fn(&u8) -> bool| text.bytes().filter(kind).count();
            let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
            if digits == text.len() {
                return (length >= 6).then_some(Edges::Number);
            }
            // A word of one case may be a word of the language.
            let plain = text.chars().all(|c| c.is_alphabetic() || c.is_whitespace());
            let inner = text.get(1..).unwrap_or_default();
            let one_case =
                inner.chars().all(|c| !c.is_uppercase()) || text.chars().all(|c| !c.is_lowercase());
            match (plain, one_case) {
                (true, true) => (length >= 8 && !ordinary(&WORDS)).then_some(Edges::Word),
                (true, false) => (length >= 6 && !ordinary(&WORDS)).then_some(Edges::Word),
                (false, _) if length >= 8 && digits > 0 && letters > 0 => Some(Edges::Any),
                (false, _) => (length >= 6).then_some(Edges::Word),
            }
        }
    }
}

fn stands(edges: Edges, text: &str, start: usize, end: usize) -> bool {
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
            // A letter before or behind it, as in `v10.1.2.3`, is not part of it.
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
            let said = (after.starts_with('@') && !before.ends_with('@'))
                || before.ends_with('~')
                || [
                    "-home-",
                    "-Users-",
                    "/home/",
                    "/Users/",
                    "\\Users\\",
                    "USER=",
                    "LOGNAME=",
                ]
                .iter()
                .any(|holder| before.ends_with(holder))
                || before.trim_end().ends_with(name)
                || after.trim_start().starts_with(name);
            alone && said
        }
    }
}

/// Accounts that say nothing about who has them.
const ACCOUNTS: [&str; 36] = [
    "user",
    "users",
    "username",
    "root",
    "admin",
    "administrator",
    "ubuntu",
    "debian",
    "fedora",
    "centos",
    "alpine",
    "ec2-user",
    "node",
    "runner",
    "vagrant",
    "docker",
    "guest",
    "developer",
    "dev",
    "test",
    "tester",
    "app",
    "build",
    "builder",
    "jenkins",
    "circleci",
    "github",
    "gitlab",
    "vscode",
    "codespace",
    "claude",
    "git",
    "home",
    "linuxbrew",
    "public",
    "runneradmin",
];

/// Words that stand where secrets go, and everywhere else too.
const WORDS: [&str; 52] = [
    "accesskey",
    "accesstoken",
    "anonymous",
    "apitoken",
    "authorization",
    "authorized",
    "automatic",
    "boolean",
    "changeme",
    "configured",
    "credential",
    "credentials",
    "default",
    "deprecated",
    "development",
    "disabled",
    "encrypted",
    "environment",
    "example",
    "expired",
    "forbidden",
    "function",
    "generated",
    "hardcoded",
    "identifier",
    "include",
    "incorrect",
    "integer",
    "internal",
    "invalid",
    "keychain",
    "localhost",
    "mandatory",
    "missing",
    "undefined",
    "nullable",
    "optional",
    "parameter",
    "passphrase",
    "password",
    "passwords",
    "placeholder",
    "production",
    "provided",
    "readonly",
    "redacted",
    "required",
    "same-origin",
    "undisclosed",
    "unspecified",
    "unauthorized",
    "username",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_words_are_not_replaced_everywhere() {
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
            assert_eq!(edges(detector, text), expected, "{text}");
        }
    }

    #[test]
    fn what_may_be_in_a_line_is_seen_without_reading_it() {
        let finder = Finder::new(&Default::default(), |_| true, 4.0).unwrap();
        let known = |secrets: &[&str]| {
            let mut names = Pseudonyms::new();
            for secret in secrets {
                names.of("assignment", Some(Detector::Assignment), secret);
            }
            Known::new(&finder, &names).unwrap().unwrap()
        };
        let some = known(&["hunter22", "pa\"ss/word\n1"]);
        for (line, expected) in [
            (r#"{"a":"hunter22"}"#, true),
            (r#"{"a":"HUNTER22"}"#, true),
            (r#"{"a":"{\"b\":\"pa\\\"ss\/word\\n1\"}"}"#, true),
            (r#"{"a":"\u0068unter22"}"#, true),
            (r#"{"a":"hunter 22, pa\n"}"#, false),
        ] {
            assert_eq!(some.may_be_in(line.as_bytes()), expected, "{line}");
        }
        // One of which too little can be seen.
        assert!(known(&["hunter22", "a1\"b2\"c3"]).may_be_in(b"{}"));
    }

    #[test]
    fn where_a_known_secret_counts() {
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
            assert_eq!(stands(edges, &text, start, end), expected, "{text}");
        }
    }
}
