//! Secrets of many kinds, and lines that have none.

use super::*;

/// The lines of a data file, without comments.
fn data(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines.map(|line| line.replace('¬', ""))
}

/// The texts as prompts of one session, redacted.
fn redacted(texts: &[String]) -> Vec<String> {
    let scratch = tempfile::tempdir().unwrap();
    let lines = texts.iter().map(|text| {
        let line = serde_json::json!({
            "type": "user", "uuid": "22222222-0000-4000-8000-000000000001", "parentUuid": null,
            "sessionId": ID, "timestamp": "2026-11-15T02:33:47.027Z",
            "message": {"role": "user", "content": text},
        });
        format!("{line}\n")
    });
    let path = scratch.path().join(format!("{ID}.jsonl"));
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let into = scratch.path().join("copy");
    let original = SessionFile::at(&path).unwrap();
    let copy = read(redacted_into(&original, &into).main_file().unwrap());
    let prompt = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["message"]["content"].as_str().unwrap().to_owned()
    };
    copy.lines().map(prompt).collect()
}

/// A text and its secrets.
struct Marked {
    text: String,
    secrets: Vec<String>,
}

impl Marked {
    fn new(line: &str) -> Self {
        let marked = line.replace("\\n", "\n").replace("\\t", "\t");
        let secrets = marked.split('»').skip(1);
        let secrets = secrets.filter_map(|rest| rest.split('«').next());
        let secrets: Vec<String> = secrets.map(str::to_owned).collect();
        assert!(!secrets.is_empty(), "{marked}");
        Self {
            text: marked.replace(['»', '«'], ""),
            secrets,
        }
    }

    /// Returns whether the other text may contain a secret of this one, in any notation.
    fn may_tell(&self, other: &Self) -> bool {
        let text = other.text.to_lowercase();
        self.secrets.iter().any(|secret| {
            let secret = secret.to_lowercase();
            let parts = secret.split(|c: char| !c.is_alphanumeric());
            let longest = parts.max_by_key(|part| part.len());
            longest.is_none_or(|part| text.contains(part))
        })
    }
}

/// Texts in sessions. A secret that is found once is replaced in the whole session, so no two texts
/// of one session have a secret in common.
fn sessions(texts: Vec<Marked>) -> Vec<Vec<Marked>> {
    let mut sessions: Vec<Vec<Marked>> = Vec::new();
    for text in texts {
        let is_apart = |other: &Marked| !text.may_tell(other) && !other.may_tell(&text);
        let session = sessions
            .iter_mut()
            .find(|session| session.iter().all(is_apart));
        match session {
            Some(session) => session.push(text),
            None => sessions.push(vec![text]),
        }
    }
    sessions
}

#[test]
fn no_secret_is_left_and_no_ordinary_text_is_changed() {
    let marked: Vec<Marked> = data(include_str!("secrets.txt"))
        .map(|line| Marked::new(&line))
        .collect();
    let count = marked.len();
    let mut left = Vec::new();
    for session in sessions(marked) {
        let texts: Vec<String> = session.iter().map(|marked| marked.text.clone()).collect();
        for (marked, copy) in session.iter().zip(redacted(&texts)) {
            let kept = marked
                .secrets
                .iter()
                .filter(|secret| copy.contains(*secret));
            left.extend(kept.map(|secret| format!("{secret} in {copy}")));
        }
    }
    let innocent: Vec<String> = data(include_str!("innocent.txt")).collect();
    let copies = redacted(&innocent);
    assert_eq!(copies.len(), innocent.len());
    let pairs = innocent.iter().zip(&copies);
    let changed: Vec<String> = pairs
        .filter(|(line, copy)| line != copy)
        .map(|(line, copy)| format!("{line} became {copy}"))
        .collect();
    println!("secrets left: {} of {count} lines", left.len());
    println!(
        "ordinary lines changed: {} of {}",
        changed.len(),
        innocent.len()
    );
    assert!(innocent.len() >= 200);
    assert!(
        left.is_empty() && changed.is_empty(),
        "left:\n{}\nchanged:\n{}",
        left.join("\n"),
        changed.join("\n")
    );
}

/// A model's name is not structure: a secret in it is replaced.
#[test]
fn a_secret_in_the_name_of_a_model_is_replaced() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join(format!("{ID}.jsonl"));
    let line = |model: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"u","parentUuid":null,"sessionId":"{ID}","message":{{"id":"m","role":"assistant","model":"{model}","content":[]}}}}"#
        )
    };
    let usual = line("claude-opus-4-5-20251101");
    std::fs::write(&path, format!("{}\n{usual}\n", line("jane@corp.com"))).unwrap();
    let into = scratch.path().join("copy");
    let original = SessionFile::at(&path).unwrap();
    redacted_into(&original, &into);
    let copy = read(into.join(format!("{ID}.jsonl")));
    assert_eq!(copy, format!("{}\n{usual}\n", line("[email-1]")));
}
