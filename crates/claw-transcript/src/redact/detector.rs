//! What is looked for.

use std::str::FromStr;

use serde::Serialize;

use crate::error::TranscriptError;

/// A kind of text that should not leave the house.
///
/// In the order of precedence: where two see the same text, the first has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Detector {
    /// A private key in PEM, from its first line to its last.
    PrivateKey,
    /// A key of the Anthropic API.
    AnthropicKey,
    /// A key of the OpenAI API.
    OpenaiKey,
    /// The id of an AWS key.
    AwsAccessKey,
    /// An AWS secret, where its name stands before it.
    AwsSecret,
    /// A GitHub token, classic or fine-grained.
    GithubToken,
    /// A GitLab token.
    GitlabToken,
    /// A Slack token or web hook.
    SlackToken,
    /// A Google API key, access token or client secret.
    GoogleKey,
    /// An npm token.
    NpmToken,
    /// A PyPI token.
    PypiToken,
    /// A Stripe key.
    StripeKey,
    /// A JSON web token.
    Jwt,
    /// The password in a URL.
    UrlPassword,
    /// The credential of an `Authorization` header, a cookie, or what has such a name.
    Authorization,
    /// What is assigned to a name such as `password` or `api_key`, and the value of any member of
    /// JSON that is called so.
    Assignment,
    /// An e-mail address.
    Email,
    /// A credit card number whose check digit is right.
    CreditCard,
    /// A phone number, written as phone numbers are.
    Phone,
    /// An IPv4 address that is not of this machine.
    Ipv4,
    /// An IPv6 address that is not of this machine.
    Ipv6,
    /// The user's name in the path of a home directory.
    HomeUser,
    /// A host name in a URL. Off unless switched on: most are public.
    Host,
    /// A string too random to be a word, such as a key of no known shape.
    HighEntropy,
}

impl Detector {
    /// All of them, in the order of precedence.
    pub const ALL: [Self; 24] = [
        Self::PrivateKey,
        Self::AnthropicKey,
        Self::OpenaiKey,
        Self::AwsAccessKey,
        Self::AwsSecret,
        Self::GithubToken,
        Self::GitlabToken,
        Self::SlackToken,
        Self::GoogleKey,
        Self::NpmToken,
        Self::PypiToken,
        Self::StripeKey,
        Self::Jwt,
        Self::UrlPassword,
        Self::Authorization,
        Self::Assignment,
        Self::Email,
        Self::CreditCard,
        Self::Phone,
        Self::Ipv4,
        Self::Ipv6,
        Self::HomeUser,
        Self::Host,
        Self::HighEntropy,
    ];

    /// Its name, for options and reports; what it finds is named after it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PrivateKey => "private-key",
            Self::AnthropicKey => "anthropic-key",
            Self::OpenaiKey => "openai-key",
            Self::AwsAccessKey => "aws-access-key",
            Self::AwsSecret => "aws-secret",
            Self::GithubToken => "github-token",
            Self::GitlabToken => "gitlab-token",
            Self::SlackToken => "slack-token",
            Self::GoogleKey => "google-key",
            Self::NpmToken => "npm-token",
            Self::PypiToken => "pypi-token",
            Self::StripeKey => "stripe-key",
            Self::Jwt => "jwt",
            Self::UrlPassword => "url-password",
            Self::Authorization => "authorization",
            Self::Assignment => "assignment",
            Self::Email => "email",
            Self::CreditCard => "credit-card",
            Self::Phone => "phone",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::HomeUser => "home-user",
            Self::Host => "host",
            Self::HighEntropy => "high-entropy",
        }
    }

    /// Whether it works without being asked to.
    pub fn is_default(self) -> bool {
        self != Self::Host
    }

    /// Whether letters of either case mean the same, so that they get one pseudonym.
    pub(super) fn folds_case(self) -> bool {
        matches!(self, Self::Email | Self::Host | Self::Ipv6)
    }
}

impl std::fmt::Display for Detector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Detector {
    type Err = TranscriptError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|known| known.as_str() == name);
        found.ok_or_else(|| TranscriptError::UnknownName {
            what: "detector",
            name: name.to_owned(),
            hint: format!("give {}", Self::ALL.map(Self::as_str).join(", ")),
        })
    }
}
