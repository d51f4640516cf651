// The files with which package managers install the executables of a release. Pure: `write.mjs` writes them.
import { stringify } from "yaml";
import {
  description,
  downloadUrl,
  executableNode,
  license,
  name,
  summary,
  targets,
  version,
} from "./facts.mjs";

/** Returns the texts of all files by path; `checksums` maps the archives to their SHA-256. */
export function releaseFiles(repository, checksums, changelog) {
  for (const { archive } of targets)
    if (!checksums.has(archive)) throw new Error(`SHA256SUMS has no line for ${archive}`);
  return {
    [`homebrew/${name}.rb`]: homebrewFormula(repository, checksums),
    ...wingetManifests(repository, checksums),
    "install.sh": installScript(repository, checksums),
    "notes.md": releaseNotes(changelog),
  };
}

/** Returns the changelog section of this version. */
export function releaseNotes(changelog) {
  const sections = changelog.split(/^## /m);
  const own = sections.find((section) => /^[^\s]+/.exec(section)?.[0] === version);
  if (own === undefined) throw new Error(`CHANGELOG.md has no section ${version}`);
  return `${own.replace(/^.*\n/, "").trim()}\n`;
}

/** Returns a Homebrew formula: https://docs.brew.sh/Formula-Cookbook */
export function homebrewFormula(repository, checksums) {
  const className = name[0].toUpperCase() + name.slice(1);
  const block = (platform, arch, condition) => {
    const { archive } = targets.find((target) => target.platform === platform && target.arch === arch);
    return [
      `    ${condition} do`,
      `      url "${downloadUrl(repository, archive)}"`,
      `      sha256 "${checksums.get(archive)}"`,
      "    end",
    ];
  };
  return [
    `class ${className} < Formula`,
    `  desc "${summary}"`,
    `  homepage "https://github.com/${repository}"`,
    `  version "${version}"`,
    `  license "${license}"`,
    "",
    "  on_macos do",
    ...block("darwin", "arm64", "on_arm"),
    ...block("darwin", "x64", "on_intel"),
    "  end",
    "",
    "  on_linux do",
    ...block("linux", "arm64", "on_arm"),
    ...block("linux", "x64", "on_intel"),
    "  end",
    "",
    "  def install",
    `    bin.install "${name}"`,
    `    generate_completions_from_executable(bin/"${name}", "completion")`,
    "  end",
    "",
    "  service do",
    `    run [opt_bin/"${name}", "proxy", "start"]`,
    "    keep_alive true",
    `    log_path var/"log/${name}.log"`,
    `    error_log_path var/"log/${name}.log"`,
    "  end",
    "",
    "  test do",
    `    assert_match version.to_s, shell_output("#{bin}/${name} --version")`,
    "  end",
    "end",
    "",
  ].join("\n");
}

const WINGET_SCHEMA = "1.10.0";

/** Returns the three winget manifests: https://learn.microsoft.com/windows/package-manager/package/manifest */
export function wingetManifests(repository, checksums) {
  const [owner = ""] = repository.split("/");
  const id = `${owner}.${name[0].toUpperCase()}${name.slice(1)}`;
  const own = { PackageIdentifier: id, PackageVersion: version };
  const end = (type) => ({ ManifestType: type, ManifestVersion: WINGET_SCHEMA });
  const files = {
    [`${id}.yaml`]: ["version", { ...own, DefaultLocale: "en-US", ...end("version") }],
    [`${id}.installer.yaml`]: [
      "installer",
      {
        ...own,
        InstallerType: "zip",
        NestedInstallerType: "portable",
        NestedInstallerFiles: [{ RelativeFilePath: `${name}.exe`, PortableCommandAlias: name }],
        Installers: targets
          .filter(({ platform }) => platform === "win32")
          .map(({ arch, archive }) => ({
            Architecture: arch,
            InstallerUrl: downloadUrl(repository, archive),
            InstallerSha256: checksums.get(archive)?.toUpperCase(),
          })),
        ...end("installer"),
      },
    ],
    [`${id}.locale.en-US.yaml`]: [
      "defaultLocale",
      {
        ...own,
        PackageLocale: "en-US",
        Publisher: owner,
        PublisherUrl: `https://github.com/${owner}`,
        PackageName: "Sallyport",
        PackageUrl: `https://github.com/${repository}`,
        License: license,
        LicenseUrl: `https://github.com/${repository}/blob/v${version}/LICENSE`,
        ShortDescription: `${summary}.`,
        Description: description,
        Moniker: name,
        Tags: ["cli", "code-review", "coding-agents", "llm", "proxy"],
        ...end("defaultLocale"),
      },
    ],
  };
  return Object.fromEntries(
    Object.entries(files).map(([file, [type, value]]) => [
      `winget/${file}`,
      `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${WINGET_SCHEMA}.schema.json\n${stringify(value)}`,
    ]),
  );
}

/** Returns a shell script that installs this version and rejects an archive with another checksum. */
export function installScript(repository, checksums) {
  const unix = targets.filter(({ platform }) => platform !== "win32");
  const cases = unix.map(({ platform, arch, archive }) => {
    return `  ${platform}-${arch}) archive=${archive} checksum=${checksums.get(archive)} ;;`;
  });
  return `#!/bin/sh
# Installs ${name} ${version}, an executable with Node.js ${executableNode}:
#   curl -fsSL ${downloadUrl(repository, "install.sh")} | sh
# SALLYPORT_INSTALL_DIR names the folder (default: ~/.local/bin). Nothing else is written.
# SALLYPORT_DOWNLOAD_URL names a mirror of the release's files.
set -eu

main() {
  folder=\${SALLYPORT_INSTALL_DIR:-"$HOME/.local/bin"}
  base=\${SALLYPORT_DOWNLOAD_URL:-${downloadUrl(repository, "").replace(/\/$/, "")}}
  case "$(uname -s)" in
  Linux) platform=linux ;;
  Darwin) platform=darwin ;;
  *) fail "There is no executable for $(uname -s). With Node.js: npm install --global ${name}" ;;
  esac
  case "$(uname -m)" in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "There is no executable for $(uname -m). With Node.js: npm install --global ${name}" ;;
  esac
  if [ "$platform" = linux ] && [ -f /etc/alpine-release ]; then
    fail "The executable needs glibc. On Alpine, with Node.js: npm install --global ${name}"
  fi
  case "$platform-$arch" in
${cases.join("\n")}
  esac
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  download "$base/$archive" "$work/$archive"
  actual=$(digest "$work/$archive")
  if [ "$actual" != "$checksum" ]; then
    fail "The checksum of $archive is wrong: expected $checksum, got $actual. Nothing was installed."
  fi
  tar -xzf "$work/$archive" -C "$work" ${name}
  mkdir -p "$folder"
  # Not written in place: a running executable cannot be overwritten.
  mv "$work/${name}" "$folder/.${name}.new"
  chmod 755 "$folder/.${name}.new"
  mv "$folder/.${name}.new" "$folder/${name}"
  echo "Installed $("$folder/${name}" --version) as $folder/${name}" >&2
  case ":$PATH:" in
  *":$folder:"*) echo "Next: ${name} init" >&2 ;;
  *) echo "Add $folder to your PATH, then: ${name} init" >&2 ;;
  esac
}

download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif command -v wget >/dev/null; then
    wget --quiet --output-document "$2" "$1"
  else
    fail "curl or wget is required."
  fi
}

digest() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1" | cut -d ' ' -f 1
  else
    shasum -a 256 "$1" | cut -d ' ' -f 1
  fi
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

# Last, so that a truncated download runs nothing.
main
`;
}
