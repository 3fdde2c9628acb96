//! Allow rules: which tool uses need no question.
//!
//! They live in the SDK, whose policies judge by them too; here they stand under the name that
//! front ends and grants use. See [`rusty_claw::permission::rules`].
//!
//! ```
//! use claw_server::rules::{AllowRules, Verdict};
//!
//! let rules = AllowRules::read(["Bash(git log:*)", "Bash(head:*)"]);
//! assert_eq!(rules.command("git log --oneline | head -5"), Verdict::Covered);
//! ```

pub use rusty_claw::permission::rules::{AllowRules, Surroundings, Verdict};
