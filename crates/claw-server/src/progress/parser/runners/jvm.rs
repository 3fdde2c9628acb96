//! Maven.

use super::Found;
use crate::progress::parser::page::Page;
use crate::progress::parser::reading::{label, tests_running};

/// `Running com.example.CartTest`: a class has its turn, and no number says how many there are.
pub(super) fn surefire(page: &Page<'_>) -> Option<Found> {
    let (at, label) = page.last(|line| {
        let before = line.text.strip_prefix("[INFO] ").unwrap_or(line.text);
        let name = before.strip_prefix("Running ")?;
        let class = name.rsplit('.').next().unwrap_or("");
        let is_test = ["Test", "Tests", "IT", "Spec", "Case"];
        let is_test = is_test.iter().any(|end| class.ends_with(end)) || class.starts_with("Test");
        let named = !name.contains([' ', '/']) && name.contains('.');
        (named && is_test).then(|| label(name))
    })?;
    let mut update = tests_running(None, None);
    update.label = label;
    Some(Found::new(at, update))
}
