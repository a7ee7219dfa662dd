//! The progress of a download: on a terminal one line that is redrawn, elsewhere a line every half minute.

use std::time::{Duration, Instant};

use narratoria_model::files::{DownloadProgress, size_text};
use unicode_width::UnicodeWidthStr;

use super::{
    Look, Out, Tone, note,
    output::TerminalSize,
    text::{cut_line, visible_line},
};

/// Cells of the bar.
const BAR_CELLS: u64 = 20;

/// Time between two lines if stderr is no terminal.
const PIPE_INTERVAL: Duration = Duration::from_secs(30);

/// A line at the bottom of stderr.
///
/// Invariant: between `erase` and the next `show` the terminal looks as if there were no line.
pub struct DownloadLine {
    name: String,
    area: Option<TerminalSize>,
    ascii: bool,
    is_drawn: bool,
    /// When the last line was printed to a pipe.
    last_drawn: Option<Instant>,
}

impl DownloadLine {
    pub fn new(name: &str, look: Look) -> DownloadLine {
        let name = visible_line(name);
        DownloadLine { name, area: look.live, ascii: look.ascii, is_drawn: false, last_drawn: None }
    }

    pub fn show(&mut self, err: &mut Out, now: Instant, progress: &DownloadProgress) {
        if let Some(area) = self.area {
            // The last column stays free: some terminals wrap as soon as it is written.
            let line =
                download_line(&self.name, progress, area.columns.saturating_sub(1), self.ascii);
            err.write_as_is(&format!("\r{line}\u{1b}[K"));
            self.is_drawn = true;
            return;
        }
        // The first call prints nothing, because the download has only begun.
        let last = *self.last_drawn.get_or_insert(now);
        if now.duration_since(last) >= PIPE_INTERVAL {
            self.last_drawn = Some(now);
            note(err, Tone::Notice, "note", &amounts(progress).join(", "));
        }
    }

    /// Removes the line, so that other text can be written.
    pub fn erase(&mut self, err: &mut Out) {
        if std::mem::take(&mut self.is_drawn) {
            err.write_as_is("\r\u{1b}[K");
        }
    }
}

/// Returns the line: name, bar, percent, amount, speed and time left. If it does not fit, it leaves out the bar, the
/// name, or both.
pub fn download_line(
    name: &str,
    progress: &DownloadProgress,
    columns_max: usize,
    ascii: bool,
) -> String {
    let percent = percent(progress);
    let bar = format!("{} {percent:>2}%", bar(percent));
    let amounts = amounts(progress).join("  ");
    let lines = [
        format!("{name}  {bar}  {amounts}"),
        format!("{name}  {percent}%  {amounts}"),
        format!("{bar}  {amounts}"),
        format!("{percent}%  {amounts}"),
    ];
    let fits = lines.iter().find(|line| line.width() <= columns_max);
    cut_line(fits.unwrap_or(&lines[3]), columns_max, ascii)
}

fn amounts(progress: &DownloadProgress) -> Vec<String> {
    let mut parts = vec![format!("{} of {}", size_text(progress.bytes), size_text(progress.total))];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is only displayed"
    )]
    let speed = progress.bytes_per_second as u64;
    if speed > 0 {
        parts.push(format!("{}/s", size_text(speed)));
    }
    parts.extend(progress.left.map(|left| format!("{} left", duration_text(left))));
    parts
}

fn percent(progress: &DownloadProgress) -> u64 {
    let share = u128::from(progress.bytes) * 100 / u128::from(progress.total.max(1));
    u64::try_from(share).unwrap_or(100).min(100)
}

/// Returns a bar such as `[#####---------------]`.
fn bar(percent: u64) -> String {
    let full = percent * BAR_CELLS / 100;
    let cells = (0..BAR_CELLS).map(|at| if at < full { '#' } else { '-' });
    format!("[{}]", cells.collect::<String>())
}

/// Returns a time such as `45 s`, `1 min 53 s`, `2 h 5 min`.
fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().ceil().min(1e9);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is at most 1e9"
    )]
    let seconds = seconds as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use narratoria_model::files::DownloadProgress;
    use unicode_width::UnicodeWidthStr;

    use super::{DownloadLine, download_line, duration_text};
    use crate::{
        Look, Out,
        output::{CapturedOutput, TerminalSize},
    };

    const HALF: DownloadProgress = DownloadProgress {
        bytes: 1_000_000_000,
        total: 2_393_232_672,
        bytes_per_second: 12_345_678.9,
        left: Some(Duration::from_millis(112_800)),
    };

    const BEGIN: DownloadProgress =
        DownloadProgress { bytes: 0, total: 2_393_232_672, bytes_per_second: 0.0, left: None };

    #[test]
    fn the_line_has_size_speed_and_time_left() {
        let mut lines = String::new();
        for columns in [120, 80, 60, 20] {
            let line = download_line("Phi-3.5-mini-instruct-Q4_K_M.gguf", &HALF, columns, false);
            assert!(line.width() <= columns);
            lines += &format!("{line}\n");
        }
        lines += &download_line("a.gguf", &BEGIN, 80, false);
        insta::assert_snapshot!(lines, @"
        Phi-3.5-mini-instruct-Q4_K_M.gguf  [########------------] 41%  1.00 GB of 2.39 GB  12.3 MB/s  1 min 53 s left
        [########------------] 41%  1.00 GB of 2.39 GB  12.3 MB/s  1 min 53 s left
        41%  1.00 GB of 2.39 GB  12.3 MB/s  1 min 53 s left
        41%  1.00 GB of 2.3…
        a.gguf  [--------------------]  0%  0 B of 2.39 GB
        ");
    }

    #[test]
    fn durations_read_as_people_say_them() {
        let texts = [0.0, 0.2, 59.5, 112.8, 3_599.9, 7_512.0, 1e12]
            .map(|seconds| duration_text(Duration::from_secs_f64(seconds)));
        insta::assert_snapshot!(texts.join(", "), @"0 s, 1 s, 1 min 0 s, 1 min 53 s, 1 h 0 min, 2 h 5 min, 277777 h 46 min");
    }

    #[test]
    fn a_terminal_has_one_line_and_a_pipe_a_line_every_half_minute() {
        let look = Look { live: Some(TerminalSize { columns: 60, rows: 24 }), ..Look::default() };
        let now = Instant::now();
        let shown = |look: Look| {
            let captured = CapturedOutput::default();
            let mut out = Out::new(captured.clone(), false);
            let mut line = DownloadLine::new("a.gguf", look);
            for (seconds, progress) in [(0, BEGIN), (1, HALF), (29, HALF), (30, HALF), (31, HALF)] {
                line.show(&mut out, now + Duration::from_secs(seconds), &progress);
            }
            line.erase(&mut out);
            line.erase(&mut out);
            captured.text()
        };
        let drawn = shown(look).replace('\r', "\n").replace('\u{1b}', "^");
        insta::assert_snapshot!(drawn.trim_start(), @"
        a.gguf  [--------------------]  0%  0 B of 2.39 GB^[K
        a.gguf  41%  1.00 GB of 2.39 GB  12.3 MB/s  1 min 53 s left^[K
        a.gguf  41%  1.00 GB of 2.39 GB  12.3 MB/s  1 min 53 s left^[K
        a.gguf  41%  1.00 GB of 2.39 GB  12.3 MB/s  1 min 53 s left^[K
        a.gguf  41%  1.00 GB of 2.39 GB  12.3 MB/s  1 min 53 s left^[K
        ^[K
        ");
        insta::assert_snapshot!(shown(Look::default()), @"note: 1.00 GB of 2.39 GB, 12.3 MB/s, 1 min 53 s left");
    }
}
