//! `Wire` for standard types.

use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, Shape, Wire};

impl Wire for bool {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        let (word, value) = match reader.peek()? {
            b't' => ("true", true),
            b'f' => ("false", false),
            _ => return Ok(Found::Other),
        };
        reader.literal(word)?;
        Ok(Found::Exact(value))
    }
}

impl Wire for String {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        Ok(reader
            .string()?
            .map_or(Found::Other, |text| Found::Exact(text.into_owned())))
    }
}

impl Wire for Str {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        Ok(reader
            .string()?
            .map_or(Found::Other, |text| Found::Exact(Self::from(&*text))))
    }
}

impl<T: Wire> Wire for Option<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        if reader.peek()? == b'n' {
            reader.literal("null")?;
            return Ok(Found::Null(None));
        }
        Ok(T::read(reader)?.map(Some))
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }
}

impl<T: Wire> Wire for Box<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        T::read_boxed(reader)
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        reader.peek()?;
        let start = reader.mark();
        if !reader.enter(b'[')? {
            return Ok(Found::Other);
        }
        // Lists of small items are long, lists of large items short.
        let room = if size_of::<T>() <= 32 && reader.peek()? != b']' {
            16
        } else {
            0
        };
        let mut items = Self::with_capacity(room);
        let mut exact = true;
        let mut first = true;
        while reader.more(&mut first, b']')? {
            if items.len() == items.capacity()
                && !reader.afford(items.capacity().max(4) * size_of::<T>())
            {
                // As a typed list it would need many times the memory of its text.
                reader.rewind(start);
                return Ok(Found::Other);
            }
            if let Some(trail) = reader.trail() {
                trail.enter("[]");
            }
            match T::read(reader)? {
                Found::Exact(item) => items.push(item),
                Found::Null(item) | Found::Approx(item) => {
                    items.push(item);
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
        Ok(if exact {
            Found::Exact(items)
        } else {
            Found::Approx(items)
        })
    }

    fn shape() -> Option<&'static Shape> {
        T::shape()
    }
}
