//! Checks that a pattern cannot express: check digits, addresses and randomness.

use std::net::{Ipv4Addr, Ipv6Addr};

use serde::Deserialize;

/// A check of a candidate, by its name in the table of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Check {
    /// Has a digit, or letters that change case unlike any word.
    Mixed,
    /// Characters change kind more often than in any name.
    Changing,
    /// Padded, or letters that change case unlike any name in code.
    Base64,
    /// Random enough for a key.
    Random,
    /// A private key with key material between its first and last line.
    KeyMaterial,
    CreditCard,
    Iban,
    Ipv4,
    Ipv6,
}

impl Check {
    /// The number of bytes of a candidate that are a secret; `None` if it is not one.
    pub(super) fn accepted(self, secret: &str) -> Option<usize> {
        let right = match self {
            Self::Mixed => digits(secret) > 0 || changes(secret) * 3 >= secret.len(),
            Self::Changing => changes(secret) * 3 >= secret.len(),
            Self::Base64 => {
                let letters = secret.trim_end_matches('=');
                let padded = letters.len() < secret.len() && secret.len().is_multiple_of(4);
                padded || changes(letters) * 2 >= letters.len()
            }
            Self::Random => is_random(secret.trim_end_matches('=')),
            Self::KeyMaterial => {
                let mut runs = secret.split(|c| !is_base64(c));
                secret.len() < 40_000 && runs.any(|run| run.len() >= 32)
            }
            Self::CreditCard => is_credit_card(secret),
            Self::Iban => return iban(secret),
            Self::Ipv4 => secret.parse().is_ok_and(|address: Ipv4Addr| {
                let [first, .., third, last] = address.octets();
                let local = address.is_loopback() || matches!(first, 0 | 255);
                !local && (third, last) != (0, 0)
            }),
            Self::Ipv6 => is_ipv6(secret),
        };
        right.then_some(secret.len())
    }
}

/// Returns whether a character is in the standard base64 alphabet.
pub(super) fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

fn is_random(text: &str) -> bool {
    // Longer texts are files in base64.
    let count = |kind: fn(&u8) -> bool| text.bytes().filter(kind).count();
    (24..=4096).contains(&text.len())
        && count(u8::is_ascii_uppercase) >= 3
        && count(u8::is_ascii_lowercase) >= 3
        && digits(text) >= 3
        && changes(text) * 3 >= text.len()
}

fn is_credit_card(secret: &str) -> bool {
    let digits: Vec<u32> = secret.chars().filter_map(|c| c.to_digit(10)).collect();
    let begins = |count: usize| digits[..count].iter().fold(0, |sum, n| sum * 10 + n);
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
    // Card numbers are written in groups of similar length, unlike tables of numbers.
    let groups: Vec<usize> = secret.split([' ', '-']).map(str::len).collect();
    let even = groups.len() == 1 || groups.iter().all(|length| (3..=7).contains(length));
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = (digits.iter().rev().enumerate())
        .map(|(at, digit)| if at % 2 == 1 { doubled(*digit) } else { *digit })
        .sum();
    brand && even && sum.is_multiple_of(10) && !digits.iter().all(|digit| *digit == digits[0])
}

/// The length of IBANs, by country.
const IBANS: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20\
EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21\
LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19\
SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20";

/// The length of the IBAN that a text starts with. The words after it may look like its last
/// groups.
fn iban(text: &str) -> Option<usize> {
    let country = IBANS
        .as_bytes()
        .chunks(4)
        .find(|row| text.as_bytes().starts_with(&row[..2]))?;
    let length = usize::from((country[2] - b'0') * 10 + country[3] - b'0');
    let (last, _) = text.match_indices(|c: char| c != ' ').nth(length - 1)?;
    let end = last + 1;
    if text[end..].starts_with(|c| c != ' ') {
        return None;
    }
    let (head, rest) = text[..end].split_at(4);
    let rest = rest.chars().chain(head.chars());
    let sum = rest.filter_map(|c| c.to_digit(36)).fold(0, |sum, digit| {
        let shift = if digit > 9 { 100 } else { 10 };
        (sum * shift + digit) % 97
    });
    (sum == 1).then_some(end)
}

fn is_ipv6(secret: &str) -> bool {
    let Ok(address) = secret.parse::<Ipv6Addr>() else {
        return false;
    };
    // `a::b` is a path in several languages: require more groups, or a prefix of real addresses.
    let groups = secret.split(':').filter(|group| !group.is_empty()).count();
    let lower = secret.to_ascii_lowercase();
    let known = ["fe80:", "fc00:", "fd", "200", "2a", "26", "24", "28"];
    let known = known.iter().any(|start| lower.starts_with(start));
    !address.is_loopback()
        && !address.is_unspecified()
        && digits(secret) > 0
        && (groups >= 4 || (known && secret.find(':') == Some(4)))
}

/// The number of changes between kinds of characters. Words have few.
pub(super) fn changes(text: &str) -> usize {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let pairs = text.as_bytes().windows(2);
    pairs.filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

/// The entropy in bits per character.
pub(super) fn bits(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let total = text.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0);
    let shares = shares.map(|count| f64::from(*count) / total);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

pub(super) fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}
