//! Names that say that their value is a secret.

use std::borrow::Cow;

use super::detector::Detector;

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Naming {
    /// What a find by this name is called.
    pub(super) detector: Detector,
    /// Whether a number would be a secret too, and not the number of something.
    pub(super) number: bool,
    /// Whether a value that is a path is the path that it looks like.
    pub(super) path: bool,
    /// Whether only values that look random count: `tokens` are counted more often than told.
    pub(super) random: bool,
}

/// What stands behind a secret's name when the value is something about the secret.
const ABOUT: [&str; 14] = [
    "count",
    "counts",
    "type",
    "limit",
    "limits",
    "budget",
    "usage",
    "length",
    "size",
    "expires",
    "expiry",
    "expiration",
    "ttl",
    "uuid",
];

/// What makes a secret of a `key`.
const KEYS: [&str; 22] = [
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "encryption",
    "account",
    "auth",
    "master",
    "service",
    "shared",
    "storage",
    "subscription",
    "consumer",
    "app",
    "application",
    "client",
    "deploy",
    "host",
    "license",
    "ssh",
    "session",
];

/// A name with a blank for each pseudonym in it: `[url-password-1]` names no password, and what
/// stands around it is not one word.
fn without_pseudonyms(name: &str) -> Cow<'_, str> {
    let mut rest = Cow::Borrowed(name);
    let mut from = 0;
    while let Some(open) = rest.get(from..).and_then(|rest| rest.find('[')) {
        let open = from + open;
        let Some(length) = rest.get(open..).and_then(|rest| rest.find(']')) else {
            break;
        };
        let inside = rest.get(open + 1..open + length).unwrap_or_default();
        let number = inside.rsplit_once('-').map_or("", |(_, number)| number);
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            from = open + 1;
            continue;
        }
        rest.to_mut().replace_range(open..=open + length, " ");
        from = open;
    }
    rest
}

/// What a member's, variable's or header's name says; nothing when it says nothing. Words of a
/// name are told apart by case, `-`, `_`, `.` and spaces.
pub(super) fn naming(name: &str) -> Option<Naming> {
    let name = without_pseudonyms(name);
    let name = name.as_ref();
    // Most names are short, and say nothing: this is asked of every member of every line. A long
    // one is read like any other, because a copy in which it is shorter says the same.
    if name.len() < 3 || !may_name(name.as_bytes()) {
        return None;
    }
    let words = words(name);
    if words.last().is_some_and(|last| ABOUT.contains(&&**last)) {
        return None;
    }
    let secret = |detector, number| {
        Some(Naming {
            detector,
            number,
            path: false,
            random: false,
        })
    };
    let mut before = "";
    let mut found = None;
    for word in &words {
        let here = match &**word {
            "authorization" | "auth" | "bearer" | "cookie" | "cookies" | "jwt" => {
                secret(Detector::Authorization, false)
            }
            "password" | "passwords" | "passwd" | "passphrase" | "passcode" | "pass" | "pw"
            | "secret" | "secrets" | "pin" | "otp" | "cvv" | "cvc" | "ssn" => {
                secret(Detector::Assignment, true)
            }
            "pwd" | "oldpwd" => Some(Naming {
                detector: Detector::Assignment,
                number: true,
                path: true,
                random: false,
            }),
            "token" | "credential" | "credentials" | "creds" | "apikey" | "apikeys"
            | "accesskey" | "secretkey" | "privatekey" | "authtoken" | "accesstoken"
            | "clientsecret" => secret(Detector::Assignment, false),
            "tokens" => Some(Naming {
                detector: Detector::Assignment,
                number: false,
                path: false,
                random: true,
            }),
            "key" | "keys" if KEYS.contains(&before) => secret(Detector::Assignment, false),
            // Written in one piece and in one case: DBPASSWORD, userpassword.
            word if ["password", "passwd", "secret", "apikey"]
                .iter()
                .any(|end| word.ends_with(end)) =>
            {
                secret(Detector::Assignment, true)
            }
            _ => None,
        };
        // The first that says it without a doubt.
        if found.is_none_or(|found: Naming| found.random) {
            found = here.or(found);
        }
        before = word;
    }
    found
}

/// Whether any of the words could be there.
fn may_name(name: &[u8]) -> bool {
    const STEMS: [&[u8]; 14] = [
        b"pass", b"pwd", b"pw", b"secret", b"token", b"key", b"auth", b"cookie", b"cred", b"jwt",
        b"bearer", b"pin", b"otp", b"cv",
    ];
    let begins = |at: usize, stem: &[u8]| {
        let here = name.get(at..at + stem.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(stem))
    };
    (0..name.len()).any(|at| {
        matches!(
            name[at] | 0x20,
            b'p' | b's' | b't' | b'k' | b'a' | b'c' | b'j' | b'b' | b'o'
        ) && (STEMS.iter().any(|stem| begins(at, stem)) || begins(at, b"ssn"))
    })
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let lower = |letter: Option<&char>| letter.is_some_and(|c| c.is_lowercase());
        // `apiKey`, and the last capital of `DBPassword`.
        let begins = letter.is_uppercase()
            && (before.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit())
                || (before.is_some_and(char::is_uppercase) && lower(letters.get(at + 1))));
        if begins || !letter.is_alphabetic() {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pseudonyms_in_names_are_ignored() {
        for name in [
            "https://a:[url-password-1]@b",
            "[x-1][api-key-22]",
            "a [-1]",
            "p[ipv4-1]in",
        ] {
            assert_eq!(naming(name), None, "{name}");
        }
        for name in ["user[password]", "[email-1] password", "password[my-1]"] {
            assert!(naming(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_name_says_the_same_before_and_after_a_redaction_shortens_it() {
        let long = "export DB_PASSWORD=hunter2hunter2 && curl -H 'Authorization: Bearer abcdefghij0123456789'";
        let short = "export DB_PASSWORD=[assignment-1] && curl -H 'Authorization: Bearer [authorization-1]'";
        assert_eq!(naming(long), naming(short));
        assert!(naming(long).is_some());
        assert_eq!(
            naming("[me@example.com] token"),
            naming("[[email-1]] token")
        );
    }

    #[test]
    fn a_name_says_that_its_value_is_a_secret_however_it_is_written() {
        for name in [
            "password",
            "Password",
            "DB_PASSWORD",
            "dbPassword",
            "DBPassword",
            "db-password",
            "PASSWD",
            "pwd",
            "secret",
            "client_secret",
            "clientSecret",
            "ClientSecret",
            "token",
            "access_token",
            "refreshToken",
            "X-Auth-Token",
            "api_key",
            "apiKey",
            "API-KEY",
            "apikey",
            "x-api-key",
            "Authorization",
            "Proxy-Authorization",
            "private_key",
            "privateKey",
            "accessKey",
            "AWS_ACCESS_KEY",
            "secretAccessKey",
            "cookie",
            "Set-Cookie",
            "credential",
            "credentials",
            "passphrase",
            "DBPASSWORD",
            "password2",
            "secret_value",
            "GITHUB_TOKEN",
            "token2",
            "cvv",
            "pin",
        ] {
            assert!(naming(name).is_some(), "{name}");
        }
        for name in [
            "type",
            "uuid",
            "key",
            "turnAttributionKey",
            "author",
            "keyboard",
            "passed",
            "tokenizer",
            "token_count",
            "tokenType",
            "token_type",
            "max_token_limit",
            "monkey",
            "primary_key",
            "session_id",
            "content",
            "pinned",
            "bypass",
            "compass",
            "secretary",
            "input_schema",
            "patch",
            "keys",
            "opinion",
        ] {
            assert_eq!(naming(name), None, "{name}");
        }
        assert!(naming("max_tokens").is_some_and(|naming| naming.random));
        assert!(naming("tokens_secret").is_some_and(|naming| !naming.random));
    }
}
