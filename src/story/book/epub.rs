//! EPUB 3: chapters by size, in XHTML, with a table of contents and the pictures that every reader shows.

use std::{collections::BTreeMap, io::Write};

use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use super::{
    source::{BookAsset, BookOutput, BookSource, output},
    text,
};
use crate::{AssetName, ExportError};
use narratoria_protocol::digest::sha256;

/// A chapter ends after this many bytes: at the turn, or in a long turn at the paragraph.
const CHAPTER_BYTES: usize = 64 << 10;

/// Pictures that every reader of EPUB 3 shows.
const PICTURES: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"];

const STYLE: &str = "body { line-height: 1.5; }\n\
    blockquote { margin: 2em 0 1em 0; padding-left: 1em; border-left: 3px solid #999; font-style: italic; }\n\
    h2 { margin: 2em 0 1em 0; font-size: 1.2em; }\n\
    figure { margin: 1.5em 0; text-align: center; }\n\
    img { max-width: 100%; }\n";

const CONTAINER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"#;

/// A book that is being written.
struct EpubWriter<'a> {
    zip: ZipWriter<&'a mut dyn BookOutput>,
    /// Titles of the chapters so far; each is `chapter-NNNN.xhtml`.
    chapters: Vec<String>,
    /// The text of the open chapter.
    body: String,
    /// The first turn in it, counted from 1.
    first: usize,
    /// Media types of the pictures that are in the book.
    pictures: BTreeMap<AssetName, String>,
}

pub(super) fn write(
    source: &mut BookSource<'_>,
    out: &mut dyn BookOutput,
) -> Result<(), ExportError> {
    let mut book = EpubWriter {
        zip: ZipWriter::new(out),
        chapters: Vec::new(),
        body: String::new(),
        first: 1,
        pictures: BTreeMap::new(),
    };
    // Readers recognise a book by this first file, which is not compressed.
    book.put("mimetype", b"application/epub+zip", CompressionMethod::Stored)?;
    book.put_text("META-INF/container.xml", CONTAINER)?;
    for at in 0..source.turns.len() {
        let turn = source.turn(at)?;
        if let Some(prompt) = &turn.prompt {
            book.body.push_str(&text::quotation(prompt));
        }
        book.body.push_str(&text::scene_title(turn.title.as_deref()));
        for element in text::elements(&turn.narration) {
            book.body.push_str(&element);
            if book.body.len() > CHAPTER_BYTES * 2 {
                book.end_chapter(at + 1)?;
            }
        }
        for asset in &turn.assets {
            book.add_file(source, asset)?;
        }
        if book.body.len() > CHAPTER_BYTES {
            book.end_chapter(at + 1)?;
            book.first = at + 2;
        }
    }
    if !book.body.is_empty() || book.chapters.is_empty() {
        book.end_chapter(source.turns.len())?;
    }
    book.finish(source)
}

impl EpubWriter<'_> {
    fn put(
        &mut self,
        name: &str,
        bytes: &[u8],
        method: CompressionMethod,
    ) -> Result<(), ExportError> {
        // The file has no time of day, so that the same story makes the same bytes.
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::default());
        self.zip.start_file(name, options).map_err(output)?;
        self.zip.write_all(bytes).map_err(output)
    }

    fn put_text(&mut self, name: &str, text: &str) -> Result<(), ExportError> {
        self.put(name, text.as_bytes(), CompressionMethod::Deflated)
    }

    fn end_chapter(&mut self, last: usize) -> Result<(), ExportError> {
        let title = match (self.first, last) {
            (_, 0) => "No turns yet".to_owned(),
            (first, last) if first >= last => format!("Turn {last}"),
            (first, last) => format!("Turns {first}–{last}"),
        };
        let body = std::mem::take(&mut self.body);
        self.chapters.push(title.clone());
        let page = page(
            &title,
            &format!("<section epub:type=\"chapter\">\n<h1>{title}</h1>\n{body}</section>\n"),
        );
        self.put_text(&format!("book/{}", chapter_file(self.chapters.len())), &page)
    }

    fn add_file(
        &mut self,
        source: &mut BookSource<'_>,
        asset: &BookAsset,
    ) -> Result<(), ExportError> {
        let label = text::escape(&text::one_line(&asset.label));
        let named = AssetName::of_path(&asset.path);
        let known = named.filter(|name| self.pictures.contains_key(name));
        let is_picture = PICTURES.contains(&asset.media_type.as_str());
        let name = match (known, is_picture) {
            (Some(name), _) => Some(name),
            (None, false) => None,
            (None, true) => match source.file(asset) {
                None => None,
                Some((name, bytes)) => {
                    let file = format!("book/{}", name.file_name());
                    // Pictures are compressed already.
                    self.put_picture(&file, &bytes)?;
                    self.pictures.insert(name.clone(), asset.media_type.clone());
                    Some(name)
                }
            },
        };
        self.body.push_str(&match name {
            Some(name) => format!(
                "<figure><img src=\"{}\" alt=\"{label}\"/><figcaption dir=\"auto\">{label}</figcaption></figure>\n",
                name.file_name()
            ),
            None => format!("<p dir=\"auto\"><small>{label}</small></p>\n"),
        });
        Ok(())
    }

    fn put_picture(&mut self, file: &str, bytes: &[u8]) -> Result<(), ExportError> {
        self.put(file, bytes, CompressionMethod::Stored)
    }

    /// Writes the files that name all others.
    fn finish(mut self, source: &BookSource<'_>) -> Result<(), ExportError> {
        self.put_text("book/style.css", STYLE)?;
        let title = text::escape(&text::one_line(source.title()));
        let items: String = self
            .chapters
            .iter()
            .enumerate()
            .map(|(at, title)| {
                format!("<li><a href=\"{}\">{title}</a></li>\n", chapter_file(at + 1))
            })
            .collect();
        let contents = page(
            &title,
            &format!("<nav epub:type=\"toc\">\n<h1>{title}</h1>\n<ol>\n{items}</ol>\n</nav>\n"),
        );
        self.put_text("book/contents.xhtml", &contents)?;
        let package = self.package(source, &title);
        self.put_text("book/package.opf", &package)?;
        self.zip.finish().map_err(output)?;
        Ok(())
    }

    fn package(&self, source: &BookSource<'_>, title: &str) -> String {
        let modified = source.changed_at.strftime("%Y-%m-%dT%H:%M:%SZ");
        let (mut manifest, mut spine) = (String::new(), String::new());
        for number in 1..=self.chapters.len() {
            manifest.push_str(&format!(
                "<item id=\"c{number}\" href=\"{}\" media-type=\"application/xhtml+xml\"/>\n",
                chapter_file(number)
            ));
            spine.push_str(&format!("<itemref idref=\"c{number}\"/>\n"));
        }
        for (at, (name, media_type)) in self.pictures.iter().enumerate() {
            manifest.push_str(&format!(
                "<item id=\"p{at}\" href=\"{}\" media-type=\"{media_type}\"/>\n",
                name.file_name()
            ));
        }
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" unique-identifier=\"id\" xml:lang=\"und\">\n\
             <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
             <dc:identifier id=\"id\">urn:uuid:{}</dc:identifier>\n\
             <dc:title>{title}</dc:title>\n\
             <dc:language>und</dc:language>\n\
             <meta property=\"dcterms:modified\">{modified}</meta>\n\
             </metadata>\n<manifest>\n\
             <item id=\"contents\" href=\"contents.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>\n\
             <item id=\"style\" href=\"style.css\" media-type=\"text/css\"/>\n\
             {manifest}</manifest>\n<spine>\n{spine}</spine>\n</package>\n",
            identifier(source)
        )
    }
}

fn chapter_file(number: usize) -> String {
    format!("chapter-{number:04}.xhtml")
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE html>\n\
         <html xmlns=\"http://www.w3.org/1999/xhtml\" xmlns:epub=\"http://www.idpf.org/2007/ops\">\n\
         <head><title>{title}</title><link rel=\"stylesheet\" type=\"text/css\" href=\"style.css\"/></head>\n\
         <body>\n{body}</body>\n</html>\n"
    )
}

/// Returns an identifier that is always the same for a story (UUID version 8).
fn identifier(source: &BookSource<'_>) -> String {
    let hex = sha256(format!("{} {}", source.story.name(), source.story.seed()).as_bytes());
    format!("{}-{}-8{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}
