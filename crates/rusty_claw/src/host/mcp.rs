//! In-process MCP servers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{
    ControlRequest, ControlResponse, InitializeRequest, JsonRpcMessage, McpMessage,
};
use tokio_util::sync::CancellationToken;

use super::refusal;
use super::response::{ready, success};
use crate::future::BoxFuture;
use crate::mcp::{InvalidMcpServer, McpConnection, McpServer};

/// Receives a server's messages for the CLI. Must not block.
pub(crate) type Notify = dyn Fn(McpMessage) + Send + Sync;

/// The servers, each with its connection to this session.
#[derive(Default)]
pub(crate) struct McpServers {
    connections: BTreeMap<Str, McpConnection>,
    notify: Option<Arc<Notify>>,
}

impl McpServers {
    /// Adds a server. Replaces one with the same name.
    pub(crate) fn add(&mut self, server: McpServer) {
        let connection = self.connect(&server);
        self.connections.insert(server.name().clone(), connection);
    }

    /// Sets the function that sends the servers' own messages, such as progress, to the CLI as
    /// `mcp_message`. It must not block. Without it they are dropped.
    pub(crate) fn notify_with(&mut self, notify: impl Fn(McpMessage) + Send + Sync + 'static) {
        self.notify = Some(Arc::new(notify));
        *self = self.clone();
    }

    fn connect(&self, server: &McpServer) -> McpConnection {
        let connection = server.connect();
        let Some(notify) = &self.notify else {
            return connection;
        };
        let (notify, server_name) = (Arc::clone(notify), server.name().clone());
        connection.on_notification(move |message: JsonRpcMessage| {
            notify(McpMessage::new(server_name.clone(), message));
        })
    }

    /// Checks for anything that the CLI or the model's API would refuse.
    pub(crate) fn check(&self) -> Result<(), InvalidMcpServer> {
        let mut connections = self.connections.values();
        connections.try_for_each(|connection| connection.server().check())
    }

    /// Declares the servers and their manifests in `initialize`.
    pub(super) fn declare(&self, initialize: &mut InitializeRequest) {
        if self.connections.is_empty() {
            return;
        }
        let servers = || self.connections.values().map(McpConnection::server);
        initialize
            .sdk_mcp_servers
            .get_or_insert_default()
            .extend(servers().map(|server| server.name().clone()));
        let manifests = initialize.sdk_mcp_server_manifests.get_or_insert_default();
        for server in servers() {
            manifests.insert(server.name().clone(), server.manifest());
        }
        for server in servers() {
            if let Some(options) = server.options() {
                initialize
                    .sdk_mcp_server_configs
                    .get_or_insert_default()
                    .insert(server.name().clone(), options);
            }
        }
    }

    /// Answers a message for a server.
    pub(super) fn answer(
        &self,
        message: Box<McpMessage>,
        cancelled: CancellationToken,
    ) -> BoxFuture<'static, ControlResponse> {
        let Some(connection) = self.connections.get(&message.server_name) else {
            let why = format!("this program serves no MCP server {}", message.server_name);
            return ready(refusal(&ControlRequest::McpMessage(message), &why));
        };
        let answer = connection.answer(message.message, cancelled);
        Box::pin(async move { success(&answer.await) })
    }
}

/// The same servers with new connections: each session numbers its own requests.
impl Clone for McpServers {
    fn clone(&self) -> Self {
        let mut servers = Self {
            connections: BTreeMap::new(),
            notify: self.notify.clone(),
        };
        for connection in self.connections.values() {
            servers.add(connection.server().clone());
        }
        servers
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.connections.keys()).finish()
    }
}
