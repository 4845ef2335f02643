//! Several bodies that one mixer drives.

/// A list of members, of which some take part and others are only remembered. Members keep their
/// place in the list by swapping, as the reference library's groups do: the first that takes part
/// is the one that a mixer may ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group<T> {
    /// Those that do not take part, then those that do.
    members: Vec<T>,
    resting: usize,
}

impl<T: PartialEq> Group<T> {
    /// All members take part. A member that is given twice counts once.
    pub fn new(members: impl IntoIterator<Item = T>) -> Self {
        let mut out = Self { members: Vec::new(), resting: 0 };
        members.into_iter().for_each(|m| out.add(m));
        out
    }

    /// Those that take part, in order.
    pub fn active(&self) -> &[T] {
        &self.members[self.resting..]
    }

    /// Those that take part, to change.
    pub fn active_mut(&mut self) -> &mut [T] {
        &mut self.members[self.resting..]
    }

    /// How many do not take part but are remembered.
    pub fn resting(&self) -> usize {
        self.resting
    }

    /// How many are known.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether none is known.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Lets a member take part.
    pub fn add(&mut self, member: T) {
        match self.members.iter().position(|m| *m == member) {
            None => self.members.push(member),
            Some(i) if i < self.resting => {
                self.resting -= 1;
                self.members.swap(i, self.resting);
            }
            Some(_) => {}
        }
    }

    /// Lets a member rest.
    pub fn remove(&mut self, member: &T) {
        if let Some(i) = self.members.iter().position(|m| m == member)
            && i >= self.resting
        {
            self.members.swap(i, self.resting);
            self.resting += 1;
        }
    }

    /// Forgets a member.
    pub fn forget(&mut self, member: &T) {
        let Some(i) = self.members.iter().position(|m| m == member) else { return };
        if i < self.resting {
            // The last that rests takes its place, the last of all the gap after them.
            self.resting -= 1;
            self.members.swap(i, self.resting);
            self.members.swap_remove(self.resting);
        } else {
            self.members.swap_remove(i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_and_go() {
        let mut g = Group::new([1, 2, 2, 3]);
        g.remove(&1);
        assert_eq!((g.active(), g.resting(), g.len()), (&[2, 3][..], 1, 3));
        g.forget(&1);
        assert_eq!((g.active(), g.resting()), (&[3, 2][..], 0));
        g.add(1);
        g.forget(&7);
        assert_eq!(g.active(), [3, 2, 1]);
    }
}
