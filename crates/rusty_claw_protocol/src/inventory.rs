//! The types that this crate models, for the reference page and the drift report.

use crate::wire::{Shape, Wire};

/// A type that no other type refers to.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Root {
    /// Its shape.
    pub shape: &'static Shape,
    /// Sample files that contain values of it.
    pub samples: &'static [&'static str],
    /// The subtype of the request that it answers, also in its samples.
    pub answers: Option<&'static str>,
    /// The frame member that contains it.
    pub frame_member: Option<&'static str>,
    /// The `type` of that frame.
    pub frame_type: Option<&'static str>,
    /// Whether it occurs in lines.
    pub in_lines: bool,
}

impl Root {
    fn of<T: Wire>() -> Option<Self> {
        T::shape().map(Self::new)
    }

    fn new(shape: &'static Shape) -> Self {
        Self {
            shape,
            samples: &[],
            answers: None,
            frame_member: None,
            frame_type: None,
            in_lines: false,
        }
    }
}

/// Returns all roots.
pub fn roots() -> Vec<Root> {
    let message = Root::of::<crate::messages::Message>().map(|root| Root {
        samples: &["messages.ndjson"],
        in_lines: true,
        ..root
    });
    let request = Root::of::<crate::control::ControlRequest>().map(|root| Root {
        samples: &["control_requests.ndjson"],
        frame_member: Some("request"),
        frame_type: Some("control_request"),
        in_lines: true,
        ..root
    });
    let response = Root::of::<crate::control::ControlResponse>().map(|root| Root {
        frame_member: Some("response"),
        frame_type: Some("control_response"),
        in_lines: true,
        ..root
    });
    let hook = Root::of::<crate::hook::HookInput>().map(|root| Root {
        samples: &["hooks.ndjson"],
        ..root
    });
    let hook_output = Root::of::<crate::hook::HookSpecificOutput>();
    let answers = crate::control::answer_shapes()
        .into_iter()
        .filter_map(|(subtype, shape)| {
            Some(Root {
                samples: &["control_responses.ndjson"],
                answers: Some(subtype),
                ..Root::new(shape?)
            })
        });
    let tools = crate::tool::input_shapes().into_iter().map(Root::new);
    [message, request, response, hook, hook_output]
        .into_iter()
        .flatten()
        .chain(answers)
        .chain(tools)
        .collect()
}
