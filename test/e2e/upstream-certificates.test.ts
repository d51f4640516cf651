import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import {
  type Certificate,
  EXPIRED,
  makeAuthority,
  NOT_YET,
  selfSigned,
  VALID,
} from "../support/certificates.ts";
import { callUpstream, isEnvelope, type Received } from "../support/faulty-upstream.ts";
import { quietPort } from "../support/quiet-port.ts";
import { type SpawnedCommand, sandbox, startCommand } from "../support/spawned-command.ts";
import { SECRET } from "../support/upstream-errors.ts";
import { type ClientDialect, DIALECTS, goodBody } from "../support/vendor-responses.ts";

/**
 * TLS upstreams of the built proxy, because Node.js can trust another authority only from its start. The upstream
 * with a valid certificate of that authority is called, so each other upstream is rejected only for its own defect.
 */
const authority = makeAuthority("An authority of this test");
const other = makeAuthority("An authority of somebody else's");
const VENDORS: readonly { name: string; certificate: Certificate; refusedFor?: string }[] = [
  { name: "sound", certificate: authority.issue({ host: "localhost", ...VALID }) },
  {
    name: "expired",
    certificate: authority.issue({ host: "localhost", ...EXPIRED }),
    refusedFor: "CERT_HAS_EXPIRED",
  },
  {
    name: "not-yet-valid",
    certificate: authority.issue({ host: "localhost", ...NOT_YET }),
    refusedFor: "CERT_NOT_YET_VALID",
  },
  {
    name: "of-another-host",
    certificate: authority.issue({ host: "api.vendor.test", ...VALID }),
    refusedFor: "ERR_TLS_CERT_ALTNAME_INVALID",
  },
  {
    name: "of-an-unknown-authority",
    certificate: other.issue({ host: "localhost", ...VALID }),
    refusedFor: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  },
  {
    name: "self-signed",
    certificate: selfSigned("localhost"),
    refusedFor: "DEPTH_ZERO_SELF_SIGNED_CERT",
  },
];
const CASES = VENDORS.flatMap((vendor) =>
  DIALECTS.flatMap((client) =>
    DIALECTS.flatMap((upstream) => [false, true].map((isStream) => ({ vendor, client, upstream, isStream }))),
  ),
);

/**
 * The requests that each vendor received. A vendor with an invalid certificate must receive nothing, in particular
 * not the key.
 */
const sent = new Map<string, number>();

beforeEach(() => sent.clear());

it(`calls an upstream whose certificate is sound and no other, in every pair of dialects (${CASES.length} calls)`, async () => {
  const { command, url } = await startProxy(await Promise.all(VENDORS.map(startVendor)));
  const responses = await Promise.all(
    CASES.map(({ client, upstream, vendor, isStream }) =>
      callUpstream(url, client, `${vendor.name}-${upstream}`, isStream),
    ),
  );
  for (const [number, { vendor, client, upstream, isStream }] of CASES.entries()) {
    const title = `${client} to ${upstream}, ${isStream ? "stream" : "JSON"}, ${vendor.name}`;
    expect([title, outcomeOf(client, responses[number])]).toEqual([title, vendor.refusedFor ?? "answered"]);
  }
  expect([...sent]).toEqual([["sound", CASES.length / VENDORS.length]]);
  expect(command.stderr()).not.toContain(SECRET);
});

/** Summarizes a call: success, the reason of the failure, or the whole response otherwise. */
function outcomeOf(client: ClientDialect, received: Received | undefined): string {
  const { status, isBroken } = received ?? {};
  const text = Buffer.from(received?.text ?? "", "latin1").toString();
  if (status === 200 && !isBroken && text.includes("déjà")) return "answered";
  const reason = /could not be reached \((\w+)\)/.exec(text)?.[1];
  const isRefusal = status === 502 && !isBroken && isEnvelope[client](JSON.parse(text));
  return isRefusal && reason ? reason : JSON.stringify(received);
}

/** A vendor of every dialect, each below a path with its name. */
async function startVendor({ name, certificate }: (typeof VENDORS)[number]): Promise<[string, string]> {
  const server = createServer(certificate, async (request, response) => {
    sent.set(name, (sent.get(name) ?? 0) + 1);
    let body = "";
    for await (const piece of request) body += piece;
    const path = request.url ?? "";
    const isStream = path.includes("streamGenerate") || body.includes('"stream":true');
    const dialect = DIALECTS.find((each) => path.startsWith(`/${each}`)) ?? "messages";
    response.setHeader("content-type", isStream ? "text/event-stream" : "application/json");
    response.end(goodBody(dialect, isStream));
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return [name, `https://localhost:${(server.address() as AddressInfo).port}`];
}

/** The built command, which trusts the authority in addition to the public ones. */
async function startProxy(
  vendors: readonly (readonly [name: string, url: string])[],
): Promise<{ command: SpawnedCommand; url: string }> {
  const folder = await sandbox();
  const upstreams = vendors.flatMap(([name, url]) =>
    DIALECTS.map((dialect) => [
      `${name}-${dialect}`,
      { dialect, base_url: `${url}/${dialect}`, api_key: SECRET, models: [] },
    ]),
  );
  const models = upstreams.map(([name]) => ({ match: name, upstream: name }));
  const proxy = { upstreams: Object.fromEntries(upstreams), models };
  const [file, trusted] = [join(folder, "config.json"), join(folder, "authority.pem")];
  await Promise.all([writeFile(file, JSON.stringify({ proxy })), writeFile(trusted, authority.cert)]);
  const port = await quietPort();
  const command = await startCommand(["proxy", "start", "--config", file, "--port", String(port)], {
    folder,
    environment: { NODE_EXTRA_CA_CERTS: trusted },
  });
  await command.waitForOutput(/Proxy listening/);
  return { command, url: `http://127.0.0.1:${port}` };
}
