//! The texts of a scenario, as they are in one run.

use std::collections::BTreeMap;

/// Maps the paths of a scenario into the run's root and fills in captured values.
pub(super) struct Place<'a> {
    pub(super) root: &'a str,
    pub(super) vars: &'a BTreeMap<String, String>,
}

impl Place<'_> {
    pub(super) fn text(&self, text: &str) -> String {
        let mut text = text.replace("/home/user", &format!("{}/home/user", self.root));
        for (name, value) in self.vars {
            text = text.replace(&format!("${name}"), value);
        }
        text
    }
}
