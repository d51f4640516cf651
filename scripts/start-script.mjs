// Writes scripts that start an extracted browser with the libraries and fonts that were extracted with it.
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Writes a script that starts `program`, and its fontconfig file, into `folder`. Returns the path of the script.
 * `libraries` are folders that are searched for shared libraries before the system's folders. `fonts` is the folder of
 * the program's fonts.
 */
export function writeStartScript(folder, { program, libraries, fonts }) {
  const configuration = join(folder, "fonts.conf");
  writeFileSync(configuration, fontConfiguration(fonts, join(folder, "font-cache")));
  const script = join(folder, "start");
  const text = `#!/bin/sh
export LD_LIBRARY_PATH=${quote(libraries.join(delimiter))}
export FONTCONFIG_FILE=${quote(configuration)}
exec ${quote(program)} "$@"
`;
  writeFileSync(script, text, { mode: 0o755 });
  return script;
}

/** Returns a fontconfig file with the fonts of the system and those of a folder. */
function fontConfiguration(fonts, cache) {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${fonts}</dir>
  <alias>
    <family>monospace</family>
    <default><family>DejaVu Sans Mono</family></default>
  </alias>
  <alias>
    <family>sans-serif</family>
    <default><family>DejaVu Sans</family></default>
  </alias>
  <cachedir>${cache}</cachedir>
</fontconfig>
`;
}

function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
