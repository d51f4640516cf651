import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InstallTarget } from "../../src/agents/agent.ts";
import type { FileEdit } from "../../src/agents/file-edits/file-edit.ts";
import type { Connection } from "../../src/agents/proxy-connector.ts";
import { proxyClientNamed, proxyClients } from "../../src/agents/registry.ts";

const connectors = await Promise.all(
  proxyClients.map(async ({ id, proxy }) => ({ id, ...(await proxy.load()) })),
);

function connectorNamed(id: string) {
  const connector = connectors.find((each) => each.id === id);
  if (!connector) throw new Error(`no connector ${id}`);
  return connector;
}

const target: InstallTarget = {
  home: "/home/ada",
  command: "sallyport",
  argv: ["sallyport"],
  environment: {},
};
const connection: Connection = {
  url: "http://127.0.0.1:8045",
  key: "key-0123456789",
  ownLogin: false,
  models: ["m-1", "m-2"],
};

function editOf(id: string, suffix: string): FileEdit {
  const edit = connectorNamed(id)
    .edits(target, connection)
    .find(({ path }) => path.endsWith(suffix));
  if (!edit) throw new Error(`${id} writes no ${suffix}`);
  return edit;
}

describe.each(connectors.map((connector) => [connector.id, connector] as const))("%s", (_id, connector) => {
  it("gets the address and the key once, and drops them on disconnect", () => {
    const edits = connector.edits(target, connection);
    const output = JSON.stringify([
      ...edits.map((edit) => edit.install(undefined)),
      connector.variables(connection),
    ]);
    expect(output).toContain(connection.url);
    expect(output).toContain(connection.key);
    for (const edit of edits) {
      const text = edit.install(undefined);
      expect(edit.install(text)).toBe(text);
      expect(edit.uninstall(text)).toBeUndefined();
    }
  });
});

const toml: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["comments alone", "# mine\n\n"],
  ["no end of the last line", 'model = "gpt-5"'],
  ["CRLF", 'model = "gpt-5"\r\n\r\n[tui]\r\nnotifications = true\r\n'],
  [
    "a provider chosen",
    'model = "x" # why\nmodel_provider = "azure" # mine\n[model_providers.azure]\nname="A"\n',
  ],
  ["the key within a table", '[profiles.work]\nmodel_provider = "azure"\n'],
  [
    "the key within a string",
    'notes = """\nmodel_provider = "no"\n[not.a.table]\n"""\nmodel_provider="yes"\n',
  ],
  ["an escaped quote in a string", 'notes = """ \\""" \nmodel_provider = "no" """\nmodel_provider="yes"\n'],
  ["a literal string", "notes = '''\n\\'''\nmodel_provider='yes'\n"],
  ["an array over lines", 'notify = [\n  "a", # ]\n  "model_provider = 1",\n]\n"model_provider" = "yes"\n'],
];

describe("config.toml of Codex", () => {
  const edit = editOf("codex", "config.toml");

  it.each(toml)("comes back byte for byte: %s", (_name, text) => {
    const written = edit.install(text);
    expect(edit.install(written)).toBe(written);
    expect(edit.uninstall(written)).toBe(text || undefined);
  });

  it.each(toml)("chooses one provider at the top level: %s", (_name, text) => {
    const lines = edit.install(text).split("\n");
    expect(lines.slice(0, 3)).toEqual(["# >>> sallyport", 'model_provider = "sallyport"', "# <<< sallyport"]);
    const disabledBefore =
      text.includes('"yes"') || text.includes("'yes'") || text.includes("# mine\n[") ? 1 : 0;
    expect(lines.filter((line) => line.startsWith("# sallyport set this aside: "))).toHaveLength(
      disabledBefore,
    );
  });

  it("refuses a file that has a provider of that name", () => {
    expect(() => edit.install('[model_providers.sallyport]\nname = "mine"\n')).toThrow(/already/);
  });

  it.each(['model_providers = { azure = { name = "A" } }\n', '"model_providers" = {}\n'])(
    "rejects a file in which providers are defined inline: %s",
    (text) => {
      expect(() => edit.install(text)).toThrow(/on one line/);
      expect(() => edit.install(`[profiles.work]\n${text}`)).not.toThrow();
    },
  );

  it("is restored byte for byte for any lines", () => {
    const line = fc.constantFrom(
      'model = "a"',
      "[t]",
      '[[u]] # "',
      "x = [",
      "]",
      "# '''",
      "s = '''",
      "'''",
      'b = """ \\',
      '"""',
      "",
      'model_provider = "z"',
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), fc.boolean(), (lines, end, last) => {
        const text = lines.join(end) + (last ? end : "");
        expect(edit.uninstall(edit.install(text)) ?? "").toBe(text);
      }),
    );
  });
});

describe("a client", () => {
  it("is known by the name of its program too", () => {
    expect(proxyClientNamed("claude").id).toBe("claude-code");
    expect(proxyClientNamed("gemini").id).toBe("gemini-cli");
    expect(proxyClientNamed("openai").id).toBe("openai");
    expect(() => proxyClientNamed("constructor")).toThrow(/Unknown client: constructor/);
  });
});

describe("a client that keeps its own login", () => {
  const own: Connection = { ...connection, key: undefined, ownLogin: true };

  it.each(connectors.map((connector) => [connector.id, connector] as const))(
    "%s writes the address and no key",
    (_id, connector) => {
      const written = JSON.stringify([
        ...connector.edits(target, own).map((edit) => edit.install(undefined)),
        connector.variables(own),
      ]);
      expect(written).toContain(connection.url);
      expect(written).not.toContain("undefined");
      expect(written).not.toMatch(/(TOKEN|KEY)\*["=: ]+(sallyport|key-)/i);
    },
  );

  it("Claude Code sends the proxy's key in a header beside its login", () => {
    const beside: Connection = { ...connection, ownLogin: true };
    expect(connectorNamed("claude-code").variables(beside)).toEqual({
      ANTHROPIC_BASE_URL: connection.url,
      ANTHROPIC_CUSTOM_HEADERS: `x-gen-api-key: ${connection.key}`,
    });
  });

  it("loses the key that an earlier connection wrote, and a token of the person's own comes back", () => {
    const original = '{ "env": { "ANTHROPIC_AUTH_TOKEN": "mine" } }';
    const written = editOf("claude-code", "settings.json").install(original);
    const edit = connectorNamed("claude-code").edits(target, own)[0];
    expect(JSON.parse(edit?.install(written, { original, written }) ?? "")).toEqual({
      env: { ANTHROPIC_AUTH_TOKEN: "mine", ANTHROPIC_BASE_URL: connection.url },
    });
    const fromNothing = editOf("claude-code", "settings.json").install("{}");
    const earlier = { original: "{}", written: fromNothing };
    expect(JSON.parse(edit?.install(fromNothing, earlier) ?? "")).toEqual({
      env: { ANTHROPIC_BASE_URL: connection.url },
    });
  });
});

describe("settings of others", () => {
  it("give the address back that was there before", () => {
    const edit = editOf("claude-code", "settings.json");
    const original = '{ "env": { "ANTHROPIC_BASE_URL": "https://gateway.example", "X": "1" } }';
    const written = edit.install(original);
    const edited = written.replace('"1"', '"2"');
    expect(JSON.parse(edit.uninstall(edited, { original, written }) ?? "")).toEqual({
      env: { ANTHROPIC_BASE_URL: "https://gateway.example", X: "2" },
    });
  });

  it("keep an address that the person has set since", () => {
    const edit = editOf("claude-code", "settings.json");
    const written = edit.install("{}");
    const edited = written.replace(connection.url, "https://other.example");
    expect(edit.uninstall(edited, { original: "{}", written })).toContain("https://other.example");
  });

  it("keep every line of .env", () => {
    const edit = editOf("gemini-cli", ".env");
    const text = "GEMINI_API_KEY=mine\r\n# note";
    expect(edit.install(text).startsWith(text)).toBe(true);
    expect(edit.uninstall(edit.install(text))).toBe(text);
  });
});
