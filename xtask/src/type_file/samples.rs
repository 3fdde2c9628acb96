//! Sample values made from the type model: what the CLI may print, whether it was ever seen or not.

mod value;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use serde_json::{Value, json};

use super::model::{Direction, Kind, Shape, TypeModel};
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

/// The samples of one file.
#[derive(Debug, Clone)]
pub(crate) struct SampleFile {
    /// Name without the ending.
    pub(crate) stem: &'static str,
    pub(crate) samples: Vec<Sample>,
}

/// Answers whose types are not named after the request that they answer.
const ANSWERS: [(&str, &str); 3] = [
    ("PermissionResult", "can_use_tool"),
    ("RewindFilesResult", "rewind_files"),
    ("McpSetServersResult", "mcp_set_servers"),
];

/// Makes all samples of a model.
pub(crate) fn generate(model: &TypeModel) -> Result<Vec<SampleFile>> {
    Ok(vec![
        SampleFile {
            stem: "messages",
            samples: messages(model)?,
        },
        SampleFile {
            stem: "control_requests",
            samples: control_requests(model)?,
        },
        SampleFile {
            stem: "control_responses",
            samples: control_responses(model)?,
        },
        SampleFile {
            stem: "hooks",
            samples: hooks(model)?,
        },
        SampleFile {
            stem: "tools",
            samples: tools(model)?,
        },
    ])
}

/// Writes the sample files of the pinned version.
pub(crate) fn write_all(root: &Path) -> Result<()> {
    for (path, text) in rendered(root)? {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Fails if a committed sample file differs from the one that the committed model generates.
pub(crate) fn check_all(root: &Path) -> Result<()> {
    for (path, text) in rendered(root)? {
        let committed = std::fs::read_to_string(&path).with_context(|| {
            format!("cannot read {}: run `cargo xtask codegen`", path.display())
        })?;
        if committed != text {
            bail!("{} is stale: run `cargo xtask codegen`", path.display());
        }
    }
    Ok(())
}

fn rendered(root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let folder = root.join("testdata/types/samples");
    let files = generate(&super::pinned(root)?)?;
    files
        .into_iter()
        .map(|file| {
            let mut text = String::new();
            for sample in &file.samples {
                writeln!(text, "{}", serde_json::to_string(sample)?)?;
            }
            Ok((folder.join(format!("{}.ndjson", file.stem)), text))
        })
        .collect()
}

/// All samples of one type.
fn of_type(
    model: &TypeModel,
    name: &str,
    shape: &Shape,
    wrap: impl Fn(Value) -> Value,
) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for variant in [Variant::All, Variant::Required] {
        let values = value::all_values(model, shape, variant)
            .with_context(|| format!("no sample can be made of {name}"))?;
        for (alternative, value) in values.into_iter().enumerate() {
            samples.push(Sample {
                name: name.to_owned(),
                variant,
                alternative,
                subtype: None,
                direction: None,
                value: wrap(value),
            });
        }
    }
    Ok(samples)
}

fn messages(model: &TypeModel) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    // Control requests are written to another file.
    let extra = model
        .stdout_extra
        .iter()
        .filter(|frame| frame.name != "SDKControlRequest");
    for frame in model.messages.iter().chain(extra) {
        samples.extend(of_type(model, &frame.name, &frame.shape, |value| value)?);
    }
    Ok(samples)
}

/// Requests are in their envelope, as they are sent.
fn control_requests(model: &TypeModel) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for request in &model.control_requests {
        let made = of_type(
            model,
            &request.name,
            &request.shape,
            |inner| json!({ "request": inner, "request_id": "s-request_id", "type": "control_request" }),
        )?;
        samples.extend(made.into_iter().map(|sample| Sample {
            subtype: Some(request.subtype.clone()),
            direction: Some(request.direction),
            ..sample
        }));
    }
    Ok(samples)
}

/// Responses are the payload alone, because its type depends on the request.
fn control_responses(model: &TypeModel) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    let mut seen = BTreeSet::new();
    let promised = model
        .query_results
        .iter()
        .filter_map(|result| match &result.shape.kind {
            Kind::Ref { to } => Some((to.as_str(), &result.shape)),
            _ => None,
        });
    let permission = model
        .permissions
        .iter()
        .filter(|named| named.name == "PermissionResult");
    let declared = model.control_responses.iter().chain(permission);
    for (name, shape) in declared
        .map(|named| (named.name.as_str(), &named.shape))
        .chain(promised)
    {
        if !seen.insert(name) {
            continue;
        }
        let named_after = model
            .control_requests
            .iter()
            .find(|request| request.response.as_deref() == Some(name))
            .map(|request| request.subtype.clone());
        let listed = || {
            let (_, subtype) = ANSWERS.iter().find(|(answer, _)| *answer == name)?;
            Some((*subtype).to_owned())
        };
        let subtype = named_after.or_else(listed);
        let made = of_type(model, name, shape, |value| value)?;
        samples.extend(made.into_iter().map(|sample| Sample {
            subtype: subtype.clone(),
            ..sample
        }));
    }
    Ok(samples)
}

fn hooks(model: &TypeModel) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for input in &model.hooks.inputs {
        samples.extend(of_type(model, &input.event, &input.shape, |value| value)?);
    }
    for output in &model.hooks.outputs {
        samples.extend(of_type(model, &output.name, &output.shape, |value| value)?);
    }
    Ok(samples)
}

fn tools(model: &TypeModel) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for tool in &model.tools.inputs {
        samples.extend(of_type(model, &tool.name, &tool.shape, |value| value)?);
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli_package::workspace_root;

    #[test]
    fn the_committed_samples_are_what_the_committed_model_gives() {
        check_all(&workspace_root()).expect("not stale");
    }

    #[test]
    fn every_declared_name_has_samples_of_both_variants() {
        let model = crate::type_file::pinned(&workspace_root()).expect("a model");
        let files = generate(&model).expect("samples");
        let names = |stem: &str, variant: Variant| -> BTreeSet<String> {
            let file = files.iter().find(|file| file.stem == stem).expect("a file");
            let samples = file
                .samples
                .iter()
                .filter(|sample| sample.variant == variant);
            samples.map(|sample| sample.name.clone()).collect()
        };
        for variant in [Variant::All, Variant::Required] {
            let messages = names("messages", variant);
            assert_eq!(model.messages.len(), 41);
            assert!(
                model
                    .messages
                    .iter()
                    .all(|message| messages.contains(&message.name))
            );
            assert_eq!(names("control_requests", variant).len(), 41);
            let hooks = names("hooks", variant);
            assert_eq!(model.hooks.inputs.len(), 33);
            assert!(
                model
                    .hooks
                    .inputs
                    .iter()
                    .all(|input| hooks.contains(&input.event))
            );
            assert_eq!(names("tools", variant).len(), model.tools.inputs.len());
        }
        let from_cli = |request: &&super::super::model::ControlRequest| {
            request.direction == Direction::CliToSdk
        };
        assert_eq!(model.control_requests.iter().filter(from_cli).count(), 5);
    }
}
