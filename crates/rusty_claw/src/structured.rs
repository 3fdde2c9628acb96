//! Typed answers.

mod shape;

#[cfg(test)]
mod tests;

use rusty_claw_protocol::messages::{ErrorSubtype, ResultMessage};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use self::shape::Shape;
use crate::error::StartError;
use crate::options::Options;
use crate::prompt::Prompt;
use crate::query::query;
use crate::session::{NotAnswered, TurnOutcome};

/// Runs one prompt in a new session, and returns the answer as a value of your type.
///
/// The schema is derived from the type, and its doc comments describe the fields to the model. The
/// CLI validates each answer and has the model retry if it does not match. Types that are not
/// objects (lists, enums, numbers) work too: they are wrapped in an object with one field.
///
/// ```no_run
/// use rusty_claw::{Options, query_as};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Debug, Deserialize, JsonSchema)]
/// struct Review {
///     /// One sentence.
///     summary: String,
///     /// From 0 to 10.
///     severity: u8,
/// }
///
/// # async fn example() -> Result<(), rusty_claw::QueryAsError> {
/// let review: Review = query_as("Review the last commit.", Options::new()).await?;
/// println!("{} ({})", review.summary, review.severity);
/// # Ok(())
/// # }
/// ```
///
/// Replaces a schema that is already set in the options. To keep the session, set
/// [`Options::json_schema`] and read `structured_output` of each result.
///
/// # Errors
/// See [`QueryAsError`].
///
/// Dropping the future closes the session in the background.
pub async fn query_as<T>(prompt: impl Into<Prompt>, options: Options) -> Result<T, QueryAsError>
where
    T: JsonSchema + DeserializeOwned,
{
    let shape = Shape::of::<T>();
    let options = options.json_schema(&shape.schema);
    let outcome = query(prompt, options).await?.outcome().await;
    answer(&shape, outcome)
}

/// Why there is no answer of the requested type. The `Debug` output is the variant and the
/// `Display` text, because a `main` that returns an error prints its `Debug` output.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum QueryAsError {
    /// The session did not start, for example because the CLI rejected the schema.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The prompt was not answered.
    #[error(transparent)]
    NotAnswered(#[from] NotAnswered),
    /// The model used all attempts that the CLI allows, and no answer matched the schema.
    #[error(
        "no answer fitted the type's schema: {error}; make the type simpler, or say in its doc \
         comments what the fields are"
    )]
    GaveUp {
        /// The error message of the CLI.
        error: String,
    },
    /// The model answered with free text only.
    #[error(
        "the model answered in free text and not in the wanted shape; ask for the structured \
         answer in the prompt; it said: {}",
        beginning(.text)
    )]
    OnlyText {
        /// The text of the answer.
        text: String,
    },
    /// The answer matches the schema but not the type: they disagree.
    #[error(
        "the answer does not fit the type at `{field}`: {why}; the schema allows what the type \
         does not take; the answer was {}",
        beginning(.answer)
    )]
    DoesNotFit {
        /// The field, as a path: `items[2].price`.
        field: String,
        /// The error message of serde.
        why: String,
        /// The answer, as JSON.
        answer: String,
    },
}

impl std::fmt::Debug for QueryAsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start(error) => write!(f, "{error:?}"),
            Self::NotAnswered(error) => write!(f, "{error:?}"),
            Self::GaveUp { .. } => write!(f, "GaveUp: {self}"),
            Self::OnlyText { .. } => write!(f, "OnlyText: {self}"),
            Self::DoesNotFit { .. } => write!(f, "DoesNotFit: {self}"),
        }
    }
}

/// Truncates an answer for an error message; the variant has the whole answer.
fn beginning(text: &str) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(200).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Parses the answer from the outcome of a prompt.
fn answer<T: DeserializeOwned>(shape: &Shape, outcome: TurnOutcome) -> Result<T, QueryAsError> {
    let (TurnOutcome::Succeeded(report) | TurnOutcome::ContinuedInBackground { report, .. }) =
        &outcome
    else {
        return Err(unanswered(outcome));
    };
    let structured = report
        .details()
        .and_then(|details| details.structured_output.as_ref());
    let Some(structured) = structured else {
        return Err(match report.text() {
            Some(text) => QueryAsError::OnlyText {
                text: text.to_owned(),
            },
            None => unanswered(outcome),
        });
    };
    // It was read from JSON, so it can be written as JSON.
    let json = serde_json::to_string(structured).unwrap_or_default();
    shape
        .read(&json)
        .map_err(|(field, why)| QueryAsError::DoesNotFit {
            field,
            why,
            answer: json,
        })
}

fn unanswered(outcome: TurnOutcome) -> QueryAsError {
    let result = outcome.report().and_then(|report| report.result.as_deref());
    match result {
        Some(ResultMessage::Error { subtype, error, .. })
            if *subtype == ErrorSubtype::MaxStructuredOutputRetries =>
        {
            QueryAsError::GaveUp {
                error: error.clone(),
            }
        }
        _ => QueryAsError::NotAnswered(NotAnswered { outcome }),
    }
}
