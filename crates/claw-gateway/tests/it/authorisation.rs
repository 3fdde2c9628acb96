//! Every route of the OpenAPI document, called with every scope from the own and another tenant.
//!
//! The requests are made from the document, so a new route is covered at once: its description must
//! name the scope that it needs, and its body must have an example where the schema is not enough.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use bytes::Bytes;
use claw_gateway::http::{Api, openapi};
use claw_gateway::{Devices, Scope};
use claw_store::{
    Claim, ClaimReason, IdempotencyKey, InteractionFilter, InteractionId, NewCommand,
    NewInteraction, NewSession, NodeId, NodeRef, SessionKey, SessionRow, Store, TenantId,
};
use claw_testkit::FakeScript;
use claw_testkit::figure::{Figure, record};
use futures_util::StreamExt as _;
use http_body_util::BodyExt as _;
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::host::{Host, TIMEOUT};
use crate::origins::adopting;
use crate::stores;

const ADDRESS: &str = "127.0.0.1:7000";
const INTERACTION: &str = "asked";
const CLI_SESSION: &str = "5e5e5e5e-0000-4000-8000-00000000000b";
/// Occurs in what Ada stores, and nowhere else.
const MARK: &str = "only-for-ada";
const SCOPES: [Scope; 4] = [Scope::View, Scope::Answer, Scope::Drive, Scope::Admin];

struct Site {
    host: Host,
    store: Arc<dyn Store>,
    devices: Devices,
    router: Router,
    document: Value,
}

/// What a case may touch. Every case gets its own, because routes delete and answer.
struct Things {
    row: SessionRow,
    claim: Claim,
    device: String,
}

struct Route {
    method: Method,
    path: String,
    needed: Scope,
    operation: Value,
}

fn tenant(name: &str) -> TenantId {
    TenantId::new(name).unwrap()
}

impl Site {
    async fn start(store: Arc<dyn Store>) -> Self {
        let host = Host::start(Arc::clone(&store), &FakeScript::new()).await;
        let config = host.folder.path().join("config");
        adopting::begin(&config, &host.spec().folder, CLI_SESSION);
        let devices = Devices::new(Arc::clone(&store));
        let api = Api {
            gateway: host.gateway.clone(),
            devices: devices.clone(),
            site: claw_gateway::http::Site::new(ADDRESS.parse().unwrap()),
        };
        Self {
            host,
            store,
            devices,
            router: api.router(),
            document: serde_json::to_value(openapi()).unwrap(),
        }
    }

    fn routes(&self) -> Vec<Route> {
        let paths = self.document["paths"].as_object().unwrap().iter();
        let routes = paths.flat_map(|(path, operations)| {
            let operations = operations.as_object().unwrap().iter();
            operations.map(|(method, operation)| Route {
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                needed: documented_scope(operation),
                operation: operation.clone(),
            })
        });
        routes.collect()
    }

    /// Creates a session of Ada that waits for an answer, owned by a process that does nothing.
    async fn things(&self, case: usize) -> Things {
        let spec = json!({"folder": self.host.spec().folder, "title": MARK});
        let created = self.store.create(NewSession {
            tenant: tenant("ada"),
            session: None,
            attributes: spec.to_string().into(),
            key: IdempotencyKey::new(&format!("c-{case}")).unwrap(),
        });
        let key = created.await.unwrap().row.key;
        let node = NodeRef {
            node: NodeId::new("elsewhere").unwrap(),
            incarnation: 1,
        };
        let claim = self.store.claim(&key, &node, ClaimReason::Open).await;
        let request = json!({
            "id": INTERACTION, "kind": "permission", "request": {"mark": MARK},
        });
        let opened = NewInteraction {
            id: InteractionId::new(INTERACTION).unwrap(),
            request: Bytes::from(request.to_string()),
            expires_at_ms: None,
        };
        let claim = claim.unwrap();
        let opened = self.store.open_interaction(&claim, opened).await;
        opened.unwrap();
        let (device, _) = self
            .devices
            .add(&tenant("ada"), MARK, Scope::View)
            .await
            .unwrap();
        Things {
            row: self.store.get(&key).await.unwrap(),
            claim,
            device: device.id,
        }
    }

    /// Makes a request for a route from its description.
    fn request(&self, route: &Route, things: &Things, token: Option<&str>) -> Request<Body> {
        let session = things.row.key.session.as_str();
        let path = route
            .path
            .replace("{session}", session)
            .replace("{interaction}", INTERACTION)
            .replace("{device}", &things.device);
        assert!(!path.contains('{'), "a name in {path} has no value here");
        let mut query = Vec::new();
        let mut request = Request::builder().method(route.method.clone());
        for parameter in route.operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let name = parameter["name"].as_str().unwrap();
            match (parameter["in"].as_str().unwrap(), name) {
                ("query", "session") => query.push(format!("session={session}")),
                ("header", _) if parameter["required"] == true => {
                    request = request.header(name, "k");
                }
                _ => {}
            }
        }
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let media = &route.operation["requestBody"]["content"]["application/json"];
        let body = match media {
            Value::Null => Body::empty(),
            media => Body::from(self.example(media, things).to_string()),
        };
        request
            .uri(format!("{path}?{}", query.join("&")).trim_end_matches('?'))
            .header(header::HOST, ADDRESS)
            .header(header::CONTENT_TYPE, "application/json")
            .body(body)
            .unwrap()
    }

    /// Makes a value for a schema, or for the body of a request: its example, or what is required.
    fn example(&self, schema: &Value, things: &Things) -> Value {
        if let Some(name) = schema["$ref"].as_str() {
            let found = self.document.pointer(name.trim_start_matches('#'));
            return self.example(found.unwrap(), things);
        }
        for given in ["example", "default", "const"] {
            if !schema[given].is_null() {
                return self.fill(&schema[given], things);
            }
        }
        for first in [&schema["examples"], &schema["enum"]] {
            if let Some(first) = first.get(0) {
                return self.fill(first, things);
            }
        }
        for inner in [&schema["schema"], &schema["oneOf"][0], &schema["allOf"][0]] {
            if !inner.is_null() {
                return self.example(inner, things);
            }
        }
        match schema["type"].as_str() {
            Some("object") => {
                let required = schema["required"].as_array().into_iter().flatten();
                let members = required.map(|name| {
                    let name = name.as_str().unwrap();
                    let value = self.example(&schema["properties"][name], things);
                    (name.to_owned(), self.named(name, value, things))
                });
                Value::Object(members.collect::<Map<_, _>>())
            }
            Some("array") => json!([self.example(&schema["items"], things)]),
            Some("integer") => json!(1),
            Some("boolean") => json!(false),
            _ => json!("x"),
        }
    }

    /// Replaces the ids in an example.
    fn fill(&self, example: &Value, things: &Things) -> Value {
        match example {
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| {
                    let value = self.fill(value, things);
                    (name.clone(), self.named(name, value, things))
                });
                Value::Object(members.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.fill(item, things)).collect(),
            other => other.clone(),
        }
    }

    /// Members with these names mean something that exists.
    fn named(&self, name: &str, value: Value, things: &Things) -> Value {
        match name {
            "folder" => json!(self.host.spec().folder),
            "session" => json!(things.row.key.session.as_str()),
            "interaction" => json!(INTERACTION),
            "cli_session_id" => json!(CLI_SESSION),
            "device" => json!(things.device),
            "revision" => json!(things.row.revision.0),
            _ => value,
        }
    }

    /// Sends a request. The text is empty for a stream.
    async fn send(&self, request: Request<Body>) -> (StatusCode, String) {
        let sent = self.router.clone().oneshot(request);
        let response = timeout(TIMEOUT, sent).await.unwrap().unwrap();
        let status = response.status();
        let kind = response.headers().get(header::CONTENT_TYPE).cloned();
        if kind.is_some_and(|kind| kind == "text/event-stream") {
            return (status, String::new());
        }
        let body = timeout(TIMEOUT, response.into_body().collect()).await;
        let body = body.unwrap().unwrap().to_bytes();
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    /// Whether everything of Ada is as before.
    async fn is_untouched(&self, things: &Things) -> bool {
        let key: &SessionKey = &things.row.key;
        let filter = InteractionFilter {
            session: Some(key.session.clone()),
            ..InteractionFilter::pending(tenant("ada"))
        };
        let pending = self.store.interactions(&filter).await.unwrap();
        let devices = self.devices.list(&tenant("ada")).await.unwrap();
        let is_same = self.store.get(key).await.is_ok_and(|row| row == things.row);
        let first = NewCommand {
            key: IdempotencyKey::new("first").unwrap(),
            body: Bytes::from_static(b"{}"),
            is_urgent: false,
        };
        let submitted = self.store.submit(key, first.clone()).await;
        // A command before this one would come from a request.
        let is_first = submitted.is_ok() && {
            let mut inbox = self.store.inbox(&things.claim).await.unwrap();
            let next = timeout(TIMEOUT, inbox.next()).await.unwrap();
            next.unwrap().unwrap().key == first.key
        };
        is_same
            && pending.len() == 1
            && is_first
            && devices.iter().any(|device| device.id == things.device)
    }
}

/// The scope that a route names in its description.
fn documented_scope(operation: &Value) -> Scope {
    let text = [&operation["summary"], &operation["description"]];
    let text: String = text.iter().filter_map(|text| text.as_str()).collect();
    let named = text.split("Needs the scope `").nth(1);
    let named = named.and_then(|rest| rest.split('`').next());
    let named = named.unwrap_or_else(|| panic!("no scope in {text:?}"));
    serde_json::from_value(json!(named)).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_serves_its_scope_and_its_tenant_only() {
    let mut calls = 0;
    let mut breaches = Vec::new();
    let mut stores = stores::all().await;
    // The rule is above the store; the others are for the proof.
    stores.truncate(if crate::is_full() { stores.len() } else { 1 });
    for row in stores {
        let site = Site::start(row.store).await;
        let mut tokens = Vec::new();
        for tenant_name in ["ada", "bob"] {
            for scope in SCOPES {
                let tenant = tenant(tenant_name);
                let added = site.devices.add(&tenant, "caller", scope).await;
                tokens.push((tenant_name, Some(scope), Some(added.unwrap().1)));
            }
        }
        tokens.push(("no tenant", None, None));
        for route in site.routes() {
            for (caller, scope, token) in &tokens {
                let things = site.things(calls).await;
                let request = site.request(&route, &things, token.as_deref());
                let (status, text) = site.send(request).await;
                calls += 1;
                let is_unnamed = !route.path.contains('{');
                let is_as_documented = match (*caller, scope) {
                    (_, None) => status == StatusCode::UNAUTHORIZED,
                    (_, Some(scope)) if *scope < route.needed => status == StatusCode::FORBIDDEN,
                    ("ada", _) => !matches!(status.as_u16(), 400..=404 | 413..=422 | 500..),
                    _ if is_unnamed => !matches!(status.as_u16(), 400..=403 | 413..=422 | 500..),
                    _ => status == StatusCode::NOT_FOUND,
                };
                let is_kept = *caller == "ada" || !text.contains(MARK);
                let may_change = *caller == "ada" && scope.is_some_and(|of| of >= route.needed);
                let is_kept = is_kept && (may_change || site.is_untouched(&things).await);
                if !(is_as_documented && is_kept) {
                    let (method, path) = (&route.method, &route.path);
                    breaches.push(format!(
                        "{method} {path} as {caller} {scope:?}: {status} {text}"
                    ));
                }
            }
        }
    }
    let figure = Figure::new(
        "every route × scope × own and other tenant, from the OpenAPI document",
        "0 breaches",
    );
    let measured = format!("{} breaches in {calls} calls", breaches.len());
    let figure = figure.measured(measured, breaches.is_empty() && calls > 100);
    record("authorisation", vec![figure.list("breaches", breaches)]);
}
