//! The report as one page without scripts and without anything from elsewhere: a map with the heat of the walks, and the
//! lists.

use std::{collections::BTreeMap, fmt};

use world_model::definition::WorldDefinition;

use super::report::WalkReportPage;

/// The size of a place on the map, and the gap between two.
const PLACE_WIDTH: i64 = 120;
const PLACE_HEIGHT: i64 = 44;
const GAP: i64 = 36;

/// Longest name on the map, in characters.
const NAME_CHARS: usize = 18;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;\
color:#222;background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}li{margin:.2rem 0}\
svg{width:100%;height:auto;background:#f6f4ef;border:1px solid #ccc}svg text{font:12px system-ui,sans-serif}\
small{color:#666}";

impl fmt::Display for WalkReportPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        let title = escaped(&report.title);
        write!(
            f,
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title>\
             <style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n"
        )?;
        writeln!(
            f,
            "<p>{} walks of up to {} turns, seed {}: {} of {} storylets fired.</p>",
            report.walks,
            report.turns,
            report.seed,
            report.storylets - report.never_fired.len(),
            report.storylets
        )?;
        writeln!(f, "{}", self.map())?;
        // The lists are those of the text, section by section.
        for section in report.render_text().split("\n\n").skip(1) {
            let mut lines = section.lines();
            let heading = lines.next().unwrap_or_default().trim_end_matches(':');
            writeln!(f, "<h2>{}</h2>\n<ul>", escaped(heading))?;
            for line in lines {
                writeln!(f, "<li>{}</li>", escaped(line.trim()))?;
            }
            writeln!(f, "</ul>")?;
        }
        f.write_str("</body>\n</html>\n")
    }
}

impl WalkReportPage<'_> {
    /// The map: each place where its exits say, the warmer the more turns were spent there.
    fn map(&self) -> String {
        let spots = layout(self.world);
        let visits: BTreeMap<&str, u64> =
            self.report.places.iter().map(|place| (place.name.as_str(), place.visits)).collect();
        let most = visits.values().copied().max().unwrap_or(0).max(1);
        let (step_x, step_y) = (PLACE_WIDTH + GAP, PLACE_HEIGHT + GAP);
        let left = spots.iter().map(|(x, _)| *x).min().unwrap_or(0);
        let top = spots.iter().map(|(_, y)| *y).min().unwrap_or(0);
        let corner = |(x, y): (i64, i64)| (GAP + (x - left) * step_x, GAP + (y - top) * step_y);
        let (mut lines, mut boxes) = (String::new(), String::new());
        let index: BTreeMap<&str, usize> =
            self.world.places.iter().enumerate().map(|(at, one)| (one.name.as_str(), at)).collect();
        for (at, place) in self.world.places.iter().enumerate() {
            let (x, y) = corner(spots[at]);
            for to in place.exits.iter().filter_map(|exit| index.get(exit.to.as_str())) {
                let (to_x, to_y) = corner(spots[*to]);
                let (half_x, half_y) = (PLACE_WIDTH / 2, PLACE_HEIGHT / 2);
                lines += &format!(
                    "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#999\"/>",
                    x + half_x,
                    y + half_y,
                    to_x + half_x,
                    to_y + half_y
                );
            }
            let count = visits.get(place.name.as_str()).copied().unwrap_or(0);
            boxes += &place_box(&place.name, (x, y), count, most);
        }
        let width = GAP + spots.iter().map(|(x, _)| x - left + 1).max().unwrap_or(1) * step_x;
        let height = GAP + spots.iter().map(|(_, y)| y - top + 1).max().unwrap_or(1) * step_y;
        format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Map of the walks\">{lines}{boxes}</svg>"
        )
    }
}

fn place_box(name: &str, (x, y): (i64, i64), count: u64, most: u64) -> String {
    // A place that is visited a tenth as often as the first one is still seen to be warm.
    let warmth = (count as f64 / most as f64).sqrt();
    let light = 96.0 - 42.0 * warmth;
    let fill = if count == 0 { "#fff".to_owned() } else { format!("hsl(18 85% {light:.0}%)") };
    let shown: String = name.chars().take(NAME_CHARS).collect();
    format!(
        "<g><title>{}: {count} turns</title><rect x=\"{x}\" y=\"{y}\" width=\"{PLACE_WIDTH}\" height=\"{PLACE_HEIGHT}\" \
         rx=\"6\" fill=\"{fill}\" stroke=\"#555\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{count}</text></g>",
        escaped(name),
        x + PLACE_WIDTH / 2,
        y + 19,
        escaped(&shown),
        x + PLACE_WIDTH / 2,
        y + 35
    )
}

/// Returns a square of a grid for each place: next to the place from which an exit leads there, in the direction of the
/// exit, or the nearest free one if that is taken.
fn layout(world: &WorldDefinition) -> Vec<(i64, i64)> {
    let index: BTreeMap<&str, usize> =
        world.places.iter().enumerate().map(|(at, one)| (one.name.as_str(), at)).collect();
    let mut spots: Vec<Option<(i64, i64)>> = vec![None; world.places.len()];
    let mut taken = std::collections::BTreeSet::new();
    for start in 0..world.places.len() {
        if spots[start].is_some() {
            continue;
        }
        let below = taken.iter().map(|(_, y): &(i64, i64)| y + 2).max().unwrap_or(0);
        let mut queue = vec![(start, free((0, below), &taken))];
        while let Some((at, spot)) = queue.pop() {
            if spots[at].is_some() {
                continue;
            }
            let spot = free(spot, &taken);
            spots[at] = Some(spot);
            taken.insert(spot);
            for exit in &world.places[at].exits {
                if let Some(to) = index.get(exit.to.as_str()).filter(|to| spots[**to].is_none()) {
                    let (x, y) = offset(&exit.direction);
                    queue.insert(0, (*to, (spot.0 + x, spot.1 + y)));
                }
            }
        }
    }
    spots.into_iter().map(Option::unwrap_or_default).collect()
}

fn free(wanted: (i64, i64), taken: &std::collections::BTreeSet<(i64, i64)>) -> (i64, i64) {
    let rings = (0..64_i64).flat_map(|ring| {
        (-ring..=ring)
            .flat_map(move |x| (-ring..=ring).map(move |y| (x, y)))
            .filter(move |(x, y)| x.abs().max(y.abs()) == ring)
    });
    let mut spots = rings.map(|(x, y)| (wanted.0 + x, wanted.1 + y));
    spots.find(|spot| !taken.contains(spot)).unwrap_or(wanted)
}

fn offset(direction: &str) -> (i64, i64) {
    match direction {
        "north" | "up" | "forward" => (0, -1),
        "south" | "down" | "back" => (0, 1),
        "east" | "right" | "starboard" | "in" => (1, 0),
        "west" | "left" | "port" | "out" => (-1, 0),
        "northeast" => (1, -1),
        "northwest" => (-1, -1),
        "southeast" => (1, 1),
        "southwest" => (-1, 1),
        _ => (1, 1),
    }
}

/// Authors choose the words, so they cannot be markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() && c != '\n' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
