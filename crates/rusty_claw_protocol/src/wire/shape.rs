//! What a wire type looks like, for the reference page and for drift.

/// One type.
#[derive(Debug)]
pub struct Shape {
    /// Its Rust name.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// What it is made of.
    pub kind: Kind,
}

/// What a type is made of.
#[derive(Debug)]
pub enum Kind {
    /// An object with members.
    Object(&'static [Field]),
    /// One of several objects, told apart by the tag.
    Tagged {
        /// The member that tells them apart.
        tag: &'static str,
        /// The alternatives that have a type.
        variants: &'static [Variant],
    },
    /// A string of an open set.
    Strings(&'static [&'static str]),
    /// Read by hand; the documentation says how.
    Custom,
}

/// One member of an object.
#[derive(Debug)]
pub struct Field {
    /// Its name on the wire; empty for members that are shared with the object around it.
    pub name: &'static str,
    /// Other spellings that are accepted.
    pub aliases: &'static [&'static str],
    /// Its Rust type, as written.
    pub rust: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// The type inside, when it is one of ours.
    pub shape: fn() -> Option<&'static Shape>,
}

/// One alternative of a tagged type.
#[derive(Debug)]
pub struct Variant {
    /// Its Rust name.
    pub name: &'static str,
    /// The tags it is read from.
    pub tags: &'static [&'static str],
    /// Its documentation.
    pub doc: &'static str,
    /// Members written in the variant itself.
    pub fields: &'static [Field],
    /// The type it wraps, when it is one of ours.
    pub shape: fn() -> Option<&'static Shape>,
}
