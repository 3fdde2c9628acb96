//! Programs that make one file of another.
//!
//! Which of their words is read, which is written and which names a reader of files (`msl:x` of
//! ImageMagick is a script, `concat:x` of ffmpeg a list) differs from one to the next, and most
//! write beside the file when no word says where. So only the words of the rule are let through.

/// Those whose name does not say it.
#[rustfmt::skip] // A table.
const CONVERTERS: &[&str] = &[
    // Pictures.
    "animate", "autotrace", "avifdec", "avifenc", "compare", "composite", "conjure", "convert", "cwebp", "display",
    "dwebp", "exiftool", "exiv2", "gegl", "gifsicle", "gimp", "gm", "gmic", "heif-convert", "heif-enc", "identify",
    "iconutil", "import", "inkscape", "jpegoptim", "jpegtran", "krita", "magick", "magick-script", "mogrify", "montage",
    "optipng", "oxipng", "pngcrush", "pngquant", "potrace", "rsvg-convert", "sips", "stream", "svgo", "tesseract",
    "tiffcp", "vips", "vipsthumbnail", "zbarimg",
    // Sound and film.
    "avconv", "avprobe", "cvlc", "faac", "faad", "ffmpeg", "ffplay", "ffprobe", "flac", "gst-launch", "handbrakecli",
    "lame", "mencoder", "mkvmerge", "mp4box", "mpg123", "mplayer", "mpv", "oggdec", "oggenc", "opusdec", "opusenc", "play",
    "rec", "rvlc", "sox", "soxi", "timidity", "vlc", "yt-dlp", "youtube-dl",
    // Documents.
    "a2x", "antiword", "asciidoc", "asciidoctor", "asy", "bibtex", "context", "djvused", "doxygen", "dvipdf", "dvips",
    "ebook-convert", "ebook-meta", "ebook-polish", "fop", "ghostscript", "groff", "gs", "jupytext", "latex", "latexmk",
    "libreoffice", "localc", "lowriter", "lualatex", "luatex", "lyx", "makeinfo", "mpost", "mudraw", "mutool", "nbconvert",
    "nroff", "ocrmypdf", "pandoc", "pdfcrop", "pdfimages", "pdfjam", "pdflatex", "pdfseparate", "pdftex", "pdftk",
    "pdfunite", "plantuml", "prince", "psbook", "psnup", "psselect", "qpdf", "quarto", "saxon", "soffice", "tectonic",
    "tex", "texi2any", "troff", "typst", "unoconv", "unrtf", "weasyprint", "xalan", "xelatex", "xetex", "xsltproc",
    // Archives and disks, some of which take orders without a dash.
    "7z", "7za", "7zr", "7zz", "ar", "bsdcpio", "bsdtar", "cabextract", "ditto", "genisoimage", "gtar", "hdiutil", "jar",
    "lz4", "mkisofs", "mksquashfs", "objcopy", "pax", "qemu-img", "rar", "star", "strip", "textutil", "unar", "unrar",
    "unsquashfs", "unzip", "uudecode", "uuencode", "xorriso", "zip",
    // Data and code that is made.
    "bison", "byacc", "cdo", "csplit", "editcap", "flex", "gdal_translate", "gdalinfo", "gdalwarp", "h5repack", "lex",
    "mergecap", "msgfmt", "msgmerge", "ncgen", "ncks", "ogrinfo", "plutil", "split", "tic", "yacc",
    // Addresses that run or write.
    "aria2c", "axel", "elinks", "httrack", "links", "lynx", "w3m",
];

/// What files are called by the names of converters.
#[rustfmt::skip] // A table.
const FORMATS: &[&str] = &[
    "ascii", "avi", "bmp", "cairo", "csv", "djvu", "doc", "docbook", "docx", "dos", "dvi", "eps", "epub", "flac", "gif", "html",
    "icns", "ico", "jpeg", "jpg", "json", "latex", "mac", "man", "markdown", "md", "mp3", "mp4", "odt", "ogg", "pbm", "pcap", "pdf",
    "pgm", "png", "pnm", "ppm", "ps", "raw", "rst", "rtf", "svg", "tex", "text", "tiff", "toml", "txt", "unix", "wav", "webm",
    "webp", "wkhtml", "xls", "xlsx", "xml", "xps", "yaml", "yml",
];

/// By the whole name, or when it reads `this2that` or `thistothat`.
pub(super) fn is_converter(program: &str) -> bool {
    let name = program.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let name = name.strip_suffix(".py").unwrap_or(name);
    // `gst-launch-1.0`, `convert-im6`.
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let plain = plain.strip_suffix("-im").unwrap_or(plain);
    let is_format = |text: &str| FORMATS.contains(&text);
    let says_so = ["2", "to"].iter().any(|mark| {
        name.match_indices(mark).any(|(at, _)| {
            let from = name.get(..at).unwrap_or_default();
            let to = name.get(at + mark.len()..).unwrap_or_default();
            let named = !from.is_empty() && !to.is_empty();
            named && (is_format(from) || is_format(to))
        })
    });
    says_so || CONVERTERS.contains(&name) || CONVERTERS.contains(&plain)
}

/// Whether a word of a program that nobody has listed may name a reader or a way to reach
/// something: `msl:x`, `concat:a`, `jar:file:x`. Addresses of the web, `host:80` and
/// `file.rs:12` do not.
pub(super) fn names_reader(text: &str) -> bool {
    let Some((name, rest)) = text.split_once(':') else {
        return false;
    };
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let reaches = rest.starts_with("//");
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+-_".contains(c) || reaches && c == '.';
    let is_web = reaches && matches!(name, "http" | "https");
    let is_number = rest.chars().all(|c| c.is_ascii_digit() || c == ':');
    begins && name.len() > 1 && name.chars().all(is_name) && !is_web && !is_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converters_are_told_by_their_names() {
        for name in [
            "pdftotext",
            "pdf2svg",
            "ps2pdf14",
            "dos2unix",
            "rst2html.py",
            "html2text",
            "wkhtmltopdf",
            "ppmtojpeg",
            "convert-im6",
            "gst-launch-1.0",
            "HandBrakeCLI",
            "identify",
            "json2csv",
            "a2ps",
        ] {
            assert!(is_converter(name), "{name}");
        }
        for name in [
            "autoconf",
            "protoc",
            "bzip2",
            "stow",
            "pg_restore",
            "tomcat",
            "history",
            "cargo",
            "2to3",
            "pdfinfo",
        ] {
            assert!(!is_converter(name), "{name}");
        }
    }

    #[test]
    fn readers_are_told_from_addresses_and_lines() {
        for text in [
            "msl:x",
            "ephemeral:/etc/x",
            "jar:file:x",
            "compress.zlib://x",
            "data:text/x",
            "file:///x",
        ] {
            assert!(names_reader(text), "{text}");
        }
        for text in [
            "a.rs:12",
            "localhost:80",
            "x:12:3",
            "https://a.example/x",
            "C:x",
            "a/b:c",
            ":app:test",
            "12:30pm",
            "x:",
        ] {
            assert!(!names_reader(text), "{text}");
        }
    }
}
