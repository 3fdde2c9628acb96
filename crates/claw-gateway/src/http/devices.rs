//! Devices and their tokens.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::auth::Authorized;
use super::extract::{Body, Names};
use super::{Api, Problem};
use crate::caller::Scope;
use crate::devices::Device;

/// A device to add.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewDevice {
    /// Its name, for people.
    name: String,
    /// What it may do.
    scope: Scope,
}

/// A device that was added.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AddedDevice {
    /// The device.
    device: Device,
    /// Its token. It is not stored, and cannot be shown again.
    token: String,
}

/// Adds a device of the tenant. Needs the scope `admin`.
#[utoipa::path(
    post, path = "/v1/devices", tag = "devices", request_body = NewDevice,
    responses((status = 201, body = AddedDevice), (status = "4XX", body = Problem))
)]
pub(super) async fn add(
    State(api): State<Api>,
    caller: Authorized,
    Body(new): Body<NewDevice>,
) -> Result<(StatusCode, Json<AddedDevice>), Problem> {
    caller.caller.need(Scope::Admin)?;
    let added = api.devices.add(&caller.caller.tenant, &new.name, new.scope);
    let (device, token) = added.await?;
    Ok((StatusCode::CREATED, Json(AddedDevice { device, token })))
}

/// Lists the devices of the tenant. Needs the scope `admin`.
#[utoipa::path(
    get, path = "/v1/devices", tag = "devices",
    responses((status = 200, body = Vec<Device>), (status = "4XX", body = Problem))
)]
pub(super) async fn list(
    State(api): State<Api>,
    caller: Authorized,
) -> Result<Json<Vec<Device>>, Problem> {
    caller.caller.need(Scope::Admin)?;
    Ok(Json(api.devices.list(&caller.caller.tenant).await?))
}

/// Revokes a device: its token is refused, and its streams end. Needs the scope `admin`.
#[utoipa::path(
    delete, path = "/v1/devices/{device}", tag = "devices",
    params(("device" = String, Path, description = "The id of the device")),
    responses((status = 204), (status = "4XX", body = Problem))
)]
pub(super) async fn revoke(
    State(api): State<Api>,
    caller: Authorized,
    Names(device): Names<String>,
) -> Result<StatusCode, Problem> {
    caller.caller.need(Scope::Admin)?;
    api.devices.revoke(&caller.caller.tenant, &device).await?;
    Ok(StatusCode::NO_CONTENT)
}
