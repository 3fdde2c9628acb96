//! A second look at what a pattern found: what only looks like a secret stays.

use std::net::{Ipv4Addr, Ipv6Addr};

/// What a pattern found, where it stands.
pub(super) struct Candidate<'a> {
    pub(super) text: &'a str,
    /// Where all of the match begins and ends.
    pub(super) whole: (usize, usize),
    /// Where the secret begins and ends.
    pub(super) span: (usize, usize),
    /// From how many bits a character on a string is taken for random.
    pub(super) entropy: f64,
}

impl<'a> Candidate<'a> {
    pub(super) fn secret(&self) -> &'a str {
        &self.text[self.span.0..self.span.1]
    }

    pub(super) fn before(&self) -> &'a str {
        &self.text[..self.whole.0]
    }

    pub(super) fn after(&self) -> &'a str {
        &self.text[self.span.1..]
    }

    fn stands_alone(&self) -> bool {
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        !self.before().ends_with(joins) && !self.after().starts_with(joins)
    }
}

pub(super) fn always(_: &Candidate<'_>) -> bool {
    true
}

/// Keys are random: letters alone are a name that begins like a key.
pub(super) fn has_digit(found: &Candidate<'_>) -> bool {
    digits(found.secret()) > 0
}

pub(super) fn ends_the_word(found: &Candidate<'_>) -> bool {
    let joins = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !found.after().starts_with(joins)
}

/// There is key material between the first line and the last, not only talk of both.
pub(super) fn private_key(found: &Candidate<'_>) -> bool {
    let material = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut runs = found.secret().split(|c| !material(c));
    found.secret().len() < 40_000 && runs.any(|run| run.len() >= 32)
}

/// Not what documents write where a secret goes.
pub(super) fn not_a_stand_in(found: &Candidate<'_>) -> bool {
    let secret = found.secret();
    let lower = secret.to_ascii_lowercase();
    let repeats = secret
        .chars()
        .all(|c| matches!(c, '*' | 'x' | 'X' | '.' | '-' | '•' | '…'));
    let around = |open: &str, close: char| secret.starts_with(open) && secret.ends_with(close);
    let template = around("<", '>')
        || around("{", '}')
        || around("[", ']')
        || around("%", '%')
        || ["${", "$(", "#{", "%(", "{{", "<%"]
            .iter()
            .any(|open| secret.starts_with(open))
        || (secret.len() <= 3 && secret.starts_with('%'));
    // Only words: whoever puts a number into a stand-in may mean it.
    let words = [
        "your",
        "my-",
        "my_",
        "example",
        "placeholder",
        "redacted",
        "changeme",
    ];
    let stand_in = digits(secret) == 0 && words.iter().any(|start| lower.starts_with(start));
    let itself = matches!(
        &*lower,
        "password" | "passwd" | "pass" | "secret" | "token" | "pw" | "pwd"
    );
    !repeats && !template && !stand_in && !itself && !is_variable(secret)
}

/// `$NAME`, `$name` or `$1`, but not a secret that begins with a `$`.
fn is_variable(text: &str) -> bool {
    let Some(name) = text.strip_prefix('$') else {
        return false;
    };
    let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let word = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '-' | '>' | ':');
    name.chars().all(upper) || name.chars().all(word)
}

pub(super) fn credential(found: &Candidate<'_>) -> bool {
    // Base64 may have no digit, but its letters change case as no word does.
    let secret = found.secret();
    (has_digit(found) || changes(secret) * 3 >= secret.len()) && not_a_stand_in(found)
}

pub(super) fn email(found: &Candidate<'_>) -> bool {
    let secret = found.secret();
    let Some((user, host)) = secret
        .rsplit_once('@')
        .or_else(|| secret.rsplit_once("%40"))
    else {
        return false;
    };
    let ending = host.rsplit('.').next().unwrap_or_default();
    // `icon@2x.png` is a file and `getty@tty1.service` a unit: none of these is a country.
    let file = [
        "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "css", "js", "ts", "mjs", "cjs", "json",
        "html", "tgz", "service", "socket", "timer",
    ];
    // `https://user:p@host.com`: the password is another's find, and the host no secret.
    let authority = found.before().rsplit("://").next().unwrap_or_default();
    let in_url = found.before().len() > authority.len()
        && authority.contains(':')
        && !authority.contains(['/', ' ', '\n', '"', '\'']);
    // `git@host:path` is a repository, and commits name a public address.
    let public = file.contains(&&*ending.to_ascii_lowercase())
        || (user == "git" && found.after().starts_with(':'))
        || secret.eq_ignore_ascii_case("noreply@anthropic.com")
        || found.before().ends_with('@')
        || in_url;
    !public
}

pub(super) fn credit_card(found: &Candidate<'_>) -> bool {
    let digits: Vec<u32> = found
        .secret()
        .chars()
        .filter_map(|c| c.to_digit(10))
        .collect();
    let begins = |count: usize| {
        digits[..count]
            .iter()
            .fold(0, |sum, digit| sum * 10 + digit)
    };
    let brand = match digits.len() {
        13 | 19 => begins(1) == 4,
        14 => matches!(begins(3), 300..=305) || matches!(begins(2), 36 | 38 | 39),
        15 => matches!(begins(2), 34 | 37),
        16 => {
            begins(1) == 4
                || matches!(begins(2), 51..=55 | 65)
                || matches!(begins(4), 2221..=2720 | 3528..=3589 | 6011)
                || matches!(begins(3), 644..=649)
        }
        _ => false,
    };
    let joins = ['.', '-', '_', '/', '+', ','];
    brand
        && luhn(&digits)
        && evenly_parted(found.secret())
        && !found.before().ends_with(joins)
        && !digits.iter().all(|digit| *digit == digits[0])
        && !found.after().starts_with(['-', '_', '/'])
}

fn luhn(digits: &[u32]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 1 { doubled(*digit) } else { *digit })
        .sum();
    sum.is_multiple_of(10)
}

/// Cards are written in groups of four or so; a table of numbers is not.
fn evenly_parted(text: &str) -> bool {
    let groups: Vec<usize> = text.split([' ', '-']).map(str::len).collect();
    groups.len() == 1 || groups.iter().all(|length| (3..=7).contains(length))
}

pub(super) fn phone(found: &Candidate<'_>) -> bool {
    let secret = found.secret();
    let parted = secret.contains([' ', '.', '-', '(']);
    // In a diff, an added line that begins with a date.
    let bytes = secret.as_bytes();
    let date = bytes.len() >= 8
        && bytes[5..].starts_with(b"-")
        && bytes[1..5].iter().all(u8::is_ascii_digit);
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+' | '/' | '=');
    let dotted = secret.contains('.') && secret.split('.').count() > 4;
    parted
        && !date
        && !dotted
        && (9..=15).contains(&digits(secret))
        && !found.before().ends_with(joins)
        && !found
            .after()
            .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':'))
}

pub(super) fn ipv4(found: &Candidate<'_>) -> bool {
    let Ok(address) = found.secret().parse::<Ipv4Addr>() else {
        return false;
    };
    let [first, .., third, last] = address.octets();
    let before = found.before();
    let lower = before
        .get(before.len().saturating_sub(9)..)
        .unwrap_or(before)
        .to_ascii_lowercase();
    let named = |mark: char| {
        before
            .strip_suffix(mark)
            .is_some_and(|name| name.ends_with(|c: char| c.is_ascii_alphabetic()))
    };
    // `Chrome/120.0.0.1`, but not `http://10.0.0.1` and not `host/10.0.0.1`.
    let programs = ["chrome/", "safari/", "edg/", "firefox/", "version/", "opr/"];
    let versioned = before.ends_with(['.', '~', '^', 'v'])
        || named('-')
        || lower
            .trim_end_matches([' ', ':', '=', '"'])
            .ends_with("version")
        || lower.ends_with("==")
        || lower.ends_with(">=")
        || programs.iter().any(|program| lower.ends_with(program));
    let after = found.after();
    let goes_on = after.starts_with(['_', '+'])
        || after
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        || after
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let nobody = address.is_loopback() || address.is_broadcast() || first == 0;
    let round = third == 0 && last == 0;
    !nobody && !round && !versioned && !goes_on
}

pub(super) fn ipv6(found: &Candidate<'_>) -> bool {
    let secret = found.secret();
    let Ok(address) = secret.parse::<Ipv6Addr>() else {
        return false;
    };
    if address.is_loopback() || address.is_unspecified() || !found.stands_alone() {
        return false;
    }
    // `a::b` is a path in several languages: more groups, or a prefix that addresses have.
    let groups = secret.split(':').filter(|group| !group.is_empty()).count();
    let begins = secret.to_ascii_lowercase();
    let known = ["fe80:", "fc00:", "fd", "200", "2a", "26", "24", "28"];
    let known = known.iter().any(|start| begins.starts_with(start));
    digits(secret) > 0 && (groups >= 4 || (known && secret.find(':') == Some(4)))
}

pub(super) fn home_user(found: &Candidate<'_>) -> bool {
    let name = found.secret();
    // Not the `home` folder of a project or a page.
    let path = &found.text[found.whole.0..found.span.0];
    let rooted = path.starts_with("/projects")
        || path.starts_with("/claude")
        || path.contains(":\\")
        || path.contains("-home-")
        || path.contains("-Users-")
        || !found.before().ends_with(|c: char| {
            c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}' | ')' | '*')
        })
        || ["/mnt/c", "/mnt/d", "/var", "/private", "/export"]
            .iter()
            .any(|root| found.before().ends_with(root));
    let public = ["Shared", "Public", "Default", "All"];
    rooted && !public.contains(&name) && !is_pseudonym(name)
}

/// What an earlier run wrote.
fn is_pseudonym(name: &str) -> bool {
    let number = name.strip_prefix("user-").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn host(found: &Candidate<'_>) -> bool {
    let host = found.secret();
    !host.eq_ignore_ascii_case("localhost") && host.contains(char::is_alphabetic)
}

/// Random enough for a key, and none of the random strings that everybody may see.
pub(super) fn high_entropy(found: &Candidate<'_>) -> bool {
    let secret = found.secret().trim_end_matches('=');
    // Longer ones are files in base64, whose text nobody reads.
    if !(24..=4096).contains(&secret.len()) || is_public(secret) {
        return false;
    }
    let count = |kind: fn(&u8) -> bool| secret.bytes().filter(kind).count();
    let (upper, lower) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let mixed = upper >= 3 && lower >= 3 && digits(secret) >= 3;
    mixed && changes(secret) * 3 >= secret.len() && bits(secret) >= found.entropy
}

/// Ids and sums, which are random and no secret.
fn is_public(text: &str) -> bool {
    let hex = |c: char| c.is_ascii_hexdigit() || c == '-';
    let ids = [
        "toolu_",
        "msg_",
        "req_",
        "srvtoolu_",
        "sha256-",
        "sha384-",
        "sha512-",
        "file_",
        "call_",
        // Pictures and documents begin like this in base64.
        "iVBORw0KGgo",
        "/9j/",
        "R0lGOD",
        "UklGR",
        "JVBERi",
        "PHN2Zy",
    ];
    text.chars().all(hex) || ids.iter().any(|start| text.starts_with(start))
}

/// How often one kind of character follows another: words keep to one kind for long.
pub(super) fn changes(text: &str) -> usize {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let bytes = text.as_bytes();
    bytes
        .windows(2)
        .filter(|pair| kind(pair[0]) != kind(pair[1]))
        .count()
}

/// Bits of information a character, by how often each occurs.
fn bits(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = text.len() as f64;
    let shares = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

pub(super) fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}
