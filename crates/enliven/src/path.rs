//! Names of what a track moves, as text: `node.property`, `node.object[index].property[index]`.

use thiserror::Error;

/// A track's path in parts, as three.js writes it:
/// `directory/…/node.object[object index].property[property index]`. Only the property is always
/// there. A node's name may hold dots; the words `material`, `materials`, `bones` and `map` before
/// the property are an object, all others belong to the name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackPath<'a> {
    /// Names of nodes above the node, each followed by `/` or `:`; may be empty.
    pub directory: &'a str,
    /// Name of the node; none stands for the root.
    pub node: Option<&'a str>,
    /// Something that the node has.
    pub object: Option<&'a str>,
    /// Which of several objects.
    pub object_index: Option<&'a str>,
    /// What moves.
    pub property: &'a str,
    /// Which part of it moves.
    pub property_index: Option<&'a str>,
}

/// A text that is no path.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not a track path")]
pub struct PathError(pub String);

/// Characters that separate the parts.
const RESERVED: [u8; 5] = *b"[].:/";
/// Objects that are told from the last part of a node's name.
const OBJECTS: [&str; 4] = ["material", "materials", "bones", "map"];

impl<'a> TrackPath<'a> {
    /// Splits a path. Of several ways to read it the one with the longest directory counts, then
    /// the longest node, then the longest indices.
    ///
    /// # Errors
    /// [`PathError`] where there is no property or brackets do not fit.
    pub fn parse(text: &'a str) -> Result<Self, PathError> {
        let mut out = read(text).ok_or_else(|| PathError(text.to_owned()))?;
        if let Some((node, last)) = out.node.and_then(|n| n.rsplit_once('.'))
            && OBJECTS.contains(&last)
        {
            (out.node, out.object) = (Some(node), Some(last));
        }
        Ok(out)
    }
}

/// Length of the run of characters that are not reserved.
fn word(text: &str) -> usize {
    text.bytes().position(|b| RESERVED.contains(&b)).unwrap_or(text.len())
}

fn read(text: &str) -> Option<TrackPath<'_>> {
    // Ends of directories, shortest first.
    let mut ends = vec![0];
    while let Some(&at) = ends.last() {
        let end = at + word(&text[at..]);
        if end == at || !matches!(text.as_bytes().get(end), Some(b'/' | b':')) {
            break;
        }
        ends.push(end + 1);
    }
    for &at in ends.iter().rev() {
        let directory = &text[..at];
        let rest = &text[at..];
        let stop = rest.bytes().position(|b| matches!(b, b'[' | b']' | b':' | b'/'));
        // What follows a node begins with a dot.
        let most = stop.unwrap_or(rest.len());
        let dots = rest[..most].bytes().enumerate().filter(|(_, b)| *b == b'.');
        let mut nodes: Vec<usize> = dots.map(|(i, _)| i).collect();
        nodes.dedup();
        for &end in nodes.iter().rev() {
            let node = (end > 0).then_some(&rest[..end]);
            let found = object(&rest[end..]).or_else(|| property(&rest[end..]));
            if let Some(found) = found {
                return Some(TrackPath { directory, node, ..found });
            }
        }
    }
    None
}

/// `.object[index].property[index]`
fn object(text: &str) -> Option<TrackPath<'_>> {
    let text = text.strip_prefix('.')?;
    let end = word(text);
    if end == 0 {
        return None;
    }
    let (name, rest) = text.split_at(end);
    if let Some(inside) = rest.strip_prefix('[') {
        let closes = inside.bytes().enumerate().filter(|(_, b)| *b == b']');
        let closes: Vec<usize> = closes.map(|(i, _)| i).collect();
        for close in closes.into_iter().rev() {
            let index = &inside[..close];
            if let (true, Some(found)) = (is_index(index), property(&inside[close + 1..])) {
                let object_index = Some(index);
                return Some(TrackPath { object: Some(name), object_index, ..found });
            }
        }
        return None;
    }
    property(rest).map(|found| TrackPath { object: Some(name), ..found })
}

/// `.property[index]`, to the end.
fn property(text: &str) -> Option<TrackPath<'_>> {
    let text = text.strip_prefix('.')?;
    let end = word(text);
    if end == 0 {
        return None;
    }
    let (property, rest) = text.split_at(end);
    let property_index = match rest {
        "" => None,
        _ => Some(rest.strip_prefix('[')?.strip_suffix(']').filter(|i| is_index(i))?),
    };
    Some(TrackPath { property, property_index, ..TrackPath::default() })
}

/// An index may hold anything but the end of a line.
fn is_index(text: &str) -> bool {
    !text.is_empty() && !text.contains(['\n', '\r', '\u{2028}', '\u{2029}'])
}

/// A node's name as three.js stores it, so that a path can hold it: white space becomes `_`,
/// brackets, dots, colons and slashes vanish. Names here are kept verbatim; this finds a node by
/// the name that a three.js file gives it.
pub fn sanitize_node_name(name: &str) -> String {
    let space = |c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}';
    name.chars().map(|c| if space(c) { '_' } else { c }).filter(|c| !"[].:/".contains(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_falls_into_its_parts() {
        let p = TrackPath::parse("Armature/no.de.bones[a.b].position[x]").expect("a path");
        let want = TrackPath {
            directory: "Armature/",
            node: Some("no.de"),
            object: Some("bones"),
            object_index: Some("a.b"),
            property: "position",
            property_index: Some("x"),
        };
        assert_eq!(p, want);
        assert_eq!(TrackPath::parse("no property"), Err(PathError("no property".into())));
    }

    #[test]
    fn long_paths_are_read_in_no_time() {
        for text in ["a.", "a/", "[", "]", ".a[b]", "é:"] {
            let text = text.repeat(2000);
            let _ = TrackPath::parse(&text);
        }
    }
}
