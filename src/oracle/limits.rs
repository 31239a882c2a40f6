//! The child's limits on itself: memory, processor time, no core files.
//!
//! The wall-clock limit is the parent's (it kills); these bound what the child can do before that, and what it can do if
//! the parent is gone. Where a system does not have a limit (Windows; the address space on macOS) it is not set.

/// Sets the limits that hold for the child's life.
///
/// # Errors
///
/// A text that names the limit that could not be set.
#[cfg(unix)]
pub(super) fn set(memory: u64) -> Result<(), String> {
    use rustix::process::Resource;

    lower(Resource::Core, 0).map_err(|error| format!("cannot forbid core files: {error}"))?;
    // macOS accepts the call and does not enforce it.
    lower(Resource::As, memory).map_err(|error| format!("cannot limit the memory to {memory} bytes: {error}"))
}

/// Allows `seconds` of processor time from now on; afterwards the child gets SIGXCPU, which ends it.
#[cfg(unix)]
pub(super) fn allow_cpu(seconds: u64) -> Result<(), String> {
    use rustix::process::Resource;
    use rustix::time::{ClockId, clock_gettime};

    let used = u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec).unwrap_or(0);
    // One second for the part of a second that the clock was rounded down by.
    let limit = used.saturating_add(seconds).saturating_add(1);
    lower(Resource::Cpu, limit).map_err(|error| format!("cannot limit the processor time to {limit} s: {error}"))
}

/// Sets the soft limit, below the hard one, which stays: the limit on processor time has to be moved up again.
#[cfg(unix)]
fn lower(resource: rustix::process::Resource, limit: u64) -> rustix::io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};

    let maximum = getrlimit(resource).maximum;
    let current = maximum.map_or(limit, |maximum| maximum.min(limit));
    setrlimit(resource, Rlimit { current: Some(current), maximum })
}

#[cfg(not(unix))]
pub(super) fn set(_memory: u64) -> Result<(), String> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn allow_cpu(_seconds: u64) -> Result<(), String> {
    Ok(())
}

/// The address space in use and its peak, in bytes, where the system tells (Linux: `VmSize` and `VmPeak` of
/// `/proc/self/status`, in KiB).
pub(super) fn memory() -> Option<(u64, u64)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| -> Option<u64> {
        let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
        rest.split_ascii_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
    };
    Some((field("VmSize:")?, field("VmPeak:")?))
}

/// Whether memory, as seen before and after a refusal, says that the refusal was a failed allocation.
///
/// A doubling buffer fails when a third of the room is used and two more are asked for, so a quarter of the room that
/// was free is taken as the sign. No refusal on the merits grows like that: the largest real grammars need a few hundred
/// times their size.
pub(super) fn starved(before: Option<(u64, u64)>, after: Option<(u64, u64)>, limit: u64) -> bool {
    let (Some((size, peak_before)), Some((_, peak))) = (before, after) else { return false };
    let free = limit.saturating_sub(size);
    peak > peak_before && peak.saturating_sub(size) >= free / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_read() {
        let (size, peak) = memory().unwrap();
        assert!(size > 1 << 20 && peak >= size, "{size} {peak}");
    }

    #[test]
    fn starving_needs_growth_in_this_request() {
        let limit = 4 << 30;
        assert!(starved(Some((100 << 20, 100 << 20)), Some((100 << 20, 2 << 30)), limit));
        assert!(!starved(Some((100 << 20, 2 << 30)), Some((100 << 20, 2 << 30)), limit), "an older peak");
        assert!(!starved(Some((100 << 20, 100 << 20)), Some((100 << 20, 300 << 20)), limit));
        assert!(!starved(None, Some((0, u64::MAX)), limit));
    }
}
