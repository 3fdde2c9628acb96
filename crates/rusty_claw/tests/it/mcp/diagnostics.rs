//! Compiler errors for tools: small programs that `rustc` compiles with the library of this test.

use std::path::PathBuf;
use std::process::Command;

/// Checks a program. The error is the output of the compiler.
fn check(items: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("lib.rs");
    let head = "use std::sync::Arc;\nuse rusty_claw::mcp::{McpServer, Tool, ToolError, tool};\n\
                use rusty_claw::{schemars, serde, serde_json};\n";
    std::fs::write(&source, format!("#![allow(unused)]\n{head}{items}")).unwrap();
    let deps = std::env::current_exe().unwrap();
    let deps = deps.parent().unwrap();
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata"])
        .arg("--out-dir")
        .arg(folder.path())
        .arg("-L")
        .arg(format!("dependency={}", deps.display()))
        .arg("--extern")
        .arg(format!("rusty_claw={}", library().display()))
        .arg(&source)
        .output()
        .unwrap();
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8(output.stderr).unwrap())
    }
}

/// The newest build of the library: older ones have other features.
fn library() -> PathBuf {
    let deps = std::env::current_exe().unwrap();
    let entries = std::fs::read_dir(deps.parent().unwrap()).unwrap();
    let builds = entries.map(|entry| entry.unwrap().path()).filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap_or_default();
        name.starts_with("librusty_claw-") && name.ends_with(".rlib")
    });
    let newest = builds.max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    newest.expect("the library is built")
}

/// A function and a method with this output.
fn tools(output: &str) -> [String; 2] {
    let body = format!("-> {output} {{ todo!() }}");
    [
        format!("/// Tells.\n#[tool]\nasync fn weather() {body}"),
        format!(
            "struct Station;\n#[rusty_claw::mcp::tools]\nimpl Station {{\n/// Tells.\n#[tool]\n\
             async fn weather(&self) {body}\n}}"
        ),
    ]
}

#[test]
fn a_type_that_is_not_a_result_is_named() {
    for output in ["Weather", "Result<Weather, ToolError>"] {
        for tool in tools(output) {
            let said = check(&format!("struct Weather;\n{tool}")).unwrap_err();
            assert!(said.contains("a tool cannot return `Weather`"), "{said}");
            assert!(said.contains("`serde::Serialize`"), "{said}");
            assert!(said.contains("Structured(value)"), "{said}");
            assert!(!said.contains("cannot be the function of a tool"), "{said}");
            assert!(!said.contains("OutputType"), "{said}");
            // The place is the return type.
            let shown = said.lines().find(|line| line.contains("async fn weather("));
            let below = said.lines().skip_while(|line| Some(*line) != shown).nth(1);
            let marked = below.unwrap_or_default().find('^');
            let output = shown.and_then(|line| line.find(output));
            assert!(output.is_some() && marked == output, "{said}");
        }
    }
}

#[test]
fn an_error_without_text_is_named() {
    let items = "#[derive(serde::Serialize)]\n#[serde(crate = \"rusty_claw::serde\")]\n\
                 struct Weather;\n";
    for tool in tools("Result<Weather, Weather>") {
        // Both sides are `Serialize`: the error must not become a successful result.
        let said = check(&format!("{items}{tool}")).unwrap_err();
        let expected = "`Weather` doesn't implement `std::fmt::Display`";
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn json_is_a_result() {
    for output in ["serde_json::Value", "Result<rusty_claw::Json, ToolError>"] {
        for tool in tools(output) {
            assert_eq!(check(&tool), Ok(()));
        }
    }
}

#[test]
fn a_type_without_tools_is_named() {
    let said = check(
        "struct Plain;\nfn server() -> McpServer {\n\
         McpServer::new(\"s\").tool_set(Arc::new(Plain))\n}",
    )
    .unwrap_err();
    assert!(said.contains("`Plain` has no tools"), "{said}");
    assert!(said.contains("#[rusty_claw::mcp::tools]"), "{said}");
}
