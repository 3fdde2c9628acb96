//! Routes that change sessions and answer interactions.

use claw_gateway::Scope;
use claw_store::TenantId;
use claw_testkit::{Elicitation, FakeScript, FakeTurn, Step};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::host::TIMEOUT;
use crate::served::Served;
use crate::stores;

async fn token(served: &Served, scope: Scope) -> String {
    let tenant = TenantId::new("ada").unwrap();
    let added = served.devices.add(&tenant, "laptop", scope).await;
    added.unwrap().1
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_title_is_changed_at_the_revision_that_the_client_has_seen() {
    for row in stores::all().await {
        let served = Served::start(row.store, &FakeScript::new()).await;
        let session = served.session("new").await;
        let token = token(&served, Scope::Drive).await;
        let line = format!("PATCH /v1/sessions/{session}");
        let seen = served.access().get(session).await.unwrap().revision;
        let change = json!({"revision": seen, "title": "The plan"});
        let (head, changed) = served.json(&line, &token, &change).await;
        assert!(head.contains("200 OK"), "{head} {changed}");
        assert_eq!(changed["spec"]["title"], "The plan");
        let now = served.access().get(session).await.unwrap();
        assert_eq!(now.spec.title.as_deref(), Some("The plan"));
        assert_eq!(changed["revision"], now.revision, "{}", row.name);
        // JetStream takes the same change for a repetition.
        let change = json!({"revision": seen, "title": "Another plan"});
        let (head, stale) = served.json(&line, &token, &change).await;
        assert!(head.contains("409 Conflict"), "{head}");
        assert_eq!(stale["code"], "conflict");
        let long = json!({"revision": now.revision, "title": "x".repeat(1001)});
        let (_, refused) = served.json(&line, &token, &long).await;
        assert_eq!(refused["code"], "invalid");
        let removed = json!({"revision": now.revision});
        let (_, removed) = served.json(&line, &token, &removed).await;
        assert_eq!(removed["spec"]["title"], Value::Null);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_answers_have_a_result_each() {
    let question = || {
        Step::Elicitation(Elicitation {
            server: "server".to_owned(),
            message: "Continue?".to_owned(),
            schema: Some(json!({"type": "object", "properties": {}})),
        })
    };
    let script = FakeScript::new().turn(FakeTurn::new().step(question()));
    for row in stores::all().await {
        let served = Served::start(row.store, &script).await;
        let session = served.session("new").await;
        let token = token(&served, Scope::Answer).await;
        served.input(session, "Hello").await;
        let pending = timeout(TIMEOUT, async {
            loop {
                if let Some(one) = served.access().pending(None).await.unwrap().pop() {
                    return one;
                }
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
        });
        let id = pending.await.unwrap().interaction.id.as_str().to_owned();
        let answer = |interaction: &str, key: &str, answer: Value| json!({"session": session, "interaction": interaction, "key": key, "answer": answer});
        let no = json!({"decline": "not now"});
        let answers = [
            answer("none", "a", no.clone()),
            answer(&id, "b", no.clone()),
            answer(&id, "b", no.clone()),
            answer(&id, "", no.clone()),
        ];
        let line = "POST /v1/interactions/answers";
        let (head, results) = served
            .json(line, &token, &json!({"answers": answers}))
            .await;
        assert!(head.contains("200 OK"), "{head} {results}");
        assert_eq!(results[0]["problem"]["code"], "not_found", "{results}");
        assert_eq!(results[1]["result"]["outcome"], "won", "{results}");
        assert_eq!(
            results[2]["result"]["outcome"], "won",
            "the same key: {results}"
        );
        assert_eq!(results[3]["problem"]["code"], "invalid", "{results}");
        let many = vec![answer(&id, "c", no); 101];
        let (_, refused) = served.json(line, &token, &json!({"answers": many})).await;
        let detail = refused["detail"].as_str().unwrap();
        assert!(detail.contains("at most 100"), "{refused}");
    }
}
