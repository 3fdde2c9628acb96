//! Patterns for paths.

/// A pattern for paths: `*` and `?` within a name, `**` across folders.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PathGlob {
    parts: Vec<String>,
    /// Whether it begins at the root; else it begins at the folder that work is done in.
    absolute: bool,
    /// Whether it holds marks that mean something elsewhere (`[a-z]`, `{a,b}`) and nothing here.
    unreadable: bool,
}

/// A path, made plain: no `.`, no `..`, no doubled separators.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlainPath {
    parts: Vec<String>,
}

impl PathGlob {
    pub(super) fn new(pattern: &str) -> Self {
        let pattern = unify(pattern);
        Self {
            absolute: is_absolute(&pattern) || pattern.starts_with("**"),
            unreadable: pattern.contains(['[', ']', '{', '}', '\\', '~'])
                || pattern.split('/').any(|part| part == ".."),
            parts: split(&pattern),
        }
    }

    /// Whether nothing can be concluded from it.
    pub(super) fn is_unreadable(&self) -> bool {
        self.unreadable
    }

    /// Whether it says where it begins.
    pub(super) fn is_absolute(&self) -> bool {
        self.absolute
    }

    /// The same pattern below a folder.
    pub(super) fn below(&self, folder: &PlainPath) -> Self {
        let mut parts = folder.parts.clone();
        parts.extend(self.parts.iter().cloned());
        Self {
            parts,
            absolute: true,
            unreadable: self.unreadable,
        }
    }

    /// The same pattern from another folder on, when it begins in this one.
    pub(super) fn moved(&self, from: &PlainPath, to: &PlainPath) -> Option<Self> {
        let rest = self.parts.strip_prefix(from.parts.as_slice())?;
        let rest = Self {
            parts: rest.to_vec(),
            ..self.clone()
        };
        Some(rest.below(to))
    }

    /// Everything in a folder.
    pub(super) fn all_in(folder: &PlainPath) -> Self {
        Self::new("**").below(folder)
    }

    /// The same pattern for comparing without regard to case.
    pub(super) fn caseless(&self) -> Self {
        Self {
            parts: lowered(&self.parts),
            ..self.clone()
        }
    }

    /// Whether the path fits.
    pub(super) fn matches(&self, path: &PlainPath) -> bool {
        matches(&self.parts, &path.parts, false)
    }

    /// Whether it fits everything below what it fits.
    pub(super) fn covers_below(&self) -> bool {
        self.parts.last().is_some_and(|part| part == "**")
    }

    /// Whether the path or something below it could fit.
    pub(super) fn reaches_below(&self, path: &PlainPath) -> bool {
        matches(&self.parts, &path.parts, true)
    }
}

impl PlainPath {
    /// Makes a path plain. `None` when that needs to know more than its text.
    pub(super) fn new(path: &str, folder: Option<&Self>) -> Option<Self> {
        let path = unify(path);
        if path.starts_with('~') || path.contains('\0') {
            return None;
        }
        let mut parts = if is_absolute(&path) {
            Vec::new()
        } else {
            folder?.parts.clone()
        };
        for part in split(&path) {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        Some(Self { parts })
    }

    /// The path of something in it.
    pub(super) fn joined(mut self, name: &str) -> Self {
        self.parts.push(name.to_owned());
        self
    }

    /// The same path for comparing without regard to case.
    pub(super) fn caseless(&self) -> Self {
        Self {
            parts: lowered(&self.parts),
        }
    }

    /// The path from the root on.
    pub(super) fn to_text(&self) -> String {
        let path = self.parts.join("/");
        if cfg!(windows) {
            path
        } else {
            format!("/{path}")
        }
    }
}

fn lowered(parts: &[String]) -> Vec<String> {
    parts.iter().map(|part| part.to_lowercase()).collect()
}

/// Where backslashes separate names, slashes do too.
fn unify(path: &str) -> String {
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || cfg!(windows) && path.as_bytes().get(1) == Some(&b':')
}

fn split(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .map(str::to_owned)
        .collect()
}

fn matches(pattern: &[String], path: &[String], below: bool) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some(_), None) if below => true,
        (Some((first, rest)), _) if first == "**" => {
            matches(rest, path, below)
                || path
                    .split_first()
                    .is_some_and(|(_, path)| matches(pattern, path, below))
        }
        (Some((first, rest)), Some((name, path))) => {
            name_matches(first.as_bytes(), name.as_bytes()) && matches(rest, path, below)
        }
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// Compares a name with a pattern, going back to the last star where they part.
fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == b'?' || Some(&c) == name.get(n) => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else {
                    return false;
                };
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
        }
    }
    pattern.iter().skip(p).all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_people_expect() {
        let cases = [
            ("/w/src/**", "/w/src/a/b.rs", true),
            ("/w/src/**", "/w/src", true),
            ("/w/src/**", "/w/srcs/a", false),
            ("/w/src/**", "/w/src/../../etc/passwd", false),
            ("/w/*.rs", "/w/a.rs", true),
            ("/w/*.rs", "/w/a/b.rs", false),
            ("/w/a?c", "/w/abc", true),
            ("/w/a*b*c", "/w/axxbxbyc", true),
            ("/w/a*b*c", "/w/axxbxby", false),
            ("**/.env", "/w/deep/.env", true),
            ("**/.env", "/.env", true),
            ("**/.env", "/w/.envrc", false),
            ("/w/**/t/*", "/w/a/b/t/x", true),
            ("/w/**/t/*", "/w/t/x", true),
            ("/w//./x", "/w/x", true),
        ];
        for (pattern, path, expected) in cases {
            let path = PlainPath::new(path, None).expect("absolute");
            assert_eq!(
                PathGlob::new(pattern).matches(&path),
                expected,
                "{pattern} {path:?}"
            );
        }
    }

    #[test]
    fn a_folder_is_reached_by_what_may_be_below_it() {
        let reaches = |pattern: &str, path: &str| {
            PathGlob::new(pattern).reaches_below(&PlainPath::new(path, None).expect("absolute"))
        };
        assert!(reaches("/w/secret/**", "/w"));
        assert!(reaches("**/.env", "/w"));
        assert!(!reaches("/w/secret/**", "/v"));
    }

    #[test]
    fn what_a_text_does_not_tell_is_not_guessed() {
        assert_eq!(PlainPath::new("~/.ssh/id", None), None);
        assert_eq!(PlainPath::new("src/a", None), None);
        let folder = PlainPath::new("/w", None);
        assert_eq!(
            PlainPath::new("../x", folder.as_ref()),
            PlainPath::new("/x", None)
        );
        assert!(PathGlob::new("/w/[ab]").is_unreadable());
        assert!(!PathGlob::new("src/**").is_absolute());
    }
}
