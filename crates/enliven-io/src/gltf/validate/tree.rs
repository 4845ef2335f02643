//! The node hierarchy as numbers, whatever shape the file gives it.

/// Nodes with their parents, numbered so that "is above" is a comparison.
pub(super) struct Tree {
    /// One an element of `/nodes`; of several parents the last.
    pub(super) parent: Vec<Option<usize>>,
    /// Nodes that are their own ancestors.
    pub(super) in_loop: Vec<bool>,
    /// Parents before children; loops are cut open at their lowest index.
    pub(super) order: Vec<usize>,
    /// Where each node stands in `order`, and where its descendants end.
    enter: Vec<usize>,
    leave: Vec<usize>,
    root: Vec<usize>,
}

impl Tree {
    pub(super) fn new(parent: Vec<Option<usize>>) -> Self {
        let count = parent.len();
        let in_loop = loops(&parent);
        let mut children = vec![Vec::new(); count];
        for (node, parent) in parent.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(node);
            }
        }
        let mut tree = Self {
            parent,
            in_loop,
            order: Vec::with_capacity(count),
            enter: vec![usize::MAX; count],
            leave: vec![0; count],
            root: vec![0; count],
        };
        let roots = (0..count).filter(|node| tree.parent[*node].is_none());
        for root in roots.collect::<Vec<_>>() {
            tree.number(root, &children);
        }
        for node in 0..count {
            if tree.in_loop[node] && tree.enter[node] == usize::MAX {
                tree.number(node, &children);
            }
        }
        tree
    }

    fn number(&mut self, root: usize, children: &[Vec<usize>]) {
        let mut open = vec![(root, 0)];
        self.begin(root, root);
        while let Some((node, next)) = open.last_mut() {
            match children[*node].get(*next) {
                Some(child) => {
                    *next += 1;
                    // Seen before only where a loop closes.
                    if self.enter[*child] == usize::MAX {
                        self.begin(*child, root);
                        open.push((*child, 0));
                    }
                }
                None => {
                    self.leave[*node] = self.order.len();
                    open.pop();
                }
            }
        }
    }

    fn begin(&mut self, node: usize, root: usize) {
        self.enter[node] = self.order.len();
        self.root[node] = root;
        self.order.push(node);
    }

    /// Whether `above` is `node` or one of its ancestors.
    pub(super) fn is_above(&self, above: usize, node: usize) -> bool {
        (self.enter[above]..self.leave[above]).contains(&self.enter[node])
    }

    /// The root of the tree that holds `node`; `None` inside a loop.
    pub(super) fn root(&self, node: usize) -> Option<usize> {
        Some(self.root[node]).filter(|root| self.parent[*root].is_none())
    }

    /// The parent by which `node` was reached; `None` for roots and where a loop was cut.
    pub(super) fn above(&self, node: usize) -> Option<usize> {
        self.parent[node].filter(|_| self.root[node] != node)
    }

    /// The lowest node that is above all of `nodes`; `None` when there is none, or no node.
    pub(super) fn common(&self, nodes: impl IntoIterator<Item = usize>) -> Option<usize> {
        let mut nodes = nodes.into_iter();
        let mut common = nodes.next()?;
        for node in nodes {
            // Climbs the tree once, whatever the count of nodes.
            while !self.is_above(common, node) {
                common = self.above(common)?;
            }
        }
        Some(common)
    }
}

/// Which nodes are their own ancestors.
fn loops(parent: &[Option<usize>]) -> Vec<bool> {
    let mut in_loop = vec![false; parent.len()];
    // The walk in which a node was first seen; walks start at 1.
    let mut seen = vec![0; parent.len()];
    for start in 0..parent.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(node) = at.filter(|node| seen[*node] == 0) {
            seen[node] = walk;
            at = parent[node];
        }
        // Back at a node of the same walk: the loop goes through it.
        let mut at = at.filter(|node| seen[*node] == walk);
        while let Some(node) = at.filter(|node| !in_loop[*node]) {
            in_loop[node] = true;
            at = parent[node];
        }
    }
    in_loop
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_and_common_roots() {
        // 0 ─ 1 ─ 2, 1 ─ 3; 4 alone
        let tree = Tree::new(vec![None, Some(0), Some(1), Some(1), None]);
        assert!(tree.is_above(0, 3) && tree.is_above(3, 3) && !tree.is_above(2, 3));
        assert_eq!(tree.common([2, 3]), Some(1));
        assert_eq!(tree.common([2, 0]), Some(0));
        assert_eq!(tree.common([2, 4]), None);
        assert_eq!(tree.common([]), None);
        assert_eq!(tree.root(3), Some(0));
        assert_eq!(tree.order.len(), 5);
    }

    #[test]
    fn loops_are_found_and_cut() {
        // 0 → 1 → 2 → 0 is a loop, 3 hangs on it, 4 is its own parent, 5 is free.
        let tree = Tree::new(vec![Some(1), Some(2), Some(0), Some(0), Some(4), None]);
        assert_eq!(tree.in_loop, [true, true, true, false, true, false]);
        assert_eq!(tree.root(3), None);
        assert_eq!(tree.root(5), Some(5));
        assert_eq!(tree.common([3, 1]), Some(0));
        let mut order = tree.order.clone();
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn deep_chains_take_no_stack() {
        let count = 200_000;
        let tree = Tree::new((0..count).map(|node: usize| node.checked_sub(1)).collect());
        assert_eq!(tree.common((0..count).rev()), Some(0));
        assert!(tree.is_above(0, count - 1));
    }
}
