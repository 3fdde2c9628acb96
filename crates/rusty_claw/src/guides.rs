//! Compiles the code in the book's guides as examples.

macro_rules! guides {
    ($($name:ident = $file:literal;)+) => {
        $(
            #[doc = include_str!(concat!("../../../docs/", $file))]
            mod $name {}
        )+
    };
}

guides! {
    ask = "guides/ask.md";
    stream = "guides/stream.md";
    permissions = "guides/permissions.md";
    tools = "guides/tools.md";
    sessions = "guides/sessions.md";
    read_lines = "guides/read-lines.md";
    errors = "reference/errors.md";
    processes = "concepts/processes.md";
    typescript = "concepts/typescript.md";
    readme = "../README.md";
}
