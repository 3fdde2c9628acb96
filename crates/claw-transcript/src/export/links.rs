//! Links that an export may contain.

/// Returns the address if it leads to a web page or a mail address.
pub(super) fn safe_url(url: &str) -> Option<&str> {
    let url = url.trim();
    let (scheme, rest) = url.split_once(':')?;
    let known = match &*scheme.to_ascii_lowercase() {
        // `https:/path` is an address relative to the page.
        "http" | "https" => rest.starts_with("//"),
        "mailto" => true,
        _ => false,
    };
    let visible = url.chars().all(|c| !c.is_control() && !c.is_whitespace());
    (known && visible).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_addresses_are_safe() {
        for url in ["https://a.example", " HTTP://a ", "mailto:a@a.example"] {
            assert_eq!(safe_url(url), Some(url.trim()));
        }
        for url in ["https:/a", "http:a", "https://a b", "javascript:x", "/a"] {
            assert_eq!(safe_url(url), None, "{url}");
        }
    }
}
