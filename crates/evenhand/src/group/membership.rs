//! Which rows are in which groups, as patterns.
//!
//! Holds [`Membership`]: rows that are in the same groups share one pattern, of which
//! there are few. Leans on `parallel` and [`Codes`]; knows nothing of columns or rules.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::definition::distinct;
use crate::data::Codes;
use crate::{Error, Result, Warning, parallel};

/// Rows whose bits are worked out together: small enough to stay in the nearest cache.
const BLOCK: usize = 1024;

/// How many patterns are compared one by one before they are looked up: most rows have one of a few.
const FREQUENT: usize = 8;

/// For some rows and named groups, which rows are in which. Groups may overlap.
///
/// Rows whose value of a column is missing are in no group of that column. They are a set of their own, named after the
/// column and numbered after the groups, so that tables can show them; nothing is asked of such a set, and it is no part of
/// what rows have in common as members of groups.
///
/// The patterns are sorted, so their numbers do not depend on the order of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// Of the groups, then of the sets of rows without a value.
    names: Vec<String>,
    /// How many of the names are groups.
    groups: usize,
    /// How many numbers tell rows apart beside their groups.
    values: usize,
    /// The groups and sets of each pattern, one bit each, `Bits::words` words a pattern; behind them the bits of its numbers, a word each.
    patterns: Vec<u64>,
    pattern_of_row: Codes,
}

impl Membership {
    /// No group at all, for that many rows.
    pub fn none(rows: usize) -> Self {
        Self::build(Vec::new(), 0, rows, |_, _| {})
    }

    /// Groups given as one mask each, all of one length.
    ///
    /// # Errors
    /// [`Error::Length`] when the lengths differ, [`Error::RepeatedGroup`].
    pub fn from_masks<M: AsRef<[bool]> + Sync>(names: Vec<String>, masks: &[M]) -> Result<Self> {
        check_length("group masks", names.len(), masks.len())?;
        distinct(names.iter().map(String::as_str))?;
        let rows = masks.first().map_or(0, |mask| mask.as_ref().len());
        for mask in masks {
            check_length("rows in a group mask", rows, mask.as_ref().len())?;
        }
        let (groups, words) = (names.len(), Bits::new(names.len()).words());
        Ok(Self::build(names, groups, rows, |block, out| {
            for (group, mask) in masks.iter().enumerate() {
                for (bits, &member) in out.chunks_exact_mut(words).zip(&mask.as_ref()[block.clone()]) {
                    set(bits, group, member);
                }
            }
        }))
    }

    /// Groups given as a matrix, one row after the other, a column for each group.
    ///
    /// # Errors
    /// [`Error::Length`] when the matrix is not of `rows` × `names.len()`, [`Error::RepeatedGroup`].
    pub fn from_matrix(names: Vec<String>, rows: usize, matrix: &[bool]) -> Result<Self> {
        check_length("entries of the group matrix", rows.saturating_mul(names.len()), matrix.len())?;
        distinct(names.iter().map(String::as_str))?;
        let (groups, words) = (names.len(), Bits::new(names.len()).words());
        Ok(Self::build(names, groups, rows, |block, out| {
            for (row, bits) in block.zip(out.chunks_exact_mut(words)) {
                for (group, &member) in matrix[row * groups..(row + 1) * groups].iter().enumerate() {
                    set(bits, group, member);
                }
            }
        }))
    }

    /// Groups, and behind them sets of rows without a value, given as who is in which.
    pub(crate) fn from_sets(
        names: Vec<String>,
        groups: usize,
        rows: usize,
        is_in: impl Fn(usize, usize) -> bool + Sync,
    ) -> Self {
        let (sets, words) = (names.len(), Bits::new(names.len()).words());
        Self::build(names, groups, rows, |block, out| {
            for (row, bits) in block.zip(out.chunks_exact_mut(words)) {
                for at in 0..sets {
                    set(bits, at, is_in(row, at));
                }
            }
        })
    }

    /// Tells rows apart by numbers too, of which each column has one a row, none of them negative: rows of one pattern are then alike in them.
    ///
    /// # Errors
    /// [`Error::Length`] when a column has another number of rows.
    pub(crate) fn with_values(self, columns: &[Vec<f64>]) -> Result<Self> {
        for column in columns {
            check_length("numbers to tell rows apart by", self.rows(), column.len())?;
        }
        let (own, words) = (self.words(), Bits::new(self.names.len()).words());
        let width = words + columns.len();
        let fill = |block: Range<usize>, out: &mut [u64]| {
            for (row, bits) in block.zip(out.chunks_exact_mut(width)) {
                bits[..words].copy_from_slice(&self.patterns[self.pattern(row) * own..][..words]);
                for (bits, column) in bits[words..].iter_mut().zip(columns) {
                    // Of numbers that are not negative the bits have the same order.
                    *bits = column[row].to_bits();
                }
            }
        };
        Ok(Self::build_with(self.names.clone(), self.groups, columns.len(), self.rows(), fill))
    }

    /// A number that rows of a pattern are alike in, by its column.
    pub(crate) fn value(&self, pattern: usize, column: usize) -> f64 {
        f64::from_bits(self.bits(pattern)[Bits::new(self.names.len()).words() + column])
    }

    /// How many columns of numbers tell rows apart.
    pub(crate) fn values(&self) -> usize {
        self.values
    }

    /// Finds the patterns of rows whose bits `fill` writes, block by block, into zeros. The first `groups` names are those
    /// of groups.
    pub(super) fn build(
        names: Vec<String>,
        groups: usize,
        rows: usize,
        fill: impl Fn(Range<usize>, &mut [u64]) + Sync,
    ) -> Self {
        Self::build_with(names, groups, 0, rows, fill)
    }

    fn build_with(
        names: Vec<String>,
        groups: usize,
        values: usize,
        rows: usize,
        fill: impl Fn(Range<usize>, &mut [u64]) + Sync,
    ) -> Self {
        let words = Bits::new(names.len()).words() + values;
        let leaves = parallel::reduce(
            rows,
            |leaf| vec![Leaf::read(leaf, words, &fill)],
            |left, mut right| left.append(&mut right),
        );
        let mut order: BTreeMap<&[u64], u32> =
            leaves.iter().flat_map(|leaf| leaf.patterns(words)).map(|p| (p, 0)).collect();
        for (index, code) in order.values_mut().enumerate() {
            *code = index as u32;
        }
        let mut codes = Vec::with_capacity(rows);
        for leaf in &leaves {
            let sorted: Vec<u32> = leaf.patterns(words).map(|pattern| order[pattern]).collect();
            codes.extend(leaf.codes.iter().map(|&code| sorted[code as usize]));
        }
        let patterns = order.keys().flat_map(|pattern| pattern.iter().copied()).collect();
        Self { names, groups, values, pattern_of_row: Codes::narrow(codes, order.len()), patterns }
    }

    /// The names of the groups, in order, and then those of the sets of rows without a value, such as `race missing`.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names of the groups alone.
    pub fn group_names(&self) -> &[String] {
        &self.names[..self.groups]
    }

    /// How many groups.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The places of the sets of rows without a value, among the names.
    pub fn missing(&self) -> Range<usize> {
        self.groups..self.names.len()
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.pattern_of_row.len()
    }

    /// How many patterns.
    pub fn patterns(&self) -> usize {
        self.patterns.len() / self.words()
    }

    /// The pattern of a row.
    pub fn pattern(&self, row: usize) -> usize {
        self.pattern_of_row.get(row)
    }

    /// Whether rows of a pattern are in a group, or in a set of rows without a value.
    pub fn contains(&self, pattern: usize, group: usize) -> bool {
        self.bits(pattern)[group / 64] >> (group % 64) & 1 == 1
    }

    /// Whether a row is in a group.
    pub fn is_member(&self, row: usize, group: usize) -> bool {
        self.contains(self.pattern(row), group)
    }

    /// The patterns of all rows.
    pub fn codes(&self) -> &Codes {
        &self.pattern_of_row
    }

    /// The given rows, in the given order. Patterns keep their numbers, so one may be
    /// left without rows.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { pattern_of_row: self.pattern_of_row.select(rows), ..self.clone_empty() }
    }

    /// How many rows each group has, and then each set of rows without a value.
    pub fn counts(&self) -> Vec<usize> {
        let mut rows = vec![0; self.patterns()];
        for pattern in self.pattern_of_row.iter() {
            rows[pattern] += 1;
        }
        let of = |group| (0..self.patterns()).filter(|&p| self.contains(p, group)).map(|p| rows[p]).sum();
        (0..self.names.len()).map(of).collect()
    }

    /// These groups, and those of `other` after them. Rows without a value are those of these groups.
    ///
    /// # Errors
    /// [`Error::Length`] when `other` has another number of rows, [`Error::RepeatedGroup`].
    #[allow(clippy::needless_pass_by_value)] // the two become one
    pub fn join(self, other: Self) -> Result<Self> {
        check_length("rows of the groups to be added", self.rows(), other.rows())?;
        let groups = self.group_names().iter().chain(other.group_names());
        let names: Vec<String> = groups.chain(&self.names[self.groups..]).cloned().collect();
        distinct(names.iter().map(String::as_str))?;
        let (words, first, all) = (Bits::new(names.len()).words(), self.groups, self.groups + other.groups);
        Ok(Self::build(names, all, self.rows(), |block, out| {
            for (row, bits) in block.zip(out.chunks_exact_mut(words)) {
                let (own, pattern) = (self.pattern(row), other.pattern(row));
                for group in 0..first {
                    set(bits, group, self.contains(own, group));
                }
                for group in 0..other.groups {
                    set(bits, first + group, other.contains(pattern, group));
                }
                for (place, missing) in self.missing().enumerate() {
                    set(bits, all + place, self.contains(own, missing));
                }
            }
        }))
    }

    /// A warning for each group of fewer than `min_rows` rows.
    pub fn small_groups(&self, min_rows: usize) -> Vec<Warning> {
        let small = |(group, rows): (&String, usize)| {
            (rows < min_rows).then(|| Warning::SmallGroup { group: group.clone(), rows })
        };
        self.group_names().iter().zip(self.counts()).filter_map(small).collect()
    }

    /// Whether rows of `pattern` are in every group that rows of `other` are in.
    pub(crate) fn covers(&self, pattern: usize, other: usize) -> bool {
        // Bits of the sets of rows without a value do not count.
        let groups = |word: usize| match self.groups.saturating_sub(64 * word) {
            0 => 0,
            left @ 1..64 => (1 << left) - 1,
            _ => u64::MAX,
        };
        let words = self.bits(pattern).iter().zip(self.bits(other)).enumerate();
        words.map(|(word, (mine, asked))| (mine, asked & groups(word))).all(|(mine, asked)| mine & asked == asked)
    }

    /// The groups and sets of a pattern, one bit each.
    pub(crate) fn bits(&self, pattern: usize) -> &[u64] {
        &self.patterns[pattern * self.words()..(pattern + 1) * self.words()]
    }

    fn words(&self) -> usize {
        Bits::new(self.names.len()).words() + self.values
    }

    fn clone_empty(&self) -> Self {
        let pattern_of_row = Codes::U8(Vec::new());
        Self {
            names: self.names.clone(),
            groups: self.groups,
            values: self.values,
            patterns: self.patterns.clone(),
            pattern_of_row,
        }
    }
}

/// The shape of some groups and sets as bits.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    sets: usize,
}

impl Bits {
    pub(super) fn new(sets: usize) -> Self {
        Self { sets }
    }

    /// Words in a pattern: at least one, so that rows without any group still have a pattern.
    pub(super) fn words(self) -> usize {
        self.sets.div_ceil(64).max(1)
    }

    /// The pattern of those that `member` picks.
    pub(super) fn filled(self, member: impl Fn(usize) -> bool) -> Vec<u64> {
        let mut bits = vec![0; self.words()];
        for group in 0..self.sets {
            set(&mut bits, group, member(group));
        }
        bits
    }
}

/// The patterns of some rows, in order of first appearance.
struct Leaf {
    patterns: Vec<u64>,
    codes: Vec<u32>,
}

impl Leaf {
    fn read(rows: Range<usize>, words: usize, fill: &impl Fn(Range<usize>, &mut [u64])) -> Self {
        let mut leaf = Self { patterns: Vec::new(), codes: Vec::with_capacity(rows.len()) };
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut buffer = vec![0; words * BLOCK.min(rows.len())];
        for start in rows.clone().step_by(BLOCK) {
            let block = start..(start + BLOCK).min(rows.end);
            let out = &mut buffer[..words * block.len()];
            out.fill(0);
            fill(block, out);
            for bits in out.chunks_exact(words) {
                // Word by word: most patterns are one, and no call is worth that.
                let is_it = |pattern: &[u64]| pattern.iter().zip(bits).all(|(one, other)| one == other);
                let frequent = leaf.patterns(words).take(FREQUENT).position(is_it);
                let code = frequent.map(|place| place as u32).or_else(|| known.get(bits).copied());
                leaf.codes.push(code.unwrap_or_else(|| {
                    let code = known.len() as u32;
                    known.insert(bits.to_vec(), code);
                    leaf.patterns.extend_from_slice(bits);
                    code
                }));
            }
        }
        leaf
    }

    fn patterns(&self, words: usize) -> impl Iterator<Item = &[u64]> {
        self.patterns.chunks_exact(words)
    }
}

fn set(bits: &mut [u64], group: usize, member: bool) {
    bits[group / 64] |= u64::from(member) << (group % 64);
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(groups: usize) -> Vec<String> {
        (0..groups).map(|group| format!("g{group}")).collect()
    }

    fn three_rows() -> Membership {
        Membership::from_matrix(names(2), 3, &[true, false, true, true, false, false]).unwrap()
    }

    #[test]
    fn masks_and_matrix_say_the_same() {
        let masks = [vec![true, true, false], vec![false, true, false]];
        let found = Membership::from_masks(names(2), &masks).unwrap();
        assert_eq!(found, three_rows());
        assert_eq!((found.rows(), found.groups(), found.patterns()), (3, 2, 3));
        assert_eq!(found.counts(), [2, 1]);
        assert!(found.is_member(1, 1) && !found.is_member(0, 1));
    }

    #[test]
    fn without_groups_every_row_shares_one_pattern() {
        let none = Membership::none(3);
        assert_eq!((none.rows(), none.groups(), none.patterns()), (3, 0, 1));
        assert_eq!(Membership::from_matrix(vec![], 3, &[]).unwrap(), none);
        assert_eq!(Membership::none(0).patterns(), 0);
    }

    #[test]
    fn lengths_and_names_are_checked() {
        let code = |result: Result<Membership>| result.unwrap_err().code();
        assert_eq!(code(Membership::from_masks(names(2), &[vec![true]])), "length-mismatch");
        assert_eq!(code(Membership::from_masks(names(2), &[vec![true], vec![]])), "length-mismatch");
        assert_eq!(code(Membership::from_matrix(names(2), 2, &[true; 3])), "length-mismatch");
        assert_eq!(code(Membership::from_matrix(vec!["a".into(), "a".into()], 1, &[true; 2])), "group-repeated");
        assert_eq!(code(three_rows().join(Membership::none(2))), "length-mismatch");
        assert_eq!(code(three_rows().join(three_rows())), "group-repeated");
    }

    #[test]
    fn selected_rows_keep_their_pattern_numbers() {
        let whole = three_rows();
        let part = whole.select(&[2, 1]);
        assert_eq!((part.rows(), part.patterns()), (2, whole.patterns()));
        assert_eq!([part.pattern(0), part.pattern(1)], [whole.pattern(2), whole.pattern(1)]);
        assert_eq!(part.counts(), [1, 1]);
    }

    #[test]
    fn small_groups_are_warned_of() {
        let warnings = three_rows().small_groups(2);
        assert_eq!(warnings, [Warning::SmallGroup { group: "g1".into(), rows: 1 }]);
    }

    #[test]
    fn a_pattern_covers_those_with_fewer_groups() {
        let membership = three_rows();
        let of = |row| membership.pattern(row);
        assert!(membership.covers(of(1), of(0)) && membership.covers(of(0), of(2)));
        assert!(!membership.covers(of(0), of(1)));
    }

    #[test]
    fn rows_without_a_value_are_told_apart_and_are_no_group() {
        let bits = [0b01, 0b10, 0b11, 0b01];
        let sets = vec!["sex=F".to_owned(), "race missing".to_owned()];
        let rows = Membership::build(sets, 1, 4, |rows, out| out.copy_from_slice(&bits[rows]));
        assert_eq!((rows.groups(), rows.group_names(), rows.missing()), (1, &["sex=F".to_owned()][..], 1..2));
        assert_eq!((rows.counts(), rows.patterns()), (vec![3, 2], 3));
        assert!(rows.small_groups(4).iter().all(|one| !one.to_string().contains("missing")));
        // As members of groups, rows 0 and 2 are alike.
        assert!(rows.covers(rows.pattern(0), rows.pattern(2)) && rows.covers(rows.pattern(2), rows.pattern(0)));
        let joined = rows.join(Membership::from_masks(vec!["pinned".into()], &[[true, false, true, false]]).unwrap());
        let joined = joined.unwrap();
        assert_eq!((joined.names().join(", "), joined.groups()), ("sex=F, pinned, race missing".to_owned(), 2));
        assert_eq!(joined.counts(), [3, 2, 2]);
    }

    proptest! {
        #[test]
        fn what_went_in_comes_out_whatever_the_order_of_rows(
            groups in 1usize..70,
            cells in proptest::collection::vec(any::<bool>(), 0..400),
        ) {
            let rows = cells.len() / groups;
            let cells = &cells[..rows * groups];
            let found = Membership::from_matrix(names(groups), rows, cells).unwrap();
            let turned: Vec<bool> = cells.chunks(groups).rev().flatten().copied().collect();
            let reversed = Membership::from_matrix(names(groups), rows, &turned).unwrap();
            for row in 0..rows {
                prop_assert_eq!(found.pattern(row), reversed.pattern(rows - 1 - row));
                for group in 0..groups {
                    prop_assert_eq!(found.is_member(row, group), cells[row * groups + group]);
                }
            }
        }

        #[test]
        fn joining_is_putting_masks_side_by_side(
            masks in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 5), 2..80),
            at in 1usize..80,
        ) {
            let (at, all) = (at.min(masks.len() - 1), names(masks.len()));
            let left = Membership::from_masks(all[..at].to_vec(), &masks[..at]).unwrap();
            let right = Membership::from_masks(all[at..].to_vec(), &masks[at..]).unwrap();
            prop_assert_eq!(left.join(right).unwrap(), Membership::from_masks(all, &masks).unwrap());
        }
    }
}
