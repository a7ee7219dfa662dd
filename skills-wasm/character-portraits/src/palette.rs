//! Colours, by name and by use.

use std::fmt;

/// A colour, as in `#c9c6c0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shade(pub(crate) u32);

impl fmt::Display for Shade {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{:06x}", self.0 & 0x00ff_ffff)
    }
}

impl Shade {
    /// The same, darker: 0 is black, 100 is the colour itself, 120 is lighter.
    pub(crate) fn at(self, percent: u32) -> Shade {
        let part = |shift: u32| (((self.0 >> shift) & 0xff) * percent / 100).min(0xff) << shift;
        Shade(part(16) | part(8) | part(0))
    }

    /// The skin with more red in it, for cheeks.
    pub(crate) fn rosy(self) -> Shade {
        let part = |shift: u32, percent: u32| (((self.0 >> shift) & 0xff) * percent / 100) << shift;
        Shade(part(16, 99) | part(8, 88) | part(0, 87))
    }

    /// The colour of this name, as it is in hair, eyes or cloth.
    pub(crate) fn named(word: &str, palette: &[Shade]) -> Option<Shade> {
        let is_hair = palette == HAIR;
        let is_eyes = palette == EYES;
        Some(Shade(match word {
            "black" | "dark" | "raven" => 0x002a_2624,
            "brown" | "chestnut" | "hazel" if is_eyes => 0x006b_4a2b,
            "brown" | "chestnut" | "brunette" => 0x005d_3f2a,
            "red" | "ginger" | "auburn" | "copper" if is_hair => 0x00b3_5228,
            "blond" | "blonde" | "golden" | "fair" | "yellow" | "straw" if is_hair => 0x00dc_b765,
            "grey" | "gray" | "silver" | "iron" => 0x00a9_a8a4,
            "white" | "snowy" => 0x00ec_e9e2,
            "blue" => 0x003f_6f9f,
            "green" => 0x004d_7f52,
            "red" | "scarlet" | "crimson" => 0x00a5_3a36,
            "yellow" | "golden" | "gold" | "amber" => 0x00d2_a23c,
            "purple" | "violet" => 0x006f_4f8a,
            "orange" => 0x00cf_7a34,
            "pink" | "rose" => 0x00cf_8a98,
            _ => return None,
        }))
    }
}

pub(crate) const SKIN: &[Shade] = &[
    Shade(0x00f1_d3b8),
    Shade(0x00e6_bf9c),
    Shade(0x00d0_a077),
    Shade(0x00b0_7d55),
    Shade(0x008a_5c3e),
    Shade(0x006b_4630),
];
pub(crate) const HAIR: &[Shade] = &[
    Shade(0x002f_2724),
    Shade(0x005d_3f2a),
    Shade(0x008a_5a34),
    Shade(0x00dc_b765),
    Shade(0x00b3_5228),
];
pub(crate) const EYES: &[Shade] =
    &[Shade(0x006b_4a2b), Shade(0x003f_6f9f), Shade(0x004d_7f52), Shade(0x0060_666b)];
pub(crate) const CLOTH: &[Shade] = &[
    Shade(0x0047_5b70),
    Shade(0x0070_4a45),
    Shade(0x004f_6350),
    Shade(0x0084_6a3e),
    Shade(0x0058_4b6b),
    Shade(0x003e_5f63),
    Shade(0x008a_5348),
    Shade(0x0055_5550),
];
