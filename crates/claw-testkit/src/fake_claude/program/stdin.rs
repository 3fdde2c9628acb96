//! The thread that reads the host's lines.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, Read as _, Write as _};

use serde_json::Value;

use super::control;
use super::host::Host;
use super::state::{Answer, Prompt};
use crate::lenient_json;

/// Larger buffers are freed after their line.
const KEEP: usize = 64 * 1024;

/// Reads lines until stdin ends.
pub(super) fn read(host: &Host) {
    let mut record = host.script.record_stdin.as_ref().and_then(|path| {
        let path = host.resolve(path);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        file.inspect_err(|error| eprintln!("fake-claude: {}: {error}", path.display()))
            .ok()
    });
    let mut stdin = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        line.shrink_to(KEEP);
        match stdin.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        note(&mut record, &line);
        take(host, &line);
    }
    host.state().input_ended = true;
    host.wake();
}

/// Takes the whole of stdin, or the words of the command line, as the one prompt.
pub(super) fn read_one_prompt(host: &Host) -> Result<(), String> {
    let mut text = host.flags.words.join(" ");
    if text.is_empty() {
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| format!("Error: cannot read stdin: {error}"))?;
    }
    if text.trim().is_empty() {
        return Err(
            "Error: Input must be provided either through stdin or as a prompt argument when using --print"
                .to_owned(),
        );
    }
    host.queue(Prompt {
        uuid: None,
        content: Value::String(text.trim_end().to_owned()),
    });
    host.state().input_ended = true;
    Ok(())
}

fn note(record: &mut Option<File>, line: &[u8]) {
    if let Some(file) = record {
        let newline: &[u8] = if line.ends_with(b"\n") { b"" } else { b"\n" };
        // A record that cannot be written shows in the test that reads it.
        let _ = file.write_all(line).and_then(|()| file.write_all(newline));
    }
}

fn take(host: &Host, line: &[u8]) {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let line = line.trim_ascii();
    if line.is_empty() {
        return;
    }
    let Some(frame) = lenient_json::parse(line) else {
        let length = String::from_utf8_lossy(line).encode_utf16().count();
        refuse(host, &unreadable(length, "SyntaxError"));
    };
    if frame.is_null() {
        refuse(host, &unreadable(4, "TypeError"));
    }
    match frame["type"].as_str() {
        Some("user") => take_prompt(host, frame),
        Some("control_request") => {
            if !frame["request"].is_object() {
                refuse(host, "Error: Missing request on control_request");
            }
            control::answer(host, &frame["request_id"], &frame["request"]);
        }
        Some("control_response") => {
            let response = &frame["response"];
            let Some(id) = response["request_id"].as_str() else {
                return;
            };
            let answer = if response["subtype"] == "success" {
                Answer::Success(response["response"].clone())
            } else {
                Answer::Error(response["error"].as_str().unwrap_or("unknown").to_owned())
            };
            host.answered(id, answer);
        }
        _ => {}
    }
}

fn take_prompt(host: &Host, mut frame: Value) {
    let role = frame["message"]["role"].as_str().unwrap_or("undefined");
    if role != "user" {
        let text = format!("Error: Expected message role 'user', got '{role}'");
        refuse(host, &text);
    }
    host.queue(Prompt {
        uuid: frame["uuid"].as_str().map(str::to_owned),
        content: frame["message"]["content"].take(),
    });
}

fn unreadable(length: usize, error: &str) -> String {
    format!("Error parsing streaming input line (type=unknown, {length} chars): {error}")
}

/// One bad line ends the CLI, with nothing on stdout.
fn refuse(host: &Host, text: &str) -> ! {
    eprintln!("{text}");
    host.leave(1)
}
