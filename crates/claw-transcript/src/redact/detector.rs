//! The kinds of text that redaction replaces.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::TranscriptError;

/// Defines [`Detector`] from one list of variants and names.
macro_rules! detectors {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A kind of text that should not be shared.
        ///
        /// In order of precedence: if two detectors find the same text, the first one names it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Detector {
            $($(#[$doc])* $variant,)*
        }

        impl Detector {
            /// All detectors, in order of precedence.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name in options and reports, and the first part of its pseudonyms.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

detectors! {
    /// A private key in PEM, from its first line to its last.
    PrivateKey = "private-key",
    /// A key of the Anthropic API.
    AnthropicKey = "anthropic-key",
    /// A key of the OpenAI API.
    OpenaiKey = "openai-key",
    /// The id of an AWS key.
    AwsAccessKey = "aws-access-key",
    /// An AWS secret after its name.
    AwsSecret = "aws-secret",
    /// A GitHub token, classic or fine-grained.
    GithubToken = "github-token",
    /// A GitLab token.
    GitlabToken = "gitlab-token",
    /// A Slack token or web hook.
    SlackToken = "slack-token",
    /// A Google API key, access token or client secret.
    GoogleKey = "google-key",
    /// An npm token.
    NpmToken = "npm-token",
    /// A PyPI token.
    PypiToken = "pypi-token",
    /// A Stripe key.
    StripeKey = "stripe-key",
    /// A Hugging Face token.
    HuggingfaceToken = "huggingface-token",
    /// An Azure account key, client secret or shared access signature.
    AzureKey = "azure-key",
    /// A Twilio API key.
    TwilioKey = "twilio-key",
    /// A JSON web token.
    Jwt = "jwt",
    /// A hashed password, as in `.htpasswd`.
    PasswordHash = "password-hash",
    /// The password in a URL.
    UrlPassword = "url-password",
    /// The credential of an `Authorization` header, a cookie, or the value of such a name.
    Authorization = "authorization",
    /// The value assigned to a name such as `password` or `api_key`, and of any JSON member with
    /// such a name.
    Assignment = "assignment",
    /// An e-mail address.
    Email = "email",
    /// An IBAN with valid check digits.
    Iban = "iban",
    /// A US social security number.
    Ssn = "ssn",
    /// A credit card number with a valid check digit.
    CreditCard = "credit-card",
    /// A phone number in a usual format.
    Phone = "phone",
    /// An IPv4 address of another machine.
    Ipv4 = "ipv4",
    /// An IPv6 address of another machine.
    Ipv6 = "ipv6",
    /// The user's name in the path of a home directory.
    HomeUser = "home-user",
    /// A host name in a URL. Off by default: most are public.
    Host = "host",
    /// A string too random to be a word, such as a key of an unknown format.
    HighEntropy = "high-entropy",
}

impl Detector {
    /// Returns whether it is on by default.
    pub fn is_default(self) -> bool {
        self != Self::Host
    }

    /// Returns whether texts that differ only in case get the same pseudonym.
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
