//! Hair and what is worn over it.

use std::fmt::Write as _;

use crate::look::{HairStyle, Headwear, PortraitLook};

/// The hair behind the head.
pub(super) fn behind(svg: &mut String, look: &PortraitLook) {
    let (rx, shade) = (look.face_rx() + 16, look.hair.at(82));
    if look.headwear == Headwear::Hood {
        let _ = write!(
            svg,
            r#"<path d="M160 58 Q60 66 66 210 Q70 290 96 320 L224 320 Q250 290 254 210 Q260 66 160 58 Z" fill="{}"/>"#,
            look.cloth.at(80)
        );
        return;
    }
    match look.hair_style {
        HairStyle::Long => {
            let _ = write!(
                svg,
                r#"<path d="M{} 150 Q{} 76 160 74 Q{} 76 {} 150 L{} 300 Q160 330 {} 300 Z" fill="{shade}"/>"#,
                160 - rx,
                160 - rx,
                160 + rx,
                160 + rx,
                160 + rx + 6,
                160 - rx - 6
            );
        }
        HairStyle::Curly => {
            for (x, y) in [
                (92, 130),
                (84, 164),
                (92, 198),
                (228, 130),
                (236, 164),
                (228, 198),
                (116, 96),
                (204, 96),
                (160, 82),
            ] {
                let _ = write!(svg, r#"<circle cx="{x}" cy="{y}" r="30" fill="{shade}"/>"#);
            }
        }
        HairStyle::Braids => {
            for side in [-1, 1] {
                for step in 0..5 {
                    let (x, y) = (160 + side * (rx - 4 + step * 2), 196 + step * 26);
                    let _ = write!(
                        svg,
                        r#"<ellipse cx="{x}" cy="{y}" rx="14" ry="17" fill="{}"/>"#,
                        if step % 2 == 0 { shade } else { look.hair }
                    );
                }
            }
        }
        HairStyle::Bun => {
            let _ = write!(svg, r#"<circle cx="160" cy="70" r="30" fill="{shade}"/>"#);
        }
        HairStyle::Short | HairStyle::Bald => {}
    }
}

/// The hair over the forehead.
pub(super) fn before(svg: &mut String, look: &PortraitLook) {
    let (rx, shade) = (look.face_rx() + 4, look.hair);
    let low = match look.hair_style {
        HairStyle::Short | HairStyle::Bun => 164,
        _ => 176,
    };
    let _ = write!(
        svg,
        r#"<path d="M{} {low} Q{} 78 160 76 Q{} 78 {} {low} Q{} 128 190 116 Q150 130 120 120 Q{} 132 {} {low} Z" fill="{shade}"/>"#,
        160 - rx,
        160 - rx - 4,
        160 + rx + 4,
        160 + rx,
        160 + rx - 10,
        160 - rx + 10,
        160 - rx
    );
    let _ = write!(
        svg,
        r#"<path d="M128 92 Q156 80 190 90" fill="none" stroke="{}" stroke-width="4" stroke-linecap="round"/>"#,
        shade.at(125)
    );
}

/// The hat, hood or crown.
pub(super) fn headwear(svg: &mut String, look: &PortraitLook) {
    let (rx, cloth) = (look.face_rx() + 8, look.cloth.at(85));
    let (left, right) = (160 - rx, 160 + rx);
    match look.headwear {
        Headwear::Nothing => {}
        Headwear::Cap => {
            let _ = write!(
                svg,
                r#"<path d="M{left} 128 Q{left} 60 160 58 Q{right} 60 {right} 128 Q160 108 {left} 128 Z" fill="{cloth}"/><path d="M{left} 128 Q160 108 {right} 128 L{right} 138 Q160 118 {left} 138 Z" fill="{}"/>"#,
                cloth.at(75)
            );
        }
        Headwear::Hat => {
            let _ = write!(
                svg,
                r#"<ellipse cx="160" cy="118" rx="{}" ry="18" fill="{cloth}"/><path d="M112 112 Q108 44 160 42 Q212 44 208 112 Q160 126 112 112 Z" fill="{cloth}"/><path d="M112 104 Q160 120 208 104 L208 114 Q160 128 112 114 Z" fill="{}"/>"#,
                rx + 36,
                cloth.at(60)
            );
        }
        Headwear::Hood => {
            let _ = write!(
                svg,
                r#"<path d="M160 66 Q74 70 84 190 Q88 238 118 268 Q98 220 100 168 Q104 104 160 102 Q216 104 220 168 Q222 220 202 268 Q232 238 236 190 Q246 70 160 66 Z" fill="{}"/>"#,
                look.cloth
            );
        }
        Headwear::Crown => {
            svg.push_str(r##"<path d="M104 112 L98 60 L128 88 L160 50 L192 88 L222 60 L216 112 Q160 128 104 112 Z" fill="#d2a23c"/><circle cx="160" cy="98" r="7" fill="#a53a36"/><circle cx="126" cy="100" r="5" fill="#3f6f9f"/><circle cx="194" cy="100" r="5" fill="#3f6f9f"/>"##);
        }
        Headwear::Helmet => {
            let _ = write!(
                svg,
                r##"<path d="M{left} 150 Q{left} 58 160 54 Q{right} 58 {right} 150 L{} 150 Q{} 120 160 118 Q{} 120 {} 150 Z" fill="#8d9297"/><path d="M152 56 L168 56 L166 178 L154 178 Z" fill="#777c81"/>"##,
                right - 14,
                right - 16,
                left + 16,
                left + 14
            );
        }
        Headwear::Scarf => {
            let _ = write!(
                svg,
                r#"<path d="M{left} 146 Q{left} 66 160 64 Q{right} 66 {right} 146 Q160 102 {left} 146 Z" fill="{cloth}"/><path d="M{right} 140 L{} 176 L{} 150 Z" fill="{}"/>"#,
                right + 20,
                right + 4,
                cloth.at(80)
            );
        }
    }
}
