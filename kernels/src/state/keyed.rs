//! Rows grouped by key: what the plain stores share.

use std::fmt;

use ahash::RandomState;
use hashbrown::{HashMap, HashTable};

use super::capacity;
use super::checked::foreign_cursor;
use super::rows::{NO_GROUP, StoredRows, put};
use super::{Leaving, NewRows, StateProbe, StateSize, StorePlan};
use crate::error::Result;
use crate::pairs::Pairs;
use crate::table::{FindCursor, OwnedKey};

/// The rows of one key.
pub(super) trait GroupRows: Default + fmt::Debug + Send + Sync + 'static {
    fn add(&mut self, time: Option<i64>, row: u32);
    /// The most bytes that adding this many rows adds.
    fn growth(&self, rows: usize) -> usize;
    /// Forgets the rows that are not live, of which there are `dead`.
    fn forget(&mut self, dead: usize, is_live: impl Fn(u32) -> bool);
    fn len(&self) -> usize;
    /// The row at a position below [`len`](Self::len).
    fn row(&self, position: usize) -> u32;
    /// The positions to read for rows with times between two, ends included,
    /// and whether all of them are inside.
    fn within(&self, from: i64, to: i64) -> (std::ops::Range<usize>, bool);
    /// Bytes in use and bytes allocated.
    fn bytes(&self) -> (usize, usize);
}

/// Rows by key.
#[derive(Debug)]
pub(super) struct Keyed<K, G> {
    pub(super) rows: StoredRows,
    /// Positions in `groups`.
    table: HashTable<u32>,
    groups: Vec<Group<K, G>>,
    free: Vec<u32>,
    key_heap_bytes: usize,
    /// Of all groups: bytes in use, bytes allocated.
    group_bytes: (usize, usize),
    added: Vec<u32>,
}

#[derive(Debug)]
struct Group<K, G> {
    hash: u64,
    /// None while the group is free.
    key: Option<K>,
    rows: G,
}

/// What a probe row is compared with.
struct Candidates<'a, G> {
    /// The rows of its key.
    rows: &'a G,
    positions: std::ops::Range<usize>,
    /// The times to look for, if some of these positions are outside.
    window: Option<(i64, i64)>,
}

impl<K: OwnedKey, G: GroupRows> Keyed<K, G> {
    pub(super) fn new(plan: &StorePlan) -> Result<Self> {
        Ok(Self {
            rows: StoredRows::new(plan)?,
            table: HashTable::new(),
            groups: Vec::new(),
            free: Vec::new(),
            key_heap_bytes: 0,
            group_bytes: (0, 0),
            added: Vec::new(),
        })
    }

    /// The most bytes that storing these rows adds.
    ///
    /// # Errors
    /// Those of [`insert`](Self::insert).
    pub(super) fn growth(&self, new: NewRows<'_>) -> Result<usize> {
        self.rows.check_room(new.rows.len())?;
        let mut bytes = self.rows.growth(new.rows.len()) + self.rows.encode(new)?.bytes();
        let mut known = HashMap::<u32, usize, _>::with_hasher(RandomState::with_seeds(1, 2, 3, 4));
        let mut unknown = 0;
        let keys = new.keys.keys().take(new.rows);
        K::each((&keys).into(), 0, |i, key| {
            let row = new.rows[i] as usize;
            if !new.keys.is_matchable(row) {
                return true;
            }
            match self.find_group(new.keys.hashes()[row], key) {
                Some(group) => *known.entry(group).or_default() += 1,
                None => {
                    unknown += 1;
                    bytes += K::to_owned(key).heap_bytes();
                }
            }
            true
        });
        for (group, rows) in known {
            bytes += self.groups[group as usize].rows.growth(rows);
        }
        // Each of these may have a key of its own.
        let groups = unknown - self.free.len().min(unknown);
        let table = &self.table;
        let (len, element) = (table.len(), size_of::<u32>());
        Ok(bytes
            + unknown * G::default().growth(1)
            + capacity::of_vec::<Group<K, G>>(self.groups.len(), self.groups.capacity(), groups)
            + capacity::of_table(len, table.capacity(), unknown, element, table.allocation_size())
            + capacity::of_vec::<u32>(0, self.added.capacity(), new.rows.len()))
    }

    /// Stores rows; calls `stored` with the id and time of each.
    ///
    /// # Errors
    /// Arrow's, [`JoinError::TooManyStateRows`](crate::JoinError::TooManyStateRows);
    /// nothing is stored then.
    pub(super) fn insert(
        &mut self,
        new: NewRows<'_>,
        mut stored: impl FnMut(u32, Option<i64>),
    ) -> Result<()> {
        self.rows.check_room(new.rows.len())?;
        let payload = self.rows.encode(new)?;
        let mut of_row = std::mem::take(&mut self.added);
        let keys = new.keys.keys().take(new.rows);
        K::each((&keys).into(), 0, |i, key| {
            let row = new.rows[i] as usize;
            of_row.push(match new.keys.is_matchable(row) {
                true => self.group_of(new.keys.hashes()[row], key),
                false => NO_GROUP,
            });
            true
        });
        let Self { rows, groups, group_bytes, .. } = self;
        rows.insert(new, &payload, &of_row, |id, group, time| {
            stored(id, time);
            if group != NO_GROUP {
                let rows = &mut groups[group as usize].rows;
                Self::changed(group_bytes, rows, |rows| rows.add(time, id));
            }
        });
        of_row.clear();
        self.added = of_row;
        Ok(())
    }

    /// Changes the rows of a group and updates the totals.
    fn changed(books: &mut (usize, usize), rows: &mut G, change: impl FnOnce(&mut G)) {
        let before = rows.bytes();
        change(rows);
        let after = rows.bytes();
        books.0 = books.0 - before.0 + after.0;
        books.1 = books.1 - before.1 + after.1;
    }

    fn find_group(&self, hash: u64, key: &K::Borrowed) -> Option<u32> {
        let same = |&group: &u32| {
            let owned = self.groups[group as usize].key.as_ref();
            owned.is_some_and(|owned| owned.borrow() == key)
        };
        self.table.find(hash, same).copied()
    }

    fn group_of(&mut self, hash: u64, key: &K::Borrowed) -> u32 {
        if let Some(group) = self.find_group(hash, key) {
            return group;
        }
        let key = K::to_owned(key);
        self.key_heap_bytes += key.heap_bytes();
        let group = Group { hash, key: Some(key), rows: G::default() };
        let at = put(&mut self.groups, &mut self.free, group);
        let groups = &self.groups;
        self.table.insert_unique(hash, at, |&group| groups[group as usize].hash);
        at
    }

    fn drop_if_empty(&mut self, at: u32) {
        let Some(group) = self.groups.get_mut(at as usize) else { return };
        if group.rows.len() > 0 {
            return;
        }
        let Some(key) = group.key.take() else { return };
        self.key_heap_bytes -= key.heap_bytes();
        Self::changed(&mut self.group_bytes, &mut group.rows, |rows| *rows = G::default());
        let entry = self.table.find_entry(group.hash, |&group| group == at);
        if let Ok(entry) = entry {
            entry.remove();
        }
        self.free.push(at);
    }

    /// See [`StateStore::find`](super::StateStore::find). A candidate of the
    /// cursor is a position in its group.
    pub(super) fn find(
        &self,
        probe: StateProbe<'_>,
        cursor: &mut FindCursor,
        pairs: &mut Pairs,
        limit: usize,
    ) -> Result<u64> {
        let mut walked = 0;
        let rows = probe.len();
        if self.rows.live() == 0 {
            *cursor = FindCursor { next_row: rows, ..FindCursor::default() };
            return Ok(0);
        }
        let (from, mut start) = match (&cursor.rows[..], &cursor.candidates[..]) {
            ([], []) => (cursor.next_row, 0),
            // The row before the next, of which not all candidates were read.
            ([row], [position]) if (1..=rows).contains(&cursor.next_row) => {
                let before = cursor.next_row - 1;
                if probe.row(before) != *row as usize {
                    return Err(foreign_cursor());
                }
                (before, *position as usize)
            }
            _ => return Err(foreign_cursor()),
        };
        cursor.rows.clear();
        cursor.candidates.clear();
        for at in from..rows {
            if pairs.len() >= limit && !pairs.is_empty() {
                cursor.next_row = at;
                return Ok(walked);
            }
            let first = std::mem::take(&mut start);
            let row = probe.row(at);
            let key = K::at(probe.keys.keys(), row);
            let Some(Candidates { rows, positions, window }) = self.candidates(&probe, row, key)
            else {
                continue;
            };
            for position in positions.start.max(first)..positions.end {
                if pairs.len() >= limit && !pairs.is_empty() {
                    cursor.rows.push(row as u32);
                    cursor.candidates.push(position as u32);
                    cursor.next_row = at + 1;
                    return Ok(walked);
                }
                walked += 1;
                let candidate = rows.row(position);
                let inside = window.is_none_or(|(from, to)| {
                    self.rows.time(candidate).is_some_and(|time| from <= time && time <= to)
                });
                if inside && self.rows.is_live(candidate) {
                    pairs.push(row as u32, candidate);
                }
            }
        }
        (cursor.next_row, cursor.more_parts) = (rows, false);
        Ok(walked)
    }

    fn candidates(
        &self,
        probe: &StateProbe<'_>,
        row: usize,
        key: &K::Borrowed,
    ) -> Option<Candidates<'_, G>> {
        if !probe.keys.is_matchable(row) {
            return None;
        }
        let window = match &probe.interval {
            Some(interval) => Some(interval.around(row)?),
            None => None,
        };
        let group = self.find_group(probe.keys.hashes()[row], key)?;
        let rows = &self.groups[group as usize].rows;
        Some(match window {
            None => Candidates { rows, positions: 0..rows.len(), window: None },
            Some((from, to)) => {
                let (positions, all_inside) = rows.within(from, to);
                Candidates { rows, positions, window: (!all_inside).then_some((from, to)) }
            }
        })
    }

    /// Takes out one row of an eviction and notes it.
    pub(super) fn depart(&mut self, row: u32, leaving: &mut Leaving<'_>) {
        if self.rows.take_out(row) {
            leaving.note(row, self.rows.time(row), self.rows.is_matched(row));
        }
    }

    /// Frees the rows that were taken out, and the keys that have none left.
    pub(super) fn reclaim(&mut self) {
        let mut groups: Vec<u32> = (self.rows.leaving().iter())
            .map(|&row| self.rows.group(row))
            .filter(|&group| group != NO_GROUP)
            .collect();
        groups.sort_unstable();
        for same in groups.chunk_by(|a, b| a == b) {
            let group = &mut self.groups[same[0] as usize];
            let rows = &self.rows;
            Self::changed(&mut self.group_bytes, &mut group.rows, |group| {
                group.forget(same.len(), |row| rows.is_live(row));
            });
            self.drop_if_empty(same[0]);
        }
        self.rows.free();
        if self.free.len() == self.groups.len() {
            (self.groups, self.free) = (Vec::new(), Vec::new());
            self.table = HashTable::new();
        } else if self.table.len() < self.table.capacity() / 8 {
            let groups = &self.groups;
            self.table.shrink_to(2 * self.table.len(), |&group| groups[group as usize].hash);
        }
        self.added.shrink_to(self.rows.live() / 8);
    }

    pub(super) fn size(&self) -> StateSize {
        let group = size_of::<Group<K, G>>();
        let used = (self.groups.len() - self.free.len()) * group;
        let lists = (self.free.capacity() + self.added.capacity()) * size_of::<u32>();
        let (in_use, allocated) = self.group_bytes;
        let rows = self.rows.size();
        StateSize {
            index: rows.index + used + self.table.allocation_size() + self.key_heap_bytes + in_use,
            slack: rows.slack + self.groups.capacity() * group - used + allocated - in_use + lists,
            ..rows
        }
    }
}
