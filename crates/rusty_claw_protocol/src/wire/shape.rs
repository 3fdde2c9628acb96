//! Descriptions of wire types, for the reference page and the drift report.

/// A wire type.
#[derive(Debug)]
pub struct Shape {
    /// Its Rust name.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// Its kind and parts.
    pub kind: Kind,
}

/// The kind of a type and its parts.
#[derive(Debug)]
pub enum Kind {
    /// An object with members.
    Object(&'static [Field]),
    /// One of several objects, distinguished by a tag.
    Tagged {
        /// The member that distinguishes them.
        tag: &'static str,
        /// The typed alternatives.
        variants: &'static [Variant],
    },
    /// A string of an open set.
    Strings(&'static [&'static str]),
    /// Read by hand; see the documentation.
    Custom,
}

/// A member of an object.
#[derive(Debug)]
pub struct Field {
    /// Its name on the wire; empty for members shared with the enclosing object.
    pub name: &'static str,
    /// Other accepted spellings.
    pub aliases: &'static [&'static str],
    /// Its Rust type, as written.
    pub rust: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// The inner type, if it is a wire type.
    pub shape: fn() -> Option<&'static Shape>,
}

/// An alternative of a tagged type.
#[derive(Debug)]
pub struct Variant {
    /// Its Rust name.
    pub name: &'static str,
    /// Its tags.
    pub tags: &'static [&'static str],
    /// Its documentation.
    pub doc: &'static str,
    /// Members of the variant itself.
    pub fields: &'static [Field],
    /// The wrapped type, if it is a wire type.
    pub shape: fn() -> Option<&'static Shape>,
}
