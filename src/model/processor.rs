//! How many cores other processes leave free. Reads Linux's counters; other systems give none, and all cores count as free.

use std::fs;

/// Ticks per core between two looks, at least: Linux counts a hundred in a second.
const TICKS_BETWEEN_MIN: u64 = 200;

/// Processor time since the machine started, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessorTimes {
    cores: usize,
    /// Ticks of all cores, busy and idle.
    total: u64,
    idle: u64,
    /// Ticks that this process used.
    own: u64,
}

impl ProcessorTimes {
    /// The counters of now; `None` if the system has none.
    pub(crate) fn now() -> Option<ProcessorTimes> {
        let read = |path: &str| fs::read_to_string(path).ok();
        ProcessorTimes::parse(&read("/proc/stat")?, &read("/proc/self/stat")?)
    }

    fn parse(machine: &str, process: &str) -> Option<ProcessorTimes> {
        let mut cores = machine.lines().take_while(|line| line.starts_with("cpu"));
        let all = cores.next()?.strip_prefix("cpu ")?;
        // user, nice, system, idle, waiting for a disk, two kinds of interrupts, stolen by the host.
        let ticks: Vec<u64> =
            all.split_whitespace().take(8).map(str::parse).collect::<Result<_, _>>().ok()?;
        // The name of the program may contain blanks and brackets.
        let (_, fields) = process.rsplit_once(')')?;
        let mut fields = fields.split_whitespace().skip(11);
        let mut own = || fields.next()?.parse::<u64>().ok();
        Some(ProcessorTimes {
            cores: cores.count().max(1),
            total: ticks.iter().sum(),
            idle: ticks.get(3)?.saturating_add(*ticks.get(4)?),
            own: own()?.saturating_add(own()?),
        })
    }

    /// The cores that other processes left free since an earlier time, rounded; `None` if that was just now.
    fn free_since(&self, earlier: &ProcessorTimes) -> Option<usize> {
        let total = self.total.saturating_sub(earlier.total);
        if total < TICKS_BETWEEN_MIN * self.cores as u64 {
            return None;
        }
        let idle = self.idle.saturating_sub(earlier.idle);
        let own = self.own.saturating_sub(earlier.own);
        let free = idle.saturating_add(own).min(total);
        Some((free as f64 / total as f64 * self.cores as f64).round() as usize)
    }
}

/// The number of threads that fits the cores which are free while time goes on.
#[derive(Debug)]
pub(crate) struct FreeCores {
    /// Cores that this process may use.
    most: usize,
    threads: usize,
    last: Option<ProcessorTimes>,
    /// The number that the last look found, if it differs from `threads`.
    proposed: Option<usize>,
}

impl FreeCores {
    pub(crate) fn new(most: usize) -> FreeCores {
        FreeCores { most, threads: most, last: None, proposed: None }
    }

    /// Returns another number of threads once two looks in a row have found it: a burst of other work changes nothing.
    pub(crate) fn look(&mut self, now: Option<ProcessorTimes>) -> Option<usize> {
        let now = now.filter(|_| self.most > 1)?;
        let Some(last) = self.last else {
            self.last = Some(now);
            return None;
        };
        let free = now.free_since(&last)?.clamp(1, self.most);
        self.last = Some(now);
        if free == self.threads {
            self.proposed = None;
            return None;
        }
        if self.proposed.replace(free) != Some(free) {
            return None;
        }
        self.threads = free;
        Some(free)
    }
}

#[cfg(test)]
mod tests {
    use super::{FreeCores, ProcessorTimes};

    const MACHINE: &str = "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 50 0 25 400 25 0 0 0 0 0\n\
        cpu1 50 0 25 400 25 0 0 0 0 0\nintr 5 0\nctxt 1\n";
    const PROCESS: &str =
        "42 (a (b) c) S 1 42 42 0 -1 4194304 300 0 0 0 30 12 0 0 20 0 3 0 900 1 2";

    #[test]
    fn counters_are_read_or_there_are_none() {
        let times = ProcessorTimes::parse(MACHINE, PROCESS);
        assert_eq!(times, Some(ProcessorTimes { cores: 2, total: 1000, idle: 850, own: 42 }));
        for (machine, process) in
            [("", PROCESS), ("cpu  1 2\n", PROCESS), (MACHINE, "42 (a"), (MACHINE, "")]
        {
            assert_eq!(ProcessorTimes::parse(machine, process), None, "{machine:?} {process:?}");
        }
    }

    /// Looks after each second on two cores: what share of them other processes use, and this one.
    fn threads_after(seconds: &[(f64, f64)]) -> Vec<Option<usize>> {
        let mut cores = FreeCores::new(2);
        let mut times = ProcessorTimes { cores: 2, total: 0, idle: 0, own: 0 };
        cores.look(Some(times));
        let look = |(others, own): &(f64, f64)| {
            times.total += 400;
            times.own += (own * 400.0) as u64;
            times.idle += ((1.0 - others - own) * 400.0) as u64;
            cores.look(Some(times))
        };
        seconds.iter().map(look).collect()
    }

    #[test]
    fn threads_follow_what_others_leave_free_once_it_lasts() {
        let (quiet, busy, burst) = ((0.05, 0.9), (0.5, 0.4), (0.9, 0.1));
        assert_eq!(threads_after(&[quiet, quiet, quiet]), [None, None, None]);
        assert_eq!(threads_after(&[quiet, burst, quiet, burst]), [None, None, None, None]);
        assert_eq!(
            threads_after(&[busy, busy, busy, quiet, quiet]),
            [None, Some(1), None, None, Some(2)]
        );
        // A machine that others use whole leaves one all the same.
        assert_eq!(threads_after(&[(1.0, 0.0), (1.0, 0.0)]), [None, Some(1)]);
    }

    #[test]
    fn a_look_that_comes_too_soon_says_nothing() {
        let mut cores = FreeCores::new(2);
        let times = |total| Some(ProcessorTimes { cores: 2, total, idle: 0, own: 0 });
        assert_eq!([cores.look(times(0)), cores.look(times(399)), cores.look(None)], [None; 3]);
        assert_eq!([cores.look(times(400)), cores.look(times(800))], [None, Some(1)]);
    }
}
