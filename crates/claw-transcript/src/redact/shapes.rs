//! The shapes of secrets: a pattern that finds candidates, and a second look at each.
//!
//! Where a pattern has a group, the group is the secret and the rest is what makes it one.

use super::assigned;
use super::detector::Detector;
use super::verify::{self, Candidate};

pub(super) struct Shape {
    pub(super) detector: Detector,
    /// Without one of these there is no match, so the pattern need not be tried.
    pub(super) needs: &'static [&'static str],
    pub(super) pattern: &'static str,
    pub(super) verify: fn(&Candidate<'_>) -> bool,
}

const fn shape(
    detector: Detector,
    needs: &'static [&'static str],
    pattern: &'static str,
    verify: fn(&Candidate<'_>) -> bool,
) -> Shape {
    Shape {
        detector,
        needs,
        pattern,
        verify,
    }
}

/// In the order of precedence.
pub(super) const SHAPES: &[Shape] = &[
    shape(
        Detector::PrivateKey,
        &["PRIVATE KEY"],
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:(?s:.)*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?:(?:[\s|>+→-]|[0-9]{1,6}[→:|\t]|\\[rn])+[A-Za-z0-9+/=]{20,})+(?:(?:[\s|>+→-]|[0-9]{1,6}[→:|\t]|\\[rn])+[A-Za-z0-9+/]{1,75}={1,2})?)",
        verify::private_key,
    ),
    shape(
        Detector::AnthropicKey,
        &["sk-ant-"],
        r"(?-u:\b)sk-ant-[A-Za-z0-9_-]{20,}",
        verify::has_digit,
    ),
    shape(
        Detector::OpenaiKey,
        &["sk-"],
        r"(?-u:\b)sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,}(?-u:\b))",
        verify::has_digit,
    ),
    shape(
        Detector::AwsAccessKey,
        &["AKIA", "ASIA", "AROA", "AIDA", "ABIA", "ACCA"],
        r"(?-u:\b)(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z2-7]{16}(?-u:\b)",
        verify::always,
    ),
    shape(
        Detector::AwsSecret,
        &["ecret", "ECRET"],
        r#"(?i:aws_?secret[a-z_]*|secret_?access_?key)["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})(?-u:\b)"#,
        verify::has_digit,
    ),
    shape(
        Detector::GithubToken,
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"(?-u:\b)(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})(?-u:\b)",
        verify::always,
    ),
    shape(
        Detector::GitlabToken,
        &["gl"],
        r"(?-u:\b)gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_.-]{20,}",
        verify::has_digit,
    ),
    shape(
        Detector::SlackToken,
        &["xox", "xapp-", "hooks.slack.com"],
        r"(?-u:\b)(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/T[A-Za-z0-9/]{20,})",
        verify::has_digit,
    ),
    shape(
        Detector::GoogleKey,
        &["AIza", "ya29.", "GOCSPX-"],
        r"(?-u:\b)(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{28})",
        verify::ends_the_word,
    ),
    shape(
        Detector::NpmToken,
        &["npm_"],
        r"(?-u:\b)npm_[A-Za-z0-9]{36}(?-u:\b)",
        verify::has_digit,
    ),
    shape(
        Detector::PypiToken,
        &["pypi-"],
        r"(?-u:\b)pypi-[A-Za-z0-9_-]{50,}",
        verify::has_digit,
    ),
    shape(
        Detector::StripeKey,
        &["_live_", "_test_", "whsec_"],
        r"(?-u:\b)(?:(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,})(?-u:\b)",
        verify::has_digit,
    ),
    shape(
        Detector::Jwt,
        &["eyJ"],
        r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        verify::always,
    ),
    shape(
        Detector::UrlPassword,
        &["://"],
        r#"(?-u:\b)[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'`<>\\]*:([^\s/@"'`<>\\]+)@"#,
        verify::not_a_stand_in,
    ),
    shape(
        Detector::Authorization,
        &[
            "uthorization",
            "UTHORIZATION",
            "earer ",
            "api-key",
            "Api-Key",
        ],
        r#"(?i:(?-u:\b)(?:proxy-)?authorization\\{0,7}["']?\s*[:=]\s*\\{0,7}["']?(?:(?:bearer|basic|token|digest)\s+)?|(?-u:\b)bearer\s+|(?-u:\b)x-api-key\\{0,7}["']?\s*[:=]\s*\\{0,7}["']?)([A-Za-z0-9._~+/=-]{8,})"#,
        verify::credential,
    ),
    shape(
        Detector::Authorization,
        &["ookie", "OOKIE"],
        r#"(?i:(?-u:\b)(?:set-)?cookie\\{0,7}["']?\s{0,4}[:=]\s{0,4}\\{0,7}["']?)([A-Za-z0-9_.-]+=[^\s;"'`\\]{4,}(?:;\s?[A-Za-z0-9_.-]+=[^\s;"'`\\]+)*)"#,
        verify::not_a_stand_in,
    ),
    shape(
        Detector::Authorization,
        &["curl"],
        r#"(?-u:\b)curl(?-u:\b)[^\n|;]*?\s(?:-u|--user)[ =]?["']?[^\s:"'@/]+:([^\s"'\\]+)"#,
        verify::not_a_stand_in,
    ),
    // A variable on a line of its own: its value goes to the end of the line.
    shape(
        Detector::Assignment,
        &["="],
        r"(?m:^)[ \t]*(?:export[ \t]+|set[ \t]+|ENV[ \t]+)?[A-Z][A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)(?:_[A-Z0-9_]+)?=([^\s]{4,})[ \t\r]*(?m:$)",
        assigned::variable,
    ),
    shape(
        Detector::Assignment,
        &["=", ":", " is ", " was "],
        r#"(?i:(?:password|passwd|passphrase|pwd|secret|token|api[_ -]?key|access[_-]?key|secret[_-]?key|private[_-]?key|credentials?)(?:\\{0,7}["']?\s{0,4}(?:=>|:=|[:=])\s{0,4}|\s(?:is|was)\s))(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)'|\\{1,7}"([^"\n\\]+)\\{1,7}"|["'`]?((?:[^\s"'`,;&(){}\[\]<>|\\]|\([^\s()"'`,;&]+\))+))"#,
        assigned::value,
    ),
    // An option of a program.
    shape(
        Detector::Assignment,
        &["--"],
        r#"\s--(?i:[a-z0-9-]*(?:password|passwd|passphrase|secret|token|api-?key|access-?key))[ =]["']?([^\s"'`\\]{6,})"#,
        assigned::option,
    ),
    shape(
        Detector::Email,
        &["@", "%40"],
        r"(?-u:\b)[A-Za-z0-9][A-Za-z0-9._%+-]*(?:@|%40)(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}(?-u:\b)",
        verify::email,
    ),
    shape(
        Detector::CreditCard,
        &[],
        r"(?-u:\b)[2-6](?:[ -]?[0-9]){12,18}(?-u:\b)",
        verify::credit_card,
    ),
    shape(
        Detector::Phone,
        &["+", "-"],
        r"\+[1-9][0-9]{0,2}[ .-]?(?:\([0-9]{1,4}\)[ .-]?)?[0-9]{1,5}(?:[ .-]?[0-9]{2,5}){1,4}(?-u:\b)|\([2-9][0-9]{2}\) ?[2-9][0-9]{2}-[0-9]{4}(?-u:\b)|(?-u:\b)[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}(?-u:\b)",
        verify::phone,
    ),
    shape(
        Detector::Ipv4,
        &["."],
        r"(?-u:\b)[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?-u:\b)",
        verify::ipv4,
    ),
    shape(
        Detector::Ipv6,
        &[":"],
        r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*[0-9A-Fa-f:]",
        verify::ipv6,
    ),
    shape(
        Detector::HomeUser,
        &["home", "sers"],
        // On Windows a name may have spaces; it ends where the path goes on.
        r#"(?:[A-Za-z]:\\{1,8}Users\\{1,8}([A-Za-z0-9_][^\\/:*?"<>|\s]*(?: [^\\/:*?"<>|\s]+){0,3})\\|(?:/home/|/Users/|[A-Za-z]:\\{1,8}Users\\{1,8}|[A-Za-z]:/Users/|/(?:projects|claude-[0-9]+)/-(?:home|Users)-|(?:^|[\s"'`(=:/])-(?:home|Users)-)([A-Za-z0-9_][A-Za-z0-9._-]*))"#,
        verify::home_user,
    ),
    shape(
        Detector::Host,
        &["://"],
        r"(?-u:\b)[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s/@]*@)?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)",
        verify::host,
    ),
    shape(
        Detector::HighEntropy,
        &[],
        r"[A-Za-z0-9_+/=-]{24,}",
        verify::high_entropy,
    ),
];
