//! Whom a command is about: a file, or a character made in code.

use std::path::Path;
use std::sync::Arc;

use enliven::field::Anatomy;
use enliven::person::{HumanoidClip, Person};
use enliven::{Binding, Character, Diagnostic, Region, Severity};
use enliven_io::gltf::Document;
use enliven_io::{Import, Limits};

use crate::cast::Drives;
use crate::failure::{Code, Failure};
use crate::report::{Extensions, Source};

/// The format of a character that comes from no file.
const BUILT_IN: &str = "built-in";

/// Name of the built-in static creature.
const CREATURE: &str = "creature";
/// Name of the small spirit with a drawn face.
const SPIRIT: &str = "spirit";

/// A character, and where it came from.
#[derive(Debug)]
pub struct Subject {
    /// The character.
    pub character: Arc<Character>,
    /// The person that it is, where its file or the names of its joints say so.
    pub person: Option<Arc<Person>>,
    /// Motion for any humanoid that its file holds.
    pub motions: Vec<HumanoidClip>,
    /// Everything that was found wrong with its file.
    pub diagnostics: Vec<Diagnostic>,
    /// Its file.
    pub source: Source,
    /// The file as it was, to write again; `None` where the character was made in code, or was
    /// given joints that the file does not have.
    pub document: Option<Document>,
}

impl Subject {
    /// Reads the file of that name, or makes the built-in character of that name.
    ///
    /// # Errors
    /// [`Code::SubjectUnknown`] where there is neither, [`Code::Unreadable`] with the importer's
    /// code where the file cannot be read.
    pub fn open(name: &str) -> Result<Self, Failure> {
        match name.to_ascii_lowercase().as_str() {
            "rabbit" => return Ok(Self::built_in(name, enliven::builtin::rabbit())),
            CREATURE => return Ok(Self::built_in(CREATURE, enliven::builtin::creature())),
            SPIRIT => return Ok(Self::built_in(SPIRIT, enliven::builtin::spirit(1))),
            _ => {}
        }
        let path = Path::new(name);
        if !path.exists() {
            let message = format!("there is no file `{name}` and no built-in character");
            return Err(Failure::new(Code::SubjectUnknown, message)
                .help("the built-in characters are: rabbit, creature, spirit; `render` and `play` also know the scene drift"));
        }
        let import = enliven_io::import_file(path, &Limits::default())
            .map_err(|error| Failure::unreadable(name, &error))?;
        let source = source(name, path, &import);
        for found in &import.diagnostics {
            tracing::info!("{name}: {found}");
        }
        let Import { character, diagnostics, person, motions, document, .. } = import;
        let document = Some(document);
        let person = person.map(Arc::new);
        Ok(Self { character: Arc::new(character), person, motions, diagnostics, source, document })
    }

    /// Opens several; those that shall stand and live get joints where they have none.
    ///
    /// # Errors
    /// As [`Subject::open`], of the first that fails.
    pub fn open_all(names: &[String], drives: Drives) -> Result<Vec<Self>, Failure> {
        let mut subjects = Vec::with_capacity(names.len());
        for name in names {
            let mut subject = Self::open(name)?;
            if matches!(drives, Drives::Stand | Drives::Run) {
                subject.come_alive(None)?;
            }
            subjects.push(subject);
        }
        Ok(subjects)
    }

    /// The same, but the built-in creature without its rig: a model to measure.
    ///
    /// # Errors
    /// As [`Subject::open`].
    pub fn open_static(name: &str) -> Result<Self, Failure> {
        if name.eq_ignore_ascii_case(CREATURE) {
            return Ok(Self::built_in(CREATURE, enliven::builtin::creature_statue()));
        }
        Self::open(name)
    }

    /// Whether it is the built-in creature, which lives without being asked to.
    #[must_use]
    pub fn is_creature(&self) -> bool {
        self.is_built_in() && self.source.file == CREATURE
    }

    fn built_in(name: &str, character: Character) -> Self {
        Self::made(name, Arc::new(character))
    }

    /// A character that was made in code.
    #[must_use]
    pub fn made(name: &str, character: Arc<Character>) -> Self {
        let (file, format) = (name.to_owned(), BUILT_IN.to_owned());
        let source = Source { file, format, ..Source::default() };
        let (diagnostics, motions) = (Vec::new(), Vec::new());
        Self { character, person: None, motions, diagnostics, source, document: None }
    }

    /// Gives a static model joints: by the anatomy that is given, or by measuring eyes, head, limbs
    /// and belly. Without one, a model that has a skin or known body parts is left as it is; so is
    /// one that cannot be bound, with a diagnostic.
    ///
    /// # Errors
    /// [`Code::Unreadable`] where the given anatomy does not fit.
    pub fn come_alive(&mut self, given: Option<&Anatomy>) -> Result<(), Failure> {
        if given.is_none() && !is_static(&self.character) {
            return Ok(());
        }
        let anatomy = given.cloned().unwrap_or_else(|| {
            let measured = enliven::measure::measure(&self.character);
            self.diagnostics.extend(measured.diagnostics);
            measured.anatomy
        });
        match enliven::field::bind(&self.character, &anatomy) {
            Ok(bound) => {
                for found in &bound.diagnostics {
                    tracing::warn!("{}: {found}", self.source.file);
                }
                self.diagnostics.extend(bound.diagnostics);
                self.take(bound.character);
            }
            Err(error) if given.is_some() => {
                let message = format!("{}: {error}", self.source.file);
                return Err(Failure::new(Code::Unreadable("RIG_DOES_NOT_FIT"), message));
            }
            Err(error) => {
                let message = format!("no joints could be made for it: {error}");
                tracing::warn!("{}: {message}", self.source.file);
                let found = Diagnostic::new(Severity::Warning, "FIELD_UNBOUND", "", message);
                self.diagnostics.push(found);
            }
        }
        Ok(())
    }

    /// Becomes another character, which its file does not have.
    pub fn take(&mut self, character: Character) {
        self.character = Arc::new(character);
        self.document = None;
    }

    /// Whether it was made in code.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        self.source.format == BUILT_IN
    }
}

/// Whether a character has nothing that a behaviour could move: no skin and no part with a meaning.
fn is_static(character: &Character) -> bool {
    let skinned = character.meshes.iter().any(|m| matches!(m.binding, Binding::Skin(_)));
    let regions = &character.rig.regions;
    !skinned && !Region::ALL.into_iter().any(|r| r != Region::Body && regions.has(r))
}

fn source(name: &str, path: &Path, import: &Import) -> Source {
    let names = |key: &str| {
        let list = import.document.json.get(key).and_then(|value| value.as_array());
        let words = list.into_iter().flatten().filter_map(|word| word.as_str());
        words.map(str::to_owned).collect()
    };
    let format = match import.document.resources.container {
        enliven_io::gltf::Container::Json => "gltf",
        enliven_io::gltf::Container::Glb { .. } => "glb",
    };
    Source {
        file: name.to_owned(),
        format: format.to_owned(),
        bytes: path.metadata().map_or(0, |about| about.len()),
        extensions: Extensions {
            used: names("extensionsUsed"),
            required: names("extensionsRequired"),
        },
    }
}
