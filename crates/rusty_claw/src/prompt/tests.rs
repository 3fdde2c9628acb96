use rusty_claw_protocol::messages::{ContentBlock, Message, PromptPriority};

use super::base64::encode;
use super::*;
use crate::error::SessionError;
use crate::outgoing::line_of;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";

fn sent(prompt: Prompt) -> serde_json::Value {
    let (_, message) = prompt.with_id("the-id").into_message();
    let line = line_of(&Message::User(Box::new(message)));
    serde_json::from_slice(&line).expect("JSON")
}

fn why(result: Result<Prompt, SessionError>) -> String {
    result.expect_err("refused").to_string()
}

#[test]
fn bytes_become_base64() {
    let table = [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ];
    for (plain, encoded) in table {
        assert_eq!(encode(plain.as_bytes()), encoded);
    }
    assert_eq!(encode(&[0xfb, 0xff, 0xfe]), "+//+");
}

#[test]
fn a_text_stays_a_plain_string_until_something_is_added() {
    assert_eq!(sent(Prompt::text("Hi"))["message"]["content"], "Hi");
    let two = sent(Prompt::text("Hi").and_text("there"));
    assert_eq!(
        two["message"]["content"],
        serde_json::json!([{"type": "text", "text": "Hi"}, {"type": "text", "text": "there"}])
    );
}

#[test]
fn what_is_added_is_sent_as_the_api_has_it() {
    let prompt = Prompt::blocks([ContentBlock::text("Look")])
        .image_bytes(PNG)
        .and_then(|prompt| prompt.pdf_bytes("%PDF-1.7 …"))
        .expect("sendable")
        .image_url("https://example.com/a.png")
        .text_document("log", "line");
    insta::assert_snapshot!(sent(prompt)["message"]["content"], @r#"[{"text":"Look","type":"text"},{"source":{"data":"iVBORw0KGgouLi4u","media_type":"image/png","type":"base64"},"type":"image"},{"source":{"data":"JVBERi0xLjcg4oCm","media_type":"application/pdf","type":"base64"},"type":"document"},{"source":{"type":"url","url":"https://example.com/a.png"},"type":"image"},{"source":{"data":"line","media_type":"text/plain","type":"text"},"title":"log","type":"document"}]"#);
}

#[test]
fn how_it_is_to_be_run_is_said() {
    let prompt = Prompt::text("Hi")
        .priority(PromptPriority::Later)
        .without_query()
        .verbatim();
    insta::assert_snapshot!(sent(prompt), @r#"{"client_composed":true,"message":{"content":"Hi","role":"user"},"parent_tool_use_id":null,"priority":"later","shouldQuery":false,"type":"user","uuid":"the-id"}"#);
}

#[test]
fn the_first_bytes_say_what_an_image_is() {
    let table: [(&[u8], &str); 4] = [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ];
    for (bytes, media_type) in table {
        let prompt = Prompt::default().image_bytes(bytes).expect("an image");
        assert_eq!(
            sent(prompt)["message"]["content"][0]["source"]["media_type"],
            media_type
        );
    }
}

#[test]
fn what_cannot_be_sent_says_what_to_do() {
    let prompt = || Prompt::text("Look");
    let mut large = PNG.to_vec();
    large.resize(25 << 20, 0);
    let table = [
        why(prompt().image_bytes(b"BM....")),
        why(prompt().image_bytes(b"")),
        why(prompt().image_bytes(b"%PDF-1.7")),
        why(prompt().image_bytes(large)),
        why(prompt().pdf_bytes(PNG)),
    ];
    insta::assert_snapshot!(table.join("\n"), @r"
    an image cannot be sent: it is no PNG, JPEG, GIF or WebP; convert it to one of these
    an image cannot be sent: it is empty
    an image cannot be sent: it is a PDF; add it with Prompt::pdf_file
    an image cannot be sent: it has 25.0 MiB, 33.3 MiB on the wire, and the API takes no more than 32 MiB; scale it down
    a PDF cannot be sent: it is no PDF; add a text with Prompt::text_document
    ");
}

#[tokio::test]
async fn files_are_named_when_they_cannot_be_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrongly_named = folder.path().join("picture.jpg");
    std::fs::write(&wrongly_named, PNG).expect("written");
    let prompt = Prompt::text("Look").image_file(&wrongly_named).await;
    let content = sent(prompt.expect("an image"));
    assert_eq!(
        content["message"]["content"][1]["source"]["media_type"],
        "image/png"
    );
    let missing = folder.path().join("missing.png");
    let error = why(Prompt::default().image_file(&missing).await);
    assert!(error.contains("missing.png: it cannot be read"), "{error}");
    let paper = folder.path().join("paper.pdf");
    std::fs::write(&paper, "%PDF-1.4").expect("written");
    let prompt = Prompt::default().pdf_file(&paper).await.expect("a PDF");
    assert_eq!(sent(prompt)["message"]["content"][0]["title"], "paper.pdf");
}
