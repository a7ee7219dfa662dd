//! `narratoria skill install`: installs packages from archives, zip files and folders.

use std::{
    cell::OnceCell,
    collections::BTreeSet,
    fs::File,
    io::{BufReader, Cursor, Read, Seek},
    path::Path,
};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_kit::stale_components;
use narratoria_protocol::digest::{Sha256Hasher, is_digest};
use narratoria_registry::{OciReference, PackageUrl};
use narratoria_skills::{
    ConfigForm, Demand, InstallError, InstallOptions, InstallReport, PackError, PackageDir,
    PackageIndex, Problem, Severity, SignedClaims, SignerKey, StagedPackage, is_zip,
    pack as pack_folder, unzip_package,
};
use semver::Version;
use serde_json::{Value, json};

use super::{
    config,
    consent::{ConsentGiven, ConsentRequest, demands_document},
    find_package,
    index_signer::learn_signer,
    install_error::install_error,
    named_archive::{IndexPlace, ListedArchive, NamedArchive},
    pack::report_problems,
    packages,
    remote::Remote,
    signed_archive::{ARCHIVE, OpenedArchive},
    unbuilt::way_out,
};
use crate::{
    args::{Format, SkillInstallArgs},
    clock_and_ids::utc_now,
    exit::Exit,
    player_settings::PlayerSettingsSource,
    print_document, print_text,
    settings::{CliSettings, is_offline},
    setup,
};
use narratoria_ui::{Out, Tone, note, report, visible};

pub(super) fn install(args: SkillInstallArgs) -> Result<Exit, TurnError> {
    let key = check_arguments(&args)?;
    let settings = CliSettings::check(args.common)?;
    let look = settings.terminal.look;
    let mut err = Out::stderr(look);
    let installer = Installer {
        packages: PackageDir::new(settings.home()?.installed_skills()),
        source: PlayerSettingsSource::open(&settings)?,
        settings: &settings,
        force: args.force,
        sha256: args.sha256,
        key,
        from: args.from.as_deref().map(IndexPlace::parse).transpose()?,
        index: OnceCell::new(),
        remote: Remote::new(is_offline(args.offline.offline)),
        given: ConsentGiven { everything: args.yes, key_change: args.accept_key_change },
        set: args.set,
        now: utc_now(),
    };
    let (mut exit, mut documents) = (Exit::Done, Vec::new());
    for path in &args.archives {
        // A faulty archive does not keep the others from being installed.
        match installer.install(path, &mut err) {
            Ok((installed, asked, archive)) => {
                for problem in &installed.config_problems {
                    note(&mut err, Tone::Warning, "warning", &problem.to_string());
                }
                if settings.format == Format::Plain {
                    print_text(look, &format!("{}\n", visible(&installed_text(&installed))))?;
                }
                documents.push(document(&archive, &installed, asked.as_ref()));
            }
            Err(InstallFailure { error, problems }) => {
                report(&mut err, &error);
                report_problems(&mut err, &problems);
                exit = exit.max(error.kind.into());
            }
        }
    }
    if settings.format == Format::Json {
        print_document(look, &documents)?;
    }
    Ok(exit)
}

/// Everything that the installation of each archive needs.
struct Installer<'s> {
    packages: PackageDir,
    source: PlayerSettingsSource,
    settings: &'s CliSettings,
    force: bool,
    sha256: Option<String>,
    /// The key that the archive must be signed with.
    key: Option<SignerKey>,
    /// The index in which the packages are looked up.
    from: Option<IndexPlace>,
    /// That index, when it has been read.
    index: OnceCell<PackageIndex>,
    remote: Remote,
    given: ConsentGiven,
    set: Vec<String>,
    /// The time of this installation.
    now: String,
}

/// What a named archive holds, before anything of it is unpacked.
struct ArchiveContent {
    bytes: Box<dyn Read>,
    /// The digest that the bytes must have.
    sha256: Option<String>,
    /// What the signature says, which has been verified.
    signed: Option<SignedClaims>,
}

struct InstallFailure {
    error: TurnError,
    problems: Vec<Problem>,
}

impl From<TurnError> for InstallFailure {
    fn from(error: TurnError) -> InstallFailure {
        InstallFailure { error, problems: Vec::new() }
    }
}

impl Installer<'_> {
    /// Finds what was named, and fetches what lies elsewhere.
    fn find(&self, named: &Path, err: &mut Out) -> Result<NamedArchive, TurnError> {
        match (&self.from, named.to_str()) {
            (Some(place), Some(wanted)) => {
                let index = match self.index.get() {
                    Some(index) => index,
                    None => {
                        let read = place.read(&self.remote)?;
                        let (agrees, now) = (self.given.key_change, &self.now);
                        learn_signer(&self.packages, place, &read, agrees, now, err)?;
                        self.index.get_or_init(|| read.packages)
                    }
                };
                place.archive(index, wanted, &self.remote)
            }
            (Some(_), None) => {
                let what = format!("`{}` is no name of a package", named.display());
                Err(TurnError::new(TurnErrorKind::BadInput, what))
            }
            (None, Some(text)) if PackageUrl::is_meant(text) => {
                NamedArchive::fetch(text, &self.remote)
            }
            (None, Some(text)) if OciReference::is_meant(text) => {
                NamedArchive::pull(text, self.key.as_ref(), &self.remote)
            }
            (None, _) => Ok(NamedArchive::at(named)),
        }
    }

    fn install(
        &self,
        named: &Path,
        err: &mut Out,
    ) -> Result<(InstallReport, Option<ConsentRequest>, NamedArchive), InstallFailure> {
        let archive = self.find(named, err)?;
        let ArchiveContent { bytes, sha256, signed } = self.content(&archive, err)?;
        self.check_signer(&archive.shown, signed.as_ref())?;
        let options = InstallOptions {
            force: self.force,
            sha256: sha256.as_deref(),
            source: Some(&archive.source),
            signed: signed.as_ref(),
            now: &self.now,
        };
        let staged = self.packages.stage(bytes, options);
        let staged = staged.map_err(|error| failure(&archive.shown, error))?;
        if let Some(fault) = unlisted(&archive, &staged) {
            self.packages.discard(staged).map_err(|error| failure(&archive.shown, error))?;
            return Err(fault.into());
        }
        let (installed, asked) = self.install_staged(staged, &archive.shown, err)?;
        Ok((installed, asked, archive))
    }

    /// Asks about a checked package, sets the given settings, and moves it to its place. Asks nothing about a package that is
    /// installed already.
    fn install_staged(
        &self,
        staged: StagedPackage,
        path: &Path,
        err: &mut Out,
    ) -> Result<(InstallReport, Option<ConsentRequest>), InstallFailure> {
        let (asked, changed) = match self.agree(&staged, err) {
            Ok(agreed) => agreed,
            Err(error) => {
                self.packages.discard(staged).map_err(|error| failure(path, error))?;
                return Err(error.into());
            }
        };
        let replaces = asked.as_ref().is_some_and(ConsentRequest::replaces_built_in);
        let (name, origin) = (staged.name().to_owned(), staged.origin());
        let agreed = match replaces {
            // The agreement comes before the package, because a session in play loads a package as soon as it is there.
            true => self.source.settings.agree_to_replacement(&name, &origin),
            false => Ok(()),
        };
        let installed = match agreed {
            Ok(()) => self.packages.activate(staged, &self.source.side()),
            Err(source) => {
                let unkept = InstallError::Io {
                    action: "keep your agreement in",
                    path: self.source.settings.file(&name, &origin).unwrap_or_default(),
                    source,
                };
                Err(self.packages.discard(staged).err().unwrap_or(unkept))
            }
        };
        match installed {
            Ok(installed) => Ok((installed, asked)),
            Err(error) => {
                if replaces {
                    // Only the first error is reported: the old version stays, and is not used without an agreement.
                    let _ = self.source.settings.withdraw_replacement(&name, &origin);
                }
                // The old version stays, so it gets its settings back.
                match changed.map(|form| form.restore()) {
                    Some(Ok(())) => {
                        note(err, Tone::Notice, "note", "your settings are again as they were");
                    }
                    Some(Err(error)) => {
                        let what = format!("your settings cannot be put back: {error}");
                        note(err, Tone::Warning, "warning", &what);
                    }
                    None => {}
                }
                Err(failure(path, error))
            }
        }
    }

    /// Returns the request to which the player agreed, and the form if it has changed settings.
    fn agree(
        &self,
        staged: &StagedPackage,
        err: &mut Out,
    ) -> Result<(Option<ConsentRequest>, Option<ConfigForm>), TurnError> {
        let (mut request, mut changed) = (None, None);
        let asked = ConsentRequest::of(staged, &self.source, self.settings)?;
        // The player may not have agreed yet to a package that is already there.
        if !staged.is_unchanged() || asked.replaces_built_in() {
            asked.ask(self.given, self.settings, err)?;
            self.compile(staged, err)?;
            request = Some(asked);
        }
        if !self.set.is_empty() {
            let package = staged.package().map_err(|problem| find_package::broken(&[problem]))?;
            let mut form =
                package.config_form(&self.source.settings).map_err(config::form_error)?;
            config::change(&mut form, &self.set, &[], self.source.variables())?;
            changed = config::write(&form, err)?.then_some(form);
        }
        Ok((request, changed))
    }
}

impl Installer<'_> {
    /// Opens what was named. A zip file and a folder are packed first. A signature and `--sha256` are those of the file that
    /// was named, and they hold before anything of it is unpacked.
    fn content(
        &self,
        archive: &NamedArchive,
        err: &mut Out,
    ) -> Result<ArchiveContent, InstallFailure> {
        let NamedArchive { path, shown, signature, listed, .. } = archive;
        let wrong_digest = |found: &str, wanted: &str| {
            let (found, wanted) = (found.to_owned(), wanted.to_owned());
            failure(shown, InstallError::WrongArchiveDigest { found, wanted })
        };
        let listed_digest = listed.as_ref().and_then(|listed| listed.sha256.as_deref());
        if let (Some(listed), Some(wanted)) = (listed_digest, &self.sha256)
            && !listed.eq_ignore_ascii_case(wanted)
        {
            return Err(wrong_digest(listed, wanted));
        }
        let wanted = self.sha256.as_deref().or(listed_digest).map(str::to_owned);
        if path.is_dir() {
            for component in stale_components(path) {
                let what = format!("`{component}` is older than its sources");
                note(err, Tone::Warning, "warning", &what);
            }
            let bytes = Box::new(Cursor::new(packed(path, shown)?));
            return Ok(ArchiveContent { bytes, sha256: wanted, signed: None });
        }
        let OpenedArchive { mut file, signed } = OpenedArchive::open(path, signature)?;
        if let (Some(signed), Some(wanted)) = (&signed, &wanted)
            && !signed.sha256.eq_ignore_ascii_case(wanted)
        {
            return Err(wrong_digest(&signed.sha256, wanted));
        }
        if signed.is_none() && listed.as_ref().is_some_and(|listed| listed.is_signed) {
            return Err(unvouched(
                shown,
                "the index says that it is signed, and there is no signature",
            )
            .into());
        }
        if signed.is_none() && wanted.is_none() && archive.is_fetched() {
            let what = "neither a digest nor a signature vouches for what the server has sent";
            let hint = match listed {
                Some(_) => format!("if that is what its author has published: `narratoria skill install {}`", shown.display()),
                None => "`narratoria skill install --sha256 HEX` says which digest its author has published".to_owned(),
            };
            return Err(unvouched(shown, what).hint(hint).into());
        }
        let wanted = signed.as_ref().map(|signed| signed.sha256.clone()).or(wanted);
        if !is_zip(path) {
            return Ok(ArchiveContent { bytes: Box::new(file), sha256: wanted, signed });
        }
        if let Some(wanted) = wanted {
            let found = digest(&mut file).map_err(|error| failure(shown, error))?;
            if !found.eq_ignore_ascii_case(&wanted) {
                return Err(wrong_digest(&found, &wanted));
            }
        }
        let scratch = packages::scratch_folder().map_err(TurnError::from)?;
        let folder = unzip_package(BufReader::new(file), scratch.path());
        let folder = folder.map_err(|error| failure(shown, error))?;
        let bytes = Box::new(Cursor::new(packed(&folder, shown)?));
        Ok(ArchiveContent { bytes, sha256: None, signed })
    }

    /// The signer is the one that the player named, and one that the policy allows.
    fn check_signer(&self, path: &Path, signed: Option<&SignedClaims>) -> Result<(), TurnError> {
        let refused = |what: String| {
            let what = format!("{}: {what}", path.display());
            TurnError::new(TurnErrorKind::Refused, what)
        };
        let signer = signed.map(|signed| &signed.key);
        match (&self.key, signer) {
            (Some(wanted), Some(found)) if wanted != found => {
                return Err(refused(format!("it is signed by {found}, wanted is {wanted}")));
            }
            (Some(wanted), None) => {
                let what = format!("it has no signature, wanted is one by {wanted}");
                return Err(refused(what).hint(
                    "the signature is the file beside the archive whose name ends with `.minisig`",
                ));
            }
            _ => {}
        }
        match self.source.policy.signer_breach(signer) {
            Some(breach) => Err(refused(format!("it {breach}"))),
            None => Ok(()),
        }
    }

    /// Compiles the components as play does, and caches their code for it. A package that no session could load is not
    /// installed.
    fn compile(&self, staged: &StagedPackage, err: &mut Out) -> Result<(), TurnError> {
        let broken = |problems: &[Problem]| find_package::broken(problems);
        let package = staged.package().map_err(|problem| broken(&[problem]))?;
        let skill = package
            .load(&self.source.side().tolerating_missing())
            .map_err(|problems| broken(&problems))?;
        if skill.scripts.is_empty() {
            return Ok(());
        }
        let sandbox = setup::offline_sandbox(self.settings, err)?;
        for script in &skill.scripts {
            sandbox.load_file(&script.component, &script.grants).map_err(|error| {
                broken(&[Problem {
                    package: skill.name.clone(),
                    file: Some(script.path.clone()),
                    field: None,
                    what: error.to_string(),
                    severity: Severity::Skipped,
                }])
            })?;
        }
        Ok(())
    }
}

/// The refusal of an archive that nobody vouches for.
fn unvouched(shown: &Path, what: &str) -> TurnError {
    TurnError::new(TurnErrorKind::Refused, format!("{}: {what}", shown.display()))
}

/// The refusal of an archive that holds another package than the place says that named it.
fn unlisted(archive: &NamedArchive, staged: &StagedPackage) -> Option<TurnError> {
    let ListedArchive { by, name, version, .. } = archive.listed.as_ref()?;
    let is_listed = name.as_deref().is_none_or(|name| name == staged.name())
        && version.as_ref().is_none_or(|version| version == staged.version());
    (!is_listed).then(|| {
        let name = name.as_deref().map(|name| format!("`{name}` ")).unwrap_or_default();
        let version = version.as_ref().map(Version::to_string).unwrap_or_default();
        let held = format!("`{}` {}", staged.name(), staged.version());
        unvouched(&archive.shown, &format!("it holds {held}, and {by} says {name}{version}"))
    })
}

/// The bytes of an archive of the package in this folder. Errors name the path that the player named.
fn packed(folder: &Path, named: &Path) -> Result<Vec<u8>, InstallFailure> {
    let mut bytes = Vec::new();
    let shown = named.display();
    match pack_folder(folder, &mut bytes) {
        Ok(_) => Ok(bytes),
        Err(PackError::InvalidPackage(problems)) => {
            let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
            let what = format!("{shown}: the package cannot be loaded");
            let hint = way_out(&lines, &shown.to_string());
            let error = TurnError::new(TurnErrorKind::BadInput, what).hint(hint);
            Err(InstallFailure { error, problems })
        }
        Err(error) => {
            Err(TurnError::new(TurnErrorKind::BadInput, format!("{shown}: {error}")).into())
        }
    }
}

/// The digest of a file, which is then read from its beginning again.
fn digest(file: &mut File) -> Result<String, InstallError> {
    let mut hasher = Sha256Hasher::default();
    let mut buffer = [0; 1 << 16];
    let read = |source| InstallError::Io { action: "read", path: ARCHIVE.into(), source };
    loop {
        match file.read(&mut buffer).map_err(read)? {
            0 => break,
            bytes => hasher.update(&buffer[..bytes]),
        }
    }
    file.rewind().map_err(read)?;
    Ok(hasher.hex())
}

fn failure(path: &Path, error: InstallError) -> InstallFailure {
    match error {
        InstallError::InvalidPackage { name, problems } => {
            let error = InstallError::InvalidPackage { name, problems: Vec::new() };
            InstallFailure { error: named(path, error), problems }
        }
        InstallError::SettingsMissing(mut upgrade) => {
            let problems = std::mem::take(&mut upgrade.problems);
            InstallFailure { error: named(path, InstallError::SettingsMissing(upgrade)), problems }
        }
        error => named(path, error).into(),
    }
}

fn named(path: &Path, error: InstallError) -> TurnError {
    let TurnError { kind, error, hints } = install_error(error);
    let error = TurnError { kind, error, hints: Vec::new() };
    TurnError { hints, ..TurnError::new(kind, format!("{}: {error}", path.display())) }
}

/// Returns the key of `--key`.
fn check_arguments(args: &SkillInstallArgs) -> Result<Option<SignerKey>, TurnError> {
    if !args.set.is_empty() && args.archives.len() > 1 {
        let error = "`--set` is for the settings of one package, and there are several archives";
        return Err(TurnError::new(TurnErrorKind::BadInput, error));
    }
    let key = args.key.as_deref().map(SignerKey::parse).transpose();
    let key = key.map_err(|error| {
        TurnError::new(TurnErrorKind::BadInput, format!("`--key`: {error}"))
            .hint("it is the second line of the file that `narratoria skill key new` has written")
    })?;
    let Some(digest) = &args.sha256 else { return Ok(key) };
    if args.archives.len() > 1 {
        let error = "`--sha256` is the digest of one archive, and there are several";
        return Err(TurnError::new(TurnErrorKind::BadInput, error));
    }
    // Some tools print digests in capitals.
    if !is_digest(&digest.to_ascii_lowercase()) {
        let error = format!("`--sha256 {digest}` is no SHA-256: it has 64 hexadecimal digits");
        return Err(TurnError::new(TurnErrorKind::BadInput, error));
    }
    Ok(key)
}

fn installed_text(installed: &InstallReport) -> String {
    let InstallReport { name, version, previous_version: before, is_unchanged, .. } = installed;
    match before {
        _ if *is_unchanged => format!("{name} {version} is installed already"),
        Some(before) => format!("{name} {version} installed, in place of {before}"),
        None => format!("{name} {version} installed"),
    }
}

fn document(
    archive: &NamedArchive,
    installed: &InstallReport,
    asked: Option<&ConsentRequest>,
) -> Value {
    let list = |of: fn(&ConsentRequest) -> &BTreeSet<Demand>| match asked {
        Some(asked) => demands_document(of(asked)),
        None => json!([]),
    };
    let mut document = json!({
        "archive": archive.shown.display().to_string(),
        "sha256": installed.sha256,
        "name": installed.name,
        "version": installed.version.to_string(),
        "before": installed.previous_version.as_ref().map(ToString::to_string),
        "changed": !installed.is_unchanged,
        "folder": installed.folder.display().to_string(),
        "asksFor": list(|asked| &asked.new),
        "noLongerAsksFor": list(|asked| &asked.gone),
    });
    if let Some(pinned) = &installed.pinned {
        document["key"] = json!(pinned.key.as_str());
        document["keySince"] = json!(pinned.since);
    }
    document
}
