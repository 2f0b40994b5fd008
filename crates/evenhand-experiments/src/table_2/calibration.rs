//! Calibration as the paper's appendix describes it. [Jiang & Nachum 2019, App. F]
//!
//! Of the rows whose most probable class is 2, those with the lowest probabilities become the second most probable class, so that 2 is predicted as near the asked rate
//! as possible. It is done to the rows that are evaluated, all at once.

/// Decisions, by the probabilities of `classes` classes a row, with `class` at a rate if it is decided for more often.
pub(super) fn calibrated(probabilities: &[f64], classes: usize, class: usize, rate: f64) -> Vec<usize> {
    let lines: Vec<&[f64]> = probabilities.chunks_exact(classes).collect();
    let mut decisions: Vec<usize> = lines.iter().map(|line| most_probable(line, None)).collect();
    let mut own: Vec<usize> = (0..lines.len()).filter(|&row| decisions[row] == class).collect();
    own.sort_by(|&one, &other| lines[one][class].total_cmp(&lines[other][class]));
    #[expect(clippy::cast_sign_loss)]
    let wanted = (rate * lines.len() as f64).round() as usize;
    for &row in own.iter().take(own.len().saturating_sub(wanted)) {
        decisions[row] = most_probable(lines[row], Some(class));
    }
    decisions
}

/// The most probable class, the first of equals; of all but one, if asked.
pub(super) fn most_probable(line: &[f64], but: Option<usize>) -> usize {
    let mut best = usize::from(but == Some(0));
    for (class, probability) in line.iter().enumerate() {
        if Some(class) != but && *probability > line[best] {
            best = class;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_probable_of_a_class_become_what_is_second() {
        let rows = [[0.1, 0.2, 0.7], [0.3, 0.1, 0.6], [0.1, 0.4, 0.5], [0.8, 0.1, 0.1]].concat();
        assert_eq!(calibrated(&rows, 3, 2, 0.25), [2, 0, 1, 0]);
        assert_eq!(calibrated(&rows, 3, 2, 0.5), [2, 2, 1, 0]);
        // There are no more of them than wanted: none is taken.
        assert_eq!(calibrated(&rows, 3, 2, 0.9), [2, 2, 2, 0]);
        assert_eq!(calibrated(&rows, 3, 0, 0.0), [2, 2, 2, 1]);
    }
}
