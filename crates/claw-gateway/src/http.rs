//! The HTTP API.
#![allow(
    unused_qualifications,
    reason = "the macros of utoipa write paths that the lint refuses"
)]

mod auth;
mod devices;
mod extract;
mod interactions;
mod login;
mod origins;
mod problem;
mod server;
mod sessions;
mod settings;
mod site;
mod socket;
mod stream;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::{Json, Router};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::devices::Devices;
use crate::frame::DialectName;
use crate::gateway::Gateway;

pub use problem::{CODES, Problem};
pub use server::{Limits, serve};
pub use site::Site;

/// The largest body of a request.
const MAX_BODY: usize = 1024 * 1024;

/// What the routes need.
#[derive(Debug, Clone)]
pub struct Api {
    /// The sessions.
    pub gateway: Gateway,
    /// The devices that may call.
    pub devices: Devices,
    /// Where the API is reached, and which pages may call it.
    pub site: Site,
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "claw serve",
        description = "Sessions of Claude Code over HTTP, from any cursor.",
        version = "1"
    ),
    components(schemas(DialectName)),
    modifiers(&Bearer),
    security(("token" = []))
)]
struct Document;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("token", token);
    }
}

/// Returns the routes with their document.
fn routes() -> OpenApiRouter<Api> {
    let mut router = OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(sessions::create, sessions::list))
        .routes(routes!(sessions::get, sessions::update, sessions::delete))
        .routes(routes!(sessions::input))
        .routes(routes!(sessions::interrupt))
        .routes(routes!(sessions::close))
        .routes(routes!(origins::fork))
        .routes(routes!(origins::adopt))
        .routes(routes!(settings::model))
        .routes(routes!(settings::mode))
        .routes(routes!(stream::follow))
        .routes(routes!(stream::follow_many))
        .routes(routes!(socket::connect))
        .routes(routes!(sessions::history))
        .routes(routes!(interactions::pending))
        .routes(routes!(interactions::answer))
        .routes(routes!(interactions::answer_many))
        .routes(routes!(devices::add, devices::list))
        .routes(routes!(devices::revoke))
        .routes(routes!(login::login))
        .routes(routes!(login::logout));
    problem::describe(router.get_openapi_mut());
    router
}

/// Returns the OpenAPI document of the API.
pub fn openapi() -> utoipa::openapi::OpenApi {
    routes().into_openapi()
}

impl Api {
    /// Returns the router that serves the API.
    pub fn router(self) -> Router {
        let (router, document) = routes().split_for_parts();
        let document = Json(document);
        // Streams are compressed as well: the encoder flushes while it waits for the next event.
        let compression = CompressionLayer::new().compress_when(SizeAbove::default());
        let served = move || std::future::ready(document.clone());
        router
            .route("/v1/openapi.json", axum::routing::get(served))
            .fallback(not_found)
            .method_not_allowed_fallback(wrong_method)
            .layer(DefaultBodyLimit::max(MAX_BODY))
            .layer(self.site.cors())
            .layer(compression)
            .layer(from_fn_with_state(self.clone(), auth::check_addresses))
            .with_state(self)
    }
}

async fn not_found(State(_): State<Api>) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", "there is no such path")
}

async fn wrong_method(State(_): State<Api>) -> impl IntoResponse {
    let detail = "the path does not have this method";
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", detail);
    ([(header::CACHE_CONTROL, "no-store")], problem)
}
