//! [`PortraitLook`] → SVG. Plain shapes and colours: no script, no style sheet, no reference to anything outside or inside, so
//! the picture is the same in every viewer and can do nothing but be seen.

mod face;
mod hair;

use std::fmt::Write as _;

use crate::look::{HairStyle, Headwear, PortraitLook};

/// Draws the portrait. `name` and `description` are for those who cannot see it.
pub(crate) fn draw(name: &str, description: &str, look: &PortraitLook) -> String {
    let mut svg = String::new();
    let _ = write!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 400" width="320" height="400" role="img"><title>{}</title><desc>{}</desc>"#,
        escaped(name),
        escaped(description)
    );
    backdrop(&mut svg, look);
    hair::behind(&mut svg, look);
    body(&mut svg, look);
    face::draw(&mut svg, look);
    if look.headwear != Headwear::Hood && look.hair_style != HairStyle::Bald {
        hair::before(&mut svg, look);
    }
    hair::headwear(&mut svg, look);
    frame(&mut svg, look);
    svg.push_str("</svg>\n");
    svg
}

fn backdrop(svg: &mut String, look: &PortraitLook) {
    let shade = look.backdrop;
    let _ = write!(
        svg,
        r#"<rect width="320" height="400" fill="{}"/><circle cx="160" cy="170" r="150" fill="{}"/><circle cx="160" cy="170" r="118" fill="{}"/>"#,
        shade.at(92),
        shade.at(97),
        shade.at(103)
    );
}

/// Neck, shoulders and collar.
fn body(svg: &mut String, look: &PortraitLook) {
    let broad = 16 * i32::from(look.width);
    let (left, right) = (70 - broad, 250 + broad);
    let _ = write!(
        svg,
        r#"<path d="M{} 400 Q{} 300 124 288 L196 288 Q{} 300 {} 400 Z" fill="{}"/>"#,
        left - 20,
        left,
        right,
        right + 20,
        look.cloth
    );
    let _ = write!(
        svg,
        r#"<path d="M134 224 L134 286 Q160 318 186 286 L186 224 Z" fill="{}"/><path d="M134 250 Q160 284 186 250 L186 240 L134 240 Z" fill="{}"/>"#,
        look.skin.at(94),
        look.skin.at(82)
    );
    let _ = write!(
        svg,
        r#"<path d="M124 288 L160 344 L134 284 Z M196 288 L160 344 L186 284 Z" fill="{}"/><path d="M160 344 L160 400" stroke="{}" stroke-width="3"/>"#,
        look.cloth.at(118),
        look.cloth.at(70)
    );
}

fn frame(svg: &mut String, look: &PortraitLook) {
    let _ = write!(
        svg,
        r#"<rect x="4" y="4" width="312" height="392" rx="10" fill="none" stroke="{}" stroke-width="6"/>"#,
        look.backdrop.at(60)
    );
}

/// The text as it may stand between tags.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no other control characters, and a line break is none that a title needs.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
