//! The head and what is on the face.

use std::fmt::Write as _;

use crate::look::{Age, FaceMood, PortraitLook};

/// Draws the face over the body.
pub(super) fn draw(svg: &mut String, look: &PortraitLook) {
    ears(svg, look);
    let (rx, skin) = (look.face_rx(), look.skin);
    let _ = write!(
        svg,
        r#"<path d="M{} 160 Q{} 92 160 90 Q{} 92 {} 160 Q{} 236 160 256 Q{} 236 {} 160 Z" fill="{skin}"/>"#,
        160 - rx,
        160 - rx,
        160 + rx,
        160 + rx,
        160 + rx - 4,
        160 - rx + 4,
        160 - rx
    );
    let _ = write!(
        svg,
        r#"<circle cx="{}" cy="198" r="13" fill="{}"/><circle cx="{}" cy="198" r="13" fill="{}"/>"#,
        160 - rx / 2 - 8,
        skin.rosy(),
        160 + rx / 2 + 8,
        skin.rosy()
    );
    if look.age == Age::Old {
        lines(svg, look);
    }
    if look.has_freckles {
        freckles(svg, look);
    }
    eye(svg, look, -27);
    eye(svg, look, 27);
    brows(svg, look);
    let _ = write!(
        svg,
        r#"<path d="M160 170 Q152 196 153 202 Q160 208 168 202" fill="none" stroke="{}" stroke-width="3" stroke-linecap="round"/>"#,
        skin.at(74)
    );
    if look.has_beard {
        beard(svg, look);
    }
    mouth(svg, look);
    if look.has_moustache {
        let _ = write!(
            svg,
            r#"<path d="M160 210 Q142 206 130 220 Q146 222 160 216 Q174 222 190 220 Q178 206 160 210 Z" fill="{}"/>"#,
            look.hair.at(90)
        );
    }
    extras(svg, look);
}

fn ears(svg: &mut String, look: &PortraitLook) {
    let (rx, skin) = (look.face_rx(), look.skin.at(93));
    for side in [-1, 1] {
        let x = 160 + side * rx;
        if look.has_pointed_ears {
            let _ = write!(
                svg,
                r#"<path d="M{} 160 L{} 122 L{} 196 Z" fill="{skin}"/>"#,
                x - side * 6,
                x + side * 42,
                x - side * 4
            );
        } else {
            let _ = write!(svg, r#"<ellipse cx="{x}" cy="174" rx="11" ry="17" fill="{skin}"/>"#);
        }
    }
}

/// An eye at this distance from the middle.
fn eye(svg: &mut String, look: &PortraitLook, dx: i32) {
    let x = 160 + dx;
    if look.has_eyepatch && dx > 0 {
        let _ = write!(
            svg,
            r##"<path d="M100 138 L226 186" stroke="#2a2624" stroke-width="5"/><ellipse cx="{x}" cy="168" rx="19" ry="16" fill="#2a2624"/>"##
        );
        return;
    }
    let open = match look.mood {
        FaceMood::Afraid => 12,
        FaceMood::Happy | FaceMood::Sad => 8,
        FaceMood::Calm => 9,
        FaceMood::Stern => 7,
    };
    let _ = write!(
        svg,
        r##"<ellipse cx="{x}" cy="168" rx="14" ry="{open}" fill="#fbf8f2"/><circle cx="{x}" cy="168" r="{}" fill="{}"/><circle cx="{x}" cy="168" r="3" fill="#1d1a18"/><circle cx="{}" cy="165" r="2" fill="#ffffff"/>"##,
        open.min(8),
        look.eyes,
        x + 3
    );
    let _ = write!(
        svg,
        r#"<path d="M{} {} Q{x} {} {} {}" fill="none" stroke="{}" stroke-width="3" stroke-linecap="round"/>"#,
        x - 15,
        168 - open / 3,
        168 - open - 5,
        x + 15,
        168 - open / 3,
        look.skin.at(55)
    );
}

fn brows(svg: &mut String, look: &PortraitLook) {
    // How far the inner and the outer ends are raised.
    let (inner, outer) = match look.mood {
        FaceMood::Calm => (0, 0),
        FaceMood::Happy => (3, 1),
        FaceMood::Stern => (-8, 2),
        FaceMood::Sad => (8, -4),
        FaceMood::Afraid => (10, 2),
    };
    for side in [-1, 1] {
        if look.has_eyepatch && side > 0 {
            continue;
        }
        let _ = write!(
            svg,
            r#"<path d="M{} {} Q{} {} {} {}" fill="none" stroke="{}" stroke-width="6" stroke-linecap="round"/>"#,
            160 + side * 12,
            148 - inner,
            160 + side * 28,
            141 - (inner + outer) / 2,
            160 + side * 44,
            149 - outer,
            look.hair.at(85)
        );
    }
}

fn mouth(svg: &mut String, look: &PortraitLook) {
    let path = match look.mood {
        FaceMood::Calm => "M142 226 Q160 232 178 226",
        FaceMood::Happy => "M138 222 Q160 246 182 222 Q160 232 138 222",
        FaceMood::Stern => "M142 228 L178 228",
        FaceMood::Sad => "M142 232 Q160 220 178 232",
        FaceMood::Afraid => "M150 228 Q160 218 170 228 Q160 238 150 228",
    };
    let is_open = matches!(look.mood, FaceMood::Happy | FaceMood::Afraid);
    let fill = if is_open { "#7c3b36" } else { "none" };
    let _ = write!(
        svg,
        r##"<path d="{path}" fill="{fill}" stroke="#8b4a42" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>"##
    );
}

fn beard(svg: &mut String, look: &PortraitLook) {
    let rx = look.face_rx();
    let _ = write!(
        svg,
        r#"<path d="M{} 186 Q{} 262 160 286 Q{} 262 {} 186 Q{} 218 160 212 Q{} 218 {} 186 Z" fill="{}"/>"#,
        160 - rx + 1,
        160 - rx + 6,
        160 + rx - 6,
        160 + rx - 1,
        160 + rx - 22,
        160 - rx + 22,
        160 - rx + 1,
        look.hair.at(95)
    );
}

fn lines(svg: &mut String, look: &PortraitLook) {
    let _ = write!(
        svg,
        r#"<g fill="none" stroke="{}" stroke-width="2" stroke-linecap="round"><path d="M136 120 Q160 115 184 120"/><path d="M140 130 Q160 126 180 130"/><path d="M118 188 Q130 193 142 187"/><path d="M178 187 Q190 193 202 188"/><path d="M138 206 Q132 218 136 228"/><path d="M182 206 Q188 218 184 228"/></g>"#,
        look.skin.at(78)
    );
}

fn freckles(svg: &mut String, look: &PortraitLook) {
    let shade = look.skin.at(72);
    for (x, y) in [
        (126, 190),
        (134, 196),
        (142, 190),
        (178, 190),
        (186, 196),
        (194, 190),
        (130, 202),
        (190, 202),
    ] {
        let _ = write!(svg, r#"<circle cx="{x}" cy="{y}" r="2" fill="{shade}"/>"#);
    }
}

fn extras(svg: &mut String, look: &PortraitLook) {
    if look.has_scar {
        let _ = write!(
            svg,
            r#"<path d="M112 178 L124 214" stroke="{}" stroke-width="4" stroke-linecap="round"/><path d="M112 190 L122 186 M116 204 L126 200" stroke="{}" stroke-width="2"/>"#,
            look.skin.at(70),
            look.skin.at(70)
        );
    }
    if look.has_glasses {
        svg.push_str(r##"<g fill="none" stroke="#4a4038" stroke-width="4"><circle cx="133" cy="168" r="21"/><circle cx="187" cy="168" r="21"/><path d="M154 166 Q160 161 166 166"/></g>"##);
    }
}
