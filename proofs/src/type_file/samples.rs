//! Sample values made from the type model: what the CLI may print, whether it was ever seen or not.

mod value;

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};

use super::model::{Direction, Kind, Named, Shape, TypeModel};
pub(crate) use value::Variant;

/// One line of a sample file.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Sample {
    /// The type's name; for hook inputs the event.
    pub(crate) name: String,
    pub(crate) variant: Variant,
    /// Counts the samples that are needed to show every alternative of every union inside.
    pub(crate) alternative: usize,
    /// Subtype of the control request, or of the request that a response answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subtype: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) direction: Option<Direction>,
    pub(crate) value: Value,
}

/// Answers whose types are not named after the request that they answer.
const ANSWERS: [(&str, &str); 3] = [
    ("PermissionResult", "can_use_tool"),
    ("RewindFilesResult", "rewind_files"),
    ("McpSetServersResult", "mcp_set_servers"),
];

/// Makes all samples of a model, by the file that they are in.
pub(crate) fn generate(model: &TypeModel) -> Result<[(&'static str, Vec<Sample>); 5]> {
    let frames = model.messages.iter().chain(&model.stdout_extra);
    // Control requests are written to another file.
    let messages = frames.filter(|frame| frame.name != "SDKControlRequest");
    let inputs = model.hooks.inputs.iter();
    let inputs = inputs.map(|input| (&input.event, &input.shape));
    let hooks = inputs.chain(model.hooks.outputs.iter().map(named));
    let tools = model.tools.inputs.iter().map(named);
    Ok([
        ("messages", plain(model, messages.map(named))?),
        ("control_requests", control_requests(model)?),
        ("control_responses", control_responses(model)?),
        ("hooks", plain(model, hooks)?),
        ("tools", plain(model, tools)?),
    ])
}

fn named(it: &Named) -> (&String, &Shape) {
    (&it.name, &it.shape)
}

fn plain<'a>(
    model: &TypeModel,
    types: impl Iterator<Item = (&'a String, &'a Shape)>,
) -> Result<Vec<Sample>> {
    let samples: Result<Vec<_>> = types
        .map(|(name, shape)| of_type(model, name, shape))
        .collect();
    Ok(samples?.concat())
}

/// All samples of one type.
fn of_type(model: &TypeModel, name: &str, shape: &Shape) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for variant in [Variant::All, Variant::Required] {
        let values = value::all_values(model, shape, variant)
            .with_context(|| format!("no sample can be made of {name}"))?;
        let values = values.into_iter().enumerate();
        samples.extend(values.map(|(alternative, value)| Sample {
            name: name.to_owned(),
            variant,
            alternative,
            subtype: None,
            direction: None,
            value,
        }));
    }
    Ok(samples)
}

/// Requests are in their envelope, as they are sent.
fn control_requests(model: &TypeModel) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for request in &model.control_requests {
        let made = of_type(model, &request.name, &request.shape)?;
        samples.extend(made.into_iter().map(|sample| Sample {
            subtype: Some(request.subtype.clone()),
            direction: Some(request.direction),
            value: json!({ "request": sample.value, "request_id": "s-request_id", "type": "control_request" }),
            ..sample
        }));
    }
    Ok(samples)
}

/// Responses are the payload alone, because its type depends on the request.
fn control_responses(model: &TypeModel) -> Result<Vec<Sample>> {
    let permissions = model.permissions.iter();
    let permission = permissions.filter(|named| named.name == "PermissionResult");
    let named = model.control_responses.iter().chain(permission);
    let declared = named.map(|named| (named.name.as_str(), &named.shape));
    let results = model.query_results.iter();
    let promised = results.filter_map(|result| match &result.shape.kind {
        Kind::Ref { to } => Some((to.as_str(), &result.shape)),
        _ => None,
    });
    let mut samples = Vec::new();
    let mut seen = BTreeSet::new();
    let answers = declared.chain(promised);
    for (name, shape) in answers.filter(|(name, _)| seen.insert(*name)) {
        let mut requests = model.control_requests.iter();
        let request = requests.find(|request| request.response.as_deref() == Some(name));
        let listed = ANSWERS.iter().find(|(answer, _)| *answer == name);
        let own = request.map(|request| request.subtype.as_str());
        let subtype = own.or(listed.map(|(_, subtype)| *subtype));
        let made = of_type(model, name, shape)?;
        samples.extend(made.into_iter().map(|sample| Sample {
            subtype: subtype.map(str::to_owned),
            ..sample
        }));
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_name_has_samples_of_both_variants() {
        let model = crate::type_file::pinned().expect("a model");
        let files = generate(&model).expect("samples");
        let names = |stem: &str, variant: Variant| -> BTreeSet<String> {
            let (_, samples) = files
                .iter()
                .find(|(file, _)| *file == stem)
                .expect("a file");
            let samples = samples.iter().filter(|sample| sample.variant == variant);
            samples.map(|sample| sample.name.clone()).collect()
        };
        for variant in [Variant::All, Variant::Required] {
            let messages = names("messages", variant);
            let mut declared = model.messages.iter();
            assert!(declared.all(|message| messages.contains(&message.name)));
            assert_eq!(model.messages.len(), 41);
            assert_eq!(names("control_requests", variant).len(), 41);
            let hooks = names("hooks", variant);
            let mut inputs = model.hooks.inputs.iter();
            assert!(inputs.all(|input| hooks.contains(&input.event)));
            assert_eq!(model.hooks.inputs.len(), 33);
            assert_eq!(names("tools", variant).len(), model.tools.inputs.len());
        }
        let requests = model.control_requests.iter();
        let from_cli = requests.filter(|request| request.direction == Direction::CliToSdk);
        assert_eq!(from_cli.count(), 5);
    }
}
