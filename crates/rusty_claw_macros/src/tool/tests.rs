//! Error messages for wrong uses of `#[tool]`. The tests of `rusty_claw` compile the generated code
//! of correct uses.

use std::str::FromStr;

use proc_macro2::TokenStream;

use super::{expand, expand_impl};

fn refusal(options: &str, item: &str) -> String {
    let tokens = |text| TokenStream::from_str(text).unwrap();
    match expand(tokens(options), tokens(item)) {
        Ok(_) => panic!("accepted: #[tool({options})] {item}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn says_what_is_wrong_and_what_to_do() {
    let cases = [
        (
            "struct Add;",
            "#[tool] goes on an async function; for a closure there is `Tool::new`",
        ),
        (
            "/// Adds.\nfn add(a: f64) -> f64 { a }",
            "a tool's function is async: write `async fn`",
        ),
        (
            "async fn add(a: f64) -> f64 { a }",
            "a tool needs a description, from which the model learns what it is for: \
             write a doc comment, or `#[tool(description = \"…\")]`",
        ),
        (
            "/// Adds.\nasync fn add<T: Add>(a: T) -> T { a }",
            "a tool's function has no generic parameters: the model calls one function with one \
             schema",
        ),
        (
            "/// Adds.\nasync unsafe fn add(a: f64) -> f64 { a }",
            "a tool's function is safe: anything may call it",
        ),
        (
            "/// Adds.\nasync fn add(&self, a: f64) -> f64 { a }",
            "the methods of a type become tools together: put #[rusty_claw::mcp::tools] on the \
             impl block",
        ),
        (
            "/// Greets.\nasync fn greet(name: &str) -> String { name.into() }",
            "a tool owns its arguments: take `String` for `&str`, `Vec` for a slice",
        ),
        (
            "/// Greets.\nasync fn greet(name: impl Into<String>) -> String { name.into() }",
            "a tool's arguments have types that have names: the schema is made of them",
        ),
        (
            "/// Greets.\nasync fn greet(name: String, context: ToolContext) -> String { name }",
            "the `ToolContext` is the first parameter, and there is one",
        ),
        (
            "/// Greets.\nasync fn greet(one: ToolContext, two: ToolContext) {}",
            "the `ToolContext` is the first parameter, and there is one",
        ),
        (
            "/// Adds.\nasync fn add(Point { x, y }: Point, z: f64) -> f64 { x + y + z }",
            "an argument needs a name, by which the model gives it; to take several apart, use \
             one struct with all of them",
        ),
        (
            "/// Adds.\nasync fn add(#[arg(help = \"…\")] a: f64, b: f64) -> f64 { a + b }",
            "unknown option of #[arg]; there are `doc`, `name` and `default`",
        ),
    ];
    for (item, expected) in cases {
        assert_eq!(refusal("", item), expected, "{item}");
    }
}

#[test]
fn knows_its_options() {
    let add = "/// Adds.\nasync fn add(a: f64, b: f64) -> f64 { a + b }";
    assert_eq!(
        refusal("readonly", add),
        "unknown option of #[tool]; there are `name`, `description`, `title`, `read_only`, \
         `destructive`, `idempotent`, `open_world`, `always_load`, `search_hint` and `crate`"
    );
    assert_eq!(
        refusal("read_only, read_only = false", add),
        "this option is given twice"
    );
    assert_eq!(refusal("name = 5", add), "expected string literal");
    assert_eq!(refusal("crate = \"not a path\"", add), "unexpected token");
    assert_eq!(
        refusal("destructive = \"no\"", add),
        "expected boolean literal"
    );
}

#[test]
fn says_what_is_wrong_with_a_block() {
    let cases = [
        (
            "",
            "struct Book;",
            "#[tools] goes on an impl block; a function takes #[tool]",
        ),
        (
            "",
            "impl Clone for Book { #[tool] fn clone(&self) -> Self { Book } }",
            "#[tools] goes on the methods of a type itself, not on those of a trait",
        ),
        (
            "",
            "impl Book { async fn look(&self) {} }",
            "no method here is a tool: put #[tool] on those that the model may call",
        ),
        (
            "read_only",
            "impl Book { /// Looks.\n#[tool] async fn look(&self) {} }",
            "#[tools] has one option, `crate`; the others go into #[tool(…)]",
        ),
        (
            "",
            "impl Book { /// Looks.\n#[tool] fn look(&self) {} }",
            "a tool's function is async: write `async fn`",
        ),
    ];
    let tokens = |text: &str| TokenStream::from_str(text).unwrap();
    let refusal = |options: &str, item: &str| match expand_impl(tokens(options), tokens(item)) {
        Ok(_) => panic!("accepted: #[tools({options})] {item}"),
        Err(error) => error.to_string(),
    };
    for (options, item, expected) in cases {
        assert_eq!(refusal(options, item), expected, "{item}");
    }
    for receiver in ["&mut self", "self", "self: Arc<Self>", "name: String"] {
        let block = format!("impl Book {{ /// Looks.\n#[tool] async fn look({receiver}) {{}} }}");
        assert!(
            refusal("", &block).starts_with("a tool of a type takes `&self`"),
            "{receiver}"
        );
    }
}

#[test]
fn the_library_may_have_another_name() {
    let expanded = |options: &str, item: &str| {
        let tokens = |text| TokenStream::from_str(text).unwrap();
        expand(tokens(options), tokens(item)).unwrap().to_string()
    };
    let items = [
        "/// Adds.\nasync fn add(a: f64, b: f64) -> f64 { a + b }",
        "/// Adds.\nasync fn add(context: ToolContext, numbers: Numbers) -> f64 { 0.0 }",
        "/// Rests.\nasync fn rest() {}",
    ];
    for item in items {
        assert!(
            expanded("", item).contains(":: rusty_claw :: mcp"),
            "{item}"
        );
        let renamed = expanded("crate = \"crate::claw\"", item);
        assert!(renamed.contains("crate :: claw :: mcp"), "{renamed}");
        assert!(!renamed.contains("rusty_claw"), "{renamed}");
    }
    let renamed = expanded("crate = \"crate::claw\"", items[0]);
    for path in ["crate::claw::serde", "crate::claw::schemars"] {
        assert!(
            renamed.contains(&format!("crate = \"{path}\"")),
            "{renamed}"
        );
    }
}
