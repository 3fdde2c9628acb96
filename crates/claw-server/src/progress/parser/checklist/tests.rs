use crate::progress::TextOrigin::{Prose, ToolOutput};
use crate::progress::parser::tests::check;

#[test]
fn boxes_and_ticks_are_counted() {
    check(
        &[
            (
                "- [x] read\n- [ ] write\n  - [x] test\n- [-] dropped",
                "list 2/4 - running",
            ),
            ("1. ✅ Parse\n2. 🔄 Print\n3. ⬜ Test", "list 1/3 - running"),
            ("**Todo**\n☑ scan\n☐ parse", "list 1/2 - running"),
            ("- [x] read\n- [x] write", "list 2/2 - finished"),
            // Praise, failures, questions, other lists.
            ("- ✅ fast\n- ✅ small", "nothing"),
            ("- ✅ build\n- ❌ test", "nothing"),
            ("- [x] read\n- [ ] write\n\nShall I go on?", "nothing"),
            (
                "The template of an issue:\n- [x] read\n- [ ] write",
                "nothing",
            ),
            ("```\n- [x] read\n- [ ] write\n```", "nothing"),
            ("- [x] read", "nothing"),
        ],
        Prose,
    );
}

#[test]
fn a_tool_prints_a_list_and_nothing_else() {
    check(
        &[
            ("Todos:\n[x] read\n[ ] write\n", "list 1/2 - running"),
            ("My project\n\n- [x] read\n- [ ] write", "nothing"),
        ],
        ToolOutput,
    );
}
