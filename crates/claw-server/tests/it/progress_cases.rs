//! Texts and what they report: `kind done/total percent state`, or nothing.

pub(crate) mod monitored;
pub(crate) mod said;
pub(crate) mod shown;
pub(crate) mod tests_run;
pub(crate) mod works;
