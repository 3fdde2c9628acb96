//! Names of JSON members, variables and headers whose value is a secret.

use aho_corasick::AhoCorasick;
use serde::Deserialize;

use super::detector::Detector;
use super::error::RedactError;
use super::pattern::Pattern;

/// Names whose value is a secret, as in the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    about: Vec<String>,
    pseudonym: Pattern,
    secret: Vec<SecretName>,
}

/// Words in a name whose value is a secret.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SecretName {
    /// The detector that reports the value.
    pub(super) detector: Detector,
    pub(super) words: Vec<String>,
    /// Endings of words.
    #[serde(default)]
    pub(super) endings: Vec<String>,
    /// The words of which one must precede; empty for any.
    #[serde(default)]
    pub(super) after: Vec<String>,
    /// Whether a number is a secret too, not a count.
    #[serde(default)]
    pub(super) number: bool,
    /// Whether a value that looks like a path is a path.
    #[serde(default)]
    pub(super) path: bool,
    /// Whether only values that look random count: `tokens` usually counts tokens.
    #[serde(default)]
    pub(super) random: bool,
}

/// Classifies names by the secrecy of their values.
#[derive(Deserialize)]
#[serde(try_from = "Names")]
pub(super) struct SecretNames {
    names: Names,
    /// All words and endings, to skip most names early.
    any: AhoCorasick,
}

impl TryFrom<Names> for SecretNames {
    type Error = RedactError;

    fn try_from(names: Names) -> Result<Self, RedactError> {
        let words = names
            .secret
            .iter()
            .flat_map(|row| row.words.iter().chain(&row.endings));
        let any = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(words);
        Ok(Self {
            any: any.map_err(|error| RedactError::bad_rule("names", error))?,
            names,
        })
    }
}

impl SecretNames {
    /// The words at the end of names whose value is not a secret.
    pub(super) fn about(&self) -> &[String] {
        &self.names.about
    }

    /// Returns whether a text is a pseudonym of an earlier run.
    pub(super) fn is_pseudonym(&self, text: &str) -> bool {
        let regex = self.names.pseudonym.regex();
        let found = regex.and_then(|regex| regex.find(text));
        found.is_some_and(|found| found.len() == text.len())
    }

    /// The row of the table that applies to a name. Words of a name are separated by case, `-`,
    /// `_`, `.` and spaces.
    pub(super) fn get(&self, name: &str) -> Option<&SecretName> {
        if !self.any.is_match(name) {
            return None;
        }
        // `[url-password-1]` does not name a password, and separates words.
        let name = self.names.pseudonym.regex()?.replace_all(name, " ");
        let words = words(&name);
        if words
            .last()
            .is_some_and(|last| self.names.about.contains(last))
        {
            return None;
        }
        let mut found = None;
        let mut before = "";
        for word in &words {
            let here = self.names.secret.iter().find(|row| {
                let preceded =
                    row.after.is_empty() || row.after.iter().any(|known| known == before);
                preceded && row.words.contains(word)
            });
            let mut rows = self.names.secret.iter();
            let here =
                here.or_else(|| rows.find(|row| row.endings.iter().any(|end| word.ends_with(end))));
            // The first row without doubt wins.
            if found.is_none_or(|found: &SecretName| found.random) {
                found = here.or(found);
            }
            before = word;
        }
        found
    }
}

/// The words of a name, in lower case.
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
    use super::SecretName;
    use crate::redact::rules::Table;

    fn naming(name: &str) -> Option<&'static SecretName> {
        Table::get().expect("the table").names.get(name)
    }

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
    fn a_redacted_name_has_the_same_meaning() {
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
    fn names_of_secrets_are_recognized_in_any_notation() {
        const SECRET: &str = "
            password Password DB_PASSWORD dbPassword DBPassword db-password PASSWD pwd secret
            client_secret clientSecret ClientSecret token access_token refreshToken X-Auth-Token
            api_key apiKey API-KEY apikey x-api-key Authorization Proxy-Authorization
            private_key privateKey accessKey AWS_ACCESS_KEY secretAccessKey cookie Set-Cookie
            credential credentials passphrase DBPASSWORD password2 secret_value GITHUB_TOKEN
            token2 cvv pin";
        const ORDINARY: &str = "
            type uuid key turnAttributionKey author keyboard passed tokenizer token_count
            tokenType token_type max_token_limit monkey primary_key session_id content pinned
            bypass compass secretary input_schema patch keys opinion token_url tokenEndpoint
            DB_PASSWORD_FILE secretName jwtSecretAlgorithm";
        for name in SECRET.split_whitespace() {
            assert!(naming(name).is_some(), "{name}");
        }
        for name in ORDINARY.split_whitespace() {
            assert_eq!(naming(name), None, "{name}");
        }
        assert!(naming("max_tokens").is_some_and(|naming| naming.random));
        assert!(naming("tokens_secret").is_some_and(|naming| !naming.random));
    }
}
