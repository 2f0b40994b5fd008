//! How much memory there is, and sizes of it as people write them.

use anyhow::Result;
use evenhand::Error;

/// Where the system does not say, so much is taken to be free.
const UNKNOWN: usize = 4 << 30;

/// Half of the memory that is free now.
pub(crate) fn half_of_free() -> usize {
    free().unwrap_or(UNKNOWN) / 2
}

/// The bytes that programs may still take, as Linux tells it.
fn free() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// A size: bytes, or a number with one of kB, MB, GB, KiB, MiB and GiB.
pub(crate) fn parse(text: &str) -> Result<usize, Error> {
    let wrong = || Error::setting("memory", format!("`{text}`"), "a size such as 500MB, 2GiB or 1000000000");
    let trimmed = text.trim();
    let digits = trimmed.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(digits);
    let unit: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" | "k" => 1024.0,
        "mib" | "m" => 1024.0 * 1024.0,
        "gib" | "g" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let bytes = number.parse::<f64>().map_err(|_| wrong())? * unit;
    // It is neither negative nor larger than a size can be.
    #[expect(clippy::cast_sign_loss)]
    if (1.0..1e18).contains(&bytes) { Ok(bytes as usize) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(parse("1GiB").unwrap(), 1 << 30);
        assert_eq!(parse("1.5 GB").unwrap(), 1_500_000_000);
        assert_eq!(parse("4096").unwrap(), 4096);
        for wrong in ["", "GiB", "-1GB", "0", "1TB1", "lots"] {
            assert_eq!(parse(wrong).unwrap_err().code(), "setting-invalid", "{wrong}");
        }
    }
}
