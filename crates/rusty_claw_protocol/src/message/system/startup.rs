//! Timing of the startup.

use rusty_claw_macros::wire_type;

use crate::text::Str;
use crate::wire::Map;

/// Timing of the startup. The names of the phases change with every CLI release, so they are a map.
#[wire_type]
pub struct StartupTiming {
    /// The entry point of the CLI.
    pub entrypoint: Option<Str>,
    /// The time origin of all phases, milliseconds since 1970.
    pub time_origin_ms: Option<f64>,
    /// The duration of each phase, in milliseconds.
    pub phases: Option<Map<f64>>,
    /// The start of each phase, in milliseconds.
    pub phase_start_ms: Option<Map<f64>>,
    /// The decision on fetching remote flags.
    pub flag_fetch_kick: Option<Str>,
    /// When that was decided.
    pub flag_fetch_kick_judged_at_ms: Option<f64>,
    /// What loaded the hooks.
    pub hooks_init_source: Option<Str>,
    /// Number of full plugin loads.
    pub plugin_full_loads: Option<u64>,
    /// Number of connection runs to in-process MCP servers.
    pub sdk_mcp_dial_runs: Option<u64>,
    /// Number of in-process MCP servers that were connected to.
    pub sdk_mcp_servers_dialed: Option<u64>,
    /// Number of times the user context was built.
    pub user_context_builds: Option<u64>,
    /// Whether a prestarted process took the session.
    pub warm_spare_claimed: Option<bool>,
}
