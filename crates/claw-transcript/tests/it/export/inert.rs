//! Checks that an exported page is inert; used by tests and by a fuzz target.

/// The elements of a page.
const ALLOWED: &str = "!doctype html head meta title body header h1 h2 ul li ol span code div label input \
    main article b a p pre details summary i em strong del h3 h4 h5 h6 blockquote br hr \
    table thead tbody tr th td dl dt dd img nav footer time";

/// Asserts that only the page's own style and script are active.
pub(crate) fn assert_inert(page: &str) {
    assert!(page.contains("default-src 'none'"), "no policy");
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, rest) = rest.split_once("</style>").unwrap();
    let (body, end) = rest.rsplit_once("<script>").unwrap();
    assert!(end.ends_with("</script>\n</body></html>\n"));
    for part in [head, body] {
        for tag in part.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').unwrap_or((tag, ""));
            let mut words = tag.trim_start_matches('/').split([' ', '\n']);
            let name = words.next().unwrap();
            assert!(ALLOWED.split(' ').any(|allowed| allowed == name), "<{tag}>");
            assert!(!tag.to_ascii_lowercase().contains(" on"), "<{tag}>");
            let attribute = |name: &str| {
                let value = tag.split_once(&format!(" {name}=\""))?.1;
                value.split('"').next()
            };
            if let Some(source) = attribute("src") {
                assert!(source.starts_with("data:image/"), "<{tag:.100}>");
            }
            if let Some(address) = attribute("href") {
                let address = address.to_ascii_lowercase();
                let mut known = ["#m-", "./", "https://", "http://", "mailto:"].iter();
                assert!(known.any(|start| address.starts_with(start)), "<{tag}>");
            }
            for name in ["style", "srcset"] {
                assert_eq!(attribute(name), None, "<{tag}>");
            }
        }
    }
}
