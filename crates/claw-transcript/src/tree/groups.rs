//! Many short lists without an allocation for each.

/// Lists by index, stored in one vector.
#[derive(Debug)]
pub(super) struct Groups<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Groups<T> {
    /// Creates `groups` lists of items with their indices. Items of one list keep their order. Items
    /// with larger indices are in [`Groups::rest`].
    pub(super) fn new(groups: usize, mut pairs: Vec<(u32, T)>) -> Self {
        pairs.sort_by_key(|(group, _)| *group);
        let mut starts = Vec::with_capacity(groups + 1);
        let mut at = 0;
        for group in 0..=groups {
            while pairs.get(at).is_some_and(|(of, _)| (*of as usize) < group) {
                at += 1;
            }
            starts.push(u32::try_from(at).unwrap_or(u32::MAX));
        }
        let items = pairs.into_iter().map(|(_, item)| item).collect();
        Self { starts, items }
    }

    pub(super) fn group(&self, index: usize) -> &[T] {
        match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(from), Some(to)) => &self.items[*from as usize..*to as usize],
            _ => &[],
        }
    }

    /// The items in no list.
    pub(super) fn rest(&self) -> &[T] {
        let from = self.starts.last().copied().unwrap_or_default();
        &self.items[from as usize..]
    }

    pub(super) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.items.capacity() * size_of::<T>()
    }
}

impl<T> Default for Groups<T> {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            items: Vec::new(),
        }
    }
}
