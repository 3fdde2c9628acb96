//! Patterns for paths.

use super::path::{PlainPath, Surroundings, is_absolute, split, unified};
use super::protected::is_protected;

/// A pattern for paths: `*` and `?` within a name, `**` across folders.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PathGlob {
    parts: Vec<Part>,
    begin: Begin,
    /// Whether it holds marks that mean something elsewhere (`[a-z]`, `{a,b}`) and nothing here.
    unreadable: bool,
    /// Whether it has such marks and no stars: then it is the name of one file (`[id]/page.tsx`),
    /// but somebody may have meant more.
    bracketed: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    /// Any number of names.
    Names,
    /// A name with stars and question marks.
    Pattern(String),
    /// A name, letter for letter.
    Name(String),
}

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Begin {
    Root,
    Home,
    /// The folder that work is done in.
    Folder,
}

impl PathGlob {
    pub(super) fn new(pattern: &str) -> Self {
        let pattern = unified(pattern);
        let home = pattern
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let begin = match home {
            Some(_) => Begin::Home,
            None if is_absolute(&pattern) => Begin::Root,
            None => Begin::Folder,
        };
        let below = home.unwrap_or(&pattern);
        let brackets = below.contains(['[', ']', '{', '}']);
        let stars = below.contains(['*', '?']);
        Self {
            begin,
            bracketed: brackets && !stars,
            unreadable: brackets && stars
                || below.contains(['\\', '\0'])
                || below.starts_with('~')
                || below.split('/').any(|part| part == ".."),
            parts: split(below).map(Part::new).collect(),
        }
    }

    /// A path that is meant letter for letter, whatever signs are in it; and with `below` all
    /// that lies below it. It is read as paths are.
    pub(super) fn literal(path: &str, below: bool) -> Self {
        let mut glob = Self::new(path);
        let rest = unified(path);
        let rest = match glob.begin {
            Begin::Home => rest.strip_prefix('~').unwrap_or_default(),
            Begin::Root | Begin::Folder => &rest,
        };
        glob.unreadable = rest.starts_with('~')
            || rest.contains('\0')
            || rest.split('/').any(|part| part == "..");
        glob.bracketed = false;
        glob.parts = split(rest).map(Part::Name).collect();
        if below {
            glob.parts.push(Part::Names);
        }
        glob
    }

    /// Whether nothing can be concluded from it.
    pub(super) fn is_unreadable(&self) -> bool {
        self.unreadable
    }

    /// Whether its author may have meant more files than the one that it names.
    pub(super) fn may_mean_more(&self) -> bool {
        self.bracketed
    }

    /// The pattern from the root on; None when it means nothing here.
    pub(super) fn placed(&self, surroundings: &Surroundings) -> Option<Glob> {
        let begin = match self.begin {
            Begin::Root => &PlainPath::default(),
            Begin::Home => surroundings.home_folder()?,
            Begin::Folder => surroundings.folder()?,
        };
        (!self.unreadable).then(|| Glob::below(begin, &self.parts))
    }

    /// Everything in the folder that work is done in.
    pub(super) fn all_in_folder() -> Self {
        Self::new("**")
    }
}

impl Part {
    fn new(text: String) -> Self {
        match text.as_str() {
            "**" => Self::Names,
            pattern if pattern.contains(['*', '?']) => Self::Pattern(text),
            _ => Self::Name(text),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Names => true,
            Self::Pattern(pattern) => name_matches(pattern, name),
            Self::Name(this) => this == name,
        }
    }
}

/// A pattern from the root on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glob {
    parts: Vec<Part>,
}

impl Glob {
    fn below(folder: &PlainPath, parts: &[Part]) -> Self {
        let folder = folder.names().iter().cloned().map(Part::Name);
        Self {
            parts: folder.chain(parts.iter().cloned()).collect(),
        }
    }

    /// The same pattern from another folder on, when it begins in this one.
    pub(super) fn moved(&self, from: &PlainPath, to: &PlainPath) -> Option<Self> {
        let from = Self::below(from, &[]);
        let rest = self.parts.strip_prefix(from.parts.as_slice())?;
        Some(Self::below(to, rest))
    }

    /// The same pattern for comparing without regard to case.
    pub(super) fn caseless(&self) -> Self {
        let lowered = self.parts.iter().map(|part| match part {
            Part::Names => Part::Names,
            Part::Pattern(pattern) => Part::Pattern(pattern.to_lowercase()),
            Part::Name(name) => Part::Name(name.to_lowercase()),
        });
        Self {
            parts: lowered.collect(),
        }
    }

    /// Whether the path fits.
    pub(super) fn matches(&self, path: &PlainPath) -> bool {
        self.walk(path).matched
    }

    /// Whether it fits everything below what it fits.
    pub(super) fn covers_below(&self) -> bool {
        self.parts.last() == Some(&Part::Names)
    }

    /// Returns whether a wildcard of the pattern matches a protected name in the path. Names before
    /// the first wildcard and after the last one are explicit in the pattern, so they are allowed,
    /// and so are the names of the session's folder.
    pub(super) fn guesses_protected(&self, path: &PlainPath, folder: &PlainPath) -> bool {
        let is_named = |part: &&Part| matches!(part, Part::Name(_));
        let front = self.parts.iter().take_while(is_named).count();
        let back = self.parts.iter().rev().take_while(is_named).count();
        let names = path.names();
        let is_in_folder = names.starts_with(folder.names());
        let own = folder.names().len() * usize::from(is_in_folder);
        let open = front.max(own)..names.len().saturating_sub(back);
        names
            .get(open)
            .is_some_and(|open| is_protected(&open.join("/")))
    }

    /// Whether the path or something below it could fit.
    pub(super) fn reaches_below(&self, path: &PlainPath) -> bool {
        self.walk(path).reached
    }

    fn walk(&self, path: &PlainPath) -> Walk {
        let names = path.names();
        // For each beginning of the path, whether the parts so far match it.
        let mut so_far: Vec<bool> = (0..=names.len()).map(|length| length == 0).collect();
        let whole = |so_far: &[bool]| so_far.last().copied().unwrap_or(false);
        let mut reached = whole(&so_far);
        for part in &self.parts {
            let mut with_part = Vec::with_capacity(so_far.len());
            let mut before = false;
            for (length, &matched) in so_far.iter().enumerate() {
                let name = length.checked_sub(1).and_then(|last| names.get(last));
                with_part.push(if *part == Part::Names {
                    matched || whole(&with_part)
                } else {
                    before && name.is_some_and(|name| part.matches(name))
                });
                before = matched;
            }
            so_far = with_part;
            reached |= whole(&so_far);
        }
        Walk {
            matched: whole(&so_far),
            reached,
        }
    }
}

/// How far a pattern goes along a path.
struct Walk {
    matched: bool,
    /// Whether the path is used up by the pattern or by a beginning of it.
    reached: bool,
}

/// Compares a name with a pattern, going back to the last star where they part.
fn name_matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || Some(c) == name.get(n) => {
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
    pattern.iter().skip(p).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around() -> Surroundings {
        Surroundings::new("/no-such/[w]")
    }

    fn placed(pattern: &str) -> Glob {
        PathGlob::new(pattern).placed(&around()).expect("readable")
    }

    fn plain(path: &str) -> PlainPath {
        around().readings(path).expect("readable").text
    }

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
            ("/w/a?c", "/w/aüc", true),
            ("/w/a?c", "/w/ac", false),
            ("/w/a*b*c", "/w/axxbxbyc", true),
            ("/w/a*b*c", "/w/axxbxby", false),
            ("/**/.env", "/w/deep/.env", true),
            ("/**/.env", "/.env", true),
            ("/**/.env", "/w/.envrc", false),
            ("/w/**/t/*", "/w/a/b/t/x", true),
            ("/w/**/t/*", "/w/t/x", true),
            ("/w//./x", "/w/x", true),
            ("src/**", "/no-such/[w]/src/a", true),
            ("**/a", "x/a", true),
            ("**/a", "/x/a", false),
        ];
        for (pattern, path, expected) in cases {
            let matched = placed(pattern).matches(&plain(path));
            assert_eq!(matched, expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_folder_is_reached_by_what_may_be_below_it() {
        let reaches = |pattern: &str, path: &str| placed(pattern).reaches_below(&plain(path));
        assert!(reaches("/w/secret/**", "/w"));
        assert!(reaches("/**/.env", "/w"));
        assert!(!reaches("/w/secret/**", "/v"));
        assert!(!reaches("/w/secret", "/w/secret/deep"));
    }

    #[test]
    fn what_a_text_does_not_tell_is_not_guessed() {
        for pattern in ["/w/[ab]*", "/w/{a,b}/**", "/w/[a]?", "/w/../x", "~me/x"] {
            assert!(PathGlob::new(pattern).is_unreadable(), "{pattern}");
            assert_eq!(PathGlob::new(pattern).placed(&around()), None);
        }
        let nowhere = Surroundings::default();
        assert_eq!(PathGlob::new("src/**").placed(&nowhere), None);
        assert_eq!(PathGlob::new("~/x").placed(&nowhere), None);
    }

    #[test]
    fn without_stars_brackets_are_letters() {
        let glob = placed("/w/[id]/{x}.tsx");
        assert!(glob.matches(&plain("/w/[id]/{x}.tsx")));
        assert!(!glob.matches(&plain("/w/i/x.tsx")));
        assert!(PathGlob::new("/w/[id]").may_mean_more());
        assert!(!PathGlob::literal("/w/[id]", true).may_mean_more());
    }

    #[test]
    fn a_literal_path_has_no_signs() {
        let literal = |path: &str, below: bool| {
            let glob = PathGlob::literal(path, below);
            glob.placed(&around())
        };
        let stars = literal("/w/[id]/*", false).expect("a path");
        assert!(stars.matches(&plain("/w/[id]/*")));
        assert!(!stars.matches(&plain("/w/[id]/a")));
        let below = literal("/w/**", true).expect("a path");
        assert!(below.matches(&plain("/w/**/a")) && !below.matches(&plain("/w/a")));
        assert_eq!(literal("/w/../x", false), None);
    }
}
