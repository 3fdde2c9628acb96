//! How long the start took.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;
use crate::wire::Map;

/// How long the start took, phase by phase. The phases have names of the CLI's own that change
/// with every release, so they are a map.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StartupTiming {
    /// How the CLI was started.
    pub entrypoint: Option<Str>,
    /// The moment all phases count from, milliseconds since 1970.
    pub time_origin_ms: Option<f64>,
    /// How long each phase took, in milliseconds.
    pub phases: Option<Map<f64>>,
    /// When each phase began, in milliseconds.
    pub phase_start_ms: Option<Map<f64>>,
    /// What was decided about fetching remote flags.
    pub flag_fetch_kick: Option<Str>,
    /// When that was decided.
    pub flag_fetch_kick_judged_at_ms: Option<f64>,
    /// Who read the hooks.
    pub hooks_init_source: Option<Str>,
    /// How often all plugins were read.
    pub plugin_full_loads: Option<u64>,
    /// How often in-process MCP servers were called on.
    pub sdk_mcp_dial_runs: Option<u64>,
    /// How many in-process MCP servers were called on.
    pub sdk_mcp_servers_dialed: Option<u64>,
    /// How often the user's context was put together.
    pub user_context_builds: Option<u64>,
    /// Whether a process that was started in advance took the session.
    pub warm_spare_claimed: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}
