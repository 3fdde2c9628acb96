//! Lines of a session, as the CLI writes them.

/// The session of the lines.
pub(crate) const S: &str = "5e5e5e5e-0000-4000-8000-000000000001";

pub(crate) fn uuid(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// A line of the main conversation; the parent 0 is none.
pub(crate) fn line(number: u32, parent: u32, rest: &str) -> String {
    in_chain(number, parent, r#""isSidechain":false"#, rest)
}

/// A line of a sidechain.
pub(crate) fn side(number: u32, parent: u32, rest: &str) -> String {
    in_chain(number, parent, r#""isSidechain":true"#, rest)
}

/// A line of the subagent `a1`.
pub(crate) fn agent(number: u32, parent: u32, rest: &str) -> String {
    in_chain(number, parent, r#""isSidechain":true,"agentId":"a1""#, rest)
}

fn in_chain(number: u32, parent: u32, flags: &str, rest: &str) -> String {
    let parent = match parent {
        0 => "null".to_owned(),
        parent => format!("\"{}\"", uuid(parent)),
    };
    let (minute, second) = (number / 60 % 60, number % 60);
    let own = uuid(number);
    format!(
        r#"{{"parentUuid":{parent},{flags},{rest},"uuid":"{own}","timestamp":"2026-01-31T12:{minute:02}:{second:02}.000Z","sessionId":"{S}","cwd":"/home/user/p","version":"2.1.325"}}"#
    ) + "\n"
}

pub(crate) fn prompt(text: &str) -> String {
    format!(r#""type":"user","message":{{"role":"user","content":"{text}"}}"#)
}

pub(crate) fn reply(id: &str, block: &str) -> String {
    format!(
        r#""type":"assistant","message":{{"id":"{id}","role":"assistant","content":[{block}],"usage":{{"output_tokens":1}}}}"#
    )
}

pub(crate) fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

pub(crate) fn call(id: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"Task","input":{{}}}}"#)
}

pub(crate) fn result(id: &str) -> String {
    format!(
        r#""type":"user","message":{{"role":"user","content":[{{"tool_use_id":"{id}","type":"tool_result","content":"done"}}]}}"#
    )
}
