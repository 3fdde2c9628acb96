//! A page that an agent serves on loopback, opened in the person's browser.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use claw_gateway::SessionSpec;
use claw_gateway::client::Client;

use super::figure::Figure;
use super::served::{Gateway, clean};

/// Tries to use the API, and writes what it reached into itself.
const PAGE: &str = include_str!("page_of_an_agent.html");
/// What a page reaches if its origin is allowed and it has a token.
const OF_A_FRIEND: [&str; 4] = ["list", "input", "socket", "document"];

/// Opens the page as an agent's, and as that of a front end that the person trusts.
pub(crate) fn measure() -> Result<Vec<Figure>> {
    let agent = reached(false)?;
    let friend = reached(true)?;
    ensure!(
        friend == OF_A_FRIEND,
        "a page with a token reaches {friend:?}"
    );
    let figure = Figure::new(
        "a page on another loopback port, open in Chromium, uses the API",
        "0 attempts succeed",
    );
    let measured = format!(
        "{} of 7; {} of 7 with a token and --origin",
        agent.len(),
        friend.len()
    );
    let figure = figure.measured(measured, agent.is_empty());
    Ok(vec![figure.list("reached", agent)])
}

/// Returns the attempts that succeed.
fn reached(is_friend: bool) -> Result<Vec<String>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let origin = format!("http://{}", listener.local_addr()?);
    let args = ["--origin", origin.as_str()];
    let gateway = Gateway::start(if is_friend { &args } else { &[] })?;
    let token = gateway.token("drive")?;
    let session = create(&gateway, &token)?;
    let shown = if is_friend { token.as_str() } else { "" };
    let page = PAGE
        .replace("\"API\"", &format!("{:?}", gateway.url))
        .replace("\"TOKEN\"", &format!("{shown:?}"))
        .replace("\"SESSION\"", &format!("{session:?}"));
    std::thread::spawn(move || serve(&listener, &page));
    let text = open(&origin, gateway.home())?;
    ensure!(text.contains("\ndone"), "the page did not complete: {text}");
    let lines = text.lines().filter_map(|line| line.split_once("reached "));
    Ok(lines.map(|(_, name)| name.to_owned()).collect())
}

fn create(gateway: &Gateway, token: &str) -> Result<String> {
    let runtime = tokio::runtime::Runtime::new()?;
    let client = Client::new(&gateway.url, token)?;
    let spec = SessionSpec::new(gateway.home());
    let created = client.create(&spec);
    Ok(runtime.block_on(created)?.id.to_string())
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
fn open(url: &str, home: &Path) -> Result<String> {
    let output = clean(Path::new("chromium"), home)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=30000",
        ])
        .args(["--timeout=60000", "--dump-dom", url])
        .output()
        .context("chromium does not start: `apt-get install chromium`")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // The source of the script is part of the page.
    let (_, result) = text.split_once("<pre").context("the page is empty")?;
    let (result, _) = result
        .split_once("</pre>")
        .context("the page is not complete")?;
    Ok(result.replace('>', "\n"))
}
