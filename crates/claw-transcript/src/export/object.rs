//! Writes JSON objects member by member.

/// Writes an object whose members `write` adds.
pub(super) fn write_object(out: &mut Vec<u8>, write: impl FnOnce(&mut Object<'_>)) {
    out.push(b'{');
    write(&mut Object {
        out,
        is_empty: true,
    });
    out.push(b'}');
}

pub(super) struct Object<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl Object<'_> {
    /// Adds a member that is JSON already.
    pub(super) fn raw(&mut self, name: &str, json: &str) {
        self.name(name);
        self.out.extend_from_slice(json.as_bytes());
    }

    /// Adds a string if there is one.
    pub(super) fn string(&mut self, name: &str, text: Option<impl AsRef<str>>) {
        if let Some(text) = text {
            self.name(name);
            // Writing a string into memory cannot fail.
            let _ = serde_json::to_writer(&mut *self.out, text.as_ref());
        }
    }

    pub(super) fn string_or_null(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(_) => self.string(name, text),
            None => self.raw(name, "null"),
        }
    }

    /// Adds `true`, or nothing.
    pub(super) fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.raw(name, "true");
        }
    }

    /// Adds a list of objects.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        items: impl Iterator<Item = T>,
        write: impl Fn(&T, &mut Object<'_>),
    ) {
        self.name(name);
        self.out.push(b'[');
        for (at, item) in items.enumerate() {
            if at > 0 {
                self.out.push(b',');
            }
            write_object(self.out, |object| write(&item, object));
        }
        self.out.push(b']');
    }

    fn name(&mut self, name: &str) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
        let _ = serde_json::to_writer(&mut *self.out, name);
        self.out.push(b':');
    }
}
