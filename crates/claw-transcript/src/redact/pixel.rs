//! The smallest picture of each kind, to replace pictures.

use super::base64;

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// File extensions of pictures.
const ENDINGS: [&str; 15] = [
    "png", "gif", "jpg", "jpeg", "webp", "avif", "bmp", "heic", "heif", "ico", "jxl", "jp2", "psd",
    "tif", "tiff",
];

/// A picture of one pixel in base64, and its type: PNG for types without their own.
pub(super) fn pixel(media_type: &str) -> (&'static str, &'static str) {
    match media_type {
        "image/gif" => (
            "image/gif",
            "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
        ),
        "image/jpeg" | "image/jpg" => (
            "image/jpeg",
            "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=",
        ),
        "image/webp" => (
            "image/webp",
            "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
        ),
        _ => ("image/png", PNG),
    }
}

/// A picture of one pixel as bytes, by file extension; `None` if it is not that of a picture.
pub(super) fn pixel_file(ending: &str) -> Option<Vec<u8>> {
    let ending = ending.to_ascii_lowercase();
    ENDINGS.contains(&&*ending).then_some(())?;
    base64::decode(pixel(&format!("image/{ending}")).1.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_a_picture_of_its_kind() {
        let begins: [(&str, &[u8]); 7] = [
            ("png", b"\x89PNG\r\n\x1a\n"),
            ("gif", b"GIF89a\x01\0\x01\0"),
            ("jpg", b"\xFF\xD8\xFF"),
            ("jpeg", b"\xFF\xD8\xFF"),
            ("webp", b"RIFF\x1a\0\0\0WEBP"),
            // Replaced by PNG.
            ("avif", b"\x89PNG\r\n\x1a\n"),
            ("HEIC", b"\x89PNG\r\n\x1a\n"),
        ];
        for (ending, begin) in begins {
            let bytes = pixel_file(ending).expect("known");
            assert!(bytes.starts_with(begin), "{ending}");
        }
        assert!(
            pixel_file("png")
                .expect("known")
                .ends_with(b"IEND\xAE\x42\x60\x82")
        );
        assert_eq!(pixel_file("pdf"), None);
    }
}
