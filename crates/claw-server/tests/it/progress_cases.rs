//! Texts and what they report: `kind done/total percent state`, or nothing.

pub(crate) mod any_words;
pub(crate) mod ends_said;
pub(crate) mod ends_said_more;
pub(crate) mod last_lines;
pub(crate) mod monitored;
pub(crate) mod moving;
pub(crate) mod moving_more;
pub(crate) mod nothing;
pub(crate) mod other_words;
pub(crate) mod plain_lines;
pub(crate) mod plain_words;
pub(crate) mod runners;
pub(crate) mod runners_at_large;
pub(crate) mod said;
pub(crate) mod scripts;
pub(crate) mod sentences;
pub(crate) mod shown;
pub(crate) mod stops;
pub(crate) mod stops_by_tool;
pub(crate) mod stops_more;
pub(crate) mod stops_of_transfers;
pub(crate) mod tests_run;
pub(crate) mod told_apart;
pub(crate) mod tools;
pub(crate) mod works;
