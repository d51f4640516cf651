import { OWN_MARK, type ServiceDefinition } from "./definition.ts";
import { escapeXml } from "./xml.ts";

/** The label of the agent, and the name of its file. */
export const LAUNCHD_LABEL = "sallyport.proxy";

/**
 * Returns the launchd agent of the proxy, a property list for `~/Library/LaunchAgents`. It starts at login, and again
 * after a crash. Pure.
 */
export function formatLaunchdAgent({
  argv,
  environment,
  folder,
  log,
  stopSeconds,
}: ServiceDefinition): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${OWN_MARK} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(LAUNCHD_LABEL)}
  <key>ProgramArguments</key>
  <array>
${argv.map((arg) => `    ${string(arg)}`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(environment)
  .map(([name, value]) => `    <key>${escapeXml(name)}</key>\n    ${string(value)}`)
  .join("\n")}
  </dict>
  <key>WorkingDirectory</key>
  ${string(folder)}
  <key>StandardErrorPath</key>
  ${string(log)}
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>${stopSeconds}</integer>
  <key>ProcessType</key>
  <string>Interactive</string>
</dict>
</plist>
`;
}

function string(text: string): string {
  return `<string>${escapeXml(text)}</string>`;
}
