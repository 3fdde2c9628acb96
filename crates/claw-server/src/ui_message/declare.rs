//! Declares the messages once, for the public type and for serde.

/// Declares `UiMessage` and its names, and `Known`, the same variants for serde's derive.
///
/// The derive cannot be on `UiMessage` itself, because it cannot keep an unrecognized variant.
macro_rules! ui_messages {
    (
        $(#[$meta:meta])*
        pub enum UiMessage {
            $(
                $(#[doc = $doc:literal])*
                $variant:ident {
                    $(
                        $(#[doc = $field_doc:literal])*
                        $(#[serde($($serde:tt)+)])?
                        $field:ident: $type:ty,
                    )+
                },
            )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum UiMessage {
            $(
                $(#[doc = $doc])*
                $variant { $($(#[doc = $field_doc])* $field: $type,)+ },
            )+
            /// An unrecognized message, kept unchanged.
            Unknown(crate::UnknownMessage),
        }

        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(remote = "UiMessage")]
        enum Known {
            $($variant { $($(#[serde($($serde)+)])? $field: $type,)+ },)+
            #[serde(skip)]
            #[allow(dead_code, reason = "the derive builds the other type")]
            Unknown(crate::UnknownMessage),
        }

        /// The names of the variants in [`Known`].
        const NAMES: &[&str] = &[$(stringify!($variant)),+];

        impl UiMessage {
            /// The name of the message: the key in its JSON.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant { .. } => stringify!($variant),)+
                    Self::Unknown(unknown) => &unknown.name,
                }
            }

            /// The session of the message. `None` if it concerns no single session, or for an
            /// unknown message without a `session_id`.
            pub fn session_id(&self) -> Option<i64> {
                match self {
                    $(Self::$variant { session_id, .. } => (*session_id).into(),)+
                    Self::Unknown(unknown) => {
                        let body = unknown.raw.get(&unknown.name)?;
                        body.get("session_id")?.parse().ok()
                    }
                }
            }
        }
    };
}

pub(super) use ui_messages;
