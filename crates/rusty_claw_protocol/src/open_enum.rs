//! Open sets of strings.

/// Declares a string enum: the known values, and `Unknown` for all others.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        $vis enum $name {
            $($(#[$variant_meta])* $variant,)+
            /// An unrecognized value, as received.
            Unknown($crate::Str),
        }

        impl $name {
            /// Returns the value as it is on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown(text) => text.as_str(),
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)+
                    other => Self::Unknown($crate::Str::from(other)),
                }
            }
        }

        /// The empty string: the value of a required field whose member is missing.
        impl Default for $name {
            fn default() -> Self {
                Self::Unknown($crate::Str::default())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl $crate::wire::Wire for $name {
            fn read(
                reader: &mut $crate::wire::Reader<'_>,
            ) -> Result<$crate::wire::Found<Self>, $crate::wire::Malformed> {
                use $crate::wire::Found;
                Ok(reader.string()?.map_or(Found::Other, |text| Found::Exact(Self::from(&*text))))
            }

            #[cfg(feature = "shapes")]
            fn shape() -> Option<&'static $crate::wire::Shape> {
                static SHAPE: $crate::wire::Shape = $crate::wire::Shape {
                    name: stringify!($name),
                    doc: "",
                    kind: $crate::wire::Kind::Strings(&[$($text),+]),
                };
                Some(&SHAPE)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::wire::deserialize(deserializer)
            }
        }
    };
}

pub(crate) use open_enum;
