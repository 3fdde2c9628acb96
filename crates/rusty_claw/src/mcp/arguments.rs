//! Deserialization of a tool's arguments.

use rusty_claw_protocol::Json;
use serde::de::DeserializeOwned;

/// Deserializes the arguments of a call. The error names the argument and what is wrong with it, in
/// words that a model can act on.
pub(super) fn read<T: DeserializeOwned>(arguments: &Json) -> Result<T, String> {
    // serde would accept an array for a struct, by position.
    if !arguments.is_object() {
        return Err("they must be a JSON object".to_owned());
    }
    let mut reader = serde_json::Deserializer::from_str(arguments.text());
    let error = match serde_path_to_error::deserialize(&mut reader) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    // Text that is cut in the middle of an emoji has lone surrogates, which serde_json rejects.
    // `to_value` replaces them with U+FFFD.
    if error.inner().is_syntax() {
        return serde_path_to_error::deserialize(arguments.to_value())
            .map_err(|error| describe(&error));
    }
    Err(describe(&error))
}

fn describe(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let mut what = error.inner().to_string();
    // A position in the line means nothing to a model, which never saw the line.
    if let Some(end) = what.rfind(" at line ") {
        what.truncate(end);
    }
    match error.path().to_string().as_str() {
        "." => what,
        path => format!("{path}: {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Order {
        name: String,
        items: Vec<Item>,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Item {
        count: u8,
    }

    fn refused(text: &str) -> String {
        read::<Order>(&Json::from_text(text).unwrap()).unwrap_err()
    }

    #[test]
    fn says_which_argument_is_wrong_and_how() {
        assert_eq!(refused(r#"{"items":[]}"#), "missing field `name`");
        assert_eq!(
            refused(r#"{"name":"n","items":[{"count":1},{"count":300}]}"#),
            "items[1].count: invalid value: integer `300`, expected u8"
        );
        assert_eq!(refused(r#"["n",[]]"#), "they must be a JSON object");
    }

    #[test]
    fn reads_text_with_half_an_emoji() {
        let arguments = Json::from_text(r#"{"name":"half \ud83d","items":[]}"#).unwrap();
        let order: Order = read(&arguments).unwrap();
        assert_eq!(order.name, "half \u{fffd}");
    }

    #[test]
    fn gives_the_text_itself_to_a_tool_that_wants_it() {
        let arguments = Json::from_text(r#"{"precise":1.50}"#).unwrap();
        assert_eq!(read::<Json>(&arguments), Ok(arguments));
    }
}
