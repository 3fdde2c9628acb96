//! A page that an agent serves on loopback, opened in the person's browser.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use claw_testkit::figure::Figure;

use crate::{home, token};

/// Tries to use the API, and writes what it reached into itself.
const PAGE: &str = include_str!("page_of_an_agent.html");
/// What a page reaches if its origin is allowed and it has a token.
const OF_A_FRIEND: [&str; 4] = ["list", "input", "socket", "document"];

/// Opens the page as an agent's, and as that of a front end that the person trusts.
pub(crate) fn figure() -> Figure {
    let (agent, friend) = (reached(false), reached(true));
    assert_eq!(friend, OF_A_FRIEND, "a page with a token");
    let name = "a page on another loopback port, open in Chromium, uses the API";
    let measured = format!(
        "{} of 7; {} of 7 with a token and --origin",
        agent.len(),
        friend.len()
    );
    Figure::new(name, "0 attempts succeed")
        .measured(measured, agent.is_empty())
        .list("reached", agent)
}

/// Returns the attempts that succeed.
fn reached(is_friend: bool) -> Vec<String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let home = home();
    let args = ["--origin", origin.as_str()];
    let served = home.serve(if is_friend { &args } else { &[] });
    let token = token(&home, "drive");
    let session = served.create(&home.path("work"));
    let shown = if is_friend { token.as_str() } else { "" };
    let page = PAGE
        .replace("\"API\"", &format!("\"http://{}\"", served.address))
        .replace("\"TOKEN\"", &format!("{shown:?}"))
        .replace("\"SESSION\"", &format!("{session:?}"));
    std::thread::spawn(move || serve(&listener, &page));
    let text = open(&origin, &mut Command::new("chromium"));
    assert!(text.contains("\ndone"), "the page did not complete: {text}");
    let lines = text.lines().filter_map(|line| line.split_once("reached "));
    lines.map(|(_, name)| name.to_owned()).collect()
}

/// Serves the page until the program ends.
fn serve(listener: &TcpListener, page: &str) {
    for stream in listener.incoming() {
        let Ok(mut stream) = stream else { return };
        // The head of a request of a browser is less than this.
        let _ = stream.read(&mut [0; 4096]);
        let length = page.len();
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}");
        let _ = write!(stream, "{head}\r\nconnection: close\r\n\r\n{page}");
    }
}

/// Returns the text of a page after its script has run.
fn open(url: &str, chromium: &mut Command) -> String {
    let profile = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let output = chromium
        .env_clear()
        .env("HOME", profile.path())
        .env("PATH", path)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
        .args(["--disable-background-networking", "--no-first-run"])
        .args(["--virtual-time-budget=30000", "--timeout=60000"])
        .args(["--dump-dom", url])
        .output()
        .expect("chromium does not start: `apt-get install chromium`");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // The source of the script is part of the page.
    let (_, result) = text.split_once("<pre").expect("the page is empty");
    let (result, _) = result.split_once("</pre>").expect("the page is incomplete");
    result.replace('>', "\n")
}
