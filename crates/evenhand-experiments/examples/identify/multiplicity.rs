//! How often labels without bias are accused of one: samples of a population of seven groups that has nothing to find.

use evenhand::{Dataset, Identify, Schema};
use evenhand_datasets::synthetic;

use crate::{Result, each_draw, print};

/// How many groups there are, and so how many claims may be false.
const GROUPS: usize = 7;

pub(crate) fn run(rows: &[usize], draws: u64) -> Result<()> {
    print("rows,draw,groups,smallest_group,claims,claims_by_plain_intervals");
    for &rows in rows {
        each_draw(draws, |draw| claims(rows, draw))?;
    }
    Ok(())
}

/// How many groups are said to be labelled otherwise than the data support, and how many would be if each interval were
/// taken by itself.
fn claims(rows: usize, draw: u64) -> Result<Vec<String>> {
    let data = Dataset::new(synthetic::unbiased(rows, GROUPS, draw)?, &Schema::label("approved").positive("yes"))?;
    let (found, _) = Identify::default().group("group")?.run(&data)?;
    if let Some(why) = found.missing {
        return Err(why.into());
    }
    let without_one = |ends: &(f64, f64)| ends.0 > 1.0 || ends.1 < 1.0;
    let claims = found.effects.iter().map(|one| (one.simultaneous_low, one.simultaneous_high)).filter(without_one);
    let plain = found.effects.iter().map(|one| (one.low, one.high)).filter(without_one);
    let smallest = found.effects.iter().map(|one| one.rows).min().unwrap_or(0);
    Ok(vec![format!("{rows},{draw},{},{smallest},{},{}", found.effects.len(), claims.count(), plain.count())])
}
