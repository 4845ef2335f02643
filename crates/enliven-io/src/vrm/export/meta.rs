//! Who made the person, and what one may do with it, in the words of VRM 1.0.

use enliven::{Character, Meta, Severity};
use serde_json::{Map, Value, json};

use crate::Diagnostic;

const PLACE: &str = "/extensions/VRMC_vrm/meta";
/// The licence that every VRM 1.0 file names; the terms beside it say what it grants.
const LICENSE: &str = "https://vrm.dev/licenses/1.0/";

/// Terms that VRM 1.0 has by the same name.
const SAME: [&str; 12] = [
    "contactInformation",
    "references",
    "thirdPartyLicenses",
    "avatarPermission",
    "allowExcessivelyViolentUsage",
    "allowExcessivelySexualUsage",
    "commercialUsage",
    "allowPoliticalOrReligiousUsage",
    "allowAntisocialOrHateUsage",
    "creditNotation",
    "allowRedistribution",
    "modification",
];

/// `meta` of VRMC_vrm: from the terms of VRM 1.0 themselves, or from those of 0.x where those say
/// as much. What is not said is not granted.
pub(super) fn write(
    character: &Character,
    root: &Map<String, Value>,
    found: &mut Vec<Diagnostic>,
) -> Value {
    let meta = &character.meta;
    let mut warn = |code, message: String| {
        found.push(Diagnostic::new(Severity::Warning, code, PLACE, message));
    };
    let mut out = Map::new();
    let name = [&meta.title, &character.name].into_iter().find(|n| !n.is_empty());
    out.insert("name".into(), name.map_or("untitled", String::as_str).into());
    if !meta.version.is_empty() {
        out.insert("version".into(), meta.version.clone().into());
    }
    let mut authors: Vec<&str> =
        meta.authors.iter().map(String::as_str).filter(|a| !a.is_empty()).collect();
    if authors.is_empty() {
        warn("VRM_META_AUTHOR_MISSING", "the file names no author: \"unknown\" is written".into());
        authors.push("unknown");
    }
    out.insert("authors".into(), authors.into());
    if !meta.copyright.is_empty() {
        out.insert("copyrightInformation".into(), meta.copyright.clone().into());
    }
    out.insert("licenseUrl".into(), LICENSE.into());
    let license = License::of(&meta.license);
    for (name, value) in &meta.terms {
        if value.is_empty() {
            continue;
        }
        match name.as_str() {
            same if SAME.contains(&same) => {
                let value = match value.as_str() {
                    "true" => true.into(),
                    "false" => false.into(),
                    text if same == "references" => json!(text.split(", ").collect::<Vec<_>>()),
                    text => Value::from(text),
                };
                out.insert(name.clone(), value);
            }
            "reference" => drop(out.insert("references".into(), json!([value]))),
            "otherLicenseUrl" => drop(out.insert(name.clone(), value.clone().into())),
            "thumbnailImage" => {
                out.extend(value.parse::<u32>().ok().map(|i| (name.clone(), Value::from(i))));
            }
            "texture" => out.extend(thumbnail(value, root).map(|i| ("thumbnailImage".into(), i))),
            "allowedUserName" => {
                let who = match value.as_str() {
                    "Everyone" => "everyone",
                    "ExplicitlyLicensedPerson" => "onlySeparatelyLicensedPerson",
                    _ => "onlyAuthor",
                };
                out.insert("avatarPermission".into(), who.into());
            }
            "violentUssageName" => {
                out.insert("allowExcessivelyViolentUsage".into(), (value == "Allow").into());
            }
            "sexualUssageName" => {
                out.insert("allowExcessivelySexualUsage".into(), (value == "Allow").into());
            }
            "commercialUssageName" => {
                // 0.x does not tell a person's profit from a corporation's: the narrower one.
                let what = if value == "Allow" { "personalProfit" } else { "personalNonProfit" };
                out.insert("commercialUsage".into(), what.into());
            }
            _ => warn("VRM_META_NOT_WRITTEN", format!("{name} ({value}) has no place in VRM 1.0")),
        }
    }
    let default = |out: &mut Map<String, Value>, key: &str, value: Value| {
        out.entry(key).or_insert(value);
    };
    if let Some(license) = license {
        let credit = if license.credit { "required" } else { "unnecessary" };
        default(&mut out, "creditNotation", credit.into());
        default(&mut out, "allowRedistribution", true.into());
        let modification =
            if license.modify { "allowModificationRedistribution" } else { "prohibited" };
        default(&mut out, "modification", modification.into());
        if license.only_unpaid {
            out.insert("commercialUsage".into(), "personalNonProfit".into());
        }
        default(&mut out, "otherLicenseUrl", license.url.into());
    } else if !meta.license.is_empty() && meta.license.starts_with("http") {
        if meta.license != LICENSE {
            default(&mut out, "otherLicenseUrl", meta.license.clone().into());
        }
    } else if says_more(meta) {
        warn("VRM_META_NOT_WRITTEN", format!("the licence {:?} has no address", meta.license));
    }
    default(&mut out, "avatarPermission", "onlyAuthor".into());
    default(&mut out, "commercialUsage", "personalNonProfit".into());
    default(&mut out, "creditNotation", "required".into());
    default(&mut out, "allowRedistribution", false.into());
    default(&mut out, "modification", "prohibited".into());
    Value::Object(out)
}

/// Whether the licence is more than the lack of one.
fn says_more(meta: &Meta) -> bool {
    !matches!(meta.license.as_str(), "" | "Other" | "Redistribution_Prohibited")
}

/// The image of a texture of the document.
fn thumbnail(texture: &str, root: &Map<String, Value>) -> Option<Value> {
    let texture: usize = texture.parse().ok()?;
    root.get("textures")?.get(texture)?.get("source").cloned()
}

/// A Creative Commons licence, as VRM 0.x names it.
struct License {
    credit: bool,
    modify: bool,
    only_unpaid: bool,
    url: String,
}

impl License {
    fn of(name: &str) -> Option<Self> {
        let url = |path: &str| format!("https://creativecommons.org/{path}/");
        if name == "CC0" {
            let url = url("publicdomain/zero/1.0");
            return Some(Self { credit: false, modify: true, only_unpaid: false, url });
        }
        let parts = name.strip_prefix("CC_")?;
        let words = parts.to_ascii_lowercase().replace('_', "-");
        matches!(words.as_str(), "by" | "by-nc" | "by-sa" | "by-nc-sa" | "by-nd" | "by-nc-nd").then(
            || Self {
                credit: true,
                modify: !words.contains("nd"),
                only_unpaid: words.contains("nc"),
                url: url(&format!("licenses/{words}/4.0")),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_grant_what_they_say() {
        let by = License::of("CC_BY").expect("known");
        assert!(by.credit && by.modify && !by.only_unpaid);
        let strict = License::of("CC_BY_NC_ND").expect("known");
        assert!(!strict.modify && strict.only_unpaid);
        assert!(License::of("CC0").is_some_and(|l| !l.credit));
        assert!(License::of("Redistribution_Prohibited").is_none());
    }
}
