//! The smallest picture of each kind, for pictures that nobody should see.

/// A picture of one pixel, in base64.
pub(super) fn pixel(media_type: &str) -> Option<&'static str> {
    Some(match media_type {
        "image/png" => {
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
        }
        "image/gif" => "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
        "image/jpeg" | "image/jpg" => {
            "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA="
        }
        "image/webp" => "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
        _ => return None,
    })
}

/// The same, as bytes of a file with such a name.
pub(super) fn pixel_file(ending: &str) -> Option<Vec<u8>> {
    let text = pixel(&format!("image/{}", ending.to_ascii_lowercase()))?;
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xFF) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_a_picture_of_its_kind() {
        let begins: [(&str, &[u8]); 5] = [
            ("png", b"\x89PNG\r\n\x1a\n"),
            ("gif", b"GIF89a\x01\0\x01\0"),
            ("jpg", b"\xFF\xD8\xFF"),
            ("jpeg", b"\xFF\xD8\xFF"),
            ("webp", b"RIFF\x1a\0\0\0WEBP"),
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
