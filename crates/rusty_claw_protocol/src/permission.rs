//! Permissions.
