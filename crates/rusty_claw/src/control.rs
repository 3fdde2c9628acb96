//! The control protocol: questions and answers beside the conversation, in both directions.

pub mod messages;
