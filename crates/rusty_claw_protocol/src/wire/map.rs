//! Objects used as dictionaries.

use std::collections::HashMap;
use std::fmt;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, Shape, Wire};

/// A dictionary from the wire, in its original order.
///
/// The CLI's dictionaries have a handful of keys, so a list is faster than a hash table.
#[derive(Clone, PartialEq)]
pub struct Map<T>(Vec<(Str, T)>);

impl<T> Map<T> {
    /// Returns an empty dictionary.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.0
            .iter()
            .find(|(name, _)| *name == *key)
            .map(|(_, value)| value)
    }

    /// Adds a key or replaces its value.
    pub fn insert(&mut self, key: impl Into<Str>, value: T) {
        let key = key.into();
        match self.0.iter_mut().find(|(name, _)| *name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    /// Keeps the last value of duplicate keys, in linear time.
    fn settle(&mut self) {
        if self.0.len() < 2 {
            return;
        }
        let mut last = HashMap::with_capacity(self.0.len());
        for (index, (key, _)) in self.0.iter().enumerate() {
            last.insert(key.clone(), index);
        }
        if last.len() < self.0.len() {
            let mut index = 0;
            self.0.retain(|(key, _)| {
                index += 1;
                last.get(key) == Some(&(index - 1))
            });
        }
    }

    /// Iterates over all keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for Map<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Map<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<Str>, T> FromIterator<(K, T)> for Map<T> {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(items: I) -> Self {
        let mut map = Self::new();
        for (key, value) in items {
            map.insert(key, value);
        }
        map
    }
}

impl<T: Serialize> Serialize for Map<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key.as_str(), value)?;
        }
        map.end()
    }
}

impl<'de, T: Wire> Deserialize<'de> for Map<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}

impl<T: Wire> Wire for Map<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        reader.peek()?;
        let start = reader.mark();
        let Some(mut members) = reader.object()? else {
            return Ok(Found::Other);
        };
        let mut map = Self::new();
        let mut exact = true;
        while let Some(key) = members.next(reader)? {
            if map.0.len() == map.0.capacity()
                && !reader.afford(map.0.capacity().max(4) * size_of::<(Str, T)>())
            {
                // As for lists: a typed map would need many times the memory of its text.
                reader.rewind(start);
                return Ok(Found::Other);
            }
            if let Some(trail) = reader.trail() {
                trail.enter("*");
            }
            match T::read(reader)? {
                Found::Exact(value) => map.0.push((Str::from(&*key), value)),
                Found::Null(value) | Found::Approx(value) => {
                    map.0.push((Str::from(&*key), value));
                    exact = false;
                }
                Found::Other => {
                    if let Some(trail) = reader.trail() {
                        trail.new_shape();
                    }
                    reader.skip()?;
                    exact = false;
                }
            }
            if let Some(trail) = reader.trail() {
                trail.leave();
            }
        }
        map.settle();
        Ok(if exact {
            Found::Exact(map)
        } else {
            Found::Approx(map)
        })
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }
}
