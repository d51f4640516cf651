import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ownMember, parseJson } from "../../src/proxy/exchange/json.ts";
import { matchesGlob } from "../../src/proxy/glob.ts";
import { codeServer } from "../support/code-server.ts";
import { type FakeUpstream, json, startFakeUpstream } from "../support/fake-upstream.ts";
import { question } from "../support/faulty-upstream.ts";
import { PAGE_TOKEN, planServer } from "../support/plan-server.ts";
import { startTestProxy, type TestProxy } from "../support/start-proxy.ts";
import { testRepository } from "../support/test-repository.ts";
import { DIALECTS, WHOLE } from "../support/vendor-responses.ts";

let upstream: FakeUpstream;
let proxy: TestProxy;
beforeAll(async () => {
  upstream = await startFakeUpstream();
  proxy = await startTestProxy({
    upstreams: Object.fromEntries(
      DIALECTS.map((dialect) => [dialect, { dialect, base_url: upstream.url, models: [dialect] }]),
    ),
    models: DIALECTS.map((dialect) => ({ match: `to-${dialect}`, upstream: dialect })),
  });
});
afterAll(async () => {
  await proxy.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.respond = json({ ok: true });
  upstream.hits.length = 0;
  proxy.internal.length = 0;
});

const post = (path: string, body: string) =>
  fetch(`${proxy.url}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body });

/** The same value with one of its strings or names replaced. */
function replacements(value: unknown, by: string): unknown[] {
  if (typeof value === "string") return [by];
  if (Array.isArray(value))
    return value.flatMap((item, index) => replacements(item, by).map((other) => value.with(index, other)));
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  return [
    ...entries.flatMap(([name, member]) =>
      replacements(member, by).map((other) => ({ ...value, [name]: other })),
    ),
    { ...value, [by]: "x" },
    { ...value, [by]: [{ [by]: by }] },
  ];
}

const TOOLS = {
  "chat-completions": {
    tools: [
      {
        type: "function",
        function: {
          name: "f",
          parameters: { type: "object", properties: { a: { type: "string", format: "date" } } },
        },
      },
    ],
  },
  responses: {
    tools: [
      {
        type: "function",
        name: "f",
        parameters: { type: "object", properties: { a: { type: "string", format: "date" } } },
      },
      { type: "web_search" },
    ],
  },
  messages: {
    tools: [
      { name: "f", input_schema: { type: "object", properties: { a: { type: "string", format: "date" } } } },
    ],
  },
  "generative-language": {
    tools: [
      {
        functionDeclarations: [
          {
            name: "f",
            parameters: { type: "OBJECT", properties: { a: { type: "STRING", format: "date" } } },
          },
        ],
      },
    ],
  },
};

describe("P13 JSON in the native lane", () => {
  it("reaches the upstream byte for byte", async () => {
    const rest = fc.json({ maxDepth: 3 }).map((text) => text.replaceAll("/", "\\/"));
    await fc.assert(
      fc.asyncProperty(
        rest,
        fc.constantFrom("9007199254740993", "1e400", "-0", "1.0", '"\\u00e9"', '"\\ud800"'),
        async (value, number) => {
          const body = `{ "x" : ${value},\t"model":"messages" , "n": ${number} }`;
          upstream.hits.length = 0;
          await (await post("/v1/messages", body)).text();
          expect(upstream.hits.map((hit) => hit.body.toString())).toEqual([body]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

const PAIRS = DIALECTS.flatMap((client) =>
  DIALECTS.filter((other) => other !== client).map((target) => [client, target] as const),
);

/** The text can be parsed, but recursive code would overflow the stack. */
const BOTTOMLESS = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

describe("P13 JSON that is translated", () => {
  it.each(DIALECTS)(
    "%s: is refused where it would change what objects inherit, or nests without end",
    async (client) => {
      const target = DIALECTS.find((each) => each !== client) ?? client;
      const { path, body } = question(client, `to-${target}`, false);
      const whole = body.replace(/}$/, "");
      for (const more of [
        '"__proto__":{"polluted":true}',
        '"a":{"b":[{"__proto__":{}}]}',
        `"a":${"[".repeat(300)}${"]".repeat(300)}`,
        `"a":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
        `"a":${BOTTOMLESS}`,
        `"a":${BOTTOMLESS},"n":12345678901234567890`,
      ]) {
        const response = await post(path, `${whole},${more}}`);
        expect([more.slice(0, 20), response.status]).toEqual([more.slice(0, 20), 400]);
        await response.text();
      }
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
      expect(upstream.hits).toEqual([]);
    },
  );

  it.each(PAIRS)(
    "%s to %s: a name that everything inherits is a name like any other",
    async (client, target) => {
      upstream.respond = json(WHOLE[target]);
      const { path, body } = question(client, `to-${target}`, false);
      const asked: object = { ...JSON.parse(body), ...TOOLS[client] };
      for (const each of replacements(asked, "constructor")) {
        const response = await post(
          path,
          JSON.stringify(
            client === "generative-language" ? each : { ...(each as object), model: `to-${target}` },
          ),
        );
        expect([JSON.stringify(each), response.status < 500]).toEqual([JSON.stringify(each), true]);
        await response.text();
      }
      expect(proxy.internal).toEqual([]);
    },
  );

  it.each(PAIRS)("%s from %s: is translated alike in a response", async (client, target) => {
    const { path, body } = question(client, `to-${target}`, false);
    for (const each of replacements(WHOLE[target], "constructor")) {
      upstream.respond = json(each);
      const response = await post(path, body);
      expect([JSON.stringify(each), response.status]).toEqual([
        JSON.stringify(each),
        expect.toSatisfy((status) => status !== 500),
      ]);
      await response.text();
    }
    expect(proxy.internal).toEqual([]);
  });
});

describe("P13 JSON that is nested deeply or names __proto__", () => {
  it.each(DIALECTS)("%s: is rejected by the echo upstream", async (client) => {
    const echo = await startTestProxy({});
    onTestFinished(() => echo.close());
    const { path, body } = question(client, "echo", false);
    for (const member of [BOTTOMLESS, '{"__proto__":{"polluted":true}}']) {
      const response = await fetch(`${echo.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: body.replace(/}$/, `,"a":${member}}`),
      });
      expect([response.status, echo.internal]).toEqual([400, []]);
      await response.text();
    }
  });

  it.each([
    ["PUT", "/api/draft", `{"generation":1,"content":${BOTTOMLESS}}`],
    ["PUT", "/api/draft", `{"generation":1,"content":${'{"a":'.repeat(300)}1${"}".repeat(300)}}`],
    ["POST", "/api/deny", `{"feedback":"x","more":${BOTTOMLESS}}`],
    ["PUT", "/api/settings", BOTTOMLESS],
  ] as const)("%s %s: is refused by a review", async (method, url, payload) => {
    const { app, context } = await planServer();
    const headers = { host: "localhost", "content-type": "application/json" };
    const response = await app.inject({ method, url, headers, payload });
    expect(response.statusCode).toBe(400);
    expect([
      context.session.phase,
      (await app.inject({ url: "/api/draft", headers: { host: "localhost" } })).json(),
    ]).toEqual(["waiting", expect.objectContaining({ generation: 0 })]);
  });
});

describe("P13 JSON with too many values", () => {
  it.each([
    ["POST", "/api/deny", '{"annotations":[', "{}", "]}", 300_000, 413],
    ["POST", "/api/deny", '{"annotations":[', "{}", "]}", 100_000, 400],
    ["POST", "/api/approve", '{"annotations":[', '{"id":1}', "]}", 100_000, 400],
    ["POST", "/api/approve", '{"vaultapp":{"vaultPath":"/x","plan":"","tags":[', "1", "]}}", 200_000, 400],
    ["PUT", "/api/draft", '{"generation":1,"content":{"a":[', "0", "]}}", 300_000, 413],
    ["PUT", "/api/draft", '{"generation":1,"content":[', "[[]]", "]}", 200_000, 413],
    [
      "PUT",
      "/api/settings",
      '{"vaultapp":{"enabled":true,"vaultPath":"","tags":[',
      "{}",
      "]}}",
      100_000,
      400,
    ],
  ] as const)("%s %s %s%s… is refused by a review, which goes on", async (...request) => {
    const [method, url, start, element, end, count, status] = request;
    const { app, context } = await planServer();
    const payload = start + Array.from({ length: count }, () => element).join(",") + end;
    const headers = {
      host: "localhost",
      "content-type": "application/json",
      "x-sallyport-page": PAGE_TOKEN,
    };
    const response = await app.inject({ method, url, headers, payload });
    expect([response.statusCode, response.json().error.length < 200]).toEqual([status, true]);
    expect(context.session.phase).toBe("waiting");
  });

  it("is rejected as feedback on a diff, which may contain 10,000 annotations", async () => {
    const { post } = await codeServer(await testRepository({ "a.txt": "a\n" }));
    const many = (length: number, note: object) => ({ annotations: Array.from({ length }, () => note) });
    const note = { id: "1", type: "comment", filePath: "a.txt", lineStart: 1, lineEnd: 1, side: "new" };
    expect((await post("/api/feedback", many(100_000, {}))).statusCode).toBe(400);
    expect((await post("/api/feedback", many(10_000, note))).statusCode).toBe(200);
  });
});

describe("P13 long untrusted texts", () => {
  it("are processed in linear time", () => {
    // Megabytes each: a pattern that scans the rest again from every position would take hours.
    expect(() => parseJson(`[1234567890123456, ${'-"\\'.repeat(1_000_000)}`)).toThrow(SyntaxError);
    expect(matchesGlob("*a*a*b", "a".repeat(1_000_000))).toBe(false);
    expect(matchesGlob("*claude*sonnet*", "claude".repeat(200_000))).toBe(false);
  });

  it("are searched once in a form", async () => {
    const line = "content-disposition:name=model".repeat(2_000);
    const response = await fetch(`${proxy.url}/v1/images/edits`, {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: `--b\r\n${line}\r\n--b--\r\n`,
    });
    expect(response.status).toBeLessThan(600);
    await response.text();
  });

  it("are not accepted as model names", async () => {
    const response = await post("/v1/messages", JSON.stringify({ model: "m".repeat(513) }));
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("512")]);
  });
});

it("P13 a pattern matches as documented", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "🏰", "*", "?"), maxLength: 8 });
  fc.assert(
    fc.property(letters, letters, (pattern, name) => {
      const source = pattern
        .replace(/[\\^$.|+()[\]{}]/g, "\\$&")
        .replaceAll("*", ".*")
        .replaceAll("?", ".");
      expect(matchesGlob(pattern, name)).toBe(pattern === name || new RegExp(`^${source}$`, "su").test(name));
    }),
    { numRuns: 2_000 },
  );
});

it("P13 a lookup table finds its own members only (prototype pollution)", () => {
  const table = { known: 1 };
  expect(ownMember(table, "known")).toBe(1);
  for (const name of ["constructor", "toString", "hasOwnProperty", "__proto__"])
    expect(ownMember(table, name)).toBeUndefined();
});
